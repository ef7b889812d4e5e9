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
    HD int at(int k, int i, bool) const {
#ifdef __CUDA_ARCH__
        return *rowAfter(entries.data + i, k);
#else
        return entries[k * stride + i];
#endif
    }
    HD LaneInt at(int k, LaneIndex i, LaneMask exists) const {
        return select(exists, load(entries.data + k * stride, i), LaneInt(i.first));
    }

    // visit(j, exists) for the neighbors of i, in list order. Lanes take part until the longest of their
    // lists ends. Group: neighbors per turn on CUDA; more need more registers.
    template <int Group = 1, class Visit>
    HD void forEach(int i, Visit&& visit) const {
        const int* entry = entries.data + i;
        int left = count[i];
#ifdef __CUDA_ARCH__
        if constexpr (Group > 1) {
            // Entries are read from device memory, which takes hundreds of cycles: those of the next turn are
            // requested before this one. Each is read once per loop, so __ldcs keeps them from evicting positions.
            int next[Group];
            const auto read = [&] {
#pragma unroll
                for (int k = 0; k < Group; ++k)
                    if (k < left) next[k] = __ldcs(rowAfter(entry, k));
                entry += Group * stride;
            };
            read();
#pragma unroll 1
            while (left >= Group) {
                int now[Group];
#pragma unroll
                for (int k = 0; k < Group; ++k) now[k] = next[k];
                left -= Group;
                read();
#pragma unroll
                for (int k = 0; k < Group; ++k) visit(now[k], true);
            }
#pragma unroll
            for (int k = 0; k < Group - 1; ++k)
                if (k < left) visit(next[k], true);
        } else
#pragma unroll 1
#endif
            for (; left > 0; --left, entry += stride) visit(*entry, true);
    }
    template <int Group = 1, class Visit>
    HD void forEach(LaneIndex i, Visit&& visit) const {
        const LaneInt length = count[i];
        for (int k = 0; any(k < length); ++k) {
            const LaneMask exists = k < length;
            visit(at(k, i, exists), exists);
        }
    }

private:
#ifdef __CUDA_ARCH__
    // The entry k rows after another: one 32 x 32 + 64 bit multiply-add, as a row is shorter than 2 GiB.
    __device__ const int* rowAfter(const int* entry, int k) const {
        const auto* from = reinterpret_cast<const char*>(entry);
        return reinterpret_cast<const int*>(from + int64_t{k} * static_cast<int32_t>(stride * sizeof(int)));
    }
#endif
};

// Positions of candidates. The CPU tests sixteen consecutive ones at a time, from a structure of arrays that
// are padded by kLanes elements of any value; CUDA reads one in one access.
struct SearchPositions {
    View<const Vec4> points;  // [m]
    View<float> x, y, z;      // [m] the same; empty on CUDA
    View<float> support;      // h [m]; empty if all particles have the same
    View<float> solid;        // 1: grains and bodies, 0: liquid; empty if all are liquid
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
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    SearchPositions positions;  // written, but for the points
    HD void operator()(int i) const {
        if (positions.x.size > 0) {
            const Vec4 p = positions.points[i];
            positions.x[i] = p.x, positions.y[i] = p.y, positions.z[i] = p.z;
        }
        if (positions.support.size == 0 && positions.solid.size == 0) return;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (positions.support.size > 0) positions.support[i] = m.support;
        if (positions.solid.size > 0) positions.solid[i] = m.fluid ? 0.0f : 1.0f;
    }
};

