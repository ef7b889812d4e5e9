// The density constraint of liquids.
//
//     φ_i = Σ_j V_j W(x_ij, h_ij) + φ_wall        volume fraction, itself included;  C_i = φ_i − 1
//     ∇_kC_i = −V_k ∇_iW_ik,   ∇_iC_i = Σ_j V_j ∇_iW_ij + ∇_iφ_wall
//     λ_i = −C_i / (w_i|∇_iC_i|² + Σ_k w_k|∇_kC_i|² + ε)
//     Δx_i = w_i [ Σ_j (λ_i V_j + λ_j V_i + s_corr) ∇_iW_ij + λ_i ∇_iφ_wall ]
//     λ_i ≤ f(κ) λ_filled,  s_corr of strength g(κ)      one parameter κ for attraction, [VFX15] 3.3
//
// [PBF13] eq. 1-14, [UPP14] 7, with volumes in place of masses, so that neighbors of other densities or
// resolutions are weighted correctly. A pair receives opposite momenta. The contribution of walls to φ is our
// addition: see FindWallDensity.
//
// All kernels here are gathers in list order, written for lanes. No atomics.
#pragma once

#include "kernels/fluid/density_pairs.h"
#include "kernels/math/compensated_sum.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

struct DensityOptions {
    float
        epsilon;  // added to the denominator, relative to that of a filled neighborhood of the same material
    float
        denominator;  // of a filled neighborhood, the largest of all materials [1/(kg m²)]: for `regularized`
    float regularized;  // 0: relaxed;  β: λ = −β C / denominator  ([VFX15] eq. 3, 4)
    float omega;  // a Jacobi iteration is stable for eigenvalues below 2/ω; a disordered filled neighborhood
                  // has 3.4
    bool bilateral;  // also acts where φ < 1
};

// A fluid that is much lighter than another of the scene is soft: an iteration gives it the pressure that its
// own mass needs, and it is compressed until the sum carries the heavy one above it. The energy of this
// compression throws it out with the speed sqrt(2 C p/ρ). Additional iterations of its constraints alone make
// it as stiff as the heavy one at a fraction of the cost. A particle is active in
// them when it is light or has a light neighbor.
struct FindLight {
    View<const uint32_t> phase;
    NeighborLists neighbors;
    View<const int32_t> light;  // by material: 1
    View<float> active;         // written: 2 light, 1 with a light neighbor, 0 others

    HD void operator()(int i) const {
        float found = light[materialOf(phase[i])] != 0 ? 2.0f : 0.0f;
        for (int k = 0; k < neighbors.count[i] && found == 0; ++k)
            if (light[materialOf(phase[neighbors.at(k, i, true)])] != 0) found = 1;
        active[i] = found;
    }
};

// Compression that a liquid has at the start of a substep, left over by earlier ones or by the scene.
// Correcting all of it at once would add the velocity C/(|∇C| dt), without limit for small dt, and turn a
// remainder of the solution into a bounce. Only the share dt/τ is corrected; the constraint becomes C(x*) ≤
// (1 − dt/τ) C(x), as with the error reduction of rigid body contacts [CAT11]: a spring of k ~ m/(τ dt) with
// the damping m/dt, which is overdamped where dt is below τ/4.
template <bool Uniform>
struct FindInitialCompression {
    View<const Vec4> x;     // [m] at the start of the substep; w: inverse mass
    View<const Vec4> wall;  // ∇φ_wall [1/m], φ_wall: there and then
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    float kept;          // 1 − dt/τ
    View<float> target;  // written: largest C of this substep [-]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const DensitySums<R> sums = sumDensity(i, x, neighbors, pairs, Vec4T<R>(x[i]), Vec4T<R>(wall[i]));
        put(target, i, R(kept) * max(sums.phi - R(1), R(0)));
    }
};

// First half of an iteration: φ and λ of each particle.
//
// Tried and rejected: warm starting with the λ of the last substep, and clamping the sum of λ over the
// iterations instead of each λ. Both converge faster on calm water, and both tear splashes apart: once a pair
// is pushed beyond its support, no constraint is left to bring it back.
template <bool Uniform>
struct SolveDensityLambda {
    View<const Vec4> xStar;  // [m]; w: inverse mass
    View<const Vec4> wall;   // ∇φ_wall [1/m]; w: φ_wall
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    DensityOptions options;
    View<const float> active;  // of FindLight: only light constraints are solved; empty: all
    View<const float> target;  // of FindInitialCompression; empty: 0
    View<Vec4> xLambda;        // written: x*, λ

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i];
        if constexpr (!Uniform)
            if (active.size > 0 && !any(R(1) < R(active[i]))) return put(xLambda, i, vec4(xyz(xi), R(0)));
        const DensitySums<R> sums = sumDensity(i, xStar, neighbors, pairs, xi, Vec4T<R>(wall[i]));
        R c = sums.phi - R(1);
        if (target.size > 0) c -= R(target[i]);
        const R relaxed = fma(xi.w, dot(sums.gradient, sums.gradient), sums.others) +
                          R(options.epsilon) * xi.w * pairs.filled(i);
        R lambda = options.regularized > 0 ? R(-options.regularized / options.denominator) * c
                                           : select(relaxed > R(0), -c / relaxed, R(0));
        if (!options.bilateral) lambda = min(lambda, pairs.attractionOf(i));
        if constexpr (!Uniform) {
            lambda = select(R(0) < pairs.filled(i), lambda, R(0));
            if (active.size > 0) lambda = select(R(1) < R(active[i]), lambda, R(0));
        }
        put(xLambda, i, vec4(xyz(xi), R(options.omega) * lambda));
    }
};

