// Round surfaces of rigid bodies: what touches shapes in place of the balls of their particles, which form
// facets that a ball would stand on.
#pragma once

#include "kernels/solid/rigid_motion.h"

namespace coalesce {

// A ball, or the circle of a disc: its rim.
struct RoundSurface {
    Vec3 center{0, 0, 0};  // [m] in the body's frame
    float radius = 0;      // [m]
    Vec3 axis{0, 0, 0};    // unit, in the body's frame: of the circle; zero: a ball
    uint32_t body = 0;     // of RoundBody
};

// A rigid body with round surfaces.
struct RoundBody {
    uint32_t cluster;
    uint32_t first, count;  // of its round surfaces
    uint32_t phase;         // material and group
};

// Motion of a round body as predicted for a substep, and its inverse inertia.
struct RoundMotion {
    Vec3 linear{0, 0, 0};    // [m/s]
    float inverseMass = 0;   // [1/kg]; 0: not rigid, or gone
    Vec3 omega{0, 0, 0};     // [rad/s]
    Vec3 diagonal{0, 0, 0};  // of I⁻¹ [1/(kg m²)]
    Vec3 mixed{0, 0, 0};     // of the same: yz, zx, xy

    HD Vec3 turnBy(Vec3 momentum) const {
        const Vec3 a = momentum, d = diagonal, m = mixed;
        return {d.x * a.x + m.z * a.y + m.y * a.z, m.z * a.x + d.y * a.y + m.x * a.z,
                m.y * a.x + m.x * a.y + d.z * a.z};
    }
    // adds what an impulse at r from the center does to the motion
    HD void push(Vec3 impulse, Vec3 r, Vec3& motion, Vec3& turn) const {
        motion += inverseMass * impulse;
        turn += turnBy(cross(r, impulse));
    }
    // inverse mass of the point at r from the center, along n [1/kg]
    HD float along(Vec3 n, Vec3 r) const { return inverseMass + dot(cross(turnBy(cross(r, n)), r), n); }
};

struct FindRoundMotion {
    View<const RoundBody> bodies;
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;
    View<RoundMotion> motion;  // by round body, written
    HD void operator()(int b) const {
        const ClusterConstants& cluster = tables.clusters[bodies[b].cluster];
        RoundMotion m;
        if (params[cluster.material].rigid) {
            const RigidMoments spin(cluster, sums);
            if (spin.mass > 0) {
                const float inverse = 1 / spin.mass;
                const Vec3 x = spin.angularVelocityOf({inverse, 0, 0}),
                           y = spin.angularVelocityOf({0, inverse, 0}),
                           z = spin.angularVelocityOf({0, 0, inverse});
                m = {spin.linear, inverse, spin.omega, {x.x, y.y, z.z}, {z.y, z.x, y.x}};
            }
        }
        motion[b] = m;
    }
};

// Radius of the ball that a particle of a round body touches shapes with: a little smaller than the largest
// ball inside the surface, so that the surface touches first.
struct GatherBallRadii {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<const ClusterParams> params;  // by material
    View<const float> rowBallRadius;   // [m] by row; 0: not of a round body
    View<float> radius;                // [m] by slot, written; 0: that of its material
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        const bool rigid = params[materialOf(phase[i])].rigid;
        radius[i] = row == kNoRow || !rigid ? 0.0f : rowBallRadius[row];
    }
};

}  // namespace coalesce
