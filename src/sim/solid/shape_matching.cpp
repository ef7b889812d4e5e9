#include "sim/solid/shape_matching.h"

#include <cmath>

#include "core/for_each.h"

namespace coalesce {

namespace {

// How hard a material's bodies hold in each iteration of this substep.
ClusterParams holdOf(const MaterialProperties& m, int iterations, float dt) {
    // as much is left after all iterations as the stiffness leaves of a deformation
    const double left = std::pow(1.0 - m.stiffness, 1.0 / iterations);
    return {.stiffness = static_cast<float>(1 - left),
            .compliance = m.compliance / (dt * dt),
            .yield = m.plasticYield * m.spacing,
            .creep = std::min(m.plasticCreep * dt, 1.0f),
            .ownMoment = m.spacing * m.spacing / 12,
            .rigid = m.kind == MaterialKind::rigid && m.stiffness == 1 && m.compliance == 0};
}

}  // namespace

void indexRows(World& world, const DeviceWorld& device) {
    const ParticleArrays& p = world.particles;
    const View<uint32_t> slotOf = world.solids.slotOf.view();
    world.exec.fillBytes(slotOf.data, 0xff, slotOf.size * sizeof(uint32_t));  // kNoSlot
    forEach(world.exec, "locate rows", static_cast<int64_t>(world.count()),
            LocateRows{p.id.view(), p.phase.view(), device.groups.view(), slotOf});
}

void ShapeMatching::indexParticles(World& world, DeviceWorld& device, float dt) {
    if (world.bodies.empty()) return;
    const auto n = static_cast<int64_t>(world.count());
    ParticleArrays& p = world.particles;
    SolidTables& solids = world.solids;

    std::vector<ClusterParams> holds;
    bool compliant = false;
    m_flows = m_rigid = false;
    m_slotMassScale.resize(0);
    m_slotContactResponse.resize(0);
    for (const Material& material : world.materials) {
        holds.push_back(holdOf(material.properties, world.parameters.solver.iterations, dt));
        compliant |= holds.back().compliance > 0;
        m_rigid |= holds.back().rigid != 0;
        m_flows |= holds.back().yield > 0 && holds.back().creep > 0;
    }
    // an upload waits for the device
    if (holds != m_uploaded) m_params.upload(holds), m_uploaded = holds;
    m_lambda.resizeDiscard(compliant ? solids.memberRestPosition.size() : 0);
    m_lambda.fillZero();
    m_moments.resize(solids.chunks.size());

    indexRows(world, device);
    if (m_rigid) {
        sumSpin(world);
        m_loss.resize(solids.clusters.size());
        forEach(world.exec, "find spin", static_cast<int64_t>(solids.clusters.size()),
                FindSpinLoss{solids.view(), m_params.view(), m_sums.view(), m_loss.view(), dt});
        m_contactResponse.resize(solids.clusters.size());
        m_contactResponse.fillZero();
    }
    m_field.resizeDiscard(n);
    forEach(world.exec, "orient fields", n,
            OrientFields{.id = p.id.view(),
                         .phase = p.phase.view(),
                         .groups = device.groups.view(),
                         .tables = solids.view(),
                         .pose = solids.pose.view(),
                         .rowSdf = solids.rowSdf.view(),
                         .field = m_field.view()});
}

void ShapeMatching::fit(World& world, View<const Vec4> x, View<const Vec4> before) {
    SolidTables& solids = world.solids;
    forEach(
        world.exec, "sum chunks", static_cast<int64_t>(solids.chunks.size()),
        SumChunks{solids.view(), x, before, m_contactResponse.view(), solids.pose.view(), m_moments.view()});
    forEach(world.exec, "fit matches", static_cast<int64_t>(solids.clusters.size()),
            FitCluster{solids.view(), m_moments.view(), solids.pose.view(), solids.clusterRestCenter.view()});
}

View<const SpinSums> ShapeMatching::sumSpin(World& world) {
    SolidTables& solids = world.solids;
    m_sums.resize(solids.chunks.size());
    forEach(world.exec, "sum spin", static_cast<int64_t>(solids.chunks.size()),
            SumSpin{solids.view(), world.particles.v.view(), solids.pose.view(),
                    solids.clusterRestCenter.view(), m_sums.view()});
    return m_sums.view();
}

void ShapeMatching::savePreContact(World& world, DeviceWorld& device, bool followed) {
    // beside liquids bodies do not follow contacts further, or the contacts with the liquid would outweigh
    // its density and bodies would ride too high
    if (!m_rigid || device.hasFluid) return;
    m_before.copyFrom(device.xStar);
    m_slotMassScale.resizeDiscard(world.count());
    m_slotContactResponse.resizeDiscard(world.count());
    forEach(world.exec, "spread gain", static_cast<int64_t>(world.count()),
            SpreadMassScale{.id = world.particles.id.view(),
                            .phase = world.particles.phase.view(),
                            .groups = device.groups.view(),
                            .tables = world.solids.view(),
                            .massScale = world.solids.massScale.view(),
                            .contactResponse = m_contactResponse.view(),
                            .slotMassScale = m_slotMassScale.view(),
                            .slotFollow = m_slotContactResponse.view(),
                            .followed = followed});
}

// Moments of what moved since m_before was noted.
void ShapeMatching::sumTouch(World& world, View<const Vec4> now) {
    SolidTables& solids = world.solids;
    m_sums.resize(solids.chunks.size());
    m_touch.resize(solids.chunks.size());
    forEach(world.exec, "sum touch", static_cast<int64_t>(solids.chunks.size()),
            SumTouch{.tables = solids.view(),
                     .hold = m_params.view(),
                     .xStar = now,
                     .before = m_before.view(),
                     .pose = solids.pose.view(),
                     .clusterRestCenter = solids.clusterRestCenter.view(),
                     .sums = m_sums.view(),
                     .touch = m_touch.view()});
}

void ShapeMatching::saveStart(World& world) {
    if (m_rigid && world.parameters.solver.prestabilize > 0) m_before.copyFrom(world.particles.x);
}

void ShapeMatching::translateRigid(World& world, DeviceWorld& device) {
    if (!m_rigid || world.parameters.solver.prestabilize == 0) return;
    SolidTables& solids = world.solids;
    sumTouch(world, world.particles.x.view());
    m_linear.resize(solids.clusters.size());
    m_omega.resize(solids.clusters.size());
    forEach(world.exec, "shift bodies", static_cast<int64_t>(solids.clusters.size()),
            FindShift{.tables = solids.view(),
                      .hold = m_params.view(),
                      .sums = m_sums.view(),
                      .touch = m_touch.view(),
                      .linear = m_linear.view(),
                      .turn = m_omega.view()});
    forEach(world.exec, "shift bodies", static_cast<int64_t>(solids.rows()),
            ShiftBodies{.tables = solids.view(),
                        .hold = m_params.view(),
                        .pose = solids.pose.view(),
                        .clusterRestCenter = solids.clusterRestCenter.view(),
                        .linear = m_linear.view(),
                        .turn = m_omega.view(),
                        .before = m_before.view(),
                        .x = world.particles.x.view(),
                        .xStar = device.xStar.view()});
}

void ShapeMatching::findMassScale(World& world, DeviceWorld& device) {
    SolidTables& solids = world.solids;
    sumTouch(world, device.xStar.view());
    forEach(world.exec, "find gain", static_cast<int64_t>(solids.clusters.size()),
            FindMassScale{.tables = solids.view(),
                          .hold = m_params.view(),
                          .pose = solids.pose.view(),
                          .sums = m_sums.view(),
                          .touch = m_touch.view(),
                          .massScale = solids.massScale.view(),
                          .contactResponse = m_contactResponse.view()});
}

void ShapeMatching::solve(World& world, DeviceWorld& device, int iteration) {
    if (world.bodies.empty()) return;
    // With compliance an iteration minimizes the potential of cluster.h first over the poses, then over the
    // places. Steps of up to twice that way still descend, and long ones help what bends over many clusters;
    // the last one is the plain one, which leaves no ripple.
    const bool last = iteration + 1 >= world.parameters.solver.iterations;
    // contacts were solved since savePreContact
    const bool touched = m_rigid && iteration > 0 && !device.hasFluid;
    if (touched) findMassScale(world, device);
    fit(world, device.xStar.view(), touched ? m_before.view() : View<const Vec4>());
    forEach(world.exec, "apply matches", static_cast<int64_t>(world.solids.rows()),
            ApplyClusterGoals{.tables = world.solids.view(),
                              .pose = world.solids.pose.view(),
                              .clusterRestCenter = world.solids.clusterRestCenter.view(),
                              .hold = m_params.view(),
                              .relaxation = last ? 1.0f : 1.8f,
                              .lambda = m_lambda.view(),
                              .xStar = device.xStar.view()});
}

void ShapeMatching::finishSubstep(World& world, DeviceWorld&) {
    if (world.bodies.empty()) return;
    SolidTables& solids = world.solids;
    fit(world, world.particles.x.view(), {});
    if (m_rigid) {
        sumSpin(world);
        const auto clusters = static_cast<int64_t>(solids.clusters.size());
        m_linear.resize(solids.clusters.size());
        m_omega.resize(solids.clusters.size());
        forEach(world.exec, "find spin", clusters,
                FindMotion{.tables = solids.view(),
                           .hold = m_params.view(),
                           .pose = solids.pose.view(),
                           .sums = m_sums.view(),
                           .loss = m_loss.view(),
                           .linear = m_linear.view(),
                           .omega = m_omega.view()});
        forEach(world.exec, "rigid velocities", static_cast<int64_t>(solids.rows()),
                TakeRigidVelocities{.tables = solids.view(),
                                    .hold = m_params.view(),
                                    .pose = solids.pose.view(),
                                    .clusterRestCenter = solids.clusterRestCenter.view(),
                                    .linear = m_linear.view(),
                                    .omega = m_omega.view(),
                                    .x = world.particles.x.view(),
                                    .v = world.particles.v.view()});
    }
    if (m_flows) flow(world);
}

void ShapeMatching::flow(World& world) {
    SolidTables& solids = world.solids;
    m_flow.resize(solids.chunks.size());
    m_swelling.resize(solids.clusters.size());
    forEach(world.exec, "flow plastic", static_cast<int64_t>(solids.chunks.size()),
            FlowPlastic{.tables = solids.view(),
                        .x = world.particles.x.view(),
                        .pose = solids.pose.view(),
                        .clusterRestCenter = solids.clusterRestCenter.view(),
                        .hold = m_params.view(),
                        .restPosition = solids.restPosition.view(),
                        .memberRestPosition = solids.memberRestPosition.view(),
                        .sums = m_flow.view()});
    forEach(world.exec, "find swelling", static_cast<int64_t>(solids.clusters.size()),
            FindSwelling{.tables = solids.view(),
                         .hold = m_params.view(),
                         .clusterRestCenter = solids.clusterRestCenter.view(),
                         .sums = m_flow.view(),
                         .swelling = m_swelling.view()});
    forEach(world.exec, "keep volume", static_cast<int64_t>(solids.rows()),
            KeepVolume{.tables = solids.view(),
                       .hold = m_params.view(),
                       .swelling = m_swelling.view(),
                       .restPosition = solids.restPosition.view(),
                       .memberRestPosition = solids.memberRestPosition.view(),
                       .rowSdf = solids.rowSdf.view()});
}

}  // namespace coalesce
