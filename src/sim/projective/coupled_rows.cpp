#include "sim/projective/coupled_rows.h"

#include <algorithm>

#include "core/disjoint_sets.h"
#include "core/for_each.h"
#include "core/primitives.h"

namespace coalesce {

namespace {

// Ranges of entries by row: start[row] … start[row + 1].
template <class Entry>
struct Adjacency {
    std::vector<uint32_t> start;
    std::vector<Entry> entries;
};

// entries: pairs of a row and what it is adjacent to, in the order in which a row sums them.
template <class Entry>
Adjacency<Entry> byRow(const std::vector<std::pair<uint32_t, Entry>>& entries, size_t rows) {
    Adjacency<Entry> sorted;
    sorted.start.assign(rows + 1, 0);
    for (const auto& [row, entry] : entries) ++sorted.start[row + 1];
    for (size_t row = 0; row < rows; ++row) sorted.start[row + 1] += sorted.start[row];
    sorted.entries.resize(entries.size());
    std::vector<uint32_t> next = sorted.start;
    for (const auto& [row, entry] : entries) sorted.entries[next[row]++] = entry;
    return sorted;
}

}  // namespace

Firmness firmnessOf(double stiffness, double compliance, double dt) {
    const double most = double{kStiffest};
    return {float(stiffness < most / (1 + most) ? stiffness / (1 - stiffness) : most),
            float(compliance / (dt * dt))};
}

void CoupledRows::plan(const World& world, const BodyConstraints& constraints) {
    const size_t rows = world.solids.rows();
    const View<const DihedralBend> bends = constraints.bending.bends();
    const uint64_t revision = constraints.bending.revision();
    if (m_topology == world.solids.topology && m_plannedRows == rows && m_plannedBends == revision) return;
    m_topology = world.solids.topology, m_plannedRows = rows, m_plannedBends = revision;

    DisjointSets assemblies(rows);
    std::vector<std::pair<uint32_t, EdgeEnd>> ends;
    const std::vector<DistanceConstraint> springs = world.solids.springs.download();
    for (uint32_t k = 0; k < springs.size(); ++k) {
        if (springs[k].params & kCut) continue;
        assemblies.join(springs[k].a, springs[k].b);
        ends.push_back({springs[k].a, {k, springs[k].b}});
        ends.push_back({springs[k].b, {k | kFarEnd, springs[k].a}});
    }
    const auto edges = byRow(ends, rows);
    m_edgeStart.upload(ends.empty() ? std::vector<uint32_t>{} : edges.start);
    m_edgeEnds.upload(edges.entries);

    std::vector<std::pair<uint32_t, uint32_t>> corners;
    std::vector<DihedralBend> bendsOnHost(bends.size);
    if (bends.size > 0) exec.copyToHost(bendsOnHost.data(), bends.data, bends.size * sizeof(DihedralBend));
    for (uint32_t k = 0; k < bends.size; ++k) {
        const DihedralBend& b = bendsOnHost[k];
        corners.insert(corners.end(), {{b.a, 4 * k}, {b.b, 4 * k + 1}, {b.p, 4 * k + 2}, {b.q, 4 * k + 3}});
        for (const uint32_t other : {b.b, b.p, b.q}) assemblies.join(b.a, other);
    }
    const auto bendCorners = byRow(corners, rows);
    m_bendStart.upload(corners.empty() ? std::vector<uint32_t>{} : bendCorners.start);
    m_bendCorners.upload(bendCorners.entries);

    std::vector<uint32_t> volumeOf(rows, kNoRow);
    const std::vector<VolumeConstraint> volumes = world.solids.volumeConstraints.download();
    for (uint32_t k = 0; k < volumes.size(); ++k)
        for (uint32_t row = volumes[k].firstRow; row < volumes[k].firstRow + volumes[k].rows; ++row)
            volumeOf[row] = k, assemblies.join(volumes[k].firstRow, row);
    m_volumeOf.upload(volumeOf);

    const std::vector<uint32_t> memberRow = world.solids.memberRow.download(),
                                memberCluster = world.solids.memberCluster.download();
    for (size_t k = 1; k < memberRow.size(); ++k)
        if (memberCluster[k] == memberCluster[k - 1]) assemblies.join(memberRow[k - 1], memberRow[k]);
    std::vector<uint32_t> assemblyOf;
    m_assemblies = assemblies.number(assemblyOf);
    m_assemblyOf.upload(assemblyOf);
    planAssemblies(assemblyOf);
}

void CoupledRows::planAssemblies(const std::vector<uint32_t>& assemblyOf) {
    constexpr uint32_t kChunk = 256;
    std::vector<std::pair<uint32_t, uint32_t>> entries;
    for (uint32_t row = 0; row < assemblyOf.size(); ++row) entries.push_back({assemblyOf[row], row});
    const auto rows = byRow(entries, m_assemblies);
    std::vector<AssemblyChunk> chunks;
    std::vector<uint32_t> firstChunk{0};
    for (size_t k = 0; k < m_assemblies; ++k) {
        for (uint32_t begin = rows.start[k]; begin < rows.start[k + 1]; begin += kChunk)
            chunks.push_back({begin, std::min(begin + kChunk, rows.start[k + 1])});
        firstChunk.push_back(uint32_t(chunks.size()));
    }
    m_assemblyRows.upload(rows.entries);
    m_assemblyChunks.upload(chunks);
    m_firstAssemblyChunk.upload(firstChunk);
}

// See coupled_solve.h: Δx of the assemblies as wholes, and what is left of the residual.
void CoupledRows::startFromTranslations(World& world) {
    m_assemblySums.resizeDiscard(m_assemblyChunks.size());
    m_translation.resizeDiscard(m_assemblies);
    forEach(exec, "assembly motion", m_assemblyChunks.size(),
            SumAssemblies{.chunks = m_assemblyChunks.view(),
                          .rows = m_assemblyRows.view(),
                          .massOf = m_mass.view(),
                          .scale = m_linear.scale.view(),
                          .b = m_linear.r.view(),
                          .sums = m_assemblySums.view()});
    forEach(exec, "assembly motion", m_assemblies,
            FindTranslations{m_firstAssemblyChunk.view(), m_assemblySums.view(), m_translation.view()});
    forEach(exec, "assembly motion", world.solids.rows(),
            StartFromTranslations{.assemblyOf = m_assemblyOf.view(),
                                  .translation = m_translation.view(),
                                  .massOf = m_mass.view(),
                                  .scale = m_linear.scale.view(),
                                  .dx = m_linear.dx.view(),
                                  .r = m_linear.r.view(),
                                  .p = m_linear.p.view(),
                                  .dots = m_linear.dots.view()});
}

void CoupledRows::prepare(const StepContext& step, const BodyConstraints& constraints) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    const size_t rows = solids.rows();
    if (rows == 0) return;
    plan(world, constraints);

