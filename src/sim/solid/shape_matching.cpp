#include "sim/solid/shape_matching.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "kernels/motion/integrate.h"
#include "kernels/velocity/integrate_velocity.h"
#include "sim/stage/integration.h"
#include "sim/stage/row_index.h"

namespace coalesce {

namespace {

// Stiffness of the clusters of a material in each iteration of this substep.
ClusterParams clusterParams(const MaterialProperties& m, int iterations, float dt) {
    // per iteration, so that all iterations together leave 1 − stiffness of a deformation
    const double left = std::pow(1.0 - m.stiffness, 1.0 / iterations);
    return {.stiffness = float(1 - left),
            .compliance = m.compliance / (dt * dt),
            .yield = m.plasticYield * m.spacing,
            .creep = std::min(m.plasticCreep * dt, 1.0f),
            .ownMoment = m.spacing * m.spacing / 12,
            .rigid = m.kind == MaterialKind::rigid && m.stiffness == 1 && m.compliance == 0};
}

}  // namespace

void ShapeMatching::indexParticles(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (world.bodies.empty()) return;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    SolidTables& solids = world.solids;

    std::vector<ClusterParams> params;
    m_flows = m_rigid = m_soft = false;
    m_slotMassScale.resize(0);
    m_slotContactResponse.resize(0);
    for (const Material& material : world.materials) {
        params.push_back(clusterParams(material.properties, world.parameters.solver.iterations, step.dt));
        m_rigid |= params.back().rigid != 0;
        m_soft |= isShapeMatched(material.properties) && !params.back().rigid;
        m_flows |= params.back().yield > 0 && params.back().creep > 0;
    }
    m_params.set(std::move(params));
    const bool projective = world.parameters.solver.method == Method::projective;
    m_lambda.resizeDiscard(m_soft && !projective ? solids.memberRestPosition.size() : 0);
    m_lambda.fillZero();
    m_moments.resize(solids.chunks.size());

    indexRows(world, device);
    if (m_rigid) {
        findAngularVelocityLoss(step);
        m_contactResponse.resize(solids.clusters.size());
        m_contactResponse.fillZero();
    }
    m_bodySdf.resizeDiscard(n);
    forEach(exec, "orient body SDFs", n,
            OrientBodySdfs{.id = p.id.view(),
                           .phase = p.phase.view(),
                           .groups = device.groups.view(),
                           .tables = solids.view(),
                           .pose = solids.pose.view(),
                           .rowSdf = solids.rowSdf.view(),
                           .bodySdf = m_bodySdf.view()});
}

// The method velocity turns bodies by their angular velocity and loses nothing.
void ShapeMatching::findAngularVelocityLoss(const StepContext& step) {
    SolidTables& solids = step.world.solids;
    m_loss.resize(solids.clusters.size());
    m_loss.fillZero();
    if (step.world.parameters.solver.method == Method::velocity) return;
    sumMomenta(step.world);
    forEach(exec, "angular velocity loss", solids.clusters.size(),
            FindAngularVelocityLoss{solids.view(), m_params.view(), m_sums.view(), m_loss.view(), step.dt});
}

void ShapeMatching::fit(World& world, View<const Vec4> x, View<const Vec4> roundingError,
                        View<const Vec4> before) {
    SolidTables& solids = world.solids;
    forEach(exec, "cluster moments", solids.chunks.size(),
            SumClusterMoments{solids.view(), x, roundingError, before, m_contactResponse.view(),
                              solids.pose.view(), m_moments.view()});
    forEach(exec, "fit clusters", solids.clusters.size(),
            FitCluster{solids.view(), m_moments.view(), m_params.view(), solids.pose.view(),
                       solids.clusterRestCenter.view()});
}

View<const MomentumSums> ShapeMatching::sumMomenta(World& world) {
    SolidTables& solids = world.solids;
    // in the method velocity the sums are the velocity of the body: what is frozen must not brake it
    const View<const Vec4> x =
        world.parameters.solver.method == Method::velocity ? world.particles.x.view() : View<const Vec4>{};
    m_sums.resize(solids.chunks.size());
    forEach(exec, "rigid momentum", solids.chunks.size(),
            SumMomenta{solids.view(), x, world.particles.v.view(), solids.pose.view(),
                       solids.clusterRestCenter.view(), m_sums.view()});
    return m_sums.view();
}

void ShapeMatching::savePreContact(const StepContext& step, bool bodiesFollow) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    // in liquids bodies keep the plain response to contacts: a larger one would let the contacts with the
    // liquid outweigh its density, and bodies would float too high
    if (!m_rigid || device.summary.hasFluid) return;
    m_before.copyFrom(device.xStar);
    m_slotMassScale.resizeDiscard(world.count());
    m_slotContactResponse.resizeDiscard(world.count());
    forEach(exec, "mass scales", world.count(),
            GatherMassScale{.id = world.particles.id.view(),
                            .phase = world.particles.phase.view(),
                            .groups = device.groups.view(),
                            .tables = world.solids.view(),
                            .massScale = world.solids.massScale.view(),
                            .contactResponse = m_contactResponse.view(),
                            .slotMassScale = m_slotMassScale.view(),
                            .slotContactResponse = m_slotContactResponse.view(),
                            .bodiesFollow = bodiesFollow});
}

