// Random numbers that depend only on (seed, index), so that a test's input does not depend on the order of
// its construction.
#pragma once

#include <cstdint>

#include "core/hash.h"
#include "kernels/math/vec.h"

namespace coalesce::test {

inline uint64_t randomBits(uint64_t seed, uint64_t index) {
    return mixIn(mix(seed), index);
}

// uniform in [0, 1), 24 bits
inline float randomUnit(uint64_t seed, uint64_t index) {
    return static_cast<float>(randomBits(seed, index) >> 40) * 0x1p-24f;
}
inline float randomFloat(uint64_t seed, uint64_t index, float low, float high) {
    return low + (high - low) * randomUnit(seed, index);
}
// uniform in the cube [low, high)^3
inline Vec3 randomVec3(uint64_t seed, uint64_t index, float low, float high) {
    return {randomFloat(seed, 3 * index, low, high), randomFloat(seed, 3 * index + 1, low, high),
            randomFloat(seed, 3 * index + 2, low, high)};
}
// any bit pattern: normal numbers, denormals, infinities and NaN
inline float randomPattern(uint64_t seed, uint64_t index) {
    return asFloat(static_cast<int>(randomBits(seed, index) >> 32));
}
// uniformly distributed rotation; Shoemake 1992
inline Quat randomRotation(uint64_t seed, uint64_t index) {
    constexpr double kTwoPi = 6.283185307179586;
    const double u = randomUnit(seed, 3 * index), a = kTwoPi * randomUnit(seed, 3 * index + 1),
                 b = kTwoPi * randomUnit(seed, 3 * index + 2);
    const double s = std::sqrt(1 - u), t = std::sqrt(u);
    return {static_cast<float>(s * std::sin(a)), static_cast<float>(s * std::cos(a)),
            static_cast<float>(t * std::sin(b)), static_cast<float>(t * std::cos(b))};
}

}  // namespace coalesce::test
