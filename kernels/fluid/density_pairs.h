// The pair loop that the kernels of fluids share, and the sums of the density constraint.
#pragma once

#include "kernels/fluid/pair_traits.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// A particle i and a neighbor j. R: float, or lanes of it; Index, Mask: accordingly.
template <class R, class Index, class Mask>
struct DensityPair {
    Mask isNeighbor;  // lanes with fewer neighbors take part with values that must not count
    Index j;
    Vec4T<R> xj;           // [m] position of j; w as in the array
    Vec3T<R> d;            // [m] x_i − x_j
    R r2;                  // [m²] |d|²
    R volume;              // [m³] V_j
    SmoothingT<R> kernel;  // W of support h_ij
};

// visit(pair) for every neighbor of i, in list order. xi: its position, support: its h.
template <bool Uniform, class I, class Visit>
HD void forEachDensityPair(I i, View<const Vec4> x, const NeighborLists& neighbors,
                           const PairTraits<Uniform>& pairs, const Vec4T<RealOf<I>>& xi, RealOf<I> support,
                           Visit&& visit) {
    using R = RealOf<I>;
    neighbors.forEach<Uniform ? 4 : 1>(i, [&] INLINED(auto j, auto isNeighbor) {
        const Vec4T<R> xj = x[j];
        const auto theirs = pairs.of(j);
        const Vec3T<R> d = xyz(xi) - xyz(xj);
        visit(DensityPair<R, decltype(j), decltype(isNeighbor)>{
            isNeighbor, j, xj, d, dot(d, d), theirs.volume, pairs.pairKernel(support, theirs.support)});
    });
}

//     φ_i = Σ_j V_j W(x_ij, h_ij) + φ_wall,   ∇_iC_i = Σ_j V_j ∇_iW_ij + ∇_iφ_wall
template <class R>
struct DensitySums {
    R phi;
    Vec3T<R> gradient;  // ∇_iC_i [1/m]
    R others;           // Σ_k w_k |∇_kC_i|², k ≠ i [1/(kg m²)]
};

// behindWall: ∇φ_wall, φ_wall. x: w: inverse masses.
template <bool Uniform, class I>
HD DensitySums<RealOf<I>> sumDensity(I i, View<const Vec4> x, const NeighborLists& neighbors,
                                     const PairTraits<Uniform>& pairs, const Vec4T<RealOf<I>>& xi,
                                     const Vec4T<RealOf<I>>& behindWall) {
    using R = RealOf<I>;
    const auto mine = pairs.of(i);
    const auto unscaled = pairs.withoutFactors();
    DensitySums<R> sums{R(0), {R(0), R(0), R(0)}, R(0)};
    forEachDensityPair(i, x, neighbors, unscaled, xi, mine.support, [&] INLINED(const auto& pair) {
        const PairWeight<R> w = spiky(pair.kernel, pair.r2);
        const R factor = pair.volume * pair.kernel.weight * (w.a * w.a);  // V W = factor · a
        const R slope = select(pair.isNeighbor, pair.volume * w.slope, R(0));
        sums.phi = fma(select(pair.isNeighbor, factor, R(0)), w.a, sums.phi);
        sums.gradient = fma(-slope, pair.d, sums.gradient);
        sums.others = fma(pair.xj.w * (slope * slope), pair.r2, sums.others);
    });
    // the particle itself, and the contribution of walls
    const SmoothingT<R> own = pairs.pairKernel(mine.support, mine.support);
    const R weight(pairs.weightFactor()), slope(pairs.slopeFactor());
    return {fma(weight, sums.phi, fma(mine.volume, own.atZero(), behindWall.w)),
            fma(slope, sums.gradient, xyz(behindWall)), (slope * slope) * sums.others};
}

}  // namespace coalesce