// Moments of the displacements since m_before was saved.
void ShapeMatching::sumContactMoments(World& world, View<const Vec4> now) {
    SolidTables& solids = world.solids;
    m_sums.resize(solids.chunks.size());
    m_contactMoments.resize(solids.chunks.size());
    forEach(exec, "contact moments", solids.chunks.size(),
            SumContactMoments{.tables = solids.view(),
                              .params = m_params.view(),
                              .xStar = now,
                              .before = m_before.view(),
                              .pose = solids.pose.view(),
                              .clusterRestCenter = solids.clusterRestCenter.view(),
                              .sums = m_sums.view(),
                              .contactMoments = m_contactMoments.view()});
}

void ShapeMatching::saveStart(const StepContext& step) {
    if (m_rigid && step.world.parameters.solver.prestabilize > 0) m_before.copyFrom(step.world.particles.x);
}

void ShapeMatching::moveRigidOut(const StepContext& step) {
    World& world = step.world;
    if (!m_rigid || world.parameters.solver.prestabilize == 0) return;
    SolidTables& solids = world.solids;
    sumContactMoments(world, world.particles.x.view());
    m_linear.resize(solids.clusters.size());
    m_omega.resize(solids.clusters.size());
    forEach(exec, "rigid bodies out of overlaps", solids.clusters.size(),
            FindRigidDisplacement{.tables = solids.view(),
                                  .params = m_params.view(),
                                  .sums = m_sums.view(),
                                  .contactMoments = m_contactMoments.view(),
                                  .linear = m_linear.view(),
                                  .turn = m_omega.view()});
    forEach(exec, "rigid bodies out of overlaps", solids.rows(),
            ApplyRigidDisplacement{.tables = solids.view(),
                                   .params = m_params.view(),
                                   .pose = solids.pose.view(),
                                   .clusterRestCenter = solids.clusterRestCenter.view(),
                                   .linear = m_linear.view(),
                                   .turn = m_omega.view(),
                                   .before = m_before.view(),
                                   .x = world.particles.x.view(),
                                   .xStar = step.device.xStar.view()});
}

void ShapeMatching::findMassScale(const StepContext& step) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    sumContactMoments(world, step.device.xStar.view());
    forEach(exec, "contact response", solids.clusters.size(),
            FindMassScale{.tables = solids.view(),
                          .params = m_params.view(),
                          .pose = solids.pose.view(),
                          .sums = m_sums.view(),
                          .contactMoments = m_contactMoments.view(),
                          .massScale = solids.massScale.view(),
                          .contactResponse = m_contactResponse.view()});
}

void ShapeMatching::findRoundingErrors(const StepContext& step) {
    if (!m_soft || step.world.bodies.empty()) return;
    const ParticleArrays& p = step.world.particles;
    step.device.roundingError.resizeDiscard(step.world.count());
    forEach(exec, "rounding errors", step.world.count(), Integration::roundingErrorKernel(step));
    forEach(exec, "rounding errors of soft bodies", step.world.solids.rows(),
            FindSoftRoundingErrors{.tables = step.world.solids.view(),
                                   .params = m_params.view(),
                                   .x = p.x.view(),
                                   .v = p.v.view(),
                                   .xStar = step.device.xStar.view(),
                                   .roundingError = step.device.roundingError.view(),
                                   .dt = step.dt});
}

void ShapeMatching::solve(const StepContext& step, int iteration) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (world.bodies.empty()) return;
    // contacts were solved since savePreContact
    const bool touched = m_rigid && iteration > 0 && !device.summary.hasFluid;
    if (touched) findMassScale(step);
    matchShapes(step, iteration, touched ? m_before.view() : View<const Vec4>());
}