    std::vector<Firmness> springs, bends, clusters;
    std::vector<float> ownMoment;
    for (const Material& material : world.materials) {
        const MaterialProperties& m = material.properties;
        const bool byAngle = m.kind == MaterialKind::cloth && m.bending == Bending::dihedral;
        const Firmness bend = firmnessOf(m.bendStiffness, m.bendCompliance, step.dt);
        springs.push_back(firmnessOf(m.stiffness, m.compliance, step.dt));
        springs.push_back(firmnessOf(m.shearStiffness, m.shearCompliance, step.dt));
        springs.push_back(byAngle ? Firmness{0, 0} : bend);
        springs.push_back(firmnessOf(m.tetherStiffness, 0, step.dt));
        bends.push_back(bend);
        clusters.push_back(firmnessOf(m.stiffness, m.compliance, step.dt));
        ownMoment.push_back(m.spacing * m.spacing / 12);
    }
    m_springFirmness.set(std::move(springs));
    m_bendFirmness.set(std::move(bends));
    m_clusterFirmness.set(std::move(clusters));
    m_ownMoment.set(std::move(ownMoment));

    m_edges.resizeDiscard(solids.springs.size());
    m_bends.resizeDiscard(constraints.bending.bends().size);
    m_bendProducts.resizeDiscard(m_bends.size());
    const size_t members = solids.memberRestPosition.size(),
                 clusterCount = members > 0 ? solids.clusters.size() : 0;
    m_arms.resizeDiscard(members > 0 ? solids.chunks.size() : 0);
    m_motionSums.resizeDiscard(m_arms.size());
    m_clusters.resizeDiscard(clusterCount);
    m_motion.resizeDiscard(clusterCount);
    m_residual.resizeDiscard(clusterCount);
    const bool closed = solids.volumeConstraints.size() > 0 && constraints.volumes.active();
    m_volumes.resizeDiscard(closed ? solids.volumeConstraints.size() : 0);
    m_volumeProducts.resizeDiscard(m_volumes.size());
    m_volumeGradient.resizeDiscard(closed ? rows : 0);
    if (closed) m_volumeGradient.fillZero();
    m_x.resizeDiscard(rows);
    m_linear.resize(rows);
    m_pull.resizeDiscard(rows);
    for (Buffer<Vec4>* vector : {&m_y, &m_lastY, &m_lastX})
        vector->resizeDiscard(step.device.summary.hasFluid ? rows : 0);
    m_mass.resizeDiscard(rows);
}