// visit(j, near) for the candidates j … j + kCandidates − 1 in the rows around i, in storage order. Bits of near:
// those with |x_ij|² < reach2(j), without i. reach2 gives the limits of kCandidates candidates [m²].
template <class Reach2, class Visit>
HD void forEachCandidates(int i, const SearchPositions& positions, const NeighborRows& rows, Reach2&& reach2,
                          Visit&& visit) {
    const uint32_t cell = rows.cellOf[i];
    if (!rows.known(cell)) return;
#ifdef __CUDA_ARCH__
    const Vec4 p = positions.points.data[i];
    for (int row = 0; row < kRows; ++row) {
        const RowRange range = rows.of(cell, row);
        const auto test = [&](uint32_t j, const Vec4& candidate) {
            const Vec3 d = xyz(p) - xyz(candidate);
            if (dot(d, d) < reach2(j) && j != static_cast<uint32_t>(i)) visit(j, 1u);
        };
        // several loads in flight hide their latency
        constexpr uint32_t kAtOnce = 4;
        const Vec4* candidate = positions.points.data + range.begin;
        uint32_t j = range.begin;
#pragma unroll 1
        for (; j + kAtOnce <= range.end; j += kAtOnce, candidate += kAtOnce) {
            Vec4 read[kAtOnce];
#pragma unroll
            for (uint32_t k = 0; k < kAtOnce; ++k) read[k] = candidate[k];
#pragma unroll
            for (uint32_t k = 0; k < kAtOnce; ++k) test(j + k, read[k]);
        }
#pragma unroll 1
        for (; j < range.end; ++j, ++candidate) test(j, *candidate);
    }
#else
    const Candidates x(positions.x[i]), y(positions.y[i]), z(positions.z[i]);
    for (int row = 0; row < kRows; ++row) {
        const RowRange range = rows.of(cell, row);
        for (uint32_t j = range.begin; j < range.end; j += kCandidates) {
            const Vec3T<Candidates> d{x - loadCandidates(&positions.x.data[j]),
                                      y - loadCandidates(&positions.y.data[j]),
                                      z - loadCandidates(&positions.z.data[j])};
            uint32_t near = bitsOf(dot(d, d) < reach2(j));
            // exclude candidates beyond the row's end, and the particle itself
            const uint32_t left = range.end - j, self = static_cast<uint32_t>(i) - j;
            if (left < kCandidates) near &= (1u << left) - 1;
            if (self < kCandidates) near &= ~(1u << self);
            visit(j, near);
        }
    }
#endif
}

// visit(j + b) for every bit b of near.
template <class Visit>
HD void visitEach(uint32_t j, uint32_t near, Visit&& visit) {
#ifdef __CUDA_ARCH__
    visit(static_cast<int>(j));  // one candidate, and it is near
#else
    for (; near != 0; near &= near - 1) visit(static_cast<int>(j) + lowestBit(near));
#endif
}

// visit(j) for every j ≠ i in the rows around i with |x_ij|² < reach2(j), in storage order.
template <class Reach2, class Visit>
HD void forEachWithin(int i, const SearchPositions& positions, const NeighborRows& rows, Reach2&& reach2,
                      Visit&& visit) {
    forEachCandidates(i, positions, rows, reach2,
                      [&](uint32_t j, uint32_t near) { visitEach(j, near, visit); });
}

// Writes the list of a particle. The threads of a warp find their neighbors at different times, and a store of a few
// scattered words costs the level-2 cache as much as one of a whole row: on CUDA the first of a list are kept in shared
// memory, and all threads write them row by row at the end.
class ListWriter {
public:
    HD ListWriter(int* row, int64_t stride, int capacity)
        : m_row(row), m_stride(stride), m_capacity(capacity) {}
    HD void add(int j) {
#ifdef __CUDA_ARCH__
        if (m_found < kHeld)
            held()[m_found * kThreadsPerBlock] = j;
        else
#endif
            if (m_found < m_capacity)
            m_row[m_found * m_stride] = j;
        ++m_found;
    }
    // Returns how many were added, which may be more than fit.
    HD int finish() {
#ifdef __CUDA_ARCH__
        const int kept = m_found < m_capacity ? m_found : m_capacity;
        for (int k = 0; k < kHeld && k < kept; ++k, m_row += m_stride) *m_row = held()[k * kThreadsPerBlock];
#endif
        return m_found;
    }

private:
#ifdef __CUDA_ARCH__
    static constexpr int kHeld = 32;  // a filled neighborhood has 30
    // of this thread; those of neighboring threads are in other banks
    __device__ static int* held() {
        __shared__ int entries[kHeld * kThreadsPerBlock];
        return entries + threadIdx.x;
    }
#endif
    int* m_row;
    int64_t m_stride;
    int m_capacity, m_found = 0;
};

// Length of the longest list, of forEachReduce.
struct LongestList {
    uint32_t length;
    HD static LongestList identity() { return {0}; }
    HD static LongestList combine(LongestList a, LongestList b) { return a.length < b.length ? b : a; }
};

