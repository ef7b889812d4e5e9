#include "sim/contact/shape_contacts.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

namespace {

// Calls use.operator()<Forms>(): worlds of planes, boxes, spheres and capsules have kernels of their own.
template <class Use>
void withForms(const DeviceWorld& device, Use&& use) {
    if (device.shapes.hasForms())
        use.template operator()<true>();
    else
        use.template operator()<false>();
}

}  // namespace

template <bool Forms>
ContactSearch<Forms> ShapeContacts::search(const World& world, const DeviceWorld& device, int substep) const {
    return {.x = world.particles.x.view(),
            .xStar = device.xStar.view(),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .groups = device.groups.view(),
            .shapes = device.shapes.of(substep),
            .margin = world.parameters.contacts.margin,
            .allWalls = world.parameters.fluid.wallDensity > 0 || device.largestAdhesion > 0,
            .planar = world.parameters.solver.planar};
}

Contacts ShapeContacts::view(const DeviceWorld& device, int substep) const {
    return {m_start.view(), m_planes.view(), m_shape.view(), device.shapes.of(substep).states};
}

void ShapeContacts::find(World& world, DeviceWorld& device, int substep) {
    const auto n = static_cast<int64_t>(world.count());
    m_start.resizeDiscard(n + 1);
    m_planes.resizeDiscard(device.capacity.contacts);
    m_shape.resizeDiscard(device.capacity.contacts);
    m_accumulatedImpulse.resizeDiscard(device.capacity.contacts);
    m_lastImpulse.resizeDiscard(world.bodies.empty() ? 0 : device.capacity.contacts);
    m_lastImpulse.fillZero();
    m_steepness.resizeDiscard(device.capacity.contacts);
    Scratch::Scope scratch(world.exec);
    const View<uint32_t> count = scratch.take<uint32_t>("contacts.count", n);
    withForms(device, [&]<bool Forms>() {
        const auto search = this->search<Forms>(world, device, substep);
        forEach(world.exec, "count contacts", n, CountContacts<Forms>{search, count});
        exclusiveScan(world.exec, "place contacts", count, m_start.view());
        forEach(world.exec, "write contacts", n,
                WriteContacts<Forms>{search, m_start.view(), m_planes.view(), m_shape.view(),
                                     m_accumulatedImpulse.view(), device.status.view().data, n});
    });
}

void ShapeContacts::preStabilize(World& world, DeviceWorld& device, int substep, float dt) {
    ParticleArrays& p = world.particles;
    withForms(device, [&]<bool Forms>() {
        forEach(world.exec, "pre-stabilize", static_cast<int64_t>(world.count()),
                PreStabilize<Forms>{.contacts = view(device, substep),
                                    .tables = device.shapes.of(substep).tables,
                                    .phase = p.phase.view(),
                                    .materials = device.materials.view(),
                                    .planes = m_planes.view(),
                                    .shape = m_shape.view(),
                                    .x = p.x.view(),
                                    .xStar = device.xStar.view(),
                                    .rounds = world.parameters.solver.prestabilize,
                                    .dt = dt});
    });
}

void ShapeContacts::addWalls(World& world, DeviceWorld& device, int substep) {
    if (!device.hasFluid) return;
    device.wall.resizeDiscard(world.count());
    forEach(world.exec, "density of walls", static_cast<int64_t>(world.count()),
            WallTerm{.contacts = view(device, substep),
                     .xStar = device.xStar.view(),
                     .phase = world.particles.phase.view(),
                     .materials = device.materials.view(),
                     .wall = device.wall.view(),
                     .steepness = m_steepness.view(),
                     .share = world.parameters.fluid.wallDensity,
                     .planar = world.parameters.solver.planar});
}

void ShapeContacts::solve(World& world, DeviceWorld& device, int substep, View<const Vec4> xLambda,
                          View<const float> contactResponse) {
    forEach(world.exec, "solve contacts", static_cast<int64_t>(world.count()),
            SolveContacts{.contacts = view(device, substep),
                          .x = world.particles.x.view(),
                          .phase = world.particles.phase.view(),
                          .materials = device.materials.view(),
                          .xLambda = xLambda,
                          .wall = device.wall.view(),
                          .steepness = m_steepness.view(),
                          .accumulatedImpulse = m_accumulatedImpulse.view(),
                          .lastImpulse = m_lastImpulse.view(),
                          .contactResponse = contactResponse,
                          .xStar = device.xStar.view(),
                          .omega = world.parameters.solver.relaxation,
                          .average = world.parameters.solver.relaxationMode == Relaxation::local});
}

void ShapeContacts::keepOutside(World& world, DeviceWorld& device, int substep) {
    withForms(device, [&]<bool Forms>() {
        forEach(world.exec, "keep outside", static_cast<int64_t>(world.count()),
                KeepOutside<Forms>{.search = search<Forms>(world, device, substep),
                                   .contacts = view(device, substep),
                                   .phase = world.particles.phase.view(),
                                   .materials = device.materials.view(),
                                   .x = world.particles.x.view(),
                                   .accumulatedImpulse = m_accumulatedImpulse.view(),
                                   .lastImpulse = m_lastImpulse.view(),
                                   .xStar = device.xStar.view(),
                                   .loads = device.shapes.loads()});
    });
}

void ShapeContacts::watchTriggers(World& world, DeviceWorld& device, int substep) {
    const View<const Trigger> triggers = device.shapes.triggers();
    if (triggers.size == 0) return;
    withForms(device, [&]<bool Forms>() {
        forEach(world.exec, "watch triggers", static_cast<int64_t>(world.count()),
                WatchTriggers<Forms>{.triggers = triggers,
                                     .search = search<Forms>(world, device, substep),
                                     .id = world.particles.id.view(),
                                     .x = world.particles.x.view(),
                                     .xStar = device.xStar.view(),
                                     .v = world.particles.v.view(),
                                     .loads = device.shapes.loads(),
                                     .substep = static_cast<uint32_t>(world.step) + substep,
                                     .last = substep + 1 == world.parameters.solver.substeps});
    });
}

void ShapeContacts::sumLoads(World& world, DeviceWorld& device, int substep) {
    forEach(world.exec, "sum loads", static_cast<int64_t>(world.count()),
            SumLoads{.contacts = view(device, substep),
                     .accumulatedImpulse = m_accumulatedImpulse.view(),
                     .x = world.particles.x.view(),
                     .phase = world.particles.phase.view(),
                     .materials = device.materials.view(),
                     .loads = device.shapes.loads()});
}

}  // namespace coalesce
