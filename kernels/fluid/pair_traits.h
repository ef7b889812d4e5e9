// Per-particle input of the pair loops of liquids. Uniform: all materials share one spacing and support, so
// that pair loops need constants only.
#pragma once

#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

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
        return {R(kernel.minusHalfOverH2), R(kernel.weight), R(kernel.slope)};
    }
    // Every pair has the factors V, that of W and that of its slope. A loop over pairs leaves them out, and
    // multiplies its sum by their product: of weights, or of slopes. Volumes and factors of `withoutFactors` are 1.
    HD PairTraits withoutFactors() const {
        PairTraits pairs = *this;
        pairs.volume = pairs.kernel.weight = pairs.kernel.slope = 1;
        return pairs;
    }
    HD float weightFactor() const { return volume * kernel.weight; }
    HD float slopeFactor() const { return volume * kernel.slope; }
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
    HD PairTraits withoutFactors() const { return *this; }
    HD float weightFactor() const { return 1; }
    HD float slopeFactor() const { return 1; }
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
    bool dropsApart;     // method velocity: see splash.h
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        // solids contribute to the density of liquids and have none of their own: marked by negative values.
        // So are drops, which do not contribute either.
        const bool drop = dropsApart && (phase[i] & kDrop) != 0, solid = m.fluid == 0 || drop;
        float volume = solid ? solidDensity * groups[groupOf(phase[i])].volume * m.volume : m.volume;
        if (drop) volume = 0;
        traits[i] = {m.support, volume,
                     solid ? -1.0f : m.viscosity / viscosityPasses / (m.inverseMass * m.volume),
                     m.gradientScale};
        filledGradients[i] = solid ? -1.0f : m.denominator / m.inverseMass;
        if (attraction.size > 0) attraction[i] = m.attraction;
    }
};

}  // namespace coalesce