// Writes the list of each particle: all j with |x_ij| < (h_i + h_j)/2 (1 + margin), where i or j is liquid.
// Uniform: all particles have the same h. Mixed: some are not liquid.
template <bool Uniform, bool Mixed>
struct BuildNeighborLists {
    SearchPositions positions;
    NeighborRows rows;
    View<int> count, entries;  // written
    int64_t stride;
    int capacity;
    StatusBlock* status;
    float support;  // h [m] if all particles have the same
    float reach;    // 1 + margin, halved

    HD LongestList operator()(int i) const {
        int found = 0;
#ifdef __CUDA_ARCH__
        ListWriter list(entries.data + i, stride, capacity);
        forEachNeighbor(i, [&](int j) { list.add(j); });
        found = list.finish();
#else
        int* next = entries.data + i;
        // collected without a branch for each neighbor: one in six is mispredicted
        constexpr int kHeld = 256;
        int32_t held[kHeld + kCandidates];
        int length = 0;
        const auto release = [&] {
            const int64_t step = stride;
            const int room = found < capacity ? capacity - found : 0, kept = length < room ? length : room;
            for (int k = 0; k < kept; ++k, next += step) *next = held[k];
            found += length, length = 0;
        };
        forEachCandidates(i, [&](uint32_t j, uint32_t near) {
            length += appendSet(near, static_cast<int>(j), held + length);
            if (length > kHeld) release();
        });
        release();
#endif
        count[i] = found < capacity ? found : capacity;
        return {static_cast<uint32_t>(found)};
    }
    HD void finish(LongestList longest) const {
        if (longest.length > static_cast<uint32_t>(capacity)) atomicOr(&status->flags, kNeighborOverflow);
        atomicMax(&status->requiredNeighbors, longest.length);
    }

    // visit(j) for every neighbor, in list order
    template <class Visit>
    HD void forEachNeighbor(int i, Visit&& visit) const {
        forEachCandidates(i, [&](uint32_t j, uint32_t near) { visitEach(j, near, visit); });
    }

private:
    // visit(j, near) for groups of candidates; bits of near: neighbors
    template <class Visit>
    HD void forEachCandidates(int i, Visit&& visit) const {
        const Candidates mine(Uniform ? support : positions.support[i]);
        const Candidates solid(Mixed ? positions.solid[i] : 0.0f);
        const Candidates common = Candidates(reach) * (mine + mine), common2 = common * common;
        coalesce::forEachCandidates(
            i, positions, rows,
            [&](uint32_t j) {
                Candidates h2 = common2;
                if constexpr (!Uniform) {
                    const Candidates h =
                        Candidates(reach) * (mine + loadCandidates(&positions.support.data[j]));
                    h2 = h * h;
                }
                if constexpr (Mixed)  // two solid particles are never neighbors
                    return select(solid + loadCandidates(&positions.solid.data[j]) < Candidates(1.5f), h2,
                                  Candidates(-1.0f));
                else
                    return h2;
            },
            visit);
    }
};

// Policy clamp: keeps the nearest particles of a full list; ties go to the lower slot. Lists: BuildNeighborLists or
// BuildPairLists.
template <class Lists>
struct KeepNearest {
    Lists lists;

    HD void operator()(int i) const {
        if (lists.count[i] < lists.capacity) return;  // a list that is just full stays as it is
        int kept = 0;
        lists.forEachNeighbor(i, [&](int j) {
            if (nearer(i, j) < lists.capacity) lists.entries[kept++ * lists.stride + i] = j;
        });
    }

private:
    // number of neighbors of i nearer than j
    HD int nearer(int i, int j) const {
        const float r2 = squaredDistance(i, j);
        int count = 0;
        lists.forEachNeighbor(i, [&](int k) {
            const float other2 = squaredDistance(i, k);
            count += other2 < r2 || (other2 == r2 && k < j);
        });
        return count;
    }
    HD float squaredDistance(int i, int j) const {
        const Vec3 d = xyz(lists.positions.points[i]) - xyz(lists.positions.points[j]);
        return dot(d, d);
    }
};

}  // namespace coalesce