// [VFX15] 3.3 only requires f and g to be linear. Here f(κ) = 0.03 κ, because liquids no longer separate
// beyond it, and g(κ) = 0.25 κ, which prevents clumping under attraction.
constexpr float kTensileOfAttraction = 0.25f / 0.03f;  // g/f

struct TensileOptions {
    float strength;    // k λ_ref [-·1/(1/(kg m²))]: 0 switches the term off
    float atDistance;  // W(Δq h)/W(0) [-]
    int power;         // n
};

// Second half of an iteration: position deltas, summed and not averaged, so that momentum is conserved.
template <bool Uniform>
struct ApplyDensityDeltas {
    View<const Vec4> xLambda;  // x*, λ
    View<const Vec4> x;        // start of the substep; w: inverse mass
    View<const Vec4> wall;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    TensileOptions tensile;
    View<const float> active;  // as of SolveDensityLambda; without attraction
    View<Vec4> xStar;          // written
    View<Vec4> roundingError;  // [m] of x*, updated; empty: not kept

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xLambda[i];
        const R inverseMass = load4w(i);
        if constexpr (!Uniform)
            if (active.size > 0 && !any(R(0) < R(active[i])))
                return put(xStar, i, vec4(xyz(xi), inverseMass));
        const auto unscaled = pairs.withoutFactors();
        const auto mine = unscaled.of(i);
        Vec3T<R> sum{R(0), R(0), R(0)};

        const auto addPairs = [&] INLINED(auto withTensile) {
            forEachDensityPair(
                i, xLambda, neighbors, unscaled, xi, mine.support, [&] INLINED(const auto& pair) {
                    const PairWeight<R> w = spiky(pair.kernel, pair.r2);
                    R strength = fma(xi.w, pair.volume, pair.xj.w * mine.volume);
                    if constexpr (withTensile) {
                        // (W(r)/W(Δq))^n, up to Δq: of the spiky kernel it grows to 15 within, and two particles
                        // at one place would part by 9 d in one iteration
                        const R ratio = min(w.weight / (R(tensile.atDistance) * pair.kernel.atZero()), R(1));
                        R power = ratio;
                        for (int n = 1; n < tensile.power; ++n) power *= ratio;
                        R pressure = R(0.5f * tensile.strength);
                        if (pairs.attracts())
                            pressure += R(0.25f * kTensileOfAttraction) *
                                        (pairs.attractionOf(i) + pairs.attractionOf(pair.j));
                        strength -= pressure * (mine.volume + pair.volume) * power;
                    }
                    const R push = select(pair.isNeighbor, strength * w.slope, R(0));
                    sum = fma(-push, pair.d, sum);
                });
        };
        // a loop of its own: most liquids have neither
        if (active.size == 0 && (tensile.strength > 0 || pairs.attracts()))
            addPairs(std::true_type());
        else
            addPairs(std::false_type());
        const Vec4T<R> behindWall = wall[i];
        sum = fma(R(pairs.slopeFactor()), sum, xi.w * xyz(behindWall));
        Vec3T<R> delta = inverseMass * sum;
        if constexpr (!Uniform)
            if (active.size > 0) delta = select(R(0) < R(active[i]), delta, Vec3T<R>{R(0), R(0), R(0)});
        if (roundingError.size == 0) return put(xStar, i, vec4(xyz(xi) + delta, inverseMass));
        const Vec4T<R> error = roundingError[i];
        const CompensatedSum<R> moved = addCompensated({xyz(xi), xyz(error)}, delta);
        put(xStar, i, vec4(moved.value, inverseMass));
        put(roundingError, i, vec4(moved.error, error.w));
    }

private:
    template <class I>
    HD RealOf<I> load4w(I i) const {
        const Vec4T<RealOf<I>> start = x[i];
        return start.w;
    }
};

// Sums λ over the iterations of a substep, for the pressure p = −Σλ g / (dt² cell); g: sum that a unit
// gradient gives on the rest lattice (1/gradientScale).
struct SumLambda {
    View<const Vec4> xLambda;
    View<float> sum;  // updated [kg m²]
    HD void operator()(int i) const { sum[i] += xLambda[i].w; }
};

}  // namespace coalesce
