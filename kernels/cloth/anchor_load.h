// What springs pull at the shapes that their ends go with. An anchored particle does not move, so its shape
// takes the momentum m Δx = λ ∇C of every iteration in its place: the force λ ∇C / dt². Limits: the weight of
// anchored particles themselves, and what touches them, is left out. Promise: cpu = gpu; sums of whole
// numbers.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/contact/contact_planes.h"

namespace coalesce {

constexpr uint32_t kNoCarrier = 0xffffffffu;

struct SumSpringLoads {
    SpringTables tables;
    View<const float> lambda;      // [kg m] by spring, of the whole substep
    View<const uint32_t> carrier;  // by row: the shape that it goes with, or kNoCarrier
    View<const ShapeState> shapes;
    View<const Vec4> x;  // [m] at the end of the substep; w: inverse mass, not 0 once it is released
    ShapeLoads loads;

    HD void operator()(int i) const {
        const DistanceConstraint s = tables.springs[i];
        const uint32_t shapeA = carrier[s.a], shapeB = carrier[s.b];
        if (lambda[i] == 0 || (shapeA == kNoCarrier && shapeB == kNoCarrier)) return;
        const PulledSpring p = pull(tables, s, x);
        if (p.slotA == kNoSlot) return;
        // what loads take is what the shape gave to the particle: the opposite of the pull
        const Vec3 given = -lambda[i] * p.direction;
        if (shapeA != kNoCarrier && p.a.w == 0) loads.add(i, shapeA, shapes[shapeA], given, xyz(p.a));
        if (shapeB != kNoCarrier && p.b.w == 0) loads.add(i, shapeB, shapes[shapeB], -given, xyz(p.b));
    }
};

}  // namespace coalesce
