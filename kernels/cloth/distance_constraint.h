// Distance constraints: stretch, shear and bending of cloth, ropes, long-range attachments (tethers), and
// springs between named points.
//
//     C = |x_a − x_b| − L,   Δλ = −ω (C + α̃ λ) / (n_a w_a + n_b w_b + α̃),   Δx_i = w_i Δλ ∇_iC
//
// α̃ = α/dt² [XPBD16]. A tether only pulls (C ≤ 0 is free), and its second end is fixed [UPP14] 8; once that
// end is released the tether is disabled, because it would exert a force without a reaction. The parameter
// solver.springs selects one of two solvers:
//   - averaged (Jacobi): all springs at once. n_i is the number of springs that share particle i; each spring
//     is solved as if the particle's mass were split evenly among them. This is the averaging Δ/n of [UPP14]
//     eq. 12, except that the two ends of a spring always move by opposite momenta and λ matches the applied
//     displacement. Jacobi with split masses converges for every ω below 2 ([TBV12], there for contacts). One
//     thread per spring scatters to fixed-point sums, so the order of the threads does not matter.
//   - colored (Gauss-Seidel): one color after the other. No two springs of a color share a particle that can
//     move, so each thread moves both ends directly, n_i = 1, and the next color sees the result.
#pragma once

#include "kernels/math/fixed_point_sum.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/shapes/shape_state.h"

namespace coalesce {

struct alignas(16) DistanceConstraint {
    uint32_t a, b;    // rows in the table of rest positions
    float length;     // L [m]
    uint32_t params;  // index of a SpringParams; kTether: pulls only, while b is held; kCut
};

constexpr uint32_t kTether = 1u << 31;
constexpr uint32_t kCut = 1u << 30;  // torn or not yet created: inactive
HD uint32_t springParamsIndex(const DistanceConstraint& spring) {
    return spring.params & ~(kTether | kCut);
}

// A triangle of cloth.
struct alignas(16) ClothTriangle {
    uint32_t a, b, c;   // rows
    uint32_t material;  // kCut: removed
};

// Stiffness of a kind of spring in this substep.
struct SpringParams {
    float stiffness;   // share of C removed per iteration [-]; used when compliance is 0
    float compliance;  // α̃ [1/kg]
};

// A particle attached to a shape until it is released.
struct Anchor {
    uint32_t row, shape;
    Vec3 localPosition;  // [m] position in the frame of the shape
};

// Input of all spring kernels.
struct SpringTables {
    View<const DistanceConstraint> springs;
    View<const SpringParams> params;
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    // by slot; empty: all 1. A particle of a rigid body counts as heavier by this factor, and its body
    // follows it by the same factor, see FindMassScale: otherwise a light particle would lift its body at no
    // cost.
    View<const float> massScale;
};

// A spring evaluated at the current positions.
struct EvaluatedSpring {
    uint32_t slotA, slotB;  // kNoSlot, kNoSlot: inactive
    Vec4 a, b;              // [m]; w: effective inverse mass [1/kg]
    Vec3 direction;         // ∇_aC
    float error;            // C [m]
};

HD EvaluatedSpring evaluate(const SpringTables& tables, const DistanceConstraint& spring,
                            View<const Vec4> xStar) {
    EvaluatedSpring p{tables.slotOf[spring.a], tables.slotOf[spring.b], {}, {}, {}, 0};
    if ((spring.params & kCut) || p.slotA == kNoSlot || p.slotB == kNoSlot) {
        p.slotA = p.slotB = kNoSlot;
        return p;
    }
    p.a = xStar[p.slotA], p.b = xStar[p.slotB];
    if ((spring.params & kTether) && p.b.w != 0) {
        p.slotA = p.slotB = kNoSlot;
        return p;
    }
    if (tables.massScale.size > 0) p.a.w /= tables.massScale[p.slotA], p.b.w /= tables.massScale[p.slotB];
    const Vec3 d = xyz(p.a) - xyz(p.b);
    const float l = length(d);
    p.direction = l > 1e-12f ? 1 / l * d : Vec3{0, 0, 0};
    p.error = l - spring.length;
    return p;
}

// Δλ; weight: n_a w_a + n_b w_b
HD float changeOf(const DistanceConstraint& spring, const SpringParams& params, float error, float weight,
                  float omega, float old) {
    if (!(weight > 0)) return 0;
    const float change =
        omega * (params.compliance > 0 ? -(error + params.compliance * old) / (weight + params.compliance)
                                       : -params.stiffness * error / weight);
    return (spring.params & kTether) && old + change > 0 ? -old : change;
}

struct SolveSpringsJacobi {
    SpringTables tables;
    View<const uint32_t> share;  // by row: n_i
    View<const Vec4> xStar;      // [m]; w: inverse mass
    View<float> lambda;          // [kg m] by spring; updated
    FixedPointSums deltas;       // added to, by row
    float omega;
    bool average;  // false: masses are not split; requires a small ω

