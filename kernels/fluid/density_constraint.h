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
// addition: see WallTerm.
//
// All kernels here are gathers in list order, written for lanes. Uniform: all materials share one spacing and
// support, so that the pair loop needs constants only. Promise: cpu = gpu; no atomics.
#pragma once

#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Per-particle input of a pair loop besides positions; constants if Uniform, else gathered.
template <bool Uniform>
struct PairTraits;

template <>
struct PairTraits<true> {
    float support, volume, viscosity, gradientScale;

    template <class R>
    struct Of {
        R support, volume, viscosity, gradientScale;
    };
    template <class I>
    HD Of<RealOf<I>> of(I) const {
        return {RealOf<I>(support), RealOf<I>(volume), RealOf<I>(viscosity), RealOf<I>(gradientScale)};
    }
    float filledGradients;  // Σ_k |∇_kC|² of a filled neighborhood [1/m²]
    template <class I>
    HD RealOf<I> filled(I) const {
        return RealOf<I>(filledGradients);
    }
    float attraction = 0;  // f(κ) λ_filled [kg m²]
    HD bool attracts() const { return attraction > 0; }
    template <class I>
    HD RealOf<I> attractionOf(I) const {
        return RealOf<I>(attraction);
    }
    Smoothing kernel;
    template <class R>
    HD SmoothingT<R> pairKernel(R, R) const {
        return {R(kernel.inverseH2), R(kernel.weight), R(kernel.slope)};
    }
};

template <>
struct PairTraits<false> {
    View<const Vec4>
        traits;  // per particle: h [m], V [m³], XSPH share per pass · m/V [kg/m³], gradient scale [-]

    template <class R>
    struct Of {
        R support, volume, viscosity, gradientScale;
    };
    template <class I>
    HD Of<RealOf<I>> of(I i) const {
        const Vec4T<RealOf<I>> t = traits[i];
        return {t.x, t.y, t.z, t.w};
    }
    View<const float> filledGradients;
    template <class I>
    HD RealOf<I> filled(I i) const {
        return filledGradients[i];
    }
    View<const float> attraction;  // f(κ) λ_filled [kg m²]; empty: no material has any
    HD bool attracts() const { return attraction.size > 0; }
    template <class I>
    HD RealOf<I> attractionOf(I i) const {
        return attraction.size > 0 ? RealOf<I>(attraction[i]) : RealOf<I>(0);
    }
    template <class R>
    HD SmoothingT<R> pairKernel(R hi, R hj) const {
        return smoothing(R(0.5f) * (hi + hj));
    }
};

struct GatherTraits {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    View<Vec4> traits;            // written
    View<float> filledGradients;  // written
    View<float> attraction;       // written; empty: not needed
    float viscosityPasses;
    float solidDensity;  // s, [UPP14] eq. 27
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        // solids contribute to the density of liquids and have none of their own: marked by negative values
        const bool solid = m.fluid == 0;
        const float volume = solid ? solidDensity * groups[groupOf(phase[i])].volume * m.volume : m.volume;
        traits[i] = {m.support, volume,
                     solid ? -1.0f : m.viscosity / viscosityPasses / (m.inverseMass * m.volume),
                     m.gradientScale};
        filledGradients[i] = solid ? -1.0f : m.denominator / m.inverseMass;
        if (attraction.size > 0) attraction[i] = m.attraction;
    }
};

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
    View<Vec4> xLambda;  // written: x*, λ

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i];
        const auto mine = pairs.of(i);
        const Vec4T<R> behindWall = wall[i];

        // the particle itself, and the contribution of walls
        const SmoothingT<R> own = pairs.pairKernel(mine.support, mine.support);
        R phi = fma(mine.volume, own.weight, behindWall.w);
        Vec3T<R> gradient = xyz(behindWall);
        R others = R(0);  // Σ_k w_k |∇_kC|²

        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = xStar[j];
            const auto theirs = pairs.of(j);
            const SmoothingT<R> kernel = pairs.pairKernel(mine.support, theirs.support);

            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R r2 = dot(d, d);
            const PairWeight<R> w = spiky(kernel, r2);
            const R slope = select(isNeighbor, theirs.volume * w.slope, R(0));
            phi += select(isNeighbor, theirs.volume * w.weight, R(0));
            gradient -= slope * d;
            others = fma(xj.w * (slope * slope), r2, others);
        }

        const R c = phi - R(1);
        const R relaxed =
            fma(xi.w, dot(gradient, gradient), others) + R(options.epsilon) * xi.w * pairs.filled(i);
        R lambda = options.regularized > 0 ? R(-options.regularized / options.denominator) * c
                                           : select(relaxed > R(0), -c / relaxed, R(0));
        if (!options.bilateral) lambda = min(lambda, pairs.attractionOf(i));
        if constexpr (!Uniform) lambda = select(R(0) < pairs.filled(i), lambda, R(0));
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
    View<Vec4> xStar;  // written

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xLambda[i];
        const R inverseMass = load4w(i);
        const auto mine = pairs.of(i);
        Vec3T<R> sum = xi.w * xyz(Vec4T<R>(wall[i]));

        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = xLambda[j];
            const auto theirs = pairs.of(j);
            const SmoothingT<R> kernel = pairs.pairKernel(mine.support, theirs.support);

            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const PairWeight<R> w = spiky(kernel, dot(d, d));
            R strength = fma(xi.w, theirs.volume, xj.w * mine.volume);
            if (tensile.strength > 0 || pairs.attracts()) {
                // (W(r)/W(Δq))^n
                const R ratio = w.weight / (R(tensile.atDistance) * kernel.weight);
                R power = ratio;
                for (int n = 1; n < tensile.power; ++n) power *= ratio;
                R pressure = R(0.5f * tensile.strength);
                if (pairs.attracts())
                    pressure +=
                        R(0.25f * kTensileOfAttraction) * (pairs.attractionOf(i) + pairs.attractionOf(j));
                strength -= pressure * (mine.volume + theirs.volume) * power;
            }
            const R push = select(isNeighbor, strength * w.slope, R(0));
            sum -= push * d;
        }
        const Vec3T<R> moved = fma(inverseMass, sum, xyz(xi));
        put(xStar, i, vec4(moved, inverseMass));
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
        R phi = fma(mine.volume, own.weight, behindWall.w);
        Vec3T<R> sum{R(0), R(0), R(0)};

        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = x[j], vj = v[j];
            const auto theirs = pairs.of(j);
            const SmoothingT<R> kernel = pairs.pairKernel(mine.support, theirs.support);

            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R share = select(isNeighbor, theirs.volume * spiky(kernel, dot(d, d)).weight, R(0));
            phi += share;
            sum += blendOf(mine.viscosity, theirs.viscosity, share) * (xyz(vj) - xyz(vi));
        }
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
