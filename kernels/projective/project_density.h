// Density constraints of liquids in projective dynamics [PF16].
//
//     g(x) = Σ_k m_k/(2 dt²) |x_k − s_k|² + Σ_i w_i/2 Σ_k |x_k − p_ik|²/μ_ik                         eq. 4
//     local step    p_i: the point nearest to x with C_i(p_i) = 0, where C_i(x) > 0; else p_i = x    3.3
//     global step   ∇g(x) = 0 for fixed p_i
//
// μ_ik = m_i/m_k: the copies are weighted by their masses, D = M^½. The paper has D = I, which is the same in
// a single liquid. C_i and its gradient are those of density_constraint.h. The directions ∇_kC_i are frozen
// at x, and only
//     p_ik = x_k − λ_i μ_ik ∇_kC_i(x),   λ_i from C_i(p_i(λ)) = 0 by Newton's method
// has to be found: one number per constraint instead of a private copy of every neighbor. Against directions
// that follow the copies the projected points differ by 0.1 % of a spacing where the liquid is 3 % too dense.
//
// The weight w_i = K V |∇C|² of a filled neighborhood gives a particle that is compressed by C the energy
// ½ K V C², V: its cell, K: bulk modulus. The matrix of the global step is diagonal ([PF16] 3.4),
//     m_k (1/dt² + Σ_{i∋k} w_i/m_i),
// and one step closes about 1/n of the error, n: constraints of the particle. The step is over-relaxed by
// ω = `relaxation` n, where the diagonal still bounds the curvature of the constraints, and accelerated over
// the rounds by Chebyshev's method [WAN15]:
//     x_k += r_k⁻¹ [(s_k − x_k) + dt²/m_k Σ_{i∋k} F_ik],   F_ik = −w_i λ_i ∇_kC_i
//     r_k = 1 + dt²/ω Σ_{i∋k} w_i/m_i
// Differs from the paper: ω; the paper's x_k is ω = 1 and needs hundreds of rounds.
//
// Momentum: the forces F_ik of a constraint add up to zero, and r_k is the same for every particle that
// touches liquid of one material, whatever its own mass (for those of bodies see PushRows). So
// every round conserves momentum, and a body in a liquid floats even if the rounds end long before convergence.
// Where two liquids touch, r_k is their mean.
//
// Λ_i = −dt² w_i λ_i [kg m²] is stored: the λ of density_constraint.h. All kernels are gathers in list order.
// No atomics.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/contact/wall_impulses.h"
#include "kernels/fluid/density_pairs.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

// Weights of the density constraints; constants if all particles are of one liquid.
template <bool Uniform>
struct DensityWeights;

template <>
struct DensityWeights<true> {
    float weight;  // dt² w_i [kg]
    float ratio;   // dt² w_i/m_i [-]
    template <class I>
    HD RealOf<I> of(I) const {
        return RealOf<I>(weight);
    }
    template <class I>
    HD RealOf<I> ratioOf(I) const {
        return RealOf<I>(ratio);
    }
    // μ of a neighbor of inverse mass w
    template <class I>
    struct Mobility {
        HD RealOf<I> operator()(RealOf<I>) const { return RealOf<I>(1); }
    };
    template <class I>
    HD Mobility<I> mobility(I) const {
        return {};
    }
};

template <>
struct DensityWeights<false> {
    View<const float> weight, ratio;  // by slot; 0: grains and bodies
    template <class I>
    HD RealOf<I> of(I i) const {
        return weight[i];
    }
    template <class I>
    HD RealOf<I> ratioOf(I i) const {
        return ratio[i];
    }
    template <class I>
    struct Mobility {
        RealOf<I> mass;  // m_i
        HD RealOf<I> operator()(RealOf<I> w) const { return mass * w; }
    };
    template <class I>
    HD Mobility<I> mobility(I i) const {
        using R = RealOf<I>;
        const R own = ratio[i];
        return {weight[i] / select(R(0) < own, own, R(1))};
    }
};

