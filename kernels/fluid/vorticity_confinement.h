// Vorticity of liquids, and its confinement. Gathers in list order. No atomics.
#pragma once

#include "kernels/fluid/density_pairs.h"

namespace coalesce {

// ω_i = ∇ × v = Σ_j V_j (v_j − v_i) × ∇_jW_ij; w: |ω_i|. Scaled so that a rigid rotation gives 2 Ω.
//                                                                                        [PBF13] eq. 15
template <bool Uniform>
struct FindVorticity {
    View<const Vec4> x, v;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<Vec4> vorticity;  // [1/s] written

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], vi = v[i];
        const auto mine = pairs.of(i);
        Vec3T<R> omega{R(0), R(0), R(0)};
        forEachDensityPair(i, x, neighbors, pairs, xi, mine.support, [&] INLINED(const auto& pair) {
            const Vec4T<R> vj = v[pair.j];
            const R slope = select(pair.isNeighbor, pair.volume * spiky(pair.kernel, pair.r2).slope, R(0));
            omega += slope * cross(xyz(vj) - xyz(vi), pair.d);  // ∇_jW = slope d
        });
        omega = mine.gradientScale * omega;
        put(vorticity, i, vec4(omega, length(omega)));
    }
};

// Vorticity confinement: v += dt ε h (N × ω), N = ∇|ω| / |∇|ω||.  The factor h makes ε [1/s] independent of
// resolution. [PBF13] eq. 16, after Fedkiw et al. 2001
template <bool Uniform>
struct ConfineVorticity {
    View<const Vec4> x, vorticity;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> v;  // updated
    float dt;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (m.vorticity == 0 || x[i].w == 0) return;
        Vec3 eta{0, 0, 0};
        forEachDensityPair(i, x, neighbors, pairs, x[i], pairs.of(i).support, [&] INLINED(const auto& pair) {
            const float slope = pair.volume * spiky(pair.kernel, pair.r2).slope;
            eta -= slope * (vorticity[pair.j].w - vorticity[i].w) * pair.d;
        });
        const Vec3 force = m.vorticity * m.support * cross(normalizeOr(eta, {0, 0, 0}), xyz(vorticity[i]));
        v[i] = vec4(fma(dt, force, xyz(v[i])), v[i].w);
    }
};

}  // namespace coalesce
