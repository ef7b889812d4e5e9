// Shape matching of rigid, soft and plastic bodies: kernels of cluster.h, rigid_motion.h and plasticity.h
// over the tables of World::solids.
#pragma once

#include "core/mirror.h"
#include "kernels/solid/plasticity.h"
#include "kernels/solid/rigid_motion.h"
#include "kernels/solid/soft_spin.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ShapeMatching : Stage {
public:
    using Stage::Stage;

    // Linear and angular momentum of every cluster, by chunk, from the current velocities.
    View<const MomentumSums> sumMomenta(World& world);
    // Once per substep, after the particles were reordered: indexes the particles of the bodies, rotates
    // their signed distances with them, and finds the spin that shape matching will lose.
    void indexParticles(const StepContext& step);
    // Around pre-stabilization against shapes: saves the positions, then moves rigid bodies as a whole where
    // some of their particles were pushed out of an overlap.
    void saveStart(const StepContext& step);
    void moveRigidOut(const StepContext& step);
    // Before the iterations: what rounding the predicted positions of soft bodies, and of the liquids beside
    // them, has left out. Nothing in scenes without soft bodies, where DensityConstraint finds it.
    void findRoundingErrors(const StepContext& step);
    // Before the contacts of an iteration: saves the positions, so that the next round of shape matching
    // knows what the contacts did. `bodiesFollow`: there is a next round.
    void savePreContact(const StepContext& step, bool bodiesFollow);
    // One iteration: moves every particle towards the goal positions of its clusters.
    void solve(const StepContext& step, int iteration);
    // After the iterations: the spin that they take from soft bodies.
    void findSoftLoss(const StepContext& step);
    // Fits the poses of all clusters to x*.
    void fitPoses(const StepContext& step);
    // Fits them to x.
    void fitStart(const StepContext& step);
    // The method velocity: gives rigid bodies the velocities of a rigid motion with the same momenta, and
    // pulls the particles of soft bodies towards their goals, which are those of x* = x + dt v.
    void projectVelocities(const StepContext& step);
    void solveSoft(const StepContext& step, int iteration);
    bool hasRigid() const { return m_rigid; }
    bool hasSoft() const { return m_soft; }
    // After projectVelocities: rigid bodies move by their velocities for dt, and turn about their centers.
    void moveRigid(const StepContext& step);
    // Gives rigid bodies their velocities, which were changed since.
    void applyVelocities(const StepContext& step);
    // by material
    View<const ClusterParams> params() const { return m_params.view(); }
    // After the substep: fits the poses to the final positions, and finds the velocities of rigid bodies
    // [m/s], [rad/s], by cluster.
    void findVelocities(const StepContext& step);
    View<Vec4> linearVelocities() { return m_linear.view(); }
    View<Vec4> angularVelocities() { return m_omega.view(); }
    // After that: gives them to the bodies, returns the spin of soft ones, and lets plastic rest shapes flow at
    // constant volume.
    void finishSubstep(const StepContext& step);

    // ∇φ in the world and φ of every particle, by slot; empty in a world without bodies.
    View<const Vec4> bodySdf() const { return m_bodySdf.view(); }
    // Factor on the mass of particles of rigid bodies in contacts, by slot; empty: no rigid bodies.
    View<const float> massScales() const { return m_slotMassScale.view(); }
    // How much further rigid bodies moved than the contacts of the last iteration moved them, by slot.
    View<const float> contactResponses() const { return m_slotContactResponse.view(); }

private:
    void fit(World& world, View<const Vec4> x, View<const Vec4> roundingError, View<const Vec4> before);
    void sumContactMoments(World& world, View<const Vec4> now);
    void findAngularVelocityLoss(const StepContext& step);
    void findMassScale(const StepContext& step);
    void findDefects(const StepContext& step);
    void matchShapes(const StepContext& step, int iteration, View<const Vec4> before);
    void findRigidVelocities(World& world);
    void applyRigidVelocities(World& world);
    void returnSpin(World& world);
    void flow(World& world);

    Buffer<ClusterMoments> m_moments{exec};
    Buffer<MomentumSums> m_sums{exec};
    Buffer<Vec4> m_lambda{exec};
    Mirror<ClusterParams> m_params{exec};  // by material
    Buffer<Vec4> m_loss{exec};             // [rad/s] of rigid clusters
    Buffer<SoftMomenta> m_softChunks{exec}, m_softClusters{exec};
    Buffer<Vec4> m_softLoss{exec}, m_softCenter{exec};  // of soft bodies by first cluster, see FindSoftLoss
    Buffer<Vec4> m_linear{exec}, m_omega{exec};         // of rigid clusters [m/s], [rad/s]
    Buffer<Vec4> m_chunkDefect{exec}, m_clusterDefect{exec};  // of soft clusters, see SumClusterDefects
    Buffer<Vec4> m_bodySdf{exec};
    Buffer<ContactMoments> m_contactMoments{exec};
    Buffer<ClusterPose> m_startPose{exec};
    Buffer<PlasticMoments> m_flow{exec};  // of plastic clusters
    Buffer<Vec4> m_swelling{exec};
    Buffer<Vec4> m_before{exec};            // [m] before contacts or pre-stabilization
    Buffer<float> m_contactResponse{exec};  // by cluster, see FindMassScale
    Buffer<float> m_slotMassScale{exec}, m_slotContactResponse{exec};  // by slot
    bool m_flows = false;                                              // any material is plastic
    bool m_rigid = false;                                              // any material is rigid
    bool m_soft = false;                                               // any is shape-matched and not rigid
};

}  // namespace coalesce
