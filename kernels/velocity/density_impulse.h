// The density of liquids as a velocity constraint: each particle finds the impulse on its neighbors that
// keeps its volume fraction φ from rising. [SPR14], "The particle itself is the constraint"
//
//     φ_i = Σ_j V_j W(x_ij, h_ij) + φ_wall,   C_i = φ_i − 1
//     dφ_i/dt = Σ_j V_j ∇_iW_ij·(v_i − v_j) + ∇_iφ_wall·(v_i − v_wall)
//     μ_i = max(0, μ_i + ω (dφ_i/dt + b_i) / K_i),   K_i = w_i|∇_iC_i|² + Σ_k w_k|∇_kC_i|² + ε
//     v_i −= w_i [ Σ_j (Δμ_i V_j + Δμ_j V_i) ∇_iW_ij + Δμ_i ∇_iφ_wall ]
//     ω: `fluid.overRelaxation`, divided by φ_i where φ_i > 1
//     b_i = β min(C_i, 4)/dt where C_i > 0 (0 without bias),  C_i/dt where C_i < 0: the gap may close in this substep
//
// All sums are over the positions of the pass: those at the start of the substep when it is biased, the
// integrated ones when it relaxes. The impulses of a pair are equal and opposite.
// Differs from the slides:
//   - The Jacobian is the gradient of the density that the bias measures; the slides use the weight (1 − q²)³
//     itself. Both fall off alike (at distances of d, √2 d, √3 d, h = 2 d: 1 : .34 : .07 and 1 : .30 : .04).
//   - A Jacobi iteration over all particles in place of a sequential sweep: same bits in any order. Impulses
//     are summed and scaled by ω (`fluid.overRelaxation`), as the deltas of density_constraint.h.
//   - The sum of the impulses of a substep is kept ≥ 0 instead of each, so that later iterations can take
//     back what earlier ones gave too much.
//   - Volumes and masses, so that neighbors of other densities or resolutions are weighted correctly, and
//     walls: see FindWallDensity.
//
// All kernels here are gathers in list order, written for lanes. No atomics.
#pragma once

#include "kernels/fluid/density_pairs.h"

namespace coalesce {

// C above which the bias grows no more. Liquid that too few iterations let collapse has C of 10 to 100, and a
// share of that in one substep is a blast; it recovers over more substeps.
constexpr float kLargestBiasedExcess = 4.0f;

// Constants of the constraint of a particle in a substep:
//     x: b [1/s],  y: b without bias [1/s],  z: ω/K [kg m²],  w: dφ/dt by the motion of walls [1/s]
template <bool Uniform>
struct PrepareDensityImpulse {
    View<const Vec4> x;         // [m] of the pass; w: inverse mass
    View<const Vec4> wall;      // ∇φ_wall [1/m]; w: φ_wall
    View<const float> closing;  // [1/s] dφ_wall/dt by the motion of walls
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<Vec4> setup;  // written
    float biasRate;    // β/dt [1/s]
    float rate;        // 1/dt [1/s]
    float epsilon;     // share of K of a filled neighborhood
    float omega;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i];
        const DensitySums<R> sums = sumDensity(i, x, neighbors, pairs, xi, Vec4T<R>(wall[i]));
        const R c = sums.phi - R(1);
        const R k =
            fma(xi.w, dot(sums.gradient, sums.gradient), sums.others) + R(epsilon) * xi.w * pairs.filled(i);
        // where liquid is squeezed more neighbors share the work, and the step that Jacobi allows shrinks
        R response = select(k > R(0), R(omega) / (k * max(sums.phi, R(1))), R(0));
        if constexpr (!Uniform) response = select(R(0) < pairs.filled(i), response, R(0));
        const R open = R(rate) * min(c, R(0));
        const R excess = min(max(c, R(0)), R(kLargestBiasedExcess));
        put(setup, i, Vec4T<R>{open + R(biasRate) * excess, open, response, closing[i]});
    }
};

// First half of an iteration: the impulses μ.
template <bool Uniform>
struct SolveDensityImpulse {
    View<const Vec4> x;      // [m] of the pass
    View<const Vec4> v;      // [m/s]
    View<const Vec4> wall;   // ∇φ_wall [1/m]
    View<const Vec4> setup;  // see PrepareDensityImpulse
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<float> impulse;  // μ [kg m²/s] of the substep so far, updated
    View<Vec4> change;    // written: x, Δμ
    bool biased;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], vi = v[i], mine = setup[i], behindWall = wall[i];
        const auto unscaled = pairs.withoutFactors();
        R approach = R(0);  // Σ_j slope d·(v_i − v_j)
        forEachDensityPair(
            i, x, neighbors, unscaled, xi, unscaled.of(i).support, [&] INLINED(const auto& pair) {
                const Vec4T<R> vj = v[pair.j];
                const R slope =
                    select(pair.isNeighbor, pair.volume * spiky(pair.kernel, pair.r2).slope, R(0));
                approach = fma(slope, dot(pair.d, xyz(vi) - xyz(vj)), approach);
            });
        const R rise =
            fma(R(-pairs.slopeFactor()), approach, dot(xyz(behindWall), xyz(vi)) + mine.w);  // dφ/dt
        const R before = impulse[i];
        const R after = max(fma(mine.z, rise + (biased ? mine.x : mine.y), before), R(0));
        put(impulse, i, after);
        put(change, i, vec4(xyz(xi), after - before));
    }
};

// Second half of an iteration: the changes of the velocities.
template <bool Uniform>
struct ApplyDensityImpulse {
    View<const Vec4> x;       // w: inverse mass [1/kg]
    View<const Vec4> change;  // x [m] of the pass, Δμ [kg m²/s]
    View<const Vec4> wall;    // ∇φ_wall [1/m]
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<Vec4> v;  // [m/s] updated

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = change[i], vi = v[i], start = x[i], behindWall = wall[i];
        const auto unscaled = pairs.withoutFactors();
        const auto mine = unscaled.of(i);
        Vec3T<R> sum{R(0), R(0), R(0)};

        forEachDensityPair(i, change, neighbors, unscaled, xi, mine.support, [&] INLINED(const auto& pair) {
            const R strength = fma(xi.w, pair.volume, pair.xj.w * mine.volume);
            const R push = select(pair.isNeighbor, strength * spiky(pair.kernel, pair.r2).slope, R(0));
            sum = fma(push, pair.d, sum);
        });
        sum = fma(R(pairs.slopeFactor()), sum, -(xi.w * xyz(behindWall)));
        put(v, i, vec4(fma(start.w, sum, xyz(vi)), vi.w));
    }
};

// Pressure as the method position reports it: Σλ = −μ dt; see SumLambda.
struct ReportPressure {
    View<const float> impulse;
    View<float> sum;  // written [kg m²]
    float dt;
    HD void operator()(int i) const { sum[i] = -dt * impulse[i]; }
};

}  // namespace coalesce
