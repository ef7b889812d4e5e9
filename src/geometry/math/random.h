// Counter-based random numbers: each depends on a seed and an index only.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/hash.h"
#include "geometry/math/quatd.h"

namespace coalesce {

// Uniform in −1 … 1, from a seed, the particle's index and the axis.
inline float randomShift(uint64_t seed, uint64_t particle, uint64_t axis) {
    const uint64_t bits = mix(mixIn(seed, particle * 4 + axis)) >> 40;  // 24 bits: exact in a float
    return static_cast<float>(bits) * (2.0f / 16777215.0f) - 1.0f;
}

// A random rotation: uniform over all orientations, or by up to `most` degrees about any axis.
inline Quatd randomTurn(uint64_t seed, double most) {
    const auto uniform = [&](uint64_t n) { return 0.5 * (randomShift(seed, n, 0) + 1.0); };
    const double pi = std::numbers::pi;
    if (most >= 180) {
        // Shoemake 1992, "Uniform random rotations"
        const double u = uniform(0), a = 2 * pi * uniform(1), b = 2 * pi * uniform(2);
        return {std::sqrt(u) * std::cos(b), std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a),
                std::sqrt(u) * std::sin(b)};
    }
    const double z = 2 * uniform(0) - 1, around = 2 * pi * uniform(1), r = std::sqrt(1 - z * z),
                 half = 0.5 * most * uniform(2) * pi / 180, sine = std::sin(half);
    return {std::cos(half), sine * r * std::cos(around), sine * r * std::sin(around), sine * z};
}

}  // namespace coalesce
