#include "sim/stage/neighbors.h"

#include <algorithm>
#include <vector>

#include "core/for_each.h"
#include "core/primitives.h"
#include "kernels/contact/pair_lists.h"
#include "sim/stage/cell_table.h"

namespace coalesce {

namespace {

// A dense table of cells costs 8 bytes per cell of the box; with more cells per particle than this, the table
// holds the occupied cells.
constexpr int64_t kDenseCellsPerParticle = 8;

}  // namespace

float Neighbors::cellSize(const World& world, const MaterialSummary& summary) {
    const Parameters& parameters = world.parameters;
    const float fluid = summary.hasFluid ? summary.maxSupport * (1 + parameters.neighbors.margin) : 0;
    const float solid = summary.hasSolids ? summary.maxSpacing * (1 + parameters.contacts.pairMargin) : 0;
    return std::max(fluid, solid);
}

CellKeyLayout Neighbors::planKeys(const int32_t low[3], const int32_t high[3]) {
    CellKeyLayout plan;
    for (int k = 0; k < 3; ++k) {
        // a quarter of the extent more on either side, at least four cells, and an empty layer around all
        const int64_t extent = int64_t{high[k]} - low[k] + 1, margin = 4 + extent / 4;
        const int64_t first = std::max<int64_t>(low[k] - margin, -kCellLimit),
                      last = std::min<int64_t>(high[k] + margin, kCellLimit);
        plan.origin[k] = int32_t(first - 1);
        plan.size[k] = int32_t(last - first + 3);
    }
    return plan;
}

bool Neighbors::usesDenseTable(const CellKeyLayout& keys, size_t particles) {
    return keys.cells() <= kDenseCellsPerParticle * int64_t(particles);
}

void Neighbors::build(const StepContext& step) {
    DeviceWorld& device = step.device;
    const MaterialSummary& materials = device.summary;
    const size_t n = step.world.count();
    Scratch::Scope scratch(exec);
    const NeighborRows rows =
        usesDenseTable(device.capacity.keys, n) ? sortDense(step, scratch) : sortOccupied(step, scratch);

    m_stride = int64_t((n + kLanes - 1) / kLanes * kLanes);
    const auto take = [&](const char* name, bool used) {
        return scratch.take<float>(name, used ? n + kLanes : 0);
    };
    const bool lanes = !exec.onCuda();
    const SearchPositions positions{device.xStar.view(),
                                    take("neighbors.x", lanes),
                                    take("neighbors.y", lanes),
                                    take("neighbors.z", lanes),
                                    take("neighbors.support", !materials.uniform),
                                    take("neighbors.solid", materials.hasFluid && materials.hasSolids)};
    if (lanes || positions.support.size > 0 || positions.solid.size > 0)
        forEach(exec, "positions to SoA", n,
                ToSoA{step.world.particles.phase.view(), device.materials.view(), positions});
    buildFluidLists(step, positions, rows);
    buildPairLists(step, positions, rows);
}

NeighborRows Neighbors::sortDense(const StepContext& step, Scratch::Scope& scratch) {
    DeviceWorld& device = step.device;
    const size_t n = step.world.count();
    const CellKeyLayout& plan = device.capacity.keys;
    const auto cells = size_t(plan.cells());
    const View<uint32_t> cellOf = scratch.take<uint32_t>("neighbors.cellOf", n);
    const View<uint32_t> starts = scratch.take<uint32_t>("neighbors.cellStarts", cells + 1);

    // count → place → by id inside a cell
    Scratch::Scope inner(exec);
    const View<uint32_t> cell = inner.take<uint32_t>("neighbors.cell", n);
    const View<uint32_t> arrival = inner.take<uint32_t>("neighbors.arrival", n);
    const View<uint32_t> sortedId = inner.take<uint32_t>("neighbors.sortedId", n);
    const View<const uint32_t> id = step.world.particles.id.view();
    if (m_cellCount.size() != cells || !m_countsAreZero) {
        m_cellCount.resizeDiscard(cells);
        m_cellCount.fillZero();
    }
    m_countsAreZero = false;
    const View<uint32_t> count = m_cellCount.view();
    forEachReduce(exec, "cell keys", n,
                  CountInCells{{device.xStar.view(), device.status.view().data, plan,
                                1 / cellSize(step.world, device.summary)},
                               count,
                               cell,
                               arrival});
    exclusiveScan(exec, "cell ranges", count, starts);
    forEach(exec, "sort by cell", n, PlaceInCells{cell, arrival, id, starts, sortedId, count});
    m_countsAreZero = true;

    // reorder: the first arrays in the launch that finds the order
    const View<uint32_t> target = arrival;  // no longer needed
    const SortCells sort{cell, id, starts, sortedId, target, cellOf};
    const std::vector<ArraySet> sets = arraySets(exchangeArrays(step));
    forEach(exec, "reorder particles", n, sort, ScatterArrays{target, sets[0]});
    for (size_t k = 1; k < sets.size(); ++k)
        forEach(exec, "reorder particles", n, ScatterArrays{target, sets[k]});
    return {cellOf, {}, starts, int32_t(plan.stepY()), int32_t(plan.stepZ())};
}

NeighborRows Neighbors::sortOccupied(const StepContext& step, Scratch::Scope& scratch) {
    DeviceWorld& device = step.device;
    const size_t n = step.world.count();
    StatusBlock* const status = device.status.view().data;
    const CellKeyLayout& plan = device.capacity.keys;
    const View<uint32_t> cellOf = scratch.take<uint32_t>("neighbors.cellOf", n);
    const View<RowRange> rows =
        scratch.take<RowRange>("neighbors.rows", size_t{device.capacity.cells} * kRows);

    // cells → sort
    Scratch::Scope inner(exec);
    const View<uint64_t> keys = inner.take<uint64_t>("neighbors.keys", n);
    const View<uint32_t> order = inner.take<uint32_t>("neighbors.order", n);
    const View<uint64_t> cellKey = inner.take<uint64_t>("neighbors.cellKey", n);
    const View<uint32_t> cellStart = inner.take<uint32_t>("neighbors.cellStart", n + 1);
    const View<uint32_t> cellCount = inner.take<uint32_t>("neighbors.cellCount", 1);
    forEachReduce(
        exec, "cell keys", n,
        MakeCellKeys{
            {device.xStar.view(), status, plan, 1 / cellSize(step.world, device.summary)}, keys, order});
    sortPairs(exec, "sort by cell", keys, order, plan.keyBits());
    runLengthEncode(exec, "occupied cells", keys, cellOf, cellKey, cellStart, cellCount);
    // one bucket of keys for every few particles, so that a cell is found in one or two steps
    const KeyBuckets buckets = KeyBuckets::plan(plan.keyBits(), 4 * n);
    const CellTable cells = makeCellTable(exec, "cell ranges", cellKey, cellStart, cellCount.data, buckets,
                                          inner.take<uint32_t>("neighbors.buckets", buckets.count + 1));
    forEach(exec, "cell ranges", n, FindRows{cells, rows, status, plan});

    // → reorder, by id inside a cell; the keys are no longer needed, so their memory holds the new order
    const View<uint32_t> source(reinterpret_cast<uint32_t*>(keys.data), n);
    forEach(exec, "order in cells", n,
            RankInCell{cellOf, cellStart, order, step.world.particles.id.view(), source});
    gatherArrays(exec, "reorder particles", source, exchangeArrays(step));
    return {cellOf, rows, {}};
}

void Neighbors::clear() {
    m_count.resize(0);
    m_pairCount.resize(0);
}

void Neighbors::buildFluidLists(const StepContext& step, const SearchPositions& positions,
                                const NeighborRows& rows) {
    const Parameters& parameters = step.world.parameters;
    const MaterialSummary& materials = step.device.summary;
    const size_t n = step.world.count();
    const int capacity = step.device.capacity.neighbors;
    m_count.resizeDiscard(materials.hasFluid ? n : 0);
    m_entries.resizeDiscard(materials.hasFluid ? size_t(m_stride) * capacity : 0);
    if (!materials.hasFluid) return;
    const auto search = [&]<bool Uniform, bool Mixed>() {
        const BuildNeighborLists<Uniform, Mixed> build{.positions = positions,
                                                       .rows = rows,
                                                       .count = m_count.view(),
                                                       .entries = m_entries.view(),
                                                       .stride = m_stride,
                                                       .capacity = capacity,
                                                       .status = step.device.status.view().data,
                                                       .support = materials.maxSupport,
                                                       .reach = 0.5f * (1 + parameters.neighbors.margin)};
        forEachReduce(exec, "neighbor search", n, build);
        if (parameters.solver.overflow == Overflow::clamp)
            forEach(exec, "neighbor search", n, KeepNearest<BuildNeighborLists<Uniform, Mixed>>{build});
    };
    const bool mixed = positions.solid.size > 0;
    if (materials.uniform)
        mixed ? search.template operator()<true, true>() : search.template operator()<true, false>();
    else
        mixed ? search.template operator()<false, true>() : search.template operator()<false, false>();
}

void Neighbors::buildPairLists(const StepContext& step, const SearchPositions& positions,
                               const NeighborRows& rows) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    const size_t n = world.count();
    const bool hasSolids = device.summary.hasSolids;
    m_pairCount.resizeDiscard(hasSolids ? n : 0);
    m_pairEntries.resizeDiscard(hasSolids ? size_t(m_stride) * device.capacity.pairs : 0);
    if (!hasSolids) return;
    Scratch::Scope scratch(exec);
    const View<float> reach = scratch.take<float>("neighbors.reach", n + kLanes);
    forEach(
        exec, "search distances", n,
        WritePairReach{p.phase.view(), device.materials.view(), reach, world.parameters.contacts.pairMargin});
    const BuildPairLists build{.positions = positions,
                               .rows = rows,
                               .reach = reach,
                               .id = p.id.view(),
                               .phase = p.phase.view(),
                               .materials = device.materials.view(),
                               .groups = device.groups.view(),
                               .rest = world.solids.restPosition.view(),
                               .count = m_pairCount.view(),
                               .entries = m_pairEntries.view(),
                               .stride = m_stride,
                               .capacity = device.capacity.pairs,
                               .status = device.status.view().data};
    forEachReduce(exec, "contact search", n, build);
    if (world.parameters.solver.overflow == Overflow::clamp)
        forEach(exec, "contact search", n, KeepNearest<BuildPairLists>{build});
}

std::vector<ArrayPair> Neighbors::exchangeArrays(const StepContext& step) {
    const size_t n = step.world.count();
    std::vector<ArrayPair> pairs;
    std::apply([](auto&... spares) { ((spares.used = 0), ...); }, m_spares);
    const auto permute = [&]<class T>(Buffer<T>& array) {
        Spares<T>& spares = std::get<Spares<T>>(m_spares);
        if (spares.used == spares.arrays.size()) spares.arrays.emplace_back(exec);
        Buffer<T>& spare = spares.arrays[spares.used++];
        spare.resizeDiscard(n);
        pairs.push_back({array.view().data, spare.view().data, sizeof(T)});
        array.swap(spare);
    };
    forEachArray(step.world.particles, [&](auto& array, const ArrayInfo&) { permute(array); });
    permute(step.device.xStar);
    return pairs;
}

}  // namespace coalesce
