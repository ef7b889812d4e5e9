// Force fields, and wind with gusts.
//
//     a(x) = Σ_k s_k f_k(q) e_k(x),   q = r/R,   f = 1 + c₁ q + c₂ q² + c₃ q³ below q = 1, b/q² from there on
//
// e: direction of the field: constant, away from its center, or around its axis; r: distance from the center,
// or from the axis for fields around it. The wind velocity is a sum of the same form plus gusts.
#pragma once

#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

constexpr int kMaxForceFields = 32;  // one bit each in the masks of materials and groups

enum class Course : int32_t { along, outward, around };

// Constants of a force field in kernels.
struct ForceFieldConstants {
    Vec3 center;          // [m]
    float inverseRadius;  // 1/R [1/m]; 0: uniform
    Vec3 axis;            // unit, or zero if unused
    float strength;       // s [m/s²], [N]; wind [m/s]
    Vec3 fade;            // c₁ c₂ c₃ [-]
    float beyond;         // b [-]
    Vec3 gust;            // [m/s] amplitude along each axis
    float gustScale;      // [1/m] 1/size of a gust
    float gustPhase;      // [-] fractional part of the time at the start of the frame, in gust durations
    float gustRate;       // [1/s] 1/duration of a gust
    int32_t gustCount;    // integer part of that time
    uint32_t seed;
    uint32_t bit;  // its bit in the masks of materials and groups
    Course course;
    int32_t wind;     // 1: an air velocity instead of an acceleration
    int32_t perMass;  // 1: strength is a force [N]
};

// Integer hash (Wellons 2018, "lowbias32").
HD uint32_t scramble(uint32_t n) {
    n = (n ^ n >> 16) * 0x7feb352du;
    n = (n ^ n >> 15) * 0x846ca68bu;
    return n ^ n >> 16;
}

// Value noise in space and time: independent values in −1 … 1 for x, y and z on the integer lattice, blended
// by 3t² − 2t³ along each of the four axes. Mean 0.
HD Vec3 noise(uint32_t seed, Vec3 p, int32_t count, float phase) {
    constexpr float kFar = 1e9f;  // within the range of int32
    const Vec3 low{floorf(clamp(p.x, -kFar, kFar)), floorf(clamp(p.y, -kFar, kFar)),
                   floorf(clamp(p.z, -kFar, kFar))};
    const auto mixed = [](float t) {
        t = clamp(t, 0.0f, 1.0f);
        return t * t * (3 - 2 * t);
    };
    const float tx = mixed(p.x - low.x), ty = mixed(p.y - low.y), tz = mixed(p.z - low.z), tt = mixed(phase);
    Vec3 sum{0, 0, 0};
    for (uint32_t corner = 0; corner < 16; ++corner) {
        uint32_t bits = scramble(seed);
        float weight = 1;
        const auto side = [&](int32_t cell, float t, uint32_t upper) {
            bits = scramble(bits ^ (static_cast<uint32_t>(cell) + upper));
            weight *= upper ? t : 1 - t;
        };
        side(static_cast<int32_t>(low.x), tx, corner & 1);
        side(static_cast<int32_t>(low.y), ty, corner >> 1 & 1);
        side(static_cast<int32_t>(low.z), tz, corner >> 2 & 1);
        side(count, tt, corner >> 3);
        // ten bits per component
        const auto uniform = [](uint32_t ten) { return static_cast<float>(ten) * (2.0f / 1023) - 1; };
        sum = fma(weight, Vec3{uniform(bits & 1023), uniform(bits >> 10 & 1023), uniform(bits >> 20 & 1023)},
                  sum);
    }
    return sum;
}

// Force fields of the current frame.
struct ForceFields {
    View<const ForceFieldConstants> fields;
    float sinceFrame;  // [s] time of this substep since the start of the frame

    // Acceleration [m/s²] at x [m] of a particle with this mask and inverse mass [1/kg].
    HD Vec3 acceleration(Vec3 x, uint32_t mask, float inverseMass) const {
        Vec3 sum{0, 0, 0};
        for (size_t k = 0; k < fields.size; ++k) {
            const ForceFieldConstants& f = fields[k];
            if (!(mask & f.bit) || f.wind) continue;
            sum = fma(f.perMass ? inverseMass : 1, push(f, x), sum);
        }
        return sum;
    }
    // Air velocity [m/s] at x [m] for this mask.
    HD Vec3 wind(Vec3 x, uint32_t mask) const {
        Vec3 sum{0, 0, 0};
        for (size_t k = 0; k < fields.size; ++k)
            if (mask & fields[k].bit && fields[k].wind) sum += push(fields[k], x);
        return sum;
    }

private:
    HD Vec3 push(const ForceFieldConstants& f, Vec3 x) const {
        Vec3 arm = x - f.center;
        if (f.course == Course::around) arm -= dot(arm, f.axis) * f.axis;
        const float r2 = dot(arm, arm), q = sqrt(r2) * f.inverseRadius;
        const float share =
            q < 1 ? fma(q, fma(q, fma(q, f.fade.z, f.fade.y), f.fade.x), 1.0f) : f.beyond / (q * q);
        const Vec3 out = normalizeOr(arm, {0, 0, 0});
        Vec3 value = f.strength * (f.course == Course::along     ? f.axis
                                   : f.course == Course::outward ? out
                                                                 : cross(f.axis, out));
        if (dot(f.gust, f.gust) > 0) {
            const float now = fma(sinceFrame, f.gustRate, f.gustPhase), whole = floorf(now);
            const Vec3 n =
                noise(f.seed, f.gustScale * x, f.gustCount + static_cast<int32_t>(whole), now - whole);
            value += Vec3{f.gust.x * n.x, f.gust.y * n.y, f.gust.z * n.z};
        }
        return share * value;
    }
};

// Force fields and air drag of a substep; gravity is applied separately:
//     v += dt a,   then implicit drag towards the air velocity u at rate k:
//     v' = (v + dt (a + g) + dt k u) / (1 + dt k) − dt g,
// so the terminal velocity is u + g/k at any time step. For a gas k is times 1 − φ.
struct ApplyForceFields {
    View<const Vec4> x;  // [m]; w: inverse mass
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    View<Vec4> v;  // [m/s] updated
    ForceFields fields;
    Vec3 gravity;  // [m/s²]
    float dt;

    HD void operator()(int i) const {
        const Vec4 xi = x[i];
        if (xi.w == 0) return;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const uint32_t mask = m.forceFieldMask | groups[groupOf(phase[i])].forceFieldMask;
        Vec3 velocity = fma(dt, fields.acceleration(xyz(xi), mask, xi.w), xyz(v[i]));
        // [UPP14] eq. 29: a gas feels the air around it where it ends
        const float drag = m.gas != 0 ? m.airDrag * clamp(1 - v[i].w, 0.0f, 1.0f) : m.airDrag;
        if (drag > 0) {
            const Vec3 free = fma(dt * m.gravityScale, gravity, velocity);
            velocity += dt * drag / (1 + dt * drag) * (fields.wind(xyz(xi), mask) - free);
        }
        v[i] = vec4(velocity, v[i].w);
    }
};

}  // namespace coalesce
