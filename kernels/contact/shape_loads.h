// Loads on collision shapes: force and torque from the impulses of contacts, as integer sums, which have the
// same bits on every device.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/math/fixed_point_sum.h"

namespace coalesce {

// Force, torque and trigger counts of a shape in a frame. Integer sums do not depend on their order.
struct ShapeLoadSums {
    int64_t force[3], torque[3];  // fixed-point, in units of 1/ShapeLoads::fixedPointScale
    uint32_t entered;             // trigger: particles that entered
    uint32_t present;             // trigger: particles inside at the end of the frame
};
// Accumulates loads on shapes: force −m Δx/dt², and its torque about the shape's position.
struct ShapeLoads {
    View<ShapeLoadSums>
        tallies;  // `copies` consecutive elements per shape, to reduce contention between threads
    int copies;
    float fixedPointScale;  // [1/(kg m)] fixed-point units per m Δx

    HD ShapeLoadSums& tally(int i, uint32_t s) const { return tallies[s * copies + i % copies]; }
    HD void add(int i, uint32_t s, const ShapeState& shape, Vec3 accumulatedImpulse, Vec3 at) const {
        if (accumulatedImpulse == Vec3{0, 0, 0} || !isFinite(accumulatedImpulse)) return;
        const Vec3 force = -fixedPointScale * accumulatedImpulse,
                   torque = cross(at - shape.present.position, force);
        ShapeLoadSums& sum = tally(i, s);
        atomicAddFixed(&sum.force[0], toFixed(force.x)), atomicAddFixed(&sum.torque[0], toFixed(torque.x));
        atomicAddFixed(&sum.force[1], toFixed(force.y)), atomicAddFixed(&sum.torque[1], toFixed(torque.y));
        atomicAddFixed(&sum.force[2], toFixed(force.z)), atomicAddFixed(&sum.torque[2], toFixed(torque.z));
    }
};

// Adds the impulses of a substep to the loads on the shapes.
struct AccumulateShapeLoads {
    Contacts contacts;
    View<const Vec3> accumulatedImpulse;  // by contact: Σ m Δx [kg m] on the particle in this substep
    View<const Vec4> x;                   // [m] at the end of the substep
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    ShapeLoads loads;

    HD void operator()(int i) const {
        const float radius = 0.5f * materials[materialOf(phase[i])].spacing;
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            loads.add(i, contacts.shape[k] & ~kLowered, contacts.shapeOf(k), accumulatedImpulse[k],
                      xyz(x[i]) - radius * xyz(contacts.planes[k]));
    }
};

}  // namespace coalesce
