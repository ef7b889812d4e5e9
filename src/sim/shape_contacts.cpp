#include "sim/shape_contacts.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

ContactSearch ShapeContacts::search(const World& world, const DeviceWorld& device, int substep) const {
    return {.x = world.particles.x.view(),
            .xStar = device.xStar.view(),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .shapes = device.shapesOf(substep),
            .margin = world.parameters.contacts.margin,
            .wallDensity = world.parameters.fluid.wallDensity > 0};
}

Contacts ShapeContacts::view(const DeviceWorld& device, int substep) const {
    return {m_start.view(), m_planes.view(), m_shape.view(), device.shapesOf(substep)};
}

void ShapeContacts::find(World& world, DeviceWorld& device, int substep) {
    const auto n = static_cast<int64_t>(world.count());
    m_start.renew(n + 1);
    m_planes.renew(device.capacity.contacts);
    m_shape.renew(device.capacity.contacts);
    const ContactSearch search = this->search(world, device, substep);

    Scratch::Scope scratch(world.exec);
    const View<uint32_t> count = scratch.take<uint32_t>("contacts.count", n);
    forEach(world.exec, "count contacts", n, CountContacts{search, count});
    exclusiveScan(world.exec, "place contacts", count, m_start.view());
    forEach(
        world.exec, "write contacts", n,
        WriteContacts{search, m_start.view(), m_planes.view(), m_shape.view(), device.status.view().data, n});
}

void ShapeContacts::preStabilize(World& world, DeviceWorld& device, int substep, float dt) {
    ParticleArrays& p = world.particles;
    forEach(world.exec, "pre-stabilize", static_cast<int64_t>(world.count()),
            PreStabilize{.contacts = view(device, substep),
                         .phase = p.phase.view(),
                         .materials = device.materials.view(),
                         .planes = m_planes.view(),
                         .shape = m_shape.view(),
                         .x = p.x.view(),
                         .xStar = device.xStar.view(),
                         .rounds = world.parameters.solver.prestabilize,
                         .dt = dt});
}

void ShapeContacts::addWalls(World& world, DeviceWorld& device, int substep) {
    device.wall.resize(world.count());
    forEach(world.exec, "density of walls", static_cast<int64_t>(world.count()),
            WallTerm{.contacts = view(device, substep),
                     .xStar = device.xStar.view(),
                     .phase = world.particles.phase.view(),
                     .materials = device.materials.view(),
                     .wall = device.wall.view(),
                     .share = world.parameters.fluid.wallDensity});
}

void ShapeContacts::solve(World& world, DeviceWorld& device, int substep) {
    forEach(world.exec, "solve contacts", static_cast<int64_t>(world.count()),
            SolveContacts{.contacts = view(device, substep),
                          .x = world.particles.x.view(),
                          .phase = world.particles.phase.view(),
                          .materials = device.materials.view(),
                          .xStar = device.xStar.view(),
                          .omega = world.parameters.solver.relaxation,
                          .average = world.parameters.solver.relaxationMode == Relaxation::local});
}

void ShapeContacts::keepOutside(World& world, DeviceWorld& device, int substep) {
    forEach(world.exec, "keep outside", static_cast<int64_t>(world.count()),
            KeepOutside{.search = search(world, device, substep),
                        .contacts = view(device, substep),
                        .phase = world.particles.phase.view(),
                        .materials = device.materials.view(),
                        .x = world.particles.x.view(),
                        .xStar = device.xStar.view()});
}

}  // namespace coalesce
