// Forces of gases, and the buoyancy of warm fluids. Gathers in list order. No atomics.
//
//     n_i = Σ_j V_j ∇_iW_ij + ∇_iφ_wall            normal, not normalized: 0 inside      [UPP14] eq. 30
//     dω_i/dt = (ω_i·∇)v + β (n_i × g) − k ω_i     vorticity carried by each particle    [UPP14] eq. 31
//     a_i = s Σ_j V_j (ω_j × x_ij) W_ij            turbulence                            [UPP14] eq. 32
//     a_i = −g β_T (T_i − T₀)                      buoyancy (Boussinesq)
//
// The volumes V_j (in place of m_j/ρ_j, and missing in eq. 32) make β a pure number and s [1/s] the same at
// every resolution. n points into the gas; neighbors of all kinds and walls fill space, so that n vanishes
// there.
#pragma once

#include "kernels/fluid/density_pairs.h"

namespace coalesce {

// The inertia of a light fluid depends on fluid.massRatio, which may change: see inertialDensity.
struct SetVirtualMass {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> x;  // w: updated [1/kg]
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (m.virtualMass != 0 && x[i].w != 0) x[i].w = m.inverseMass;
    }
};

struct ApplyBuoyancy {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> temperature;  // updated
    View<Vec4> v;             // [m/s] updated
    Vec3 gravity;             // [m/s²]
    float ambient;            // T₀
    float dt;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (m.thermalExpansion == 0 && m.cooling == 0) return;
        const float excess = (temperature[i] - ambient) / (1 + dt * m.cooling);
        temperature[i] = ambient + excess;
        if (x[i].w == 0) return;
        v[i] = vec4(fma(-dt * m.thermalExpansion * excess, gravity, xyz(v[i])), v[i].w);
    }
};

// Vorticity at the end of a substep, limited to one radian per substep.
template <bool Uniform>
struct AdvanceVorticity {
    View<const Vec4> x, v;
    View<const Vec4> wall;  // ∇φ_wall [1/m]
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> vorticity;  // ω [1/s] updated
    Vec3 gravity;          // [m/s²]
    float dt;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (m.turbulence == 0) {
            vorticity[i] = {0, 0, 0, 0};
            return;
        }
        const auto mine = pairs.of(i);
        const Vec3 omega = xyz(vorticity[i]);
        Vec3 normal = xyz(wall[i]), stretch{0, 0, 0};
        forEachDensityPair(i, x, neighbors, pairs, x[i], mine.support, [&] INLINED(const auto& pair) {
            // ∇_iW = −slope d
            const float slope = pair.volume * spiky(pair.kernel, pair.r2).slope;
            normal -= slope * pair.d;
            stretch -= slope * dot(omega, pair.d) * (xyz(v[pair.j]) - xyz(v[i]));
        });
        stretch = mine.gradientScale * stretch;
        Vec3 next = omega + dt * (stretch + m.baroclinity * cross(normal, gravity));
        next = 1 / (1 + dt * m.vorticityDecay) * next;
        const float turn = dt * length(next);  // [rad]
        vorticity[i] = vec4(turn > 1 ? 1 / turn * next : next, 0.0f);
    }
};

template <bool Uniform>
struct ApplyTurbulence {
    View<const Vec4> x, vorticity;
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> v;  // updated
    float dt;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (m.turbulence == 0 || x[i].w == 0) return;
        Vec3 sum{0, 0, 0};
        forEachDensityPair(i, x, neighbors, pairs, x[i], pairs.of(i).support, [&] INLINED(const auto& pair) {
            const float weight = pair.volume * spiky(pair.kernel, pair.r2).weight;
            sum += weight * cross(xyz(vorticity[pair.j]), pair.d);
        });
        v[i] = vec4(fma(dt * m.turbulence, sum, xyz(v[i])), v[i].w);
    }
};

}  // namespace coalesce
