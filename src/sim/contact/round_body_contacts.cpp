#include "sim/contact/round_body_contacts.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/contact/round_contacts.h"

namespace coalesce {

bool RoundBodyContacts::isActive(const StepContext& step) const {
    return step.world.solids.roundBodies.size() > 0;
}

Contacts RoundBodyContacts::contactsOf(const StepContext& step) const {
    return {m_start.view(), m_planes.view(), m_shape.view(), step.device.shapes.of(step.substep).states,
            m_deformed.view()};
}

RoundPoses RoundBodyContacts::posesOf(const StepContext& step, View<const ClusterPose> pose) const {
    const SolidTables& solids = step.world.solids;
    return {solids.roundSurfaces.view(), solids.roundBodies.view(), pose, solids.clusterRestCenter.view()};
}

RoundContacts RoundBodyContacts::contacts(const StepContext& step) const {
    return {.poses = posesOf(step, step.world.solids.pose.view()),
            .contacts = contactsOf(step),
            .motion = m_motion.view(),
            .materials = step.device.materials.view()};
}

RoundImpacts RoundBodyContacts::impacts(const StepContext& step) const {
    const Parameters& parameters = step.world.parameters;
    return {.predicted = m_endCenter.view(),
            .gravity = parameters.world.gravity,
            .dt = step.dt,
            .bounceSpeed = parameters.contacts.bounceSpeed};
}

void RoundBodyContacts::gatherRadii(const StepContext& step, const ShapeMatching& bodies) {
    World& world = step.world;
    const bool active = isActive(step);
    step.device.ballRadius.resizeDiscard(active ? world.count() : 0);
    if (!active) return;
    forEach(exec, "round bodies", world.count(),
            GatherBallRadii{.id = world.particles.id.view(),
                            .phase = world.particles.phase.view(),
                            .groups = step.device.groups.view(),
                            .params = bodies.params(),
                            .rowBallRadius = world.solids.rowBallRadius.view(),
                            .radius = step.device.ballRadius.view()});
}

void RoundBodyContacts::find(const StepContext& step, ShapeMatching& bodies) {
    if (!isActive(step)) return;
    World& world = step.world;
    SolidTables& solids = world.solids;
    const size_t surfaces = solids.roundSurfaces.size(), round = solids.roundBodies.size();
    const size_t clusters = solids.clusters.size();
    bodies.fitStart(step);
    m_startPose.copyFrom(solids.pose);
    m_motion.resizeDiscard(round);
    forEach(exec, "round bodies", round,
            FindRoundMotion{.bodies = solids.roundBodies.view(),
                            .tables = solids.view(),
                            .params = bodies.params(),
                            .sums = bodies.sumMomenta(world),
                            .motion = m_motion.view()});
    m_startCenter.resizeDiscard(surfaces), m_endCenter.resizeDiscard(surfaces);
    m_phase.resizeDiscard(surfaces), m_radius.resizeDiscard(surfaces);
    const RoundPoses poses = posesOf(step, m_startPose.view());
    forEach(exec, "round bodies", surfaces,
            PlaceRoundSurfaces{.poses = poses,
                               .motion = m_motion.view(),
                               .start = m_startCenter.view(),
                               .end = m_endCenter.view(),
                               .phase = m_phase.view(),
                               .radius = m_radius.view(),
                               .dt = step.dt});
    findPlanes(step);

    m_translation.resizeDiscard(clusters), m_rotation.resizeDiscard(clusters);
    m_translation.fillZero(), m_rotation.fillZero();
}

void RoundBodyContacts::preStabilize(const StepContext& step) {
    if (!isActive(step)) return;
    World& world = step.world;
    SolidTables& solids = world.solids;
    lowerPlanes(step, world.parameters.solver.prestabilize);
    forEach(exec, "move round bodies", solids.rows(),
            MoveRoundBodies{.tables = solids.view(),
                            .pose = solids.pose.view(),
                            .clusterRestCenter = solids.clusterRestCenter.view(),
                            .translation = m_translation.view(),
                            .rotation = {},
                            .x = world.particles.x.view(),
                            .xStar = step.device.xStar.view()});
}

void RoundBodyContacts::limitDepenetration(const StepContext& step) {
    if (isActive(step)) lowerPlanes(step, 0);
}

void RoundBodyContacts::lowerPlanes(const StepContext& step, int rounds) {
    const ShapeSet shapes = step.device.shapes.of(step.substep);
    const auto lower = [&]<bool Forms>() {
        forEach(exec, "pre-stabilize round bodies", step.world.solids.roundBodies.size(),
                PreStabilizeRound<Forms>{.poses = posesOf(step, m_startPose.view()),
                                         .contacts = contactsOf(step),
                                         .tables = shapes.tables,
                                         .motion = m_motion.view(),
                                         .materials = step.device.materials.view(),
                                         .start = m_startCenter.view(),
                                         .planes = m_planes.view(),
                                         .pose = m_startPose.view(),
                                         .translation = m_translation.view(),
                                         .rounds = rounds,
                                         .dt = step.dt});
    };
    if (step.device.shapes.hasForms())
        lower.template operator()<true>();
    else
        lower.template operator()<false>();
}

void RoundBodyContacts::findPlanes(const StepContext& step) {
    const World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.solids.roundSurfaces.size(), capacity = device.capacity.contacts;
    m_start.resizeDiscard(n + 1);
    m_planes.resizeDiscard(capacity), m_shape.resizeDiscard(capacity);
    m_accumulatedImpulse.resizeDiscard(capacity), m_bounce.resizeDiscard(capacity);
    m_deformed.resizeDiscard(device.shapes.anyDeforms() ? capacity : 0);
    Scratch::Scope scratch(exec);
    const View<uint32_t> count = scratch.take<uint32_t>("round.count", n);
    const auto find = [&]<bool Forms>() {
        const ContactSearch<Forms> search{.x = m_startCenter.view(),
                                          .xStar = m_endCenter.view(),
                                          .phase = m_phase.view(),
                                          .materials = device.materials.view(),
                                          .groups = device.groups.view(),
                                          .shapes = device.shapes.of(step.substep),
                                          .margin = world.parameters.contacts.margin,
                                          .allWalls = false,
                                          .planar = world.parameters.solver.planar,
                                          .ballRadius = m_radius.view()};
        forEach(exec, "count round contacts", n, CountContacts<Forms>{search, count, {}});
        exclusiveScan(exec, "scan round contacts", count, m_start.view());
        forEach(exec, "write round contacts", n,
                WriteContacts<Forms>{search,
                                     m_start.view(),
                                     m_planes.view(),
                                     m_shape.view(),
                                     m_accumulatedImpulse.view(),
                                     m_deformed.view(),
                                     {},
                                     device.status.view().data,
                                     int64_t(n)});
    };
    if (device.shapes.hasForms())
        find.template operator()<true>();
    else
        find.template operator()<false>();
}

void RoundBodyContacts::solve(const StepContext& step) {
    if (!isActive(step)) return;
    SolidTables& solids = step.world.solids;
    forEach(exec, "round contacts", solids.roundBodies.size(),
            SolveRoundContacts{.round = contacts(step),
                               .startPose = m_startPose.view(),
                               .accumulatedImpulse = m_accumulatedImpulse.view(),
                               .translation = m_translation.view(),
                               .rotation = m_rotation.view(),
                               .passes = kPasses});
    forEach(exec, "move round bodies", solids.rows(),
            MoveRoundBodies{.tables = solids.view(),
                            .pose = solids.pose.view(),
                            .clusterRestCenter = solids.clusterRestCenter.view(),
                            .translation = m_translation.view(),
                            .rotation = m_rotation.view(),
                            .x = {},
                            .xStar = step.device.xStar.view()});
}

void RoundBodyContacts::fitAndSolve(const StepContext& step, ShapeMatching& bodies) {
    if (!isActive(step)) return;
    bodies.fitPoses(step);
    solve(step);
}

void RoundBodyContacts::bounce(const StepContext& step, ShapeMatching& bodies) {
    if (!isActive(step)) return;
    forEach(exec, "round contacts", step.world.solids.roundBodies.size(),
            BounceRound{.round = contacts(step),
                        .impacts = impacts(step),
                        .accumulatedImpulse = m_accumulatedImpulse.view(),
                        .bounce = m_bounce.view(),
                        .linear = bodies.linearVelocities(),
                        .omega = bodies.angularVelocities(),
                        .passes = kPasses});
}

void RoundBodyContacts::sumLoads(const StepContext& step) {
    if (!isActive(step)) return;
    forEach(exec, "shape loads", step.world.solids.roundBodies.size(),
            AccumulateRoundLoads{contacts(step), m_accumulatedImpulse.view(), step.device.shapes.loads()});
}

}  // namespace coalesce
