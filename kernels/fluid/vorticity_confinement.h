// Vorticity of liquids, and its confinement. Gathers in list order. Promise: cpu = gpu; no atomics.
#pragma once

#include "kernels/fluid/pair_traits.h"
#include "kernels/search/neighbor_lists.h"

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
        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = x[j], vj = v[j];
            const auto theirs = pairs.of(j);
            const SmoothingT<R> kernel = pairs.pairKernel(mine.support, theirs.support);
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R slope = select(isNeighbor, theirs.volume * spiky(kernel, dot(d, d)).slope, R(0));
            omega += slope * cross(xyz(vj) - xyz(vi), d);  // ∇_jW = slope d
        }
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
        const auto mine = pairs.of(i);
        Vec3 eta{0, 0, 0};
        for (int k = 0; k < neighbors.count[i]; ++k) {
            const int j = neighbors.at(k, i, true);
            const auto theirs = pairs.of(j);
            const Vec3 d = xyz(x[i]) - xyz(x[j]);
            const float slope =
                theirs.volume * spiky(pairs.pairKernel(mine.support, theirs.support), dot(d, d)).slope;
            eta -= slope * (vorticity[j].w - vorticity[i].w) * d;
        }
        const Vec3 force = m.vorticity * m.support * cross(normalizeOr(eta, {0, 0, 0}), xyz(vorticity[i]));
        v[i] = vec4(fma(dt, force, xyz(v[i])), v[i].w);
    }
};

}  // namespace coalesce
