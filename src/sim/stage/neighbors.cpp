#include "sim/stage/neighbors.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/contact/particle_pairs.h"

namespace coalesce {

float Neighbors::cellSize(const World& world, const DeviceWorld& device) {
    const float liquid =
        device.hasFluid ? device.largestSupport * (1 + world.parameters.neighbors.margin) : 0;
    const float solid =
        device.hasSolids ? device.largestSpacing * (1 + world.parameters.contacts.pairMargin) : 0;
    return std::max(liquid, solid);
}

CellKeyLayout Neighbors::planKeys(const int32_t low[3], const int32_t high[3]) {
    CellKeyLayout plan;
    for (int k = 0; k < 3; ++k) {
        // a quarter of the extent more on either side, at least four cells, and the empty layer around all
        const int64_t extent = int64_t{high[k]} - low[k] + 1, room = 4 + extent / 4;
        const int64_t first = std::max<int64_t>(low[k] - room, -kCellLimit),
                      last = std::min<int64_t>(high[k] + room, kCellLimit);
        plan.origin[k] = static_cast<int32_t>(first - 1);
        plan.bits[k] = 2;
        while ((int64_t{1} << plan.bits[k]) < last - first + 3) ++plan.bits[k];
    }
    return plan;
}

void Neighbors::build(World& world, DeviceWorld& device) {
    Exec& exec = world.exec;
    ParticleArrays& p = world.particles;
    const auto n = static_cast<int64_t>(world.count());
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
        forEach(exec, "find cells", n,
                MakeKeys{device.xStar.view(), keys, order, status, plan, 1 / cellSize(world, device)});
        sortPairs(exec, "sort cells", keys, order, plan.total());
        runLengthEncode(exec, "occupied cells", keys, cellOf, cellKey, cellStart, cellCount);
        // a bucket of keys for every few particles, so that looking up a cell takes a step or two
        int drop = std::max(0, plan.total() - 40);
        while (int64_t{1} << (plan.total() - drop) > std::max<int64_t>(4 * n, 64)) ++drop;
        const size_t bucketCount = size_t{1} << (plan.total() - drop);
        const View<uint32_t> counts = inner.take<uint32_t>("neighbors.bucketCounts", bucketCount);
        const View<uint32_t> buckets = inner.take<uint32_t>("neighbors.buckets", bucketCount + 1);
        exec.fillBytes(counts.data, 0, counts.size * sizeof(uint32_t));
        forEach(exec, "find rows", n, CountBuckets{cellKey, cellCount.data, counts, drop});
        exclusiveScan(exec, "find rows", counts, buckets);
        forEach(exec, "find rows", n,
                FindRows{cellKey, cellStart, cellCount.data, buckets, drop, rows, status, plan});

        // → reorder, by id inside a cell; the keys are done with, so their memory holds the new order
        const View<uint32_t> source(reinterpret_cast<uint32_t*>(keys.data), n);
        forEach(exec, "order inside cells", n, RankInCell{cellOf, cellStart, order, p.id.view(), source});
        reorder(world, device, source);
    }
    // → lists
    m_stride = (n + kLanes - 1) / kLanes * kLanes;
    const auto part = [&](const char* name, size_t size) { return scratch.take<float>(name, size); };
    const size_t padded = static_cast<size_t>(n) + kLanes;
    const bool mixed = device.hasFluid && device.hasSolids;
    const PositionsSoA split{
        part("neighbors.x", padded), part("neighbors.y", padded), part("neighbors.z", padded),
        part("neighbors.support", device.uniform ? 0 : padded), part("neighbors.solid", mixed ? padded : 0)};
    forEach(exec, "split positions", n,
            ToSoA{device.xStar.view(), p.phase.view(), device.materials.view(), split});
    m_count.resizeDiscard(device.hasFluid ? n : 0);
    m_entries.resizeDiscard(device.hasFluid ? static_cast<size_t>(m_stride) * device.capacity.neighbors : 0);
    if (device.hasFluid)
        forEach(exec, "build lists", n,
                BuildLists{.split = split,
                           .cellOf = cellOf,
                           .rows = rows,
                           .count = m_count.view(),
                           .entries = m_entries.view(),
                           .stride = m_stride,
                           .capacity = device.capacity.neighbors,
                           .status = status,
                           .support = device.largestSupport,
                           .reach = 0.5f * (1 + world.parameters.neighbors.margin),
                           .clampLists = world.parameters.solver.overflow == Overflow::clamp});
    m_pairCount.resizeDiscard(device.hasSolids ? n : 0);
    m_pairEntries.resizeDiscard(device.hasSolids ? static_cast<size_t>(m_stride) * device.capacity.pairs : 0);
    if (device.hasSolids) {
        const View<float> reach = part("neighbors.reach", padded);
        forEach(
            exec, "split positions", n,
            SplitReach{p.phase.view(), device.materials.view(), reach, world.parameters.contacts.pairMargin});
        const BuildPairs build{.x = split.x,
                               .y = split.y,
                               .z = split.z,
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
                               .status = status};
        forEach(exec, "build pairs", n, build);
        if (world.parameters.solver.overflow == Overflow::clamp)
            forEach(exec, "build pairs", n, KeepNearestPairs{build});
    }
}

void Neighbors::reorder(World& world, DeviceWorld& device, View<const uint32_t> source) {
    const size_t n = world.count();
    const auto resizeDiscard = [&]<class T>(Buffer<T>& array) {
        if constexpr (sizeof(T) == sizeof(Vec4)) {
            m_spare.resizeDiscard(n);
            gather<T>(world.exec, "reorder", array.view(), source, m_spare.view());
            array.swap(m_spare);
        } else {
            // a smaller array goes through scratch memory and back
            Scratch::Scope scratch(world.exec);
            const View<T> renewed = scratch.take<T>("neighbors.renewed", n);
            gather<T>(world.exec, "reorder", array.view(), source, renewed);
            world.exec.copyWithin(array.view().data, renewed.data, n * sizeof(T));
        }
    };
    forEachArray(world.particles, [&](auto& array, const ArrayInfo&) { resizeDiscard(array); });
    resizeDiscard(device.xStar);
}

}  // namespace coalesce
