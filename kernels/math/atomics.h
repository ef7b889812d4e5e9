// Order-independent atomic updates (min, max, or, integer sums): results do not depend on the order of
// threads, so runs are bitwise reproducible.
#pragma once

#include <cstdint>

#include "kernels/math/hd.h"

#ifndef __CUDA_ARCH__
#include <atomic>
#endif

namespace coalesce {

template <class T>
HD void atomicMax(T* target, T value) {
#ifdef __CUDA_ARCH__
    if (*static_cast<volatile T*>(target) < value) ::atomicMax(target, value);
#else
    std::atomic_ref<T> shared(*target);
    T seen = shared.load(std::memory_order_relaxed);
    while (seen < value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
#endif
}
template <class T>
HD void atomicMin(T* target, T value) {
#ifdef __CUDA_ARCH__
    if (*static_cast<volatile T*>(target) > value) ::atomicMin(target, value);
#else
    std::atomic_ref<T> shared(*target);
    T seen = shared.load(std::memory_order_relaxed);
    while (seen > value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
#endif
}
HD void atomicOr(uint32_t* target, uint32_t bits) {
#ifdef __CUDA_ARCH__
    ::atomicOr(target, bits);
#else
    std::atomic_ref<uint32_t>(*target).fetch_or(bits, std::memory_order_relaxed);
#endif
}
// Returns the value before; it depends on the order of threads.
HD uint32_t atomicAdd(uint32_t* target, uint32_t n) {
#ifdef __CUDA_ARCH__
    return ::atomicAdd(target, n);
#else
    return std::atomic_ref<uint32_t>(*target).fetch_add(n, std::memory_order_relaxed);
#endif
}
HD void atomicAddFixed(int64_t* target, int64_t n) {
#ifdef __CUDA_ARCH__
    ::atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(n));
#else
    std::atomic_ref<int64_t>(*target).fetch_add(n, std::memory_order_relaxed);
#endif
}

}  // namespace coalesce
