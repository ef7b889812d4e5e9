#include "sim/projective/objective.h"

#include "core/for_each.h"
#include "core/primitives.h"

namespace coalesce {

View<float> Objective::densityEnergy(const StepContext& step) {
    if (!step.world.watchConvergence || !step.device.summary.hasFluid) return {};
    m_densityEnergy.resizeDiscard(step.world.count());
    return m_densityEnergy.view();
}

void Objective::evaluate(const StepContext& step, const DensityRows& density, const CoupledRows& rows,
                         int round) {
    World& world = step.world;
    if (!world.watchConvergence) return;
    const CoupledSystem system = rows.system(world);
    const bool solids = world.solids.rows() > 0;
    const size_t edges = solids ? system.edges.size : 0, bends = solids ? system.bends.size : 0,
                 members = solids && system.clusterBlocks.size > 0 ? world.solids.memberRow.size() : 0,
                 volumes = solids ? system.volumes.size : 0;
    m_terms.resizeDiscard(world.count() + edges + bends + members + volumes);
    forEach(exec, "objective", m_terms.size(),
            FindObjectiveTerms{.xStar = step.device.xStar.view(),
                               .target = density.target(),
                               .densityEnergy = densityEnergy(step),
                               .system = system,
                               .edges = uint32_t(edges),
                               .bends = uint32_t(bends),
                               .members = uint32_t(members),
                               .terms = m_terms.view()});
    reduceSum(exec, "objective", m_terms.view(), m_sum.view());
    forEach(exec, "objective", 1,
            NoteObjective{.sum = m_sum.view(),
                          .rounds = m_state.view(),
                          .status = step.device.status.view().data,
                          .dt = step.dt,
                          .round = round});
}

}  // namespace coalesce
