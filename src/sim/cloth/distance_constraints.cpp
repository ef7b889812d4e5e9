#include "sim/cloth/distance_constraints.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "sim/stage/solve_colored.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

Coloring colorSprings(std::span<const DistanceConstraint> springs, size_t rows) {
    std::vector<uint32_t> colorOf(springs.size()), ends, first{0};
    uint32_t colors = 0;
    for (const bool tethers : {false, true}) {
        std::vector<uint32_t> which, moved, firstMoved{0};
        for (uint32_t k = 0; k < springs.size(); ++k) {
            const DistanceConstraint& s = springs[k];
            if (((s.params & kTether) != 0) != tethers) continue;
            which.push_back(k);
            moved.push_back(s.a);
            if (!tethers) moved.push_back(s.b);
            firstMoved.push_back(uint32_t(moved.size()));
        }
        const std::vector<uint32_t> found = colorConstraints(moved, firstMoved, rows);
        const uint32_t before = colors;
        for (size_t k = 0; k < which.size(); ++k) {
            colorOf[which[k]] = before + found[k];
            colors = std::max(colors, before + found[k] + 1);
        }
    }
    for (const DistanceConstraint& s : springs) {
        ends.insert(ends.end(), {s.a, s.b});
        first.push_back(uint32_t(ends.size()));
    }
    return orderByIsland(std::move(colorOf), ends, first, rows);
}

SpringParams springHold(double stiffness, double compliance, int iterations, double dt) {
    // per iteration, so that all iterations together leave 1 − stiffness of an error
    return {float(1 - std::pow(1 - stiffness, 1.0 / iterations)), float(compliance / (dt * dt))};
}

void DistanceConstraints::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    const std::vector<DistanceConstraint> springs = world.solids.springs.download();
    m_colored.upload(colorSprings(springs, world.solids.rows()));
    std::vector<uint32_t> share(world.solids.rows(), 0);
    for (const DistanceConstraint& spring : springs) {
        if (spring.params & kCut) continue;
        ++share[spring.a];
        if (!(spring.params & kTether)) ++share[spring.b];
    }
    m_share.upload(share);
    std::vector<uint32_t> attachedShape(world.solids.rows(), kNotAttached);
    const std::vector<Anchor> anchors = world.solids.anchors.download();
    for (const Anchor& anchor : anchors) attachedShape[anchor.row] = anchor.shape;
    m_attachedShape.upload(attachedShape);
    m_anchored = !anchors.empty();
}

void DistanceConstraints::moveAnchors(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const SolidTables& solids = world.solids;
    if (solids.anchors.size() == 0) return;
    forEach(exec, "move anchors", solids.anchors.size(),
            MoveAnchors{solids.anchors.view(), device.shapes.of(step.substep).states, solids.slotOf.view(),
                        device.xStar.view()});
}

void DistanceConstraints::prepare(const StepContext& step) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    if (solids.springs.size() == 0) return;
    plan(world);
    const float dt = step.dt;
    const int iterations = world.parameters.solver.iterations;
    std::vector<SpringParams> params;
    for (const Material& material : world.materials) {
        const MaterialProperties& m = material.properties;
        params.push_back(springHold(m.stiffness, m.compliance, iterations, dt));
        params.push_back(springHold(m.shearStiffness, m.shearCompliance, iterations, dt));
        const bool byAngle = m.kind == MaterialKind::cloth && m.bending == Bending::dihedral;
        params.push_back(byAngle ? SpringParams{}
                                 : springHold(m.bendStiffness, m.bendCompliance, iterations, dt));
        params.push_back(springHold(m.tetherStiffness, 0, iterations, dt));
    }
    m_params.set(std::move(params));
    m_lambda.resizeDiscard(solids.springs.size());
    m_lambda.fillZero();
    if (m_sums.size() != 3 * solids.rows()) {
        m_sums.resizeDiscard(3 * solids.rows());
        m_sums.fillZero();
    }
    // a unit is a billionth of the smallest spacing; sums reach 2^31 of the largest one
    m_perMeter = std::exp2(std::ceil(30 - std::log2(step.device.summary.minSpacing)));
}

void DistanceConstraints::solve(const StepContext& step, View<const float> massScale) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    if (solids.springs.size() == 0) return;
    const SpringTables tables{solids.springs.view(), m_params.view(), solids.slotOf.view(), massScale};
    if (world.parameters.solver.springs == SpringOrder::colored)
        solveByColor(step, tables);
    else
        solveAveraged(step, tables);
}

void DistanceConstraints::solveByColor(const StepContext& step, const SpringTables& tables) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    solveColored(exec, "distance constraints", m_colored, [&](View<const uint32_t> color) {
        return SolveSpringsOfColor{.tables = tables,
                                   .color = color,
                                   .lambda = m_lambda.view(),
                                   .xStar = device.xStar.view(),
                                   .omega = world.parameters.solver.relaxation};
    });
}

void DistanceConstraints::solveAveraged(const StepContext& step, const SpringTables& tables) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    SolidTables& solids = world.solids;
    const FixedPointSums sums{m_sums.view(), m_perMeter};
    forEach(exec, "distance constraints", solids.springs.size(),
            SolveSpringsJacobi{.tables = tables,
                               .share = m_share.view(),
                               .xStar = device.xStar.view(),
                               .lambda = m_lambda.view(),
                               .deltas = sums,
                               .omega = world.parameters.solver.relaxation,
                               .average = world.parameters.solver.relaxationMode == Relaxation::local});
    forEach(exec, "apply distance deltas", solids.rows(),
            ApplySpringDeltas{solids.slotOf.view(), sums, device.xStar.view()});
}

void DistanceConstraints::sumLoads(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    SolidTables& solids = world.solids;
    if (solids.springs.size() == 0 || !m_anchored) return;
    forEach(
        exec, "distance constraint loads", solids.springs.size(),
        AccumulateSpringLoads{.tables = {solids.springs.view(), m_params.view(), solids.slotOf.view(), {}},
                              .lambda = m_lambda.view(),
                              .attachedShape = m_attachedShape.view(),
                              .shapes = device.shapes.of(step.substep).states,
                              .x = world.particles.x.view(),
                              .loads = device.shapes.loads()});
}

}  // namespace coalesce
