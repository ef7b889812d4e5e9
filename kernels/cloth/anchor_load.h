// Loads of springs on the shapes that anchored particles are attached to. An anchored particle does not move,
// so its shape receives the momentum m Δx = λ ∇C of every iteration instead: the force λ ∇C / dt².
// Limits: excludes the weight of the anchored particles themselves and contacts with them.
// Promise: cpu = gpu; fixed-point sums.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/contact/shape_loads.h"

namespace coalesce {

constexpr uint32_t kNoCarrier = 0xffffffffu;

struct SumSpringLoads {
    SpringTables tables;
    View<const float> lambda;      // [kg m] by spring, of the whole substep
    View<const uint32_t> carrier;  // by row: the shape it is attached to, or kNoCarrier
    View<const ShapeState> shapes;
    View<const Vec4> x;  // [m] at the end of the substep; w: inverse mass, not 0 once it is released
    ShapeLoads loads;

    HD void operator()(int i) const {
        const DistanceConstraint s = tables.springs[i];
        const uint32_t shapeA = carrier[s.a], shapeB = carrier[s.b];
        if (lambda[i] == 0 || (shapeA == kNoCarrier && shapeB == kNoCarrier)) return;
        const PulledSpring p = pull(tables, s, x);
        if (p.slotA == kNoSlot) return;
        // loads take the impulse of the shape on the particle: the opposite of the spring's pull
        const Vec3 given = -lambda[i] * p.direction;
        if (shapeA != kNoCarrier && p.a.w == 0) loads.add(i, shapeA, shapes[shapeA], given, xyz(p.a));
        if (shapeB != kNoCarrier && p.b.w == 0) loads.add(i, shapeB, shapes[shapeB], -given, xyz(p.b));
    }
};

}  // namespace coalesce
