// Dihedral bending: the angle between two cloth triangles across their shared edge.
//
//     C = 2 sin(θ/2) − 2 sin(θ₀/2),   ∇_iC = cos(θ/2) ∇_iθ
//     e = b − a,  n₁ = (p − a) × (p − b),  n₂ = (q − b) × (q − a),  u₁ = n₁/|n₁|²,  u₂ = n₂/|n₂|²
//     ∇_pθ = |e| u₁,  ∇_qθ = |e| u₂
//     ∇_aθ = ((p − b)·e u₁ + (q − b)·e u₂)/|e|,   ∇_bθ = −((p − a)·e u₁ + (q − a)·e u₂)/|e|
//     Δλ = −(C + α̃ λ)/(Σ w |∇C|² + α̃)
// θ is positive where the triangles fold towards their normals. The gradients are those of [BMF03] 4 with the
// opposite sign, because the paper gives force directions. C uses the sine of the half angle because square
// roots suffice to compute it, with the same bits on every device; for small angles C = θ − θ₀.
// α̃ = α/dt², α in rad/(N m) [XPBD16]. Solved color by color, like the springs of distance_constraint.h.
#pragma once

#include "kernels/cloth/distance_constraint.h"

namespace coalesce {

struct DihedralBend {
    uint32_t a, b, p, q;  // rows: a, b on the edge; p, q opposite it
    float rest;           // 2 sin(θ₀/2)
    uint32_t material;
};

// Signed 2 sin(θ/2) of a bend constraint. find() returns false where a triangle has no area.
struct DihedralAngle {
    Vec3 e, n1, n2;
    float sine2, cosine;  // 2 sin(θ/2), cos(θ/2)

    HD bool find(Vec3 a, Vec3 b, Vec3 p, Vec3 q) {
        e = b - a;
        n1 = cross(p - a, p - b), n2 = cross(q - b, q - a);
        const float l1 = dot(n1, n1), l2 = dot(n2, n2);
        if (!(l1 > 1e-30f) || !(l2 > 1e-30f) || !(dot(e, e) > 1e-20f)) return false;
        const float cosine2 = clamp(dot(n1, n2) * rsqrt(l1) * rsqrt(l2), -1.0f, 1.0f);
        const float half = sqrt(0.5f * (1 - cosine2));
        sine2 = dot(cross(n1, n2), e) > 0 ? -2 * half : 2 * half;
        cosine = sqrt(0.5f * (1 + cosine2));
        return true;
    }
    // ∇C of the corners that find() was given
    HD void gradients(Vec3 a, Vec3 b, Vec3 p, Vec3 q, Vec3 (&gradient)[4]) const {
        const Vec3 u1 = 1 / dot(n1, n1) * n1, u2 = 1 / dot(n2, n2) * n2;
        const float l = length(e), inverse = 1 / l;
        const Vec3 along = inverse * e;
        // folded flat, the angle has no gradient; keep cos(θ/2) at 0.1 or above
        const float c = max(cosine, 0.1f);
        gradient[0] = c * (dot(p - b, along) * u1 + dot(q - b, along) * u2);
        gradient[1] = -c * (dot(p - a, along) * u1 + dot(q - a, along) * u2);
        gradient[2] = c * l * u1, gradient[3] = c * l * u2;
    }
};

struct SolveBendsOfColor {
    View<const DihedralBend> bending;
    View<const uint32_t> color;       // bend constraints of one color
    View<const SpringParams> params;  // by material
    View<const uint32_t> slotOf;
    View<float> lambda;  // by bend constraint; updated
    View<Vec4> xStar;    // updated

    HD void operator()(int i) const {
        const uint32_t index = color[i];
        const DihedralBend h = bending[index];
        const uint32_t slots[4] = {slotOf[h.a], slotOf[h.b], slotOf[h.p], slotOf[h.q]};
        for (const uint32_t slot : slots)
            if (slot == kNoSlot) return;
        const Vec4 a = xStar[slots[0]], b = xStar[slots[1]], p = xStar[slots[2]], q = xStar[slots[3]];
        DihedralAngle angle;
        if (!angle.find(xyz(a), xyz(b), xyz(p), xyz(q))) return;
        Vec3 gradient[4];
        angle.gradients(xyz(a), xyz(b), xyz(p), xyz(q), gradient);
        const Vec3 ga = gradient[0], gb = gradient[1], gp = gradient[2], gq = gradient[3];
        const float weight = a.w * dot(ga, ga) + b.w * dot(gb, gb) + p.w * dot(gp, gp) + q.w * dot(gq, gq);
        if (!(weight > 0)) return;
        const SpringParams k = params[h.material];
        const float error = angle.sine2 - h.rest, old = lambda[index];
        const float change = k.compliance > 0 ? -(error + k.compliance * old) / (weight + k.compliance)
                                              : -k.stiffness * error / weight;
        if (!isFinite(change)) return;
        lambda[index] = old + change;
        const auto move = [&](uint32_t slot, Vec4 x, Vec3 g) {
            if (x.w > 0) xStar[slot] = vec4(fma(x.w * change, g, xyz(x)), x.w);
        };
        move(slots[0], a, ga), move(slots[1], b, gb), move(slots[2], p, gp), move(slots[3], q, gq);
    }
};

}  // namespace coalesce
