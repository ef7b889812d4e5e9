#include "sim/contact/shape_contacts.h"

#include <utility>

#include "core/error.h"
#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/contact/shape_contact_solve.h"
#include "kernels/contact/triggers.h"
#include "kernels/fluid/wall_density.h"
#include "kernels/motion/update_velocities.h"
#include "kernels/projective/project_density.h"

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

// Adhesion and contacts between solids come between the search and pre-stabilization; what else comes there
// moves no particle. The velocity-level method limits depenetration instead.
bool canPreStabilizeAtOnce(const StepContext& step) {
    const MaterialSummary& materials = step.device.summary;
    return !step.device.shapes.hasForms() && !materials.hasSolids && materials.maxAdhesion == 0 &&
           step.world.parameters.solver.method != Method::velocity;
}

}  // namespace

template <bool Forms>
ContactSearch<Forms> ShapeContacts::search(const StepContext& step) const {
    const World& world = step.world;
    const DeviceWorld& device = step.device;
    return {.x = world.particles.x.view(),
            .xStar = device.xStar.view(),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .groups = device.groups.view(),
            .shapes = device.shapes.of(step.substep),
            .margin = world.parameters.contacts.margin,
            .allWalls = world.parameters.fluid.wallDensity > 0 || device.summary.maxAdhesion > 0,
            .planar = world.parameters.solver.planar,
            .ballRadius = device.ballRadius.view()};
}

Contacts ShapeContacts::view(const DeviceWorld& device, int substep) const {
    return {m_start.view(), m_planes.view(), m_shape.view(), device.shapes.of(substep).states,
            m_deformed.view()};
}

WallImpulses ShapeContacts::wallImpulses(const DeviceWorld& device) const {
    return {device.wall.view(), m_steepness.view(), m_sampled.view()};
}

void ShapeContacts::find(const StepContext& step) {
    m_preStabilized = false;
    findContacts(step);
}

void ShapeContacts::findAndPreStabilize(const StepContext& step) {
    m_preStabilized = canPreStabilizeAtOnce(step);
    findContacts(step);
}

void ShapeContacts::findContacts(const StepContext& step) {
    DeviceWorld& device = step.device;
    const size_t n = step.world.count(), capacity = device.capacity.contacts;
    m_start.resizeDiscard(n + 1);
    m_planes.resizeDiscard(capacity);
    m_shape.resizeDiscard(capacity);
    m_accumulatedImpulse.resizeDiscard(capacity);
    m_deformed.resizeDiscard(device.shapes.anyDeforms() ? capacity : 0);
    m_lastImpulse.resizeDiscard(step.world.bodies.empty() ? 0 : capacity);
    m_lastImpulse.fillZero();
    m_steepness.resizeDiscard(capacity);
    device.boundary.findVolumes(device.shapes, step.substep);
    m_sampled.resizeDiscard(device.boundary.isEmpty() ? 0 : capacity);
    const bool projectsLiquid =
        step.world.parameters.solver.method == Method::projective && device.summary.hasFluid;
    m_impulseBefore.resizeDiscard(projectsLiquid ? capacity : 0);
    m_impulseBefore.fillZero();
    Scratch::Scope scratch(exec);
    const View<uint32_t> count = scratch.take<uint32_t>("contacts.count", n);
    const size_t kept = device.shapes.hasMeshes() && !device.shapes.anyDeforms() ? n * KeptPlanes::kEach : 0;
    const KeptPlanes keptPlanes{scratch.take<Vec4>("contacts.keptPlanes", kept),
                                scratch.take<uint32_t>("contacts.keptShape", kept)};
    withForms(device, [&]<bool Forms>() {
        const auto search = this->search<Forms>(step);
        forEach(exec, "count shape contacts", n, CountContacts<Forms>{search, count, keptPlanes});
        exclusiveScan(exec, "scan shape contacts", count, m_start.view());
        const WriteContacts<Forms> write{search,
                                         m_start.view(),
                                         m_planes.view(),
                                         m_shape.view(),
                                         m_accumulatedImpulse.view(),
                                         m_deformed.view(),
                                         keptPlanes,
                                         device.status.view().data,
                                         int64_t(n)};
        if constexpr (!Forms)
            if (m_preStabilized) {
                const int rounds = step.world.parameters.solver.prestabilize;
                return forEach(exec, "write shape contacts", n, write,
                               preStabilizeKernel<Forms>(step, rounds));
            }
        forEach(exec, "write shape contacts", n, write);
    });
}

