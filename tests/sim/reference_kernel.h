// The smoothing kernel in double, retyped from Müller et al. 2003, eq. 21, and a liquid to sum it over. Shares no
// header with the kernels of the solver.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "sim/make_world.h"

namespace coalesce::test {

inline double weight(double r, double h) {
    return r < h ? 15 / (std::numbers::pi * std::pow(h, 6)) * std::pow(h - r, 3) : 0;
}
// gradient with respect to the first point, d = x_i − x_j
inline Vec3d weightGradient(Vec3d d, double h) {
    const double r = length(d);
    return r < h && r > 0 ? (-45 / (std::numbers::pi * std::pow(h, 6)) * (h - r) * (h - r) / r) * d : Vec3d{};
}

// 343 particles of one or several materials, squeezed to four fifths of their volume on one side and stretched on
// the other.
inline std::vector<ParticleDef> unevenBlock(uint32_t materials, uint64_t seed) {
    std::vector<ParticleDef> births;
    const float d = 0.05f;
    for (int z = 0, i = 0; z < 7; ++z)
        for (int y = 0; y < 7; ++y)
            for (int x = 0; x < 7; ++x, ++i) {
                const Vec3 jitter = 0.1f * d * randomVec3(seed, i, -1, 1);
                births.push_back({.x = Vec3{(0.8f + 0.04f * x) * d * x, d * y, 0.95f * d * z} + jitter,
                                  .v = randomVec3(seed + 1, i, -2, 2),
                                  .material = static_cast<uint32_t>(randomBits(seed + 2, i) % materials)});
            }
    return births;
}

}  // namespace coalesce::test
