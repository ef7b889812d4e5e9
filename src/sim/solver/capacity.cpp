#include "sim/solver/capacity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/stage/neighbors.h"
#include "sim/stage/particle_bounds.h"

namespace coalesce {

namespace {

int roundedUp(double wanted, int multiple) {
    return int(std::ceil(wanted / multiple)) * multiple;
}

}  // namespace

void planKeys(const World& world, DeviceWorld& device) {
    const float inverse = 1 / Neighbors::cellSize(world, device.summary);
    Buffer<IntegerBox> box(world.exec, 1);
    const Bounds bounds = boundsOfParticles(world, box).value_or(Bounds{{0, 0, 0}, {0, 0, 0}});
    const auto cellOf = [&](Vec3 p) {
        return std::array{cellCoordinate(p.x, inverse), cellCoordinate(p.y, inverse),
                          cellCoordinate(p.z, inverse)};
    };
    const std::array<int32_t, 3> low = cellOf(bounds.low), high = cellOf(bounds.high);
    device.capacity.keys = Neighbors::planKeys(low.data(), high.data());
}

void planCapacities(const World& world, DeviceWorld& device) {
    const auto n = uint32_t(world.count());
    Capacities& c = device.capacity;
    if (c.cells == 0) {
        c.neighbors = world.parameters.neighbors.capacity;
        c.pairs = world.parameters.neighbors.pairCapacity;
        c.contacts = n / 4 + 1024;
        c.cells = n / 4 + 1024;
    }
    // The box of keys depends on the cell size and on the positions of spawned particles. After a small spawn
    // the plan is kept, and the frame is redone if a particle lies outside.
    const float cell = Neighbors::cellSize(world, device.summary);
    if (cell != c.plannedCell || n > c.plannedParticles + c.plannedParticles / 8) planKeys(world, device);
    c.plannedCell = cell;
    c.plannedParticles = n;
}

bool growCapacities(const World& world, DeviceWorld& device, Status& status) {
    Capacities& c = device.capacity;
    const StatusBlock& s = status.worst;
    const Overflow policy = world.parameters.solver.overflow;
    bool redo = false;

    // not limits that a user sets: these always grow
    if (s.flags & kKeyOverflow) {
        c.keys = Neighbors::planKeys(s.cellMin, s.cellMax);
        redo = true;
    }
    if (s.flags & kCellOverflow) c.cells = s.requiredCells + s.requiredCells / 2, redo = true;
    if (s.flags & kContactOverflow) c.contacts = s.requiredContacts + s.requiredContacts / 2, redo = true;

    // of a frame that is redone, only the last run counts as truncated
    status.truncated = false;
    const auto fit = [&](uint32_t flag, int& capacity, uint32_t required, const char* of,
                         const char* parameter) {
        if (!(s.flags & flag)) return;
        if (policy == Overflow::grow)
            capacity = roundedUp(1.25 * required, 4), redo = true;
        else if (policy == Overflow::fail && !redo)
            fail(Exit::Simulation, fmt::format("frame {}", world.frame),
                 fmt::format("a particle has {} {}; the lists hold {}", required, of, capacity),
                 fmt::format("Set neighbors.{} to {} or more, or solver.overflow to grow.", parameter,
                             required));
        else
            status.truncated = !redo;
    };
    fit(kPairOverflow, c.pairs, s.requiredPairs, "contacts with other particles", "pairCapacity");
    fit(kNeighborOverflow, c.neighbors, s.requiredNeighbors, "neighbors", "capacity");
    if (redo || s.cellMin[0] > s.cellMax[0]) return redo;

    // plan new keys when the particles come close to the border of the planned box, or fill little of it
    for (int k = 0; k < 3; ++k) {
        const int64_t first = c.keys.origin[k] + 1, last = int64_t{c.keys.origin[k]} + c.keys.size[k] - 2;
        const int64_t extent = int64_t{s.cellMax[k]} - s.cellMin[k] + 1;
        const bool close = s.cellMin[k] - first < 2 || last - s.cellMax[k] < 2;
        if (close || last - first > 8 * extent + 64) {
            c.keys = Neighbors::planKeys(s.cellMin, s.cellMax);
            break;
        }
    }
    const auto shrink = [&](int& capacity, uint32_t required, int minimum) {
        const int enough = std::max(roundedUp(1.15 * required + 2, 4), minimum);
        if (policy == Overflow::grow && capacity > 1.25 * enough) capacity = enough;
    };
    shrink(c.neighbors, s.requiredNeighbors, 0);
    // bodies may meet later: at least the initial capacity stays
    shrink(c.pairs, s.requiredPairs, world.parameters.neighbors.pairCapacity);
    return false;
}

}  // namespace coalesce
