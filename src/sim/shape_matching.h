// Solid bodies keep their shape: kernels of match.h, rigid_motion.h and plastic.h over the tables of
// World::solids.
#pragma once

#include "kernels/plastic.h"
#include "kernels/rigid_motion.h"
#include "sim/device_world.h"

namespace coalesce {

// Writes SolidTables::slotOf for the order in which particles are stored now.
void locateRows(World& world, const DeviceWorld& device);

class ShapeMatching {
public:
    explicit ShapeMatching(Exec& exec)
        : m_moments(exec),
          m_sums(exec),
          m_lambda(exec),
          m_hold(exec),
          m_loss(exec),
          m_linear(exec),
          m_omega(exec),
          m_field(exec),
          m_touch(exec),
          m_flow(exec),
          m_swelling(exec),
          m_before(exec),
          m_follow(exec),
          m_slotGain(exec),
          m_slotFollow(exec) {}

    // Moments of every match, by chunk, from the velocities as they are.
    View<const SpinSums> sumSpin(World& world);
    // Finds the bodies' particles after they were reordered, turns their signed distances with them, and
    // notes what matching will take of their spin.
    void locate(World& world, DeviceWorld& device, float dt);
    // Around pre-stabilization against shapes: notes where everything is, and lets rigid bodies go as a whole
    // where some of their particles were led out of an overlap.
    void noteStarts(World& world);
    void shiftWhole(World& world, DeviceWorld& device);
    // Before the contacts of an iteration: notes where everything is, so that bodies know what contacts did.
    // `followed`: another round of shape matching comes after them.
    void noteContacts(World& world, DeviceWorld& device, bool followed);
    // One iteration of a substep: every body towards its shape.
    void solve(World& world, DeviceWorld& device, int iteration);
    // After the substep: poses are those of the new places, rigid bodies have the velocities of a rigid
    // motion, and rest shapes follow where they have yielded, without a change of volume.
    void settle(World& world, DeviceWorld& device);

    // ∇φ in the world and φ of every particle, by slot; empty in a world without bodies.
    View<const Vec4> fields() const { return m_field.view(); }
    // How much heavier contacts must count the particles of rigid bodies, by slot; empty: no such bodies.
    View<const float> gains() const { return m_slotGain.view(); }
    // How much further they followed the contacts of the last iteration, by slot.
    View<const float> follows() const { return m_slotFollow.view(); }

private:
    void fit(World& world, View<const Vec4> x, View<const Vec4> before);
    void sumTouch(World& world, View<const Vec4> now);
    void findGain(World& world, DeviceWorld& device);
    void flow(World& world);

    Buffer<MatchMoments> m_moments;
    Buffer<SpinSums> m_sums;
    Buffer<Vec4> m_lambda;
    Buffer<MatchHold> m_hold;  // by material
    std::vector<MatchHold> m_uploaded;
    Buffer<Vec4> m_loss, m_linear, m_omega;  // of rigid matches [rad/s], [m/s], [rad/s]
    Buffer<Vec4> m_field;
    Buffer<TouchSums> m_touch;
    Buffer<FlowSums> m_flow;  // of plastic matches
    Buffer<Vec4> m_swelling;
    Buffer<Vec4> m_before;                   // [m] before the contacts of an iteration
    Buffer<float> m_follow;                  // by match, see FindGain
    Buffer<float> m_slotGain, m_slotFollow;  // by slot
    bool m_flows = false;                    // some material is plastic
    bool m_rigid = false;                    // some material is rigid
};

}  // namespace coalesce
