// Neighbor lists, built once per substep and read by every iteration.
//
// Entry k of particle i is entries[k · stride + i]: adjacent threads, and the lanes of the CPU, read adjacent
// words. Lists contain slots in storage order and exclude the particle itself.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/grid.h"

namespace coalesce {

struct NeighborLists {
    View<const int> count;    // per particle
    View<const int> entries;  // capacity · stride
    int64_t stride = 0;

    // Neighbor k of i. Lanes whose list is shorter get an arbitrary valid slot, to be masked.
    HD int at(int k, int i, bool) const { return entries[k * stride + i]; }
    HD LaneInt at(int k, LaneIndex i, LaneMask exists) const {
        return select(exists, load(entries.data + k * stride, i), LaneInt(i.first));
    }
};

// Positions as a structure of arrays, so that consecutive candidates are tested several at a time. Each array
// is padded by kCandidates elements of any value.
struct PositionsSoA {
    View<float> x, y, z;  // [m]
    View<float> support;  // h [m]; empty if all particles have the same
    View<float> solid;    // 1: grains and bodies, 0: liquid; empty if all are liquid
};

// Number of candidates tested at once: sixteen on the CPU, one on CUDA.
#ifdef __CUDA_ARCH__
constexpr int kCandidates = 1;
using Candidates = float;
HD float loadCandidates(const float* p) {
    return *p;
}
HD uint32_t bitsOf(bool condition) {
    return condition;
}
HD int lowestBit(uint32_t) {
    return 0;
}
#else
constexpr int kCandidates = kLanes;
using Candidates = LaneFloat;
HD LaneFloat loadCandidates(const float* p) {
    return loadFrom(p);
}
HD int lowestBit(uint32_t bits) {
    return __builtin_ctz(bits);
}
#endif

struct ToSoA {
    View<const Vec4> xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    PositionsSoA positions;  // written
    HD void operator()(int i) const {
        const Vec4 p = xStar[i];
        positions.x[i] = p.x, positions.y[i] = p.y, positions.z[i] = p.z;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (positions.support.size > 0) positions.support[i] = m.support;
        if (positions.solid.size > 0) positions.solid[i] = m.fluid ? 0.0f : 1.0f;
    }
};

// Writes the list of each particle: all j with |x_ij| < (h_i + h_j)/2 (1 + margin), where i or j is liquid.
struct BuildNeighborLists {
    PositionsSoA positions;
    View<const uint32_t> cellOf;
    View<const RowRange> rows;
    View<int> count, entries;  // written
    int64_t stride;
    int capacity;
    StatusBlock* status;
    float support;    // h [m] if all particles have the same
    float reach;      // 1 + margin, halved
    bool clampLists;  // policy clamp: keep the nearest `capacity`; else the caller grows the lists

    HD void operator()(int i) const {
        int found = 0;
        if ((cellOf[i] + 1) * kRows <= rows.size)
            forEachNeighbor(i, [&](int j) {
                if (found < capacity) entries[found * stride + i] = j;
                ++found;
            });
        if (found > capacity) {
            atomicOr(&status->flags, kNeighborOverflow);
            if (clampLists) keepNearest(i);
        }
        atomicMax(&status->requiredNeighbors, static_cast<uint32_t>(found));
        count[i] = found < capacity ? found : capacity;
    }

private:
    // visit(j) for every neighbor, in list order
    template <class Visit>
    HD void forEachNeighbor(int i, Visit&& visit) const {
        const Candidates x(positions.x[i]), y(positions.y[i]), z(positions.z[i]);
        const bool uniform = positions.support.size == 0;
        const Candidates mine(uniform ? support : positions.support[i]);
        const bool mixed = positions.solid.size > 0;
        const Candidates solid(mixed ? positions.solid[i] : 0.0f);
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[cellOf[i] * kRows + row];
            for (uint32_t j = range.begin; j < range.end; j += kCandidates) {
                const Vec3T<Candidates> d{x - loadCandidates(&positions.x.data[j]),
                                          y - loadCandidates(&positions.y.data[j]),
                                          z - loadCandidates(&positions.z.data[j])};
                const Candidates theirs = uniform ? mine : loadCandidates(&positions.support.data[j]);
                const Candidates h = Candidates(reach) * (mine + theirs);
                uint32_t near = bitsOf(dot(d, d) < h * h);
                if (mixed)
                    near &= bitsOf(solid + loadCandidates(&positions.solid.data[j]) < Candidates(1.5f));
                // exclude candidates beyond the row's end, and the particle itself
                const uint32_t left = range.end - j, self = static_cast<uint32_t>(i) - j;
                if (left < kCandidates) near &= (1u << left) - 1;
                if (self < kCandidates) near &= ~(1u << self);
                for (; near != 0; near &= near - 1) visit(static_cast<int>(j) + lowestBit(near));
            }
        }
    }

    HD float squaredDistance(int i, int j) const {
        const Vec3 d{positions.x[i] - positions.x[j], positions.y[i] - positions.y[j],
                     positions.z[i] - positions.z[j]};
        return dot(d, d);
    }

    // Replaces an overflowing list by the nearest neighbors; ties go to the lower slot.
    HD void keepNearest(int i) const {
        int kept = 0;
        forEachNeighbor(i, [&](int j) {
            const float r2 = squaredDistance(i, j);
            int nearer = 0;
            forEachNeighbor(i, [&](int k) {
                const float other2 = squaredDistance(i, k);
                nearer += other2 < r2 || (other2 == r2 && k < j);
            });
            if (nearer < capacity) entries[kept++ * stride + i] = j;
        });
    }
};

}  // namespace coalesce
