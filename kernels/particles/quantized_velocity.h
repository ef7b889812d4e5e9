// Velocities with the precision that draw frames of a cache store: what is computed from them is computed from the cache
// with the same bits.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// A float to 11 significant bits, half to even: relative error at most 2⁻¹¹. What is not finite stays.
HD uint32_t quantizedBits(uint32_t bits) {
    constexpr uint32_t kDropped = 13, kExponent = 0x7f800000;
    if ((bits & kExponent) == kExponent) return bits;
    bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
    return bits & ~((1u << kDropped) - 1);
}

HD Vec3 quantizedVelocity(Vec4 v) {
    const auto quantized = [](float a) {
        return asFloat(static_cast<int>(quantizedBits(static_cast<uint32_t>(asInt(a)))));
    };
    return {quantized(v.x), quantized(v.y), quantized(v.z)};
}

}  // namespace coalesce
