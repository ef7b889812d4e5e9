// XSPH viscosity of liquids. Gathers in list order, written for lanes. No atomics.
#pragma once

#include "kernels/fluid/density_pairs.h"

namespace coalesce {

// XSPH viscosity, one pass: blends each velocity with those of the neighbors, and writes the volume fraction.
//     v_i' = v_i + w_i V_i Σ_j C_ij V_j (v_j − v_i) W(x_i − x_j, h_ij)
//     C_ij = 2 C_i C_j / (C_i + C_j),   C_i = c_i m_i / V_i
// For equal particles this is v_i + c Σ_j V_j (v_j − v_i) W, [VFX15] eq. 6; [PBF13] eq. 17 lacks V_j, which
// makes c dimensionless. A pair exchanges equal and opposite momenta for any masses, and the harmonic mean
// keeps a light liquid stable beside a heavy one: its share is at most 2 c.
// Kinematic viscosity: ½ c Σ V x² W / dt, in the limit c h² / (28 dt).
// Limits: the matrix V W_ij, including W_ii, is positive definite for this kernel in 3D and 2D with
// eigenvalues between 0 and max φ, so those of a pass are between 1 − c φ and 1: c ≤ 1 never overshoots at
// rest density, c > 2 may gain energy. The caller splits larger values into passes.
template <bool Uniform>
struct BlendVelocities {
    View<const Vec4> x;  // [m] at the end of the substep
    View<const Vec4> v;  // [m/s]
    View<const Vec4> wall;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<Vec4> vNew;  // written; w: φ

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], vi = v[i], behindWall = wall[i];
        const auto mine = pairs.of(i);
        const SmoothingT<R> own = pairs.pairKernel(mine.support, mine.support);
        R phi = fma(mine.volume, own.atZero(), behindWall.w);
        Vec3T<R> sum{R(0), R(0), R(0)};

        forEachDensityPair(i, x, neighbors, pairs, xi, mine.support, [&] INLINED(const auto& pair) {
            const Vec4T<R> vj = v[pair.j];
            const PairWeight<R> w = spiky(pair.kernel, pair.r2);
            const R share = select(pair.isNeighbor, pair.volume * w.weight, R(0));
            const Vec3T<R> u = xyz(vj) - xyz(vi);
            phi += share;
            sum = fma(blendOf(mine.viscosity, pairs.of(pair.j).viscosity, share), u, sum);
        });
        // a fixed particle keeps its velocity, a solid particle also its w
        auto blends = xi.w > R(0);
        if constexpr (!Uniform) {
            sum = (xi.w * mine.volume) * sum;
            const auto liquid = R(0) < pairs.filled(i);
            blends = blends & liquid;
            phi = select(liquid, phi, vi.w);
        }
        put(vNew, i, vec4(select(blends, xyz(vi) + sum, xyz(vi)), phi));
    }

private:
    // c V_j W; or C_ij V_j W, 0 for solids
    template <class R>
    HD static R blendOf(R mine, R theirs, R share) {
        if constexpr (Uniform) {
            return R(0.5f) * (mine + theirs) * share;
        } else {
            const R both = mine + theirs;
            return select(theirs > R(0), R(2) * mine * theirs / max(both, R(1e-30f)) * share, R(0));
        }
    }
};

}  // namespace coalesce