    HD void operator()(int i) const {
        const DistanceConstraint s = tables.springs[i];
        const EvaluatedSpring p = evaluate(tables, s, xStar);
        if (p.slotA == kNoSlot) return;
        const float splitA = average ? toFloat(static_cast<int>(share[s.a])) : 1.0f;
        const float splitB = average ? toFloat(static_cast<int>(share[s.b])) : 1.0f;
        const float old = lambda[i];
        const float change = changeOf(s, tables.params[springParamsIndex(s)], p.error,
                                      fma(splitA, p.a.w, splitB * p.b.w), omega, old);
        lambda[i] = old + change;
        deltas.add(s.a, (p.a.w * change) * p.direction);
        if (p.b.w > 0) deltas.add(s.b, (-p.b.w * change) * p.direction);
    }
};

// Adds the summed spring displacements of a row to its particle.
struct ApplySpringDeltas {
    View<const uint32_t> slotOf;
    FixedPointSums deltas;
    View<Vec4> xStar;  // updated
    HD void operator()(int row) const {
        const uint32_t slot = slotOf[row];
        const Vec3 d = deltas.take(static_cast<size_t>(row));
        if (slot == kNoSlot) return;
        xStar[slot] = vec4(xyz(xStar[slot]) + d, xStar[slot].w);
    }
};

struct SolveSpringsOfColor {
    SpringTables tables;
    View<const uint32_t> color;  // springs of one color
    View<float> lambda;          // [kg m] by spring; updated
    View<Vec4> xStar;            // updated
    float omega;

    HD void operator()(int i) const {
        const uint32_t index = color[i];
        const DistanceConstraint s = tables.springs[index];
        const EvaluatedSpring p = evaluate(tables, s, xStar);
        if (p.slotA == kNoSlot) return;
        const float old = lambda[index];
        const float change =
            changeOf(s, tables.params[springParamsIndex(s)], p.error, p.a.w + p.b.w, omega, old);
        if (change == 0) return;
        lambda[index] = old + change;
        if (p.a.w > 0) xStar[p.slotA] = vec4(fma(p.a.w * change, p.direction, xyz(p.a)), xStar[p.slotA].w);
        if (p.b.w > 0) xStar[p.slotB] = vec4(fma(-p.b.w * change, p.direction, xyz(p.b)), xStar[p.slotB].w);
    }
};

// Moves anchored particles to where their shapes are at the end of the substep.
struct MoveAnchors {
    View<const Anchor> anchors;
    View<const ShapeState> shapes;
    View<const uint32_t> slotOf;
    View<Vec4> xStar;  // updated
    HD void operator()(int i) const {
        const Anchor anchor = anchors[i];
        const uint32_t slot = slotOf[anchor.row];
        if (slot == kNoSlot || xStar[slot].w != 0) return;
        xStar[slot] = vec4(toWorld(shapes[anchor.shape].present, anchor.localPosition), 0.0f);
    }
};

}  // namespace coalesce
