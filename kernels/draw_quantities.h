// What pictures show of a particle besides its place: one number each, and the box around all.
#pragma once

#include "kernels/status.h"
#include "kernels/view.h"

namespace coalesce {

struct TakeSpeed {
    View<const Vec4> v;  // [m/s]
    View<float> value;   // [m/s] written
    HD void operator()(int i) const { value[i] = length(xyz(v[i])); }
};

// φ − 1: positive where the liquid is compressed, negative at the surface
struct TakeDensityError {
    View<const Vec4> v;  // w: volume fraction φ
    View<float> value;   // [-] written
    HD void operator()(int i) const { value[i] = v[i].w - 1; }
};

struct TakeNeighborCount {
    View<const int> count;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = static_cast<float>(count[i]); }
};

// Above 2^24 neighboring ids share a value, which no color could tell apart anyway.
struct TakeId {
    View<const uint32_t> id;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = static_cast<float>(id[i]); }
};

// Floats as integers that compare alike, so that integer atomics find their extremes. Its own inverse.
HD int32_t orderedBits(int32_t bits) {
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

struct Extent {
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};  // ordered bits of floats [m]
    int32_t high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
};

// Particles that are not finite do not count.
struct FindExtent {
    View<const Vec4> x;
    Extent* extent;
    HD void operator()(int i) const {
        const Vec3 p = xyz(x[i]);
        if (!isFinite(p)) return;
        const float value[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
            noteMin(&extent->low[k], orderedBits(asInt(value[k])));
            noteMax(&extent->high[k], orderedBits(asInt(value[k])));
        }
    }
};

}  // namespace coalesce
