// Implicit viscosity of liquids that resists the rate of strain and leaves rotation free, [WKBB18].
#pragma once

#include "kernels/fluid/density_pairs.h"
#include "kernels/linear/conjugate_gradient.h"

namespace coalesce {

// Every pair of neighbors damps its approach along the line between them,
//     f_ij = −k_ij ((v_i − v_j) · d) d,   d = x_i − x_j,
//     k_ij = g_ij V_i V_j |∇W_ij| / (|d| (|d|² + h_ij²/100)),   g_ij = 2 g_i g_j / (g_i + g_j),  g_i = c μ_i dt
// [WKBB18] after [MON05], here times dt. c makes it the viscosity μ in the mean over all directions with the
// neighbors of the rest lattice; 2 (D + 2) in D dimensions for many neighbors. The forces of a pair are
// central, so momentum and angular momentum are conserved, and a rigid rotation costs nothing: XSPH damps it
// like shear, and a thread of honey could not bend. Surfaces are free of stress, for nothing is behind them.
//
// Implicit Euler: (M + K) Δv = −K v, solved by conjugate gradients with P = M. They stay within the span of
// M⁻¹K applied to v, and so keep both momenta at any tolerance.

// g by particle: 0 for what is not a viscous liquid.
struct GatherStrainViscosity {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> g;    // written [kg/m]
    bool dropsApart;  // method velocity: see splash.h
    HD void operator()(int i) const {
        const bool drop = dropsApart && (phase[i] & kDrop) != 0;
        g[i] = drop ? 0.0f : materials[materialOf(phase[i])].strainViscosity;
    }
};

// Σ_j k_ij ((u_i − u_j) · d) d [kg m/s] for u [m/s].
template <bool Uniform>
struct StrainForces {
    View<const Vec4> x;   // [m]
    View<const float> g;  // [kg/m]
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;

    template <class I>
    HD Vec3T<RealOf<I>> of(I i, View<const Vec4> u) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i];
        const Vec3T<R> ui = xyz(Vec4T<R>(u[i]));
        const R gi = g[i];
        const auto mine = pairs.of(i);
        Vec3T<R> sum{R(0), R(0), R(0)};
        forEachDensityPair(i, x, neighbors, pairs, xi, mine.support, [&] INLINED(const auto& pair) {
            const R gj = g[pair.j], both = gi + gj;
            const R share = R(2) * gi * gj / max(both, R(1e-30f));
            // minusHalfOverH2: h_ij²/100 without a division of its own
            const R r2 = fma(pair.r2, pair.kernel.minusHalfOverH2, R(-0.005f));
            const R k =
                share * pair.volume * spiky(pair.kernel, pair.r2).slope * pair.kernel.minusHalfOverH2 / r2;
            const R approach = dot(ui - xyz(Vec4T<R>(u[pair.j])), pair.d);
            sum = fma(select(pair.isNeighbor, k * approach, R(0)), pair.d, sum);
        });
        return mine.volume * sum;
    }
};

// b = −K v, P = M, and the first direction.
template <bool Uniform>
struct BeginStrainViscosity {
    StrainForces<Uniform> forces;
    View<const Vec4> v;   // [m/s]
    View<float> scale;    // written: 1/P [1/kg]; 0: held, or not viscous
    View<Vec4> dv, r, p;  // written
    View<double> dots;    // written: rᵀ P⁻¹ r
    HD void operator()(int i) const {
        const bool viscous = forces.x[i].w > 0 && forces.g[i] > 0;
        Vec3 b{0, 0, 0};
        if (viscous) b = -1.0f * forces.of(i, v);
        // a value that is not finite must not spread
        const bool valid = viscous && isFinite(b);
        if (!valid) b = {0, 0, 0};
        scale[i] = valid ? forces.x[i].w : 0.0f;
        r[i] = vec4(b, 0.0f);
        p[i] = vec4(scale[i] * b, 0.0f);
        dv[i] = {0, 0, 0, 0};
        dots[i] = double{scale[i] * dot(b, b)};
    }
};

// q = (M + K) p
template <bool Uniform>
struct ApplyStrainViscosity {
    StrainForces<Uniform> forces;
    View<const LinearState> state;
    View<const float> scale;
    View<const Vec4> p;
    View<Vec4> q;       // written
    View<double> dots;  // written: pᵀ q
    template <class I>
    HD void operator()(I i) const {
        if (state[0].done) return;
        using R = RealOf<I>;
        const R own = scale[i];
        const auto viscous = R(0) < own;
        const Vec3T<R> pi = xyz(Vec4T<R>(p[i])), none{R(0), R(0), R(0)};
        const Vec3T<R> all = fma(R(1) / select(viscous, own, R(1)), pi, forces.of(i, p)),
                       product = select(viscous, all, none);
        put(q, i, vec4(product, R(0)));
        put(dots, i, dot(pi, product));
    }
};

struct AddVelocityChanges {
    View<const Vec4> dv;  // [m/s]
    View<Vec4> v;         // updated
    HD void operator()(int i) const {
        const Vec3 changed = xyz(v[i]) + xyz(dv[i]);
        if (isFinite(changed)) v[i] = vec4(changed, v[i].w);
    }
};

}  // namespace coalesce
