#include "sim/neighbors.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

float Neighbors::cellSize(const World& world, const DeviceWorld& device) {
    return device.largestSupport * (1 + world.parameters.neighbors.margin);
}

KeyPlan Neighbors::planKeys(const int32_t low[3], const int32_t high[3]) {
    KeyPlan plan;
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
    const KeyPlan& plan = device.capacity.keys;

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
        // a table of all keys while it is no larger than a few words per particle
        const int64_t keyCount = int64_t{1} << std::min(plan.total(), 62);
        const View<uint32_t> table =
            inner.take<uint32_t>("neighbors.table", keyCount <= 2 * n + 65536 ? keyCount : 0);
        if (table.size > 0) {
            exec.fillBytes(table.data, 0, table.size * sizeof(uint32_t));
            forEach(exec, "find rows", n, FillCellTable{cellKey, cellCount.data, table});
        }
        forEach(exec, "find rows", n,
                FindRows{cellKey, cellStart, cellCount.data, table, rows, status, plan});

        // → reorder, by id inside a cell; the keys are done with, so their memory holds the new order
        const View<uint32_t> source(reinterpret_cast<uint32_t*>(keys.data), n);
        forEach(exec, "order inside cells", n, RankInCell{cellOf, cellStart, order, p.id.view(), source});
        reorder(world, device, source);
    }
    // → lists
    m_stride = (n + kLanes - 1) / kLanes * kLanes;
    m_count.renew(n);
    m_entries.renew(static_cast<size_t>(m_stride) * device.capacity.neighbors);
    const auto part = [&](const char* name, size_t size) { return scratch.take<float>(name, size); };
    const size_t padded = static_cast<size_t>(n) + kLanes;
    const SplitPositions split{part("neighbors.x", padded), part("neighbors.y", padded),
                               part("neighbors.z", padded),
                               part("neighbors.support", device.uniform ? 0 : padded)};
    forEach(exec, "split positions", n,
            SplitUp{device.xStar.view(), p.phase.view(), device.materials.view(), split});
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
}

void Neighbors::reorder(World& world, DeviceWorld& device, View<const uint32_t> source) {
    const size_t n = world.count();
    const auto renew = [&]<class T>(Buffer<T>& array) {
        if constexpr (sizeof(T) == sizeof(Vec4)) {
            m_spare.resize(n);
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
    forEachArray(world.particles, [&](auto& array, const ArrayInfo&) { renew(array); });
    renew(device.xStar);
}

}  // namespace coalesce
