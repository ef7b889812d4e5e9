// Contacts of particles with collision shapes: kernels of contact_planes.h, shape_contact_solve.h and
// triggers.h.
#pragma once

#include "sim/stage/step_context.h"

namespace coalesce {

template <bool kSampled>
struct FindWallDensity;
template <bool Forms>
struct PreStabilizeShapes;
template <bool Forms>
struct SolveContinuousCollision;
struct CarryWallImpulses;
struct SolveShapeContacts;
struct UpdateVelocities;
struct WallImpulses;

class ShapeContacts : Stage {
public:
    using Stage::Stage;

    // Finds the planes that each particle may touch in this substep.
    void find(const StepContext& step);
    // In worlds of liquid alone, where nothing moves particles in between, also does what preStabilize() does
    // otherwise, in the same launch.
    void findAndPreStabilize(const StepContext& step);
    // Moves particles by shift [m], paths as a whole; not those that would pass a surface.
    void shiftPaths(const StepContext& step, View<const Vec4> shift);
    // Pushes out what starts inside a shape, without changing its velocity.
    void preStabilize(const StepContext& step);
    // Instead: lowers the planes so that contacts push out by at most maxDepenetration.
    void limitDepenetration(const StepContext& step);
    // The share of walls in the volume fraction, at the current x*.
    void addWallDensity(const StepContext& step);
    // The same at x, and `closing`: dφ_wall/dt by the motion of the walls [1/s]. atStart: x and the walls at
    // the start of the substep, not at its end.
    void addMovingWallDensity(const StepContext& step, View<const Vec4> x, View<float> closing, bool atStart);
    // The kernels of both, for the launch of another that needs the result of its own particle only; in
    // worlds without boundary particles.
    FindWallDensity<false> wallDensityKernel(const StepContext& step);
    FindWallDensity<false> movingWallDensityKernel(const StepContext& step, View<const Vec4> x,
                                                   View<float> closing, bool atStart);
    // One iteration of non-penetration and friction. xLambda.w: λ of the density constraint, which pushed
    // against the walls in this iteration too; empty: it is noted elsewhere. contactResponse: see ShapeMatching.
    void solve(const StepContext& step, View<const Vec4> xLambda, View<const float> contactResponse);
    // Its kernel, for the launch of another that moves its own particle only.
    SolveShapeContacts solveKernel(const StepContext& step, View<const Vec4> xLambda,
                                   View<const float> contactResponse);

    // Projective dynamics: carries the impulses on liquids through the global step of a round, see
    // CarryWallImpulses.
    void carryImpulses(const StepContext& step, View<const Vec4> xLambda, View<const float> resistance,
                       float chebyshev);
    CarryWallImpulses carryImpulsesKernel(const StepContext& step, View<const Vec4> xLambda,
                                          View<const float> resistance, float chebyshev);

    // Moves out of the shapes what the iterations have left inside, passes the result on to
    // triggers and to the update of velocities, and sums the loads: in one launch where
    // shapes have closed forms and there are no triggers.
    void resolvePenetration(const StepContext& step, const UpdateVelocities& update);
    // The first of it, for positions only: adds nothing to the impulses of contacts and the loads on shapes.
    void keepOutside(const StepContext& step);
    // Counts the particles in triggers at x*; triggers with a target send them there.
    void updateTriggers(const StepContext& step);
    // Forces and torques on the shapes in this substep, once velocities are known.
    void sumLoads(const StepContext& step);

    Contacts view(const DeviceWorld& device, int substep) const;
    // of each contact: Σ m Δx [kg m] that its plane gave the particle in this substep
    View<Vec3> accumulatedImpulse() { return m_accumulatedImpulse.view(); }
    // of the densities that addWallDensity() has found
    WallImpulses wallImpulses(const DeviceWorld& device) const;

private:
    void findWallDensity(const StepContext& step, View<const Vec4> x, View<float> closing, bool atStart);
    template <bool kSampled>
    FindWallDensity<kSampled> wallDensityKernel(const StepContext& step, View<const Vec4> x,
                                                View<float> closing, bool atStart);
    template <bool Forms>
    ContactSearch<Forms> search(const StepContext& step) const;
    template <bool Forms>
    PreStabilizeShapes<Forms> preStabilizeKernel(const StepContext& step, int rounds);
    void preStabilize(const StepContext& step, int rounds);
    void findContacts(const StepContext& step);
    template <bool Forms>
    SolveContinuousCollision<Forms> continuousCollisionKernel(const StepContext& step,
                                                              View<Vec3> accumulatedImpulse,
                                                              View<const Vec3> lastImpulse,
                                                              ShapeLoads loads) const;
    AccumulateShapeLoads loadKernel(const StepContext& step) const;

    Buffer<uint32_t> m_start{exec};
    Buffer<Vec4> m_planes{exec};
    Buffer<uint32_t> m_shape{exec};
    Buffer<Vec3> m_deformed{exec};  // empty while no shape deforms
    Buffer<Vec3> m_accumulatedImpulse{exec}, m_impulseBefore{exec};
    Buffer<Vec3> m_lastImpulse{exec};  // of bodies, in the last iteration: their response is not known yet
    Buffer<float> m_steepness{exec};
    bool m_preStabilized = false;  // by findAndPreStabilize()
    Buffer<Vec3> m_sampled{exec};  // empty without boundary particles
};

}  // namespace coalesce
