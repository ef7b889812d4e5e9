// Aerodynamic drag and lift on cloth triangles, each a thin airfoil.  [KKWS04]
//
//     u = v_wind − v_tri,  n oriented so that n·u ≥ 0,  k = ½ ρ A (n·u)
//     F = k (c_D u + c_L |u| n_⊥),   n_⊥ = n − (n·û) û
//
// n_⊥ is not normalized: lift ∝ sin α cos α vanishes at zero angle of attack and face-on, where its direction
// would jump. With c_D = c_L the force is along n, as on a flat plate. Each vertex receives a third.
//
// Stable at any time step: drag is implicit, and lift never adds kinetic energy relative to the air. A vertex
// belongs to several triangles; each uses only its share of the vertex mass ([TBV12]).
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/math/fixed_point_sum.h"
#include "kernels/motion/force_field.h"

namespace coalesce {

// Impulse [kg m/s] of the air on a triangle. normal: unit; u: relative wind [m/s]; uFree: u including the
// gravity of this substep, so that the terminal speed does not depend on dt; w: effective inverse mass of the
// whole triangle [1/kg].
HD Vec3 airImpulse(Vec3 normal, float area, Vec3 u, Vec3 uFree, float w, float density, float drag,
                   float lift, float dt) {
    const float speed2 = dot(u, u);
    if (!(speed2 > 1e-20f) || !(w > 0)) return {0, 0, 0};
    const float speed = sqrt(speed2);
    Vec3 n = normal;
    if (dot(n, u) < 0) n = -n;
    const float across = dot(n, u);                        // n·u [m/s]
    const float k = dt * 0.5f * density * area * across;   // [kg]
    const Vec3 lifted = speed * n - (across / speed) * u;  // |u| n_⊥
    const float bounded = 1 / (1 + dt * 0.5f * density * area * lift * speed * w);
    Vec3 impulse = 1 / (1 + k * drag * w) * (k * drag * uFree + (k * lift * bounded) * lifted);
    // lift rotates the relative wind and does no work on it: remove any energy gain |u − w J|² − |u|²
    const float before2 = dot(uFree, uFree);
    const float energyGain = w * fma(w, dot(impulse, impulse), -2 * dot(uFree, impulse));
    if (energyGain > 0) {
        const float after2 = before2 + energyGain, share = sqrt(before2 / after2);
        impulse = fma(share, impulse, energyGain / (after2 * (1 + share) * w) * uFree);
    }
    return impulse;
}

struct AccumulateAirImpulses {
    View<const ClothTriangle> triangles;
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const uint32_t> share;   // by row: triangles that share the particle
    View<const Vec4> x;           // [m]; w: inverse mass
    View<const Vec4> v;           // [m/s]
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    FixedPointSums change;  // [m/s] added to, by row
    ForceFields fields;
    Vec3 gravity;   // [m/s²]
    float density;  // ρ [kg/m³]
    float dt;

    HD void operator()(int i) const {
        const ClothTriangle t = triangles[i];
        if (t.material & kCut) return;
        const MaterialConstants& m = materials[t.material];
        if (!(m.drag > 0 || m.lift > 0)) return;
        const uint32_t a = slotOf[t.a], b = slotOf[t.b], c = slotOf[t.c];
        if (a == kNoSlot || b == kNoSlot || c == kNoSlot) return;
        const Vec4 xa = x[a], xb = x[b], xc = x[c];
        const Vec3 twice = cross(xyz(xb) - xyz(xa), xyz(xc) - xyz(xa));  // 2 A n
        const float size = length(twice);
        if (!(size > 1e-20f)) return;
        const auto part = [&](uint32_t row) { return toFloat(static_cast<int>(share[row])); };
        // each vertex receives J/3 against its share of the mass; v_tri is the mean of the three
        const float w = (1.0f / 9) * fma(part(t.a), xa.w, fma(part(t.b), xb.w, part(t.c) * xc.w));
        const uint32_t mask = m.forceFieldMask | groups[groupOf(phase[a])].forceFieldMask;
        const Vec3 middle = (1.0f / 3) * (xyz(xa) + xyz(xb) + xyz(xc));
        const Vec3 u = fields.wind(middle, mask) - (1.0f / 3) * (xyz(v[a]) + xyz(v[b]) + xyz(v[c]));
        const Vec3 uFree = fma(-dt * m.gravityScale, gravity, u);
        const Vec3 third =
            (1.0f / 3) * airImpulse(1 / size * twice, 0.5f * size, u, uFree, w, density, m.drag, m.lift, dt);
        if (xa.w > 0) change.add(t.a, xa.w * third);
        if (xb.w > 0) change.add(t.b, xb.w * third);
        if (xc.w > 0) change.add(t.c, xc.w * third);
    }
};

// Adds the summed triangle impulses to the vertex velocities.
struct ApplyAirImpulses {
    View<const uint32_t> slotOf;
    FixedPointSums change;
    View<Vec4> v;  // [m/s] updated
    HD void operator()(int row) const {
        const Vec3 d = change.take(static_cast<size_t>(row));
        const uint32_t slot = slotOf[row];
        if (slot != kNoSlot) v[slot] = vec4(xyz(v[slot]) + d, v[slot].w);
    }
};

}  // namespace coalesce