void ShapeMatching::solveSoft(const StepContext& step, int iteration) {
    if (!m_soft) return;
    // the poses of rigid bodies stay those of the start of the substep
    m_startPose.copyFrom(step.world.solids.pose);
    matchShapes(step, iteration, {});
    step.world.solids.pose.copyFrom(m_startPose);
}

void ShapeMatching::matchShapes(const StepContext& step, int iteration, View<const Vec4> before) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    // With compliance an iteration minimizes the potential of cluster.h first over the poses, then over the
    // positions. Steps of up to twice the minimizing length still descend, and long steps speed up bending
    // over many clusters; the last iteration takes the plain step, which leaves no ripple.
    const bool last = iteration + 1 >= world.parameters.solver.iterations;
    fit(world, device.xStar.view(), device.roundingError.view(), before);
    findDefects(step);
    forEach(exec, "shape matching", world.solids.rows(),
            ApplyClusterGoals{.tables = world.solids.view(),
                              .pose = world.solids.pose.view(),
                              .clusterRestCenter = world.solids.clusterRestCenter.view(),
                              .params = m_params.view(),
                              .relaxation = last ? 1.0f : 1.8f,
                              .lambda = m_lambda.view(),
                              .xStar = device.xStar.view(),
                              .roundingError = device.roundingError.view(),
                              .clusterDefect = m_clusterDefect.view()});
}

void ShapeMatching::findSoftLoss(const StepContext& step) {
    if (!m_soft || step.world.bodies.empty()) return;
    SolidTables& solids = step.world.solids;
    // under the method velocity x* follows later
    const bool velocity = step.world.parameters.solver.method == Method::velocity;
    const View<const Vec4> end = velocity ? step.world.particles.x.view() : step.device.xStar.view();
    const size_t clusters = solids.clusters.size();
    m_softChunks.resizeDiscard(solids.chunks.size());
    m_softClusters.resizeDiscard(clusters);
    m_softLoss.resizeDiscard(clusters);
    m_softCenter.resizeDiscard(clusters);
    forEach(exec, "soft momentum", solids.chunks.size(),
            SumSoftMomenta{.tables = solids.view(),
                           .params = m_params.view(),
                           .x = step.world.particles.x.view(),
                           .end = end,
                           .v = step.world.particles.v.view(),
                           .pose = solids.pose.view(),
                           .lambda = m_lambda.view(),
                           .momenta = m_softChunks.view(),
                           .dt = step.dt});
    forEach(exec, "soft momentum of clusters", clusters,
            SumSoftClusters{solids.view(), m_params.view(), m_softChunks.view(), m_softClusters.view()});
    const bool large = std::ranges::any_of(
        step.world.bodies, [](const SolidBody& body) { return body.clusters > kClustersTogether; });
    forEach(exec, "soft momentum of clusters", large ? clusters : 0,
            AddSoftClusters{solids.view(), m_params.view(), m_softClusters.view()});
    forEach(exec, "spin that soft bodies lose", clusters,
            FindSoftLoss{.tables = solids.view(),
                         .params = m_params.view(),
                         .pose = solids.pose.view(),
                         .momenta = m_softClusters.view(),
                         .together = large ? kClustersTogether : 1,
                         .loss = m_softLoss.view(),
                         .center = m_softCenter.view(),
                         .dt = step.dt});
}

void ShapeMatching::findDefects(const StepContext& step) {
    SolidTables& solids = step.world.solids;
    const View<const Vec4> roundingError = step.device.roundingError.view();
    if (!m_soft || roundingError.size == 0) return;
    m_chunkDefect.resizeDiscard(solids.chunks.size());
    m_clusterDefect.resizeDiscard(solids.clusters.size());
    forEach(exec, "cluster defects", solids.chunks.size(),
            SumClusterDefects{.tables = solids.view(),
                              .xStar = step.device.xStar.view(),
                              .roundingError = roundingError,
                              .clusterRestCenter = solids.clusterRestCenter.view(),
                              .pose = solids.pose.view(),
                              .defects = m_chunkDefect.view()});
    forEach(exec, "cluster defects", solids.clusters.size(),
            AddClusterDefects{solids.view(), m_chunkDefect.view(), m_clusterDefect.view()});
}

void ShapeMatching::fitPoses(const StepContext& step) {
    if (!step.world.bodies.empty()) fit(step.world, step.device.xStar.view(), {}, {});
}

void ShapeMatching::fitStart(const StepContext& step) {
    fit(step.world, step.world.particles.x.view(), {}, {});
}

void ShapeMatching::projectVelocities(const StepContext& step) {
    if (!m_rigid) return;
    findRigidVelocities(step.world);
    applyVelocities(step);
}

