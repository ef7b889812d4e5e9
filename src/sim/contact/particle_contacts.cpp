#include "sim/contact/particle_contacts.h"

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/contact/stack_height.h"

namespace coalesce {

namespace {

Vec3 upOf(const World& world) {
    return normalizeOr(-world.parameters.world.gravity, {0, 1, 0});
}

}  // namespace

template <class Use>
void PairContacts::withContacts(const World& world, const Neighbors& neighbors, const ShapeMatching& bodies,
                                Use&& use) const {
    const BodyContacts way = world.parameters.contacts.bodyContacts;
    const auto with = [&]<bool Fields>() {
        use(PairMeetings<Fields>{neighbors.pairs(), m_traits.view(), m_own.view(), bodies.fields(),
                                 m_mostUndone, way == BodyContacts::oneSided ? 1.0f : 0.0f});
    };
    if (world.bodies.empty() || way == BodyContacts::balls)
        with.template operator()<false>();
    else
        with.template operator()<true>();
}

bool PairContacts::bounces(const World& world, const DeviceWorld& device) const {
    return device.hasSolids &&
           (device.largestRestitution > 0 || world.parameters.contacts.friction == Friction::velocity);
}

void PairContacts::findHeights(World& world, DeviceWorld& device, const Neighbors& neighbors,
                               const ShapeContacts& shapes, int substep) {
    const auto n = static_cast<int64_t>(world.count());
    ParticleArrays& p = world.particles;
    const Vec3 up = upOf(world);
    if (world.parameters.contacts.stackHeight == StackHeight::plane) {
        forEach(world.exec, "stack heights", n,
                HeightsAbovePlane{.x = p.x.view(),
                                  .phase = p.phase.view(),
                                  .materials = device.materials.view(),
                                  .v = p.v.view(),
                                  .up = up,
                                  .ground = world.parameters.contacts.ground});
        return;
    }
    Scratch::Scope scratch(world.exec);
    const View<float> ground = scratch.take<float>("stack.ground", n);
    const View<int32_t> clusterGround =
        scratch.take<int32_t>("stack.matchGround", world.solids.clusters.size());
    world.exec.fillBytes(clusterGround.data, 0x80,
                         clusterGround.size * sizeof(int32_t));  // below every height
    forEach(world.exec, "stack heights", n,
            FindGround{.shapes = shapes.view(device, substep),
                       .pairs = neighbors.pairs(),
                       .x = p.x.view(),
                       .v = p.v.view(),
                       .id = p.id.view(),
                       .phase = p.phase.view(),
                       .materials = device.materials.view(),
                       .groups = device.groups.view(),
                       .tables = world.solids.view(),
                       .ground = ground,
                       .clusterGround = clusterGround,
                       .up = up});
    forEach(world.exec, "stack heights", n,
            TakeHeights{.x = p.x.view(),
                        .id = p.id.view(),
                        .phase = p.phase.view(),
                        .materials = device.materials.view(),
                        .groups = device.groups.view(),
                        .tables = world.solids.view(),
                        .ground = ground,
                        .clusterGround = clusterGround,
                        .v = p.v.view(),
                        .up = up});
}

void PairContacts::prepare(World& world, DeviceWorld& device, const Neighbors& neighbors,
                           const ShapeContacts& shapes, int substep, float dt) {
    if (!device.hasSolids) return;
    const auto n = static_cast<int64_t>(world.count());
    const Parameters::Contacts& contacts = world.parameters.contacts;
    ParticleArrays& p = world.particles;
    if (contacts.stackScaling > 0) findHeights(world, device, neighbors, shapes, substep);

    m_mostUndone = device.leastDepenetration * dt;
    m_traits.resizeDiscard(n);
    m_weight.resizeDiscard(n);
    forEach(world.exec, "contact traits", n,
            GatherContactTraits{.xStar = device.xStar.view(),
                                .v = p.v.view(),
                                .phase = p.phase.view(),
                                .materials = device.materials.view(),
                                .pairs = neighbors.pairs().count,
                                .traits = m_traits.view(),
                                .weight = m_weight.view(),
                                .particleFriction = contacts.particleFriction,
                                .fluidFriction = contacts.fluidFriction,
                                .fluidDistance = contacts.fluidDistance,
                                .scaling = contacts.stackScaling,
                                .position = contacts.friction == Friction::position});
    m_cohesion.resizeDiscard(device.largestCohesion > 0 ? n : 0);
    if (device.largestCohesion > 0)
        forEach(world.exec, "contact traits", n,
                GatherCohesion{p.phase.view(), device.materials.view(), m_cohesion.view(),
                               dt * dt / static_cast<float>(world.parameters.solver.iterations)});
    if (bounces(world, device)) m_before.copyFrom(p.v);
}

// Masses of the contact stage, where particles are: see WeighContacts.
void PairContacts::splitMasses(World& world, const Neighbors& neighbors, View<const Vec4> x,
                               View<const Vec4> xStar, float slack, View<const float> massScale) {
    const auto n = static_cast<int64_t>(world.count());
    const bool splits = world.parameters.solver.relaxationMode == Relaxation::local;
    m_own.resizeDiscard(n);
    m_count.resizeDiscard(splits ? n : 0);
    if (splits)
        forEach(world.exec, "count contacts", n,
                CountPairs{.lists = neighbors.pairs(),
                           .traits = m_traits.view(),
                           .x = x,
                           .xStar = xStar,
                           .count = m_count.view(),
                           .slack = slack,
                           .mostUndone = m_mostUndone});
    forEach(world.exec, "weigh contacts", n,
            WeighContacts{.weight = m_weight.view(),
                          .massScale = massScale,
                          .count = m_count.view(),
                          .own = m_own.view(),
                          .traits = m_traits.view()});
}

void PairContacts::preStabilize(World& world, DeviceWorld& device, const Neighbors& neighbors,
                                const ShapeMatching& bodies) {
    if (!device.hasSolids) return;
    const auto n = static_cast<int64_t>(world.count());
    m_next.resizeDiscard(n);
    for (int round = 0; round < world.parameters.solver.prestabilize; ++round) {
        const View<const Vec4> x = world.particles.x.view();
        splitMasses(world, neighbors, x, x, 0, {});
        withContacts(world, neighbors, bodies, [&]<bool Fields>(const PairMeetings<Fields>& contacts) {
            forEach(world.exec, "pre-stabilize pairs", n,
                    PreStabilizePairs<Fields>{.contacts = contacts,
                                              .x = world.particles.x.view(),
                                              .shift = m_next.view(),
                                              .omega = world.parameters.solver.relaxation});
            forEach(world.exec, "pre-stabilize pairs", n,
                    ShiftStarts{m_next.view(), world.particles.x.view(), device.xStar.view()});
        });
    }
}

void PairContacts::solve(World& world, DeviceWorld& device, const Neighbors& neighbors,
                         const ShapeMatching& bodies) {
    if (!device.hasSolids) return;
    const auto n = static_cast<int64_t>(world.count());
    m_next.resizeDiscard(n);
    splitMasses(world, neighbors, world.particles.x.view(), device.xStar.view(), 0, bodies.massScales());
    withContacts(world, neighbors, bodies, [&]<bool Fields>(const PairMeetings<Fields>& contacts) {
        forEach(world.exec, "solve pairs", n,
                SolvePairs<Fields>{.contacts = contacts,
                                   .x = world.particles.x.view(),
                                   .xStar = device.xStar.view(),
                                   .cohesion = m_cohesion.view(),
                                   .xNew = m_next.view(),
                                   .omega = world.parameters.solver.relaxation});
    });
    device.xStar.swap(m_next);
}

void PairContacts::bounce(World& world, DeviceWorld& device, const Neighbors& neighbors,
                          const ShapeMatching& bodies) {
    if (!bounces(world, device)) return;
    const auto n = static_cast<int64_t>(world.count());
    ParticleArrays& p = world.particles;
    m_bounce.resizeDiscard(n);
    forEach(world.exec, "bounce pairs", n,
            GatherBounce{.phase = p.phase.view(),
                         .materials = device.materials.view(),
                         .bounce = m_bounce.view(),
                         .particleFriction = world.parameters.contacts.particleFriction,
                         .damping = world.parameters.contacts.friction == Friction::velocity});
    splitMasses(world, neighbors, p.x.view(), p.x.view(), kTouching, bodies.massScales());
    withContacts(world, neighbors, bodies, [&]<bool Fields>(const PairMeetings<Fields>& contacts) {
        forEach(world.exec, "bounce pairs", n,
                BouncePairs<Fields>{.contacts = contacts,
                                    .x = p.x.view(),
                                    .v = p.v.view(),
                                    .before = m_before.view(),
                                    .bounce = m_bounce.view(),
                                    .vNew = m_next.view(),
                                    .bounceSpeed = world.parameters.contacts.bounceSpeed});
    });
    p.v.swap(m_next);
}

}  // namespace coalesce