struct GatherDensityWeights {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> weight;  // [kg] written
    View<float> ratio;   // [-] written
    float dt2;           // [s²]
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        weight[i] = dt2 * m.densityWeight;
        ratio[i] = weight[i] * m.inverseMass;
    }
};

// Local step: Λ of each particle.
template <bool Uniform>
struct ProjectDensity {
    View<const Vec4> xStar;  // [m]; w: inverse mass
    View<const Vec4> wall;   // ∇φ_wall [1/m]; w: φ_wall
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    DensityWeights<Uniform> weights;
    int newtonSteps;
    float tolerance;     // of |C|
    View<Vec4> xLambda;  // written: x*, Λ
    View<float> error;   // written: C⁺; empty: not wanted
    View<float> energy;  // written: dt² ½ w λ² Σ μ|∇C|² [kg m²]; empty: not wanted

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], behindWall = wall[i];
        const auto mine = pairs.of(i);
        const R weight = weights.of(i);
        const auto liquid = R(0) < weight;
        const auto mobility = weights.mobility(i);
        KeptPair<R> kept[kKept > 0 ? kKept : 1];

        // C and its gradients at x; the linear step
        const SmoothingT<R> own = pairs.pairKernel(mine.support, mine.support);
        R c = fma(mine.volume, own.atZero(), behindWall.w) - R(1);
        Vec3T<R> gradient = xyz(behindWall);
        R squares = R(0);  // Σ_k μ_k |∇_kC|², k ≠ i
        int visited = 0;
        forEachDensityPair(i, xStar, neighbors, pairs, xi, mine.support, [&] INLINED(const auto& pair) {
            const PairWeight<R> w = spiky(pair.kernel, pair.r2);
            const R steep = pair.volume * w.slope, slope = select(pair.isNeighbor, steep, R(0));
            c += select(pair.isNeighbor, pair.volume * w.weight, R(0));
            gradient = fma(-slope, pair.d, gradient);
            squares = fma(mobility(pair.xj.w) * (slope * slope), pair.r2, squares);
            if constexpr (kKept > 0)
                if (visited < kKept) kept[visited] = {pair.d, steep};
            ++visited;
        });
        squares =
            fma(gradient.x, gradient.x, fma(gradient.y, gradient.y, fma(gradient.z, gradient.z, squares)));
        const auto active = liquid & (R(0) < c) & (R(0) < squares);
        const R linear = select(active, c / select(active, squares, R(1)), R(0));
        R lambda = linear;
        if (error.size > 0) put(error, i, select(liquid & (R(0) < c), c, R(0)));

        // Newton along the frozen gradients:  p_i − p_j = d − λ (∇_iC − μ_j ∇_jC),  ∇_jC = V_j slope d
        auto moves = active;
        for (int step = 0; step < newtonSteps && any(moves); ++step) {
            R value = fma(mine.volume, own.atZero(), behindWall.w) - R(1);
            const R alongWall = dot(xyz(behindWall), gradient);
            value -= lambda * alongWall;
            R derivative = -alongWall;
            const auto follow = [&] INLINED(auto isNeighbor, const Vec3T<R>& d, R share, R volume,
                                            const SmoothingT<R>& kernel) {
                const Vec3T<R> way = share * d - gradient;  // of p_i − p_j per λ
                const Vec3T<R> p = fma(lambda, way, d);
                const PairWeight<R> w = spiky(kernel, dot(p, p));
                value += select(isNeighbor, volume * w.weight, R(0));
                derivative -= select(isNeighbor, volume * w.slope * dot(p, way), R(0));
            };
            if (visited <= kKept) {
                const auto length = neighbors.count[i];
                for (int k = 0; k < visited; ++k)
                    follow(k < length, kept[k].d, kept[k].slope, mine.volume, own);
            } else {
                forEachDensityPair(i, xStar, neighbors, pairs, xi, mine.support,
                                   [&] INLINED(const auto& pair) {
                                       const R slope = pair.volume * spiky(pair.kernel, pair.r2).slope;
                                       follow(pair.isNeighbor, pair.d, mobility(pair.xj.w) * slope,
                                              pair.volume, pair.kernel);
                                   });
            }
            moves = moves & (R(tolerance) < max(value, -value)) & (derivative < R(0));
            // no farther than four linear steps: coincident particles have no useful derivative
            const R next = lambda - value / select(moves, derivative, R(1));
            lambda = select(moves, clamp(next, R(0), R(4) * linear), lambda);
        }
        put(xLambda, i, vec4(xyz(xi), -weight * lambda));
        if (energy.size > 0) put(energy, i, R(0.5f) * weight * lambda * lambda * squares);
    }