void ShapeContacts::shiftPaths(const StepContext& step, View<const Vec4> shift) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    withForms(device, [&]<bool Forms>() {
        forEach(exec, "pre-stabilize particles", world.count(),
                ShiftPath<Forms>{.search = search<Forms>(step),
                                 .phase = world.particles.phase.view(),
                                 .materials = device.materials.view(),
                                 .shift = shift,
                                 .x = world.particles.x.view(),
                                 .xStar = device.xStar.view()});
    });
}

template <bool Forms>
PreStabilizeShapes<Forms> ShapeContacts::preStabilizeKernel(const StepContext& step, int rounds) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.search = search<Forms>(step),
            .contacts = view(device, step.substep),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .planes = m_planes.view(),
            .shape = m_shape.view(),
            .x = world.particles.x.view(),
            .xStar = device.xStar.view(),
            .rounds = rounds,
            .dt = step.dt};
}

void ShapeContacts::preStabilize(const StepContext& step) {
    if (!std::exchange(m_preStabilized, false)) preStabilize(step, step.world.parameters.solver.prestabilize);
}

void ShapeContacts::limitDepenetration(const StepContext& step) {
    preStabilize(step, 0);
}

void ShapeContacts::preStabilize(const StepContext& step, int rounds) {
    withForms(step.device, [&]<bool Forms>() {
        forEach(exec, "pre-stabilize shapes", step.world.count(), preStabilizeKernel<Forms>(step, rounds));
    });
}

template <bool kSampled>
FindWallDensity<kSampled> ShapeContacts::wallDensityKernel(const StepContext& step, View<const Vec4> x,
                                                           View<float> closing, bool atStart) {
    const World& world = step.world;
    DeviceWorld& device = step.device;
    return {.contacts = view(device, step.substep),
            .xStar = x,
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .boundary = device.boundary.tables(),
            .wall = device.wall.view(),
            .steepness = m_steepness.view(),
            .sampled = m_sampled.view(),
            .closing = closing,
            .share = world.parameters.fluid.wallDensity,
            .rate = closing.size > 0 ? 1 / step.dt : 0,
            .atStart = atStart,
            .planar = world.parameters.solver.planar};
}

FindWallDensity<false> ShapeContacts::movingWallDensityKernel(const StepContext& step, View<const Vec4> x,
                                                              View<float> closing, bool atStart) {
    CHECK(step.device.boundary.isEmpty());
    return wallDensityKernel<false>(step, x, closing, atStart);
}
FindWallDensity<false> ShapeContacts::wallDensityKernel(const StepContext& step) {
    return movingWallDensityKernel(step, step.device.xStar.view(), {}, false);
}

void ShapeContacts::findWallDensity(const StepContext& step, View<const Vec4> x, View<float> closing,
                                    bool atStart) {
    const size_t n = step.world.count();
    step.device.wall.resizeDiscard(n);
    if (step.device.boundary.isEmpty())
        forEach(exec, "wall density", n, wallDensityKernel<false>(step, x, closing, atStart));
    else
        forEach(exec, "wall density", n, wallDensityKernel<true>(step, x, closing, atStart));
}

void ShapeContacts::addWallDensity(const StepContext& step) {
    if (step.device.summary.hasFluid) findWallDensity(step, step.device.xStar.view(), {}, false);
}

void ShapeContacts::addMovingWallDensity(const StepContext& step, View<const Vec4> x, View<float> closing,
                                         bool atStart) {
    findWallDensity(step, x, closing, atStart);
}

SolveShapeContacts ShapeContacts::solveKernel(const StepContext& step, View<const Vec4> xLambda,
                                              View<const float> contactResponse) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.contacts = view(device, step.substep),
            .x = world.particles.x.view(),
            .slip = world.particles.slip.view(),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .xLambda = xLambda,
            .wallImpulses = wallImpulses(device),
            .accumulatedImpulse = m_accumulatedImpulse.view(),
            .lastImpulse = m_lastImpulse.view(),
            .contactResponse = contactResponse,
            .xStar = device.xStar.view(),
            .roundingError = device.roundingError.view(),
            .omega = world.parameters.solver.relaxation,
            .average = world.parameters.solver.relaxationMode == Relaxation::local};
}

