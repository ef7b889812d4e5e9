// Lists of particle pairs that may collide, built once per substep. Atomics on integers only.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Half of each particle's pair search distance [m], as an array beside SearchPositions.
struct WritePairReach {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> reach;  // written; kLanes elements of padding
    float margin;       // contacts.pairMargin [-]
    HD void operator()(int i) const {
        reach[i] = 0.5f * (1 + margin) * materials[materialOf(phase[i])].spacing;
    }
};

// Writes the pair list of each particle: all j nearer than contact plus margin. Excludes pairs of two liquid
// particles, pairs within a body without self-collision, and pairs that are as close in the rest shape.
struct BuildPairLists {
    SearchPositions positions;
    NeighborRows rows;
    View<const float> reach;  // of WritePairReach
    View<const uint32_t> id, phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    View<const Vec4> rest;     // rest positions by row [m]
    View<int> count, entries;  // written
    int64_t stride;
    int capacity;
    StatusBlock* status;

    HD LongestList operator()(int i) const {
        ListWriter list(entries.data + i, stride, capacity);
        forEachNeighbor(i, [&](int j) { list.add(j); });
        const int found = list.finish();
        count[i] = found < capacity ? found : capacity;
        return {static_cast<uint32_t>(found)};
    }
    HD void finish(LongestList longest) const {
        if (longest.length > static_cast<uint32_t>(capacity)) atomicOr(&status->flags, kPairOverflow);
        atomicMax(&status->requiredPairs, longest.length);
    }

    // visit(j) for every pair (i, j), in list order
    template <class Visit>
    HD void forEachNeighbor(int i, Visit&& visit) const {
        const Candidates mine(reach[i]);
        forEachWithin(
            i, positions, rows,
            [&](uint32_t j) {
                const Candidates h = mine + loadCandidates(&reach.data[j]);
                return h * h;
            },
            [&](int j) {
                if (mayTouch(i, j)) visit(j);
            });
    }

private:
    HD bool mayTouch(int i, int j) const {
        const MaterialConstants &a = materials[materialOf(phase[i])], &b = materials[materialOf(phase[j])];
        if (a.fluid && b.fluid) return false;
        const uint32_t group = groupOf(phase[i]);
        if (group != groupOf(phase[j])) return true;
        const GroupConstants& g = groups[group];
        if (!g.solid) return true;
        if (!g.selfCollide) return false;
        const Vec3 d = xyz(rest[id[i] + g.rowOffset]) - xyz(rest[id[j] + g.rowOffset]);
        const float contact = 0.5f * (a.spacing + b.spacing);
        return dot(d, d) > g.restReach * contact * contact;
    }
};

}  // namespace coalesce