void ShapeMatching::applyVelocities(const StepContext& step) {
    if (m_rigid) applyRigidVelocities(step.world);
}

void ShapeMatching::moveRigid(const StepContext& step) {
    if (!m_rigid) return;
    World& world = step.world;
    SolidTables& solids = world.solids;
    forEach(exec, "move rigid bodies", solids.clusters.size(),
            MoveRigidPoses{.tables = solids.view(),
                           .params = m_params.view(),
                           .sums = m_sums.view(),
                           .linear = m_linear.view(),
                           .omega = m_omega.view(),
                           .pose = solids.pose.view(),
                           .dt = step.dt});
    forEach(exec, "move rigid bodies", solids.rows(),
            MoveRigidParticles{.tables = solids.view(),
                               .params = m_params.view(),
                               .pose = solids.pose.view(),
                               .clusterRestCenter = solids.clusterRestCenter.view(),
                               .xStar = step.device.xStar.view()});
    applyRigidVelocities(world);
}

void ShapeMatching::findVelocities(const StepContext& step) {
    World& world = step.world;
    if (world.bodies.empty()) return;
    fit(world, world.particles.x.view(), {}, {});
    if (m_rigid) findRigidVelocities(world);
}

void ShapeMatching::finishSubstep(const StepContext& step) {
    World& world = step.world;
    if (world.bodies.empty()) return;
    applyVelocities(step);
    if (m_soft && world.parameters.solver.method != Method::projective) returnSpin(world);
    if (m_flows) flow(world);
}

void ShapeMatching::findRigidVelocities(World& world) {
    SolidTables& solids = world.solids;
    const size_t clusters = solids.clusters.size();
    sumMomenta(world);
    m_linear.resize(clusters);
    m_omega.resize(clusters);
    forEach(exec, "rigid motion", clusters,
            FindRigidVelocities{.tables = solids.view(),
                                .params = m_params.view(),
                                .pose = solids.pose.view(),
                                .sums = m_sums.view(),
                                .loss = m_loss.view(),
                                .linear = m_linear.view(),
                                .omega = m_omega.view(),
                                .refined = world.parameters.solver.method == Method::velocity});
}

void ShapeMatching::applyRigidVelocities(World& world) {
    SolidTables& solids = world.solids;
    forEach(exec, "rigid velocities", solids.rows(),
            ApplyRigidVelocities{.tables = solids.view(),
                                 .params = m_params.view(),
                                 .pose = solids.pose.view(),
                                 .clusterRestCenter = solids.clusterRestCenter.view(),
                                 .linear = m_linear.view(),
                                 .omega = m_omega.view(),
                                 .x = world.particles.x.view(),
                                 .v = world.particles.v.view()});
}

void ShapeMatching::returnSpin(World& world) {
    SolidTables& solids = world.solids;
    forEach(exec, "spin of soft bodies", solids.rows(),
            ReturnSpin{.tables = solids.view(),
                       .params = m_params.view(),
                       .loss = m_softLoss.view(),
                       .center = m_softCenter.view(),
                       .x = world.particles.x.view(),
                       .v = world.particles.v.view()});
}

void ShapeMatching::flow(World& world) {
    SolidTables& solids = world.solids;
    m_flow.resize(solids.chunks.size());
    m_swelling.resize(solids.clusters.size());
    forEach(exec, "plastic flow", solids.chunks.size(),
            ApplyPlasticFlow{.tables = solids.view(),
                             .x = world.particles.x.view(),
                             .pose = solids.pose.view(),
                             .clusterRestCenter = solids.clusterRestCenter.view(),
                             .params = m_params.view(),
                             .restPosition = solids.restPosition.view(),
                             .memberRestPosition = solids.memberRestPosition.view(),
                             .sums = m_flow.view()});
    forEach(exec, "plastic volume change", solids.clusters.size(),
            FindVolumeChange{.tables = solids.view(),
                             .params = m_params.view(),
                             .clusterRestCenter = solids.clusterRestCenter.view(),
                             .sums = m_flow.view(),
                             .volumeCorrection = m_swelling.view()});
    forEach(exec, "restore plastic volume", solids.rows(),
            RestoreVolume{.tables = solids.view(),
                          .params = m_params.view(),
                          .volumeCorrection = m_swelling.view(),
                          .restPosition = solids.restPosition.view(),
                          .memberRestPosition = solids.memberRestPosition.view(),
                          .rowSdf = solids.rowSdf.view()});
}

}  // namespace coalesce
