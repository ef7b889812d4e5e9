// What kernels note about a frame. All notes are order-free (or, max, min, add), so threads may write them in
// any order.
#pragma once

#include <cstdint>

#include "kernels/hd.h"

#ifndef __CUDA_ARCH__
#include <atomic>
#endif

namespace coalesce {

// One per frame, in device memory.
struct StatusBlock {
    uint32_t flags = 0;
    uint32_t requiredNeighbors = 0;  // the longest list
    uint32_t requiredPairs = 0;      // the longest list of particle contacts
    uint32_t requiredContacts = 0;   // shape contacts of all particles
    uint32_t nonFinite = 0;          // particles put into quarantine
    uint32_t firstBadId = 0xffffffffu;
    uint32_t clamped = 0;        // speeds limited to solver.maxSpeed
    uint32_t torn = 0;           // springs strained beyond what they bear
    uint32_t requiredCells = 0;  // occupied cells of the neighbor grid
    int32_t cellMin[3] = {INT32_MAX, INT32_MAX,
                          INT32_MAX};  // bounding box of all candidate positions, in cells
    int32_t cellMax[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
};

enum StatusFlag : uint32_t {
    kNeighborOverflow = 1u << 0,
    kContactOverflow = 1u << 1,
    kKeyOverflow = 1u << 2,     // a particle left the box for which sort keys were planned
    kDomainOverflow = 1u << 3,  // a particle is 2^20 cells or more from the origin
    kCellOverflow = 1u << 4,
    kPairOverflow = 1u << 5,
};

template <class T>
HD void noteMax(T* target, T value) {
#ifdef __CUDA_ARCH__
    if (*static_cast<volatile T*>(target) < value) atomicMax(target, value);
#else
    std::atomic_ref<T> shared(*target);
    T seen = shared.load(std::memory_order_relaxed);
    while (seen < value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
#endif
}
template <class T>
HD void noteMin(T* target, T value) {
#ifdef __CUDA_ARCH__
    if (*static_cast<volatile T*>(target) > value) atomicMin(target, value);
#else
    std::atomic_ref<T> shared(*target);
    T seen = shared.load(std::memory_order_relaxed);
    while (seen > value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
#endif
}
HD void noteFlag(uint32_t* target, uint32_t bits) {
#ifdef __CUDA_ARCH__
    atomicOr(target, bits);
#else
    std::atomic_ref<uint32_t>(*target).fetch_or(bits, std::memory_order_relaxed);
#endif
}
HD void noteCount(uint32_t* target, uint32_t n) {
#ifdef __CUDA_ARCH__
    atomicAdd(target, n);
#else
    std::atomic_ref<uint32_t>(*target).fetch_add(n, std::memory_order_relaxed);
#endif
}
HD void addWhole(int64_t* target, int64_t n) {
#ifdef __CUDA_ARCH__
    atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(n));
#else
    std::atomic_ref<int64_t>(*target).fetch_add(n, std::memory_order_relaxed);
#endif
}

}  // namespace coalesce
