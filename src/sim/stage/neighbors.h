// Who is near whom: sorts particles into cells, reorders them, builds the lists. Once per substep.
#pragma once

#include "kernels/search/neighbor_lists.h"
#include "sim/stage/device_world.h"

namespace coalesce {

class Neighbors {
public:
    explicit Neighbors(Exec& exec)
        : m_count(exec), m_entries(exec), m_pairCount(exec), m_pairEntries(exec), m_spare(exec) {}

    void build(World& world, DeviceWorld& device);
    // Within the support of liquids, one of the two being liquid; empty in a world without any.
    NeighborLists lists() const { return {m_count.view(), m_entries.view(), m_stride}; }
    // Who may touch whom, one of the two being solid; empty in a world without grains and bodies.
    NeighborLists pairs() const { return {m_pairCount.view(), m_pairEntries.view(), m_stride}; }

    // keys for the cells low … high, with room to move
    static CellKeyLayout planKeys(const int32_t low[3], const int32_t high[3]);
    static float cellSize(const World& world, const DeviceWorld& device);

private:
    void reorder(World& world, DeviceWorld& device, View<const uint32_t> source);

    Buffer<int> m_count, m_entries;
    Buffer<int> m_pairCount, m_pairEntries;
    int64_t m_stride = 0;
    Buffer<Vec4> m_spare;  // one array's worth, exchanged with the array that is being reordered
};

}  // namespace coalesce
