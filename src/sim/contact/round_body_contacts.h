// Contacts of round rigid bodies with shapes: kernels of round_contacts.h; the method velocity solves them in
// ContactImpulses.
#pragma once

#include "kernels/solid/round_surface.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/step_context.h"

namespace coalesce {

struct RoundContacts;
struct RoundImpacts;
struct RoundPoses;

class RoundBodyContacts : Stage {
public:
    using Stage::Stage;

    // Before the search of contacts: the particles of round bodies touch shapes with balls inside the surface.
    void gatherRadii(const StepContext& step, const ShapeMatching& bodies);
    // After pre-stabilization of the particles: finds the contacts.
    void find(const StepContext& step, ShapeMatching& bodies);
    // Then resolves the overlap at the start, or only limits how fast it will be, as the method velocity does.
    void preStabilize(const StepContext& step);
    void limitDepenetration(const StepContext& step);
    // One iteration, right after shape matching, which has found the poses.
    void solve(const StepContext& step);
    // The same where the poses have to be found first.
    void fitAndSolve(const StepContext& step, ShapeMatching& bodies);
    // At the end of the substep, between finding and applying the velocities of the bodies.
    void bounce(const StepContext& step, ShapeMatching& bodies);
    // Adds the impulses of the substep to the loads on the shapes.
    void sumLoads(const StepContext& step);

    bool isActive(const StepContext& step) const;
    // What the kernels share, at the present poses.
    RoundContacts contacts(const StepContext& step) const;
    RoundImpacts impacts(const StepContext& step) const;
    View<Vec3> accumulatedImpulse() { return m_accumulatedImpulse.view(); }  // [kg m] by contact

    // Over the contacts of a body: in a corner it has several.
    static constexpr int kPasses = 4;

private:
    Contacts contactsOf(const StepContext& step) const;
    RoundPoses posesOf(const StepContext& step, View<const ClusterPose> pose) const;
    void findPlanes(const StepContext& step);
    // See PreStabilizeRound.
    void lowerPlanes(const StepContext& step, int rounds);

    // by round body
    Buffer<RoundMotion> m_motion{exec};
    // by round surface
    Buffer<Vec4> m_startCenter{exec}, m_endCenter{exec};
    Buffer<uint32_t> m_phase{exec};
    Buffer<float> m_radius{exec};
    // contacts by round surface, see Contacts
    Buffer<uint32_t> m_start{exec};
    Buffer<Vec4> m_planes{exec};
    Buffer<uint32_t> m_shape{exec};
    Buffer<Vec3> m_deformed{exec};  // empty while no shape deforms
    Buffer<Vec3> m_accumulatedImpulse{exec}, m_bounce{exec};
    // by cluster
    Buffer<ClusterPose> m_startPose{exec};
    Buffer<Vec4> m_translation{exec}, m_rotation{exec};
};

}  // namespace coalesce
