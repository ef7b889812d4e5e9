// Diffusion of a particle attribute in liquids, explicit in time.
//
//     ∂c/∂t = ∇·(D ∇c)
//     c_i' = c_i + 2 Δt Σ_j D_ij V_j (c_j − c_i) (x_ij · (−∇W_ij)) / |x_ij|²          [CM99] eq. 27
//
// with the harmonic mean D_ij = 2 D_i D_j / (D_i + D_j), so that nothing flows into a material with D = 0,
// and D_i times the gradient scale of its material, which makes the sum exact for a quadratic c on a filled
// lattice. The exchange is antisymmetric: Σ V c is conserved to rounding. Free surfaces and walls are
// insulating, because there are no particles beyond them.
//
// Gathers in list order, written for lanes. No atomics.
#pragma once

#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Smallest distance of a pair in the exchange, as a share of the support: coincident particles would
// otherwise make the sum, and with it the required number of passes, unbounded.
constexpr float kNearestExchange = 0.25f;

struct GatherDiffusivity {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const float> diffusivity;  // [m²/s] by material, includes the gradient scale; 0: no diffusion
    View<Vec4> traits;              // written: D [m²/s], h [m], V [m³]
    HD void operator()(int i) const {
        const uint32_t material = materialOf(phase[i]);
        const MaterialConstants& m = materials[material];
        traits[i] = {diffusivity[material], m.support, m.volume, 0};
    }
};

// One pass. T: float, or Vec4 whose w is unused.
template <class T>
struct Diffuse {
    View<const Vec4> x;       // [m]
    View<const Vec4> traits;  // GatherDiffusivity
    NeighborLists neighbors;
    View<const T> value;
    View<T> valueNew;  // written
    float dt;          // of the pass [s]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], mine = traits[i];
        const auto own = load<R>(i);
        auto sum = own - own;
        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = x[j], theirs = traits[j];
            const R h = R(0.5f) * (mine.y + theirs.y), nearest = R(kNearestExchange) * h;
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R slope = spiky(smoothing(h), max(dot(d, d), nearest * nearest)).slope;
            const R total = mine.x + theirs.x;
            const R mean = mine.x * theirs.x / select(R(0.0f) < total, total, R(1.0f));
            const R share = select(isNeighbor, mean * theirs.z * slope, R(0.0f));
            sum += share * (load<R>(j) - own);
        }
        // factor 2 of the Laplacian, factor 2 of the harmonic mean
        const auto changed = own + R(4.0f * dt) * sum;
        if constexpr (sizeof(T) == sizeof(float))
            put(valueNew, i, changed);
        else
            put(valueNew, i, vec4(changed, R(0.0f)));
    }

private:
    template <class R, class I>
    HD auto load(I i) const {
        if constexpr (sizeof(T) == sizeof(float)) {
            return R(value[i]);
        } else {
            const Vec4T<R> a = value[i];
            return xyz(a);
        }
    }
};

}  // namespace coalesce
