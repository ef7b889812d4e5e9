// Velocities as draw frames of a cache keep them: what follows from these follows from the cache, bit for bit.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// A float to 11 significant bits, half to even: relative error at most 2⁻¹¹. What is not finite stays.
HD uint32_t keptBits(uint32_t bits) {
    constexpr uint32_t kDropped = 13, kExponent = 0x7f800000;
    if ((bits & kExponent) == kExponent) return bits;
    bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
    return bits & ~((1u << kDropped) - 1);
}

HD Vec3 keptVelocity(Vec4 v) {
    const auto kept = [](float a) {
        return asFloat(static_cast<int>(keptBits(static_cast<uint32_t>(asInt(a)))));
    };
    return {kept(v.x), kept(v.y), kept(v.z)};
}

}  // namespace coalesce
