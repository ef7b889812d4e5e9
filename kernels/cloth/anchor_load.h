// Loads of springs on the shapes that anchored particles are attached to. An anchored particle does not move,
// so its shape receives the momentum m Δx = λ ∇C of every iteration instead: the force λ ∇C / dt².
// Limits: excludes the weight of the anchored particles themselves and contacts with them.
// Fixed-point sums.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/contact/shape_loads.h"

namespace coalesce {

constexpr uint32_t kNotAttached = 0xffffffffu;

struct AccumulateSpringLoads {
    SpringTables tables;
    View<const float> lambda;            // [kg m] by spring, of the whole substep
    View<const uint32_t> attachedShape;  // by row: the shape it is attached to, or kNotAttached
    View<const ShapeState> shapes;
    View<const Vec4> x;  // [m] at the end of the substep; w: inverse mass, not 0 once it is released
    ShapeLoads loads;

    HD void operator()(int i) const {
        const DistanceConstraint s = tables.springs[i];
        const uint32_t shapeA = attachedShape[s.a], shapeB = attachedShape[s.b];
        if (lambda[i] == 0 || (shapeA == kNotAttached && shapeB == kNotAttached)) return;
        const EvaluatedSpring p = evaluate(tables, s, x);
        if (p.slotA == kNoSlot) return;
        // loads take the impulse of the shape on the particle: the opposite of the spring's pull
        const Vec3 impulse = -lambda[i] * p.direction;
        if (shapeA != kNotAttached && p.a.w == 0) loads.add(i, shapeA, shapes[shapeA], impulse, xyz(p.a));
        if (shapeB != kNotAttached && p.b.w == 0) loads.add(i, shapeB, shapes[shapeB], -impulse, xyz(p.b));
    }
};

}  // namespace coalesce
