#include "sim/velocity/density_impulses.h"

#include "core/for_each.h"
#include "kernels/velocity/density_impulse.h"
#include "kernels/velocity/shape_contact_impulse.h"

namespace coalesce {

namespace {

// Positions of a pass: at the start of the substep, or integrated.
View<const Vec4> positionsOf(const StepContext& step, VelocityPass pass) {
    return pass == VelocityPass::biased ? step.world.particles.x.view() : step.device.xStar.view();
}

}  // namespace

void DensityImpulses::prepare(const StepContext& step, const DensityConstraint& density,
                              ShapeContacts& shapes, VelocityPass pass) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid) return;
    const size_t n = world.count();
    m_setup.resizeDiscard(n);
    m_change.resizeDiscard(n);
    m_closing.resizeDiscard(n);
    if (pass == VelocityPass::biased) {
        m_impulse.resizeDiscard(n);
        m_impulse.fillZero();
        m_counted.resizeDiscard(n);
        m_counted.fillZero();
        m_pressures.resizeDiscard(shapes.accumulatedImpulse().size);
        m_pressures.fillZero();
    }
    shapes.addMovingWallDensity(step, positionsOf(step, pass), m_closing.view(),
                                pass == VelocityPass::biased);
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "prepare density impulses", n,
                PrepareDensityImpulse<isUniform<Pairs>>{
                    .x = positionsOf(step, pass),
                    .wall = device.wall.view(),
                    .closing = m_closing.view(),
                    .neighbors = step.neighbors.lists(),
                    .pairs = pairs,
                    .setup = m_setup.view(),
                    .biasRate = pass == VelocityPass::biased ? world.parameters.velocity.bias / step.dt : 0,
                    .rate = 1 / step.dt,
                    .epsilon = world.parameters.fluid.relaxation,
                    .omega = world.parameters.fluid.overRelaxation});
    });
}

void DensityImpulses::solve(const StepContext& step, const DensityConstraint& density, VelocityPass pass) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid) return;
    const size_t n = world.count();
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "density impulses", n,
                SolveDensityImpulse<isUniform<Pairs>>{.x = positionsOf(step, pass),
                                                      .v = world.particles.v.view(),
                                                      .wall = device.wall.view(),
                                                      .setup = m_setup.view(),
                                                      .neighbors = step.neighbors.lists(),
                                                      .pairs = pairs,
                                                      .impulse = m_impulse.view(),
                                                      .change = m_change.view(),
                                                      .biased = pass == VelocityPass::biased});
        forEach(exec, "apply density impulses", n,
                ApplyDensityImpulse<isUniform<Pairs>>{.x = world.particles.x.view(),
                                                      .change = m_change.view(),
                                                      .wall = device.wall.view(),
                                                      .neighbors = step.neighbors.lists(),
                                                      .pairs = pairs,
                                                      .v = world.particles.v.view()});
    });
}

void DensityImpulses::sumPressureOnShapes(const StepContext& step, const ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid) return;
    forEach(exec, "pressure on shapes", world.count(),
            SumPressureOnShapes{.contacts = shapes.view(device, step.substep),
                                .impulse = m_impulse.view(),
                                .wallImpulses = shapes.wallImpulses(device),
                                .phase = world.particles.phase.view(),
                                .materials = device.materials.view(),
                                .counted = m_counted.view(),
                                .pressures = m_pressures.view(),
                                .dt = step.dt});
}

void DensityImpulses::report(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes) {
    World& world = step.world;
    if (!step.device.summary.hasFluid) return;
    forEach(exec, "pressure on shapes", world.count(),
            AddPressureOnShapes{shapes.view(step.device, step.substep), m_pressures.view(),
                                shapes.accumulatedImpulse()});
    if (density.watchesLambda())
        forEach(exec, "sum lambda", world.count(),
                ReportPressure{m_impulse.view(), density.writableLambdaSums(), step.dt});
}

}  // namespace coalesce