private:
    // What Newton's steps need of a neighbor. In a single liquid the CPU keeps it in the
    // first-level cache, 256 bytes for sixteen particles; CUDA has no room for it, and several
    // liquids need too much. These compute it again.
    template <class R>
    struct KeptPair {
        Vec3T<R> d;  // [m]
        R slope;     // V slope [1/m²]
    };
#ifdef __CUDA_ARCH__
    static constexpr int kKept = 0;
#else
    static constexpr int kKept = Uniform ? 64 : 0;
#endif
};

// Global step of rows with a diagonal matrix: the step of every particle.
template <bool Uniform>
struct DescendDensity {
    View<const Vec4> xLambda;  // [m] x*, Λ
    View<const Vec4> target;   // [m] s; w: inverse mass
    View<const Vec4> wall;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    DensityWeights<Uniform> weights;
    float relaxation;        // ω = relaxation n
    float chebyshev;         // weight of this round, see chebyshevWeight; 1: none
    View<Vec4> previous;     // [m] x* of the round before; updated
    View<Vec4> step;         // [m] written: −∇g dt²/m; w: 0; empty: there are no rows of bodies
    View<float> resistance;  // [-] written: r
    View<Vec4> xStar;        // written

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xLambda[i], s = target[i], behindWall = wall[i];
        const auto unscaled = pairs.withoutFactors();
        const auto mine = unscaled.of(i);
        const R own = weights.ratioOf(i);
        const R none = R(0), one = R(1);
        R total = own, constraints = select(none < own, one, none);
        Vec3T<R> sum{none, none, none};

        forEachDensityPair(i, xLambda, neighbors, unscaled, xi, mine.support, [&] INLINED(const auto& pair) {
            const R ratio = select(pair.isNeighbor, weights.ratioOf(pair.j), none);
            total += ratio;
            constraints += select(none < ratio, one, none);
            const PairWeight<R> w = spiky(pair.kernel, pair.r2);
            const R strength = fma(xi.w, pair.volume, pair.xj.w * mine.volume);
            sum = fma(-select(pair.isNeighbor, strength * w.slope, none), pair.d, sum);
        });
        sum = fma(R(pairs.slopeFactor()), sum, xi.w * xyz(behindWall));

        const R r = one + total / max(one, constraints) * R(1 / relaxation);
        const Vec3T<R> pull = fma(s.w, sum, xyz(s) - xyz(xi));
        if (step.size > 0) put(step, i, vec4(pull, none));
        put(resistance, i, r);

        const Vec4T<R> before = previous[i];
        put(previous, i, vec4(xyz(xi), none));
        Vec3T<R> moved = fma(one / r, pull, xyz(xi));
        // particles without density constraints have no error to accelerate
        moved = fma(select(none < total, R(chebyshev - 1), none), moved - xyz(before), moved);
        const auto held = none < s.w;
        put(xStar, i, vec4(select(held, moved, xyz(xi)), s.w));
    }
};