void CoupledRows::project(const StepContext& step, const BodyConstraints& constraints) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    if (solids.rows() == 0) return;
    m_rotationStiffness = world.parameters.projective.rotationStiffness;
    forEach(exec, "gather rows", solids.rows(),
            GatherRows{solids.slotOf.view(), step.device.xStar.view(), m_x.view()});
    forEach(exec, "project edges", m_edges.size(),
            ProjectEdges{.springs = solids.springs.view(),
                         .firmness = m_springFirmness.view(),
                         .x = m_x.view(),
                         .rotationStiffness = m_rotationStiffness,
                         .blocks = m_edges.view(),
                         .lambda = constraints.springs.lambda()});
    m_bendsOf = constraints.bending.bends();
    forEach(exec, "project bends", m_bends.size(),
            ProjectBends{.bends = m_bendsOf,
                         .firmness = m_bendFirmness.view(),
                         .x = m_x.view(),
                         .blocks = m_bends.view()});
    if (m_clusters.size() > 0) {
        constraints.bodies.fitPoses(step);
        const ClusterRows clusters{solids.view(), solids.pose.view(), solids.clusterRestCenter.view()};
        forEach(exec, "sum arms", solids.chunks.size(), SumArms{clusters, m_x.view(), m_arms.view()});
        forEach(exec, "project clusters", m_clusters.size(),
                ProjectClusters{.rows = clusters,
                                .firmness = m_clusterFirmness.view(),
                                .ownMoment = m_ownMoment.view(),
                                .sums = m_arms.view(),
                                .x = m_x.view(),
                                .blocks = m_clusters.view()});
        forEach(exec, "project clusters", solids.chunks.size(),
                SumClusterResidual{clusters, m_x.view(), m_motionSums.view()});
        forEach(exec, "project clusters", m_clusters.size(),
                FindClusterMotion{.rows = clusters,
                                  .blocks = m_clusters.view(),
                                  .sums = m_motionSums.view(),
                                  .freedom = 1,
                                  .motion = m_residual.view()});
    }
    if (m_volumes.size() > 0) {
        const VolumeTables tables = constraints.volumes.tables(step);
        m_volumeChunks = tables.chunks;
        m_firstVolumeChunk = constraints.volumes.firstChunk();
        m_volumeSums.resizeDiscard(tables.chunks.size);
        m_volumeChunkProducts.resizeDiscard(tables.chunks.size);
        const FixedPointSums gradient = constraints.volumes.findGradient(step);
        forEach(exec, "project volumes", tables.chunks.size,
                LinearizeVolume{tables, gradient, m_volumeGradient.view(), m_volumeSums.view()});
        forEach(exec, "project volumes", m_volumes.size(),
                ProjectVolumes{.volumeConstraints = tables.volumeConstraints,
                               .firstChunk = m_firstVolumeChunk,
                               .factor = constraints.volumes.factor(),
                               .sums = m_volumeSums.view(),
                               .blocks = m_volumes.view()});
    }
}

