// Non-owning reference to an array: pointer and size, passed by value into kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/math/hd.h"
#include "kernels/math/lane.h"
#include "kernels/math/vec.h"

#if defined(COALESCE_CHECK_BOUNDS) && !defined(__CUDA_ARCH__)
#include <cstdio>
#include <cstdlib>
#endif

namespace coalesce {

// Register types of a kernel for one particle (I = int) or sixteen (I = LaneIndex, LaneInt).
template <class I>
struct Wide {
    using Real = LaneFloat;
    using Int = LaneInt;
};
template <>
struct Wide<int> {
    using Real = float;
    using Int = int;
};
template <class I>
using RealOf = typename Wide<I>::Real;
template <class I>
using IntOf = typename Wide<I>::Int;

template <class I>
concept Lanes = std::is_same_v<I, LaneIndex> || std::is_same_v<I, LaneInt>;

HD LaneFloat wideLoad(const float* p, auto i) {
    return load(p, i);
}
HD LaneInt wideLoad(const int32_t* p, auto i) {
    return load(p, i);
}
HD LaneInt wideLoad(const uint32_t* p, auto i) {
    return load(p, i);
}
HD Vec4T<LaneFloat> wideLoad(const Vec4* p, LaneIndex i) {
    Vec4T<LaneFloat> r;
    loadFours([=](int lane) { return &p[i.first + lane].x; }, r.x, r.y, r.z, r.w);
    return r;
}
HD Vec4T<LaneFloat> wideLoad(const Vec4* p, LaneInt j) {
    Vec4T<LaneFloat> r;
#ifndef __CUDA_ARCH__
    const LaneNumbers twice(j + j);  // times eight bytes: an addressing mode of x86
    loadFours([&](int lane) { return &p->x + 2 * int64_t{twice.of[lane]}; }, r.x, r.y, r.z, r.w);
#endif
    return r;
}

template <class T>
struct View {
    T* data = nullptr;
    size_t size = 0;

    View() = default;
    HD View(T* d, size_t n) : data(d), size(n) {}
    // View<T> converts to View<const T>
    template <class U>
    requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) HD View(const View<U>& other)
        : data(other.data), size(other.size) {}

    HD T& operator[](size_t i) const {
        check(i);
        return data[i];
    }
    template <Lanes I>
    HD auto operator[](I i) const {
        if constexpr (std::is_same_v<I, LaneIndex>) check(i.first + kLanes - 1);
        return wideLoad(data, i);
    }

    // elements first … first + count − 1
    HD View subview(size_t first, size_t count) const {
        if (count > 0) check(first + count - 1);
        return View(data + first, count);
    }

private:
    HD void check([[maybe_unused]] size_t i) const {
#if defined(COALESCE_CHECK_BOUNDS) && !defined(__CUDA_ARCH__)
        if (i >= size) {
            std::fprintf(stderr, "view of %zu elements: index %zu\n", size, i);
            std::abort();
        }
#endif
    }
};

// Writes element i; sixteen elements for lanes.
template <class T>
HD void put(View<T> view, int i, T value) {
    view[i] = value;
}
HD void put(View<float> view, LaneIndex i, LaneFloat value) {
    store(view.data, i, value);
}
HD void put(View<int> view, LaneIndex i, LaneInt value) {
    store(view.data, i, value);
}
HD void put(View<double> view, int i, float value) {
    view[i] = double{value};
}
#ifndef __CUDA_ARCH__
HD void put(View<double> view, LaneIndex i, LaneFloat value) {
    for (int lane = 0; lane < kLanes; ++lane) view.data[i.first + lane] = double{value.bits[lane]};
}
HD void put(View<Vec4> view, LaneIndex i, Vec4T<LaneFloat> a) {
    Vec4* p = view.data + i.first;
    for (int lane = 0; lane < kLanes; ++lane)
        p[lane] = {a.x.bits[lane], a.y.bits[lane], a.z.bits[lane], a.w.bits[lane]};
}
#else
__device__ void put(View<double> view, LaneIndex i, LaneFloat value);
__device__ void put(View<Vec4> view, LaneIndex i, Vec4T<LaneFloat> a);
#endif

}  // namespace coalesce
