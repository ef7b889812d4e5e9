#include "sim/stage/neighbors.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/contact/pair_lists.h"

namespace coalesce {

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
        plan.bits[k] = 2;
        while ((int64_t{1} << plan.bits[k]) < last - first + 3) ++plan.bits[k];
    }
    return plan;
}

void Neighbors::build(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const MaterialSummary& materials = device.summary;
    ParticleArrays& p = world.particles;
    const size_t n = world.count();
    StatusBlock* const status = device.status.view().data;
    const CellKeyLayout& plan = device.capacity.keys;

    Scratch::Scope scratch(exec);
    const View<uint32_t> cellOf = scratch.take<uint32_t>("neighbors.cellOf", n);
    const View<RowRange> rows =
        scratch.take<RowRange>("neighbors.rows", size_t{device.capacity.cells} * kRows);
    {
        // cells → sort
        Scratch::Scope inner(exec);
        const View<uint64_t> keys = inner.take<uint64_t>("neighbors.keys", n);
        const View<uint32_t> order = inner.take<uint32_t>("neighbors.order", n);
        const View<uint64_t> cellKey = inner.take<uint64_t>("neighbors.cellKey", n);
        const View<uint32_t> cellStart = inner.take<uint32_t>("neighbors.cellStart", n + 1);
        const View<uint32_t> cellCount = inner.take<uint32_t>("neighbors.cellCount", 1);
        forEach(exec, "cell keys", n,
                MakeCellKeys{device.xStar.view(), keys, order, status, plan, 1 / cellSize(world, materials)});
        sortPairs(exec, "sort by cell", keys, order, plan.total());
        runLengthEncode(exec, "occupied cells", keys, cellOf, cellKey, cellStart, cellCount);
        // one bucket of keys for every few particles, so that a cell is found in one or two steps
        int drop = std::max(0, plan.total() - 40);
        while (size_t{1} << (plan.total() - drop) > std::max<size_t>(4 * n, 64)) ++drop;
        const size_t bucketCount = size_t{1} << (plan.total() - drop);
        const View<uint32_t> counts = inner.take<uint32_t>("neighbors.bucketCounts", bucketCount);
        const View<uint32_t> buckets = inner.take<uint32_t>("neighbors.buckets", bucketCount + 1);
        exec.fillBytes(counts, 0);
        forEach(exec, "cell ranges", n, CountBuckets{cellKey, cellCount.data, counts, drop});
        exclusiveScan(exec, "cell ranges", counts, buckets);
        forEach(exec, "cell ranges", n,
                FindRows{{cellKey, cellStart, cellCount.data, buckets, drop}, rows, status, plan});

        // → reorder, by id inside a cell; the keys are no longer needed, so their memory holds the new order
        const View<uint32_t> source(reinterpret_cast<uint32_t*>(keys.data), n);
        forEach(exec, "order in cells", n, RankInCell{cellOf, cellStart, order, p.id.view(), source});
        reorder(step, source);
    }

    // → lists
    m_stride = int64_t((n + kLanes - 1) / kLanes * kLanes);
    const auto take = [&](const char* name, size_t size) { return scratch.take<float>(name, size); };
    const size_t padded = n + kLanes;
    const bool mixed = materials.hasFluid && materials.hasSolids;
    const PositionsSoA positions{take("neighbors.x", padded), take("neighbors.y", padded),
                                 take("neighbors.z", padded),
                                 take("neighbors.support", materials.uniform ? 0 : padded),
                                 take("neighbors.solid", mixed ? padded : 0)};
    forEach(exec, "positions to SoA", n,
            ToSoA{device.xStar.view(), p.phase.view(), device.materials.view(), positions});
    buildFluidLists(step, positions, cellOf, rows);
    buildPairLists(step, positions, cellOf, rows);
}

void Neighbors::clear() {
    m_count.resize(0);
    m_pairCount.resize(0);
}

void Neighbors::buildFluidLists(const StepContext& step, const PositionsSoA& positions,
                                View<const uint32_t> cellOf, View<const RowRange> rows) {
    const Parameters& parameters = step.world.parameters;
    const MaterialSummary& materials = step.device.summary;
    const size_t n = step.world.count();
    const int capacity = step.device.capacity.neighbors;
    m_count.resizeDiscard(materials.hasFluid ? n : 0);
    m_entries.resizeDiscard(materials.hasFluid ? size_t(m_stride) * capacity : 0);
    if (!materials.hasFluid) return;
    forEach(exec, "neighbor search", n,
            BuildNeighborLists{.positions = positions,
                               .cellOf = cellOf,
                               .rows = rows,
                               .count = m_count.view(),
                               .entries = m_entries.view(),
                               .stride = m_stride,
                               .capacity = capacity,
                               .status = step.device.status.view().data,
                               .support = materials.maxSupport,
                               .reach = 0.5f * (1 + parameters.neighbors.margin),
                               .clampLists = parameters.solver.overflow == Overflow::clamp});
}

void Neighbors::buildPairLists(const StepContext& step, const PositionsSoA& positions,
                               View<const uint32_t> cellOf, View<const RowRange> rows) {
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
        exec, "positions to SoA", n,
        WritePairReach{p.phase.view(), device.materials.view(), reach, world.parameters.contacts.pairMargin});
    const BuildPairLists build{.x = positions.x,
                               .y = positions.y,
                               .z = positions.z,
                               .reach = reach,
                               .cellOf = cellOf,
                               .rows = rows,
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
    forEach(exec, "contact search", n, build);
    if (world.parameters.solver.overflow == Overflow::clamp)
        forEach(exec, "contact search", n, KeepNearestPairs{build});
}

void Neighbors::reorder(const StepContext& step, View<const uint32_t> source) {
    const size_t n = step.world.count();
    const auto permute = [&]<class T>(Buffer<T>& array) {
        if constexpr (sizeof(T) == sizeof(Vec4)) {
            m_spare.resizeDiscard(n);
            gather<T>(exec, "reorder particles", array.view(), source, m_spare.view());
            array.swap(m_spare);
        } else {
            // a smaller array goes through scratch memory and back
            Scratch::Scope scratch(exec);
            const View<T> permuted = scratch.take<T>("neighbors.permuted", n);
            gather<T>(exec, "reorder particles", array.view(), source, permuted);
            exec.copyWithin(array.view().data, permuted.data, n * sizeof(T));
        }
    };
    forEachArray(step.world.particles, [&](auto& array, const ArrayInfo&) { permute(array); });
    permute(step.device.xStar);
}

}  // namespace coalesce