CoupledSystem CoupledRows::system(World& world) const {
    const SolidTables& solids = world.solids;
    return {.x = m_x.view(),
            .mass = m_mass.view(),
            .edges = m_edges.view(),
            .edgeStart = m_edgeStart.view(),
            .edgeEnds = m_edgeEnds.view(),
            .bends = m_bends.view(),
            .bendStart = m_bendStart.view(),
            .bendCorners = m_bendCorners.view(),
            .bendProducts = m_bendProducts.view(),
            .clusters = {solids.view(), solids.pose.view(), solids.clusterRestCenter.view()},
            .clusterBlocks = m_clusters.view(),
            .clusterMotion = m_motion.view(),
            .clusterResidual = m_residual.view(),
            .volumes = m_volumes.view(),
            .volumeOf = m_volumeOf.view(),
            .volumeGradient = m_volumeGradient.view(),
            .volumeProducts = m_volumeProducts.view()};
}

// The sums over constraints that A y needs.
void CoupledRows::apply(World& world, View<const Vec4> y) {
    SolidTables& solids = world.solids;
    forEach(exec, "bend products", m_bends.size(),
            FindBendProducts{m_bendsOf, m_bends.view(), y, m_bendProducts.view()});
    if (m_clusters.size() > 0) {
        const ClusterRows clusters{solids.view(), solids.pose.view(), solids.clusterRestCenter.view()};
        forEach(exec, "cluster motion", solids.chunks.size(),
                SumClusterMotion{clusters, y, m_motionSums.view()});
        forEach(exec, "cluster motion", m_clusters.size(),
                FindClusterMotion{.rows = clusters,
                                  .blocks = m_clusters.view(),
                                  .sums = m_motionSums.view(),
                                  .freedom = 1 - m_rotationStiffness,
                                  .motion = m_motion.view()});
    }
    if (m_volumes.size() > 0) {
        forEach(exec, "volume products", m_volumeChunks.size,
                SumVolumeProducts{m_volumeChunks, m_volumeGradient.view(), y, m_volumeChunkProducts.view()});
        forEach(exec, "volume products", m_volumes.size(),
                FindVolumeProducts{m_volumes.view(), m_firstVolumeChunk, m_volumeChunkProducts.view(),
                                   m_volumeProducts.view()});
    }
}

void CoupledRows::multiply(World& world, View<const Vec4> y, View<Vec4> q) {
    apply(world, y);
    const LinearState running{};
    Buffer<LinearState> state(exec, 1);
    state.upload({&running, 1});
    forEach(exec, "apply system", world.solids.rows(),
            ApplySystem{system(world), state.view(), m_linear.scale.view(), y, q, {}});
}

void CoupledRows::begin(const StepContext& step, bool bounded) {
    World& world = step.world;
    forEach(exec, "begin solve", world.solids.rows(),
            BeginSolve{.system = system(world),
                       .pull = m_pull.view(),
                       .bounded = bounded,
                       .scale = m_linear.scale.view(),
                       .dx = m_linear.dx.view(),
                       .r = m_linear.r.view(),
                       .p = m_linear.p.view(),
                       .dots = m_linear.dots.view()});
}