void ShapeContacts::solve(const StepContext& step, View<const Vec4> xLambda,
                          View<const float> contactResponse) {
    forEach(exec, "shape contacts", step.world.count(), solveKernel(step, xLambda, contactResponse));
}

CarryWallImpulses ShapeContacts::carryImpulsesKernel(const StepContext& step, View<const Vec4> xLambda,
                                                     View<const float> resistance, float chebyshev) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.contacts = view(device, step.substep),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .resistance = resistance,
            .xLambda = xLambda,
            .wallImpulses = wallImpulses(device),
            .chebyshev = chebyshev,
            .before = m_impulseBefore.view(),
            .accumulatedImpulse = m_accumulatedImpulse.view()};
}

void ShapeContacts::carryImpulses(const StepContext& step, View<const Vec4> xLambda,
                                  View<const float> resistance, float chebyshev) {
    if (step.device.summary.hasFluid)
        forEach(exec, "wall impulses", step.world.count(),
                carryImpulsesKernel(step, xLambda, resistance, chebyshev));
}

template <bool Forms>
SolveContinuousCollision<Forms> ShapeContacts::continuousCollisionKernel(const StepContext& step,
                                                                         View<Vec3> accumulatedImpulse,
                                                                         View<const Vec3> lastImpulse,
                                                                         ShapeLoads loads) const {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.search = search<Forms>(step),
            .contacts = view(device, step.substep),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .x = world.particles.x.view(),
            .accumulatedImpulse = accumulatedImpulse,
            .lastImpulse = lastImpulse,
            .xStar = device.xStar.view(),
            .loads = loads};
}

void ShapeContacts::keepOutside(const StepContext& step) {
    withForms(step.device, [&]<bool Forms>() {
        forEach(exec, "continuous collision", step.world.count(),
                continuousCollisionKernel<Forms>(step, {}, {}, {}));
    });
}

void ShapeContacts::resolvePenetration(const StepContext& step, const UpdateVelocities& update) {
    const size_t n = step.world.count();
    const ShapeLoads loads = step.device.shapes.loads();
    withForms(step.device, [&]<bool Forms>() {
        const auto collision =
            continuousCollisionKernel<Forms>(step, m_accumulatedImpulse.view(), m_lastImpulse.view(), loads);
        if constexpr (!Forms)
            if (step.device.shapes.triggers().size == 0)
                return forEach(exec, "update velocities", n, collision, update, loadKernel(step));
        forEach(exec, "continuous collision", n, collision);
        updateTriggers(step);
        forEach(exec, "update velocities", n, update, loadKernel(step));
    });
}

void ShapeContacts::updateTriggers(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const View<const Trigger> triggers = device.shapes.triggers();
    if (triggers.size == 0) return;
    withForms(device, [&]<bool Forms>() {
        forEach(exec, "triggers", world.count(),
                UpdateTriggers<Forms>{.triggers = triggers,
                                      .search = search<Forms>(step),
                                      .id = world.particles.id.view(),
                                      .x = world.particles.x.view(),
                                      .xStar = device.xStar.view(),
                                      .v = world.particles.v.view(),
                                      .loads = device.shapes.loads(),
                                      .substep = uint32_t(world.step) + step.substep,
                                      .last = step.substep + 1 == step.substeps});
    });
}

AccumulateShapeLoads ShapeContacts::loadKernel(const StepContext& step) const {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.contacts = view(device, step.substep),
            .accumulatedImpulse = m_accumulatedImpulse.view(),
            .x = world.particles.x.view(),
            .phase = world.particles.phase.view(),
            .materials = device.materials.view(),
            .loads = device.shapes.loads()};
}

void ShapeContacts::sumLoads(const StepContext& step) {
    forEach(exec, "shape loads", step.world.count(), loadKernel(step));
}

}  // namespace coalesce