// The same in a world without liquids: x* = s, and bodies continue from x*.
struct DescendInertia {
    View<const Vec4> target;  // [m] s; w: inverse mass
    View<Vec4> xLambda;       // [m] written: x*, 0
    View<Vec4> step;          // [m] written; empty: there are no rows of bodies
    View<Vec4> xStar;         // updated
    HD void operator()(int i) const {
        const Vec4 s = target[i], x = xStar[i];
        xLambda[i] = vec4(xyz(x), 0.0f);
        if (step.size > 0) step[i] = vec4(xyz(s) - xyz(x), 0.0f);
        if (s.w > 0) xStar[i] = s;
    }
};

// A contact changes momentum: what it has moved, it has moved for all rounds of the substep. Shapes only
// limit the positions of liquids (projected gradient), because a share of their push would never be given
// back when a later round needs less.
struct ShiftTarget {
    View<const Vec4> before;  // [m] x* before contacts
    View<const Vec4> xStar;   // [m] after them
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    bool liquids;       // also shifts liquids
    View<Vec4> target;  // [m] s; updated
    // [m] x* of the round before: with it an impulse is not extrapolated; updated; empty: there is no liquid
    View<Vec4> previous;
    HD void operator()(int i) const {
        if (!liquids && materials[materialOf(phase[i])].fluid) return;
        const Vec4 s = target[i];
        const Vec3 moved = xyz(xStar[i]) - xyz(before[i]);
        target[i] = vec4(xyz(s) + moved, s.w);
        if (previous.size > 0) previous[i] = vec4(xyz(previous[i]) + moved, 0.0f);
    }
};

// Impulses of shapes on liquids: m times the displacement that a contact has caused by the end of a round,
//     A ← A + (ω − 1)(A − A_before) + ω (P − A)/r,   P: dt² times the density constraint's force on the wall
// The global step moves what a contact gave as it moves x, by Chebyshev's extrapolation and back towards s.
// The displacement of the contacts of this round is added by SolveShapeContacts.
struct CarryWallImpulses {
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const float> resistance;  // by slot: r
    View<const Vec4> xLambda;      // w: Λ
    WallImpulses wallImpulses;
    float chebyshev;                // ω of the round
    View<Vec3> before;              // [kg m] by contact; updated
    View<Vec3> accumulatedImpulse;  // [kg m] by contact: A; updated

    HD void operator()(int i) const {
        if (!materials[materialOf(phase[i])].fluid) return;
        const float share = chebyshev / resistance[i];
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 now = accumulatedImpulse[k];
            const Vec3 toWall = wallImpulses.of(i, k, xyz(contacts.planes[k]), xLambda[i].w);
            accumulatedImpulse[k] = now + (chebyshev - 1) * (now - before[k]) + share * (toWall - now);
            before[k] = now;
        }
    }
};

// Multipliers of the forces that have moved the liquid by the end of a round:
//     S ← S + (ω − 1)(S − S_before) + ω (Λ − S)/r
// as DescendDensity moves x. Before convergence the Λ of the last round is not in balance
// with the weight: x is the result of all rounds.
struct CarryLambda {
    View<const Vec4> xLambda;      // w: Λ
    View<const float> resistance;  // by slot: r
    float chebyshev;               // ω of the round
    View<float> before;            // [kg m²] S of the round before; updated
    View<float> sum;               // [kg m²] S; updated

    HD void operator()(int i) const {
        const float now = sum[i];
        sum[i] = now + (chebyshev - 1) * (now - before[i]) + chebyshev / resistance[i] * (xLambda[i].w - now);
        before[i] = now;
    }
};

// Weight ω of a round in the Chebyshev acceleration  x ← ω (x̂ − x_{k−1}) + x_{k−1}  with spectral radius ρ,
// which begins in round 3 of 0, 1, …  `last`: weight of the round before. [WAN15] Algorithm 1
inline float chebyshevWeight(float rho, int round, float last) {
    constexpr int kFirst = 3;
    if (rho <= 0 || round < kFirst) return 1;
    return round == kFirst ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * last);
}

}  // namespace coalesce