void CoupledRows::solve(const StepContext& step, View<const Vec4> descent, View<const float> resistance,
                        float chebyshev, int round) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    const size_t rows = solids.rows();
    if (rows == 0) return;
    const LinearSolver solver = world.parameters.projective.solver;
    forEach(exec, "push rows", rows,
            PushRows{.slotOf = solids.slotOf.view(),
                     .x = m_x.view(),
                     .descent = descent,
                     .resistance = resistance,
                     .chebyshev = chebyshev,
                     .first = round == 0,
                     .lastX = m_lastX.view(),
                     .y = m_y.view(),
                     .lastY = m_lastY.view(),
                     .pull = m_pull.view(),
                     .mass = m_mass.view()});
    begin(step, solver != LinearSolver::cg);
    switch (solver) {
        case LinearSolver::cg:
            solveCg(step);
            break;
        case LinearSolver::chebyshev:
            solveChebyshev(step, world.parameters.projective.linearIterations);
            break;
        case LinearSolver::diagonal:
            solveChebyshev(step, 1);
            break;
    }
    forEach(exec, "scatter rows", rows,
            ScatterRows{.slotOf = solids.slotOf.view(),
                        .x = m_x.view(),
                        .dx = m_linear.dx.view(),
                        .lastX = m_lastX.view(),
                        .xStar = step.device.xStar.view()});
}

void CoupledRows::solveCg(const StepContext& step) {
    World& world = step.world;
    const Parameters::Projective& parameters = world.parameters.projective;
    LinearCounts* const counts = &step.device.status.view().data->globalStep;
    m_linear.begin(double{parameters.tolerance}, counts);
    startFromTranslations(world);
    m_linear.sumDots();
    forEach(exec, "solver scalars", 1, FindStart{m_linear.dot.view(), m_linear.state.view()});
    m_linear.iterate(parameters.linearIterations, counts, [&] {
        apply(world, m_linear.p.view());
        forEach(exec, "apply system", world.solids.rows(),
                ApplySystem{system(world), m_linear.state.view(), m_linear.scale.view(), m_linear.p.view(),
                            m_linear.q.view(), m_linear.dots.view()});
    });
}

// Eigenvalues of P⁻¹A in [a, 1]: Saad, Iterative Methods for Sparse Linear Systems, Algorithm 12.1
void CoupledRows::solveChebyshev(const StepContext& step, int iterations) {
    World& world = step.world;
    const size_t rows = world.solids.rows();
    const View<LinearState> state = m_linear.state.view();
    LinearCounts* const counts = &step.device.status.view().data->globalStep;
    const float a = 1.0f / float(iterations * iterations), center = 0.5f * (1 + a), radius = 0.5f * (1 - a);
    float alpha = 1 / center;
    startFromTranslations(world);
    for (int k = 0; k < iterations; ++k) {
        float beta = 0;
        if (k > 0) {
            const float ra = radius * alpha;
            beta = k == 1 ? 0.5f * ra * ra : 0.25f * ra * ra;
            alpha = 1 / (center - beta / alpha);
        }
        forEach(exec, "solver scalars", 1, SetCoefficients{state, counts, alpha, beta, k == 0});
        if (k > 0)
            forEach(exec, "advance direction", rows,
                    AdvanceDirection{state, m_linear.scale.view(), m_linear.r.view(), m_linear.p.view()});
        apply(world, m_linear.p.view());
        forEach(exec, "apply system", rows,
                ApplySystem{
                    system(world), state, m_linear.scale.view(), m_linear.p.view(), m_linear.q.view(), {}});
        forEach(exec, "advance solution", rows,
                AdvanceSolution{state,
                                m_linear.scale.view(),
                                m_linear.p.view(),
                                m_linear.q.view(),
                                m_linear.dx.view(),
                                m_linear.r.view(),
                                {}});
    }
}

}  // namespace coalesce
