// Solid bodies keep their shape: kernels of cluster.h, rigid_motion.h and plasticity.h over the tables of
// World::solids.
#pragma once

#include "kernels/solid/plasticity.h"
#include "kernels/solid/rigid_motion.h"
#include "sim/stage/device_world.h"

namespace coalesce {

// Writes SolidTables::slotOf for the order in which particles are stored now.
void indexRows(World& world, const DeviceWorld& device);

class ShapeMatching {
public:
    explicit ShapeMatching(Exec& exec)
        : m_moments(exec),
          m_sums(exec),
          m_lambda(exec),
          m_params(exec),
          m_loss(exec),
          m_linear(exec),
          m_omega(exec),
          m_field(exec),
          m_touch(exec),
          m_flow(exec),
          m_swelling(exec),
          m_before(exec),
          m_contactResponse(exec),
          m_slotMassScale(exec),
          m_slotContactResponse(exec) {}

    // Moments of every match, by chunk, from the velocities as they are.
    View<const SpinSums> sumSpin(World& world);
    // Finds the bodies' particles after they were reordered, turns their signed distances with them, and
    // notes what matching will take of their spin.
    void indexParticles(World& world, DeviceWorld& device, float dt);
    // Around pre-stabilization against shapes: notes where everything is, and lets rigid bodies go as a whole
    // where some of their particles were led out of an overlap.
    void saveStart(World& world);
    void translateRigid(World& world, DeviceWorld& device);
    // Before the contacts of an iteration: notes where everything is, so that bodies know what contacts did.
    // `followed`: another round of shape matching comes after them.
    void savePreContact(World& world, DeviceWorld& device, bool followed);
    // One iteration of a substep: every body towards its shape.
    void solve(World& world, DeviceWorld& device, int iteration);
    // After the substep: poses are those of the new places, rigid bodies have the velocities of a rigid
    // motion, and rest shapes follow where they have yielded, without a change of volume.
    void finishSubstep(World& world, DeviceWorld& device);

    // ∇φ in the world and φ of every particle, by slot; empty in a world without bodies.
    View<const Vec4> fields() const { return m_field.view(); }
    // How much heavier contacts must count the particles of rigid bodies, by slot; empty: no such bodies.
    View<const float> massScales() const { return m_slotMassScale.view(); }
    // How much further they followed the contacts of the last iteration, by slot.
    View<const float> contactResponses() const { return m_slotContactResponse.view(); }

private:
    void fit(World& world, View<const Vec4> x, View<const Vec4> before);
    void sumTouch(World& world, View<const Vec4> now);
    void findMassScale(World& world, DeviceWorld& device);
    void flow(World& world);

    Buffer<ClusterMoments> m_moments;
    Buffer<SpinSums> m_sums;
    Buffer<Vec4> m_lambda;
    Buffer<ClusterParams> m_params;  // by material
    std::vector<ClusterParams> m_uploaded;
    Buffer<Vec4> m_loss, m_linear, m_omega;  // of rigid matches [rad/s], [m/s], [rad/s]
    Buffer<Vec4> m_field;
    Buffer<TouchSums> m_touch;
    Buffer<FlowSums> m_flow;  // of plastic matches
    Buffer<Vec4> m_swelling;
    Buffer<Vec4> m_before;                                 // [m] before the contacts of an iteration
    Buffer<float> m_contactResponse;                       // by match, see FindMassScale
    Buffer<float> m_slotMassScale, m_slotContactResponse;  // by slot
    bool m_flows = false;                                  // some material is plastic
    bool m_rigid = false;                                  // some material is rigid
};

}  // namespace coalesce
