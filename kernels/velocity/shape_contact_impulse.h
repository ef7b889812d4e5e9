// Contacts of particles with collision shapes as velocity constraints.
//
//     n·(v − v_s) ≥ target;  P_n ≥ 0;  friction against the sliding velocity: |P_t| ≤ μ_s P_n, else μ_k P_n
//     ΔP_n = max(0, P_n + (target − n·(v − v_s))/k) − P_n,   k = nᵀ K n,  K: inverse mass, see inverse_mass.h
//
// v_s: velocity of the shape at the contact. Impulses are accumulated over all passes of a substep, as m Δx =
// P dt, the unit of the loads on shapes. A particle solves its planes one after the other, each seeing the
// velocities of the one before. Each particle writes only its own elements.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/contact/rebound.h"
#include "kernels/contact/wall_impulses.h"
#include "kernels/velocity/inverse_mass.h"
#include "kernels/velocity/pass.h"

namespace coalesce {

// A contact plane as a velocity constraint.
struct PlaneContact {
    Vec3 normal;
    Vec3 shapeVelocity;  // [m/s]
    float depth;         // [m] of the overlap with the shape at the time of x; negative: open
};
// x: at the start of the substep; at its end if target.pass is not `biased`
HD PlaneContact planeContact(const Contacts& contacts, uint32_t k, Vec3 x, float radius,
                             const ContactTarget& target) {
    const Vec3 n = xyz(contacts.planes[k]);
    const float depth = contacts.planes[k].w - dot(n, x);  // planes are where shapes are at the end
    const Vec3 at = x + (depth - radius) * n;
    const Vec3 way = at - contacts.previousPosition(k, at);
    return {n, target.rate * way, target.pass == VelocityPass::biased ? depth - dot(n, way) : depth};
}

template <bool Bodies>
struct SolveShapeImpulses {
    Contacts contacts;
    View<const Vec4> x;  // [m] see planeContact; w: inverse mass
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    InverseMass<Bodies> mass;
    ContactTarget target;
    View<const Vec4> start;         // [m] at the start of the substep
    View<const Vec4> before;        // [m/s] as predicted, before any constraint
    View<Vec3> accumulatedImpulse;  // by contact: P dt [kg m], updated
    View<Vec4> v;                   // updated
    Vec3 gravity;                   // [m/s²]
    float dt, bounceSpeed, omega;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        const float w = x[i].w;
        if (begin == end || w == 0) return;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const auto inverseMass = mass.of(i);
        Vec3 velocity = xyz(v[i]), given{0, 0, 0};
        for (uint32_t k = begin; k < end; ++k) {
            const PlaneContact c = planeContact(contacts, k, xyz(x[i]), 0.5f * m.spacing, target);
            const Vec3 relative = velocity - c.shapeVelocity;
            const float now = dot(c.normal, relative);
            const Vec3 held = target.rate * accumulatedImpulse[k];
            const float pressed = dot(c.normal, held);  // P_n
            float wanted = target(c.depth);
            if (target.pass == VelocityPass::restitution) {
                const float impact = dot(c.normal, xyz(before[i]) - c.shapeVelocity);
                if (!(pressed > 0 && m.restitution > 0 && impact < -bounceSpeed)) continue;
                wanted = rebound(k, i, m, impact);
            }
            const float along = inverseMass.along(c.normal);
            if (!(along > 0)) continue;
            const float press = max(pressed + omega * (wanted - now) / along, 0.0f);

            // friction against the sliding velocity, in the cone of the normal impulse
            Vec3 grip = held - pressed * c.normal;
            const ShapeState& shape = contacts.shapeOf(k);
            const Vec3 slide = relative - now * c.normal;
            const float speed2 = dot(slide, slide);
            if (shape.friction > 0 && m.dynamicFriction + m.staticFriction > 0) {
                if (speed2 > 0) grip -= omega / inverseMass.along(1 / sqrt(speed2) * slide) * slide;
                const float size = length(grip), stick = shape.friction * m.staticFriction * press;
                if (size > stick) grip = min(shape.friction * m.dynamicFriction * press / size, 1.0f) * grip;
            }
            const Vec3 change = press * c.normal + grip - held;
            accumulatedImpulse[k] += dt * change;
            // a particle of a body moves with it; its own mass counts for the momentum that the body receives
            velocity += along * change;
            given += w * change;
        }
        v[i] = vec4(xyz(v[i]) + given, v[i].w);
    }

private:
    HD float rebound(uint32_t k, int i, const MaterialConstants& m, float impact) const {
        const Vec3 n = xyz(contacts.planes[k]), predicted = fma(dt, xyz(before[i]), xyz(start[i]));
        return reboundSpeed(m.restitution, -m.gravityScale * dot(n, gravity), impact,
                            dot(n, predicted) - contacts.planes[k].w, dt);
    }
};

// Number of contacts that press, or are about to, of the particles of bodies: their body shares its mass
// among them.
struct CountShapeImpulses {
    Contacts contacts;
    View<const Vec4> x, v;
    View<const uint32_t> id, phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ClusterTables tables;
    ContactTarget target;
    View<const Vec3> accumulatedImpulse;
    View<uint32_t> count;  // by cluster, added to

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || x[i].w == 0) return;
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        if (cluster == kNoRow) return;
        const float radius = 0.5f * materials[materialOf(phase[i])].spacing;
        bool presses = false;
        for (uint32_t k = begin; k < end && !presses; ++k) {
            const PlaneContact c = planeContact(contacts, k, xyz(x[i]), radius, target);
            presses = dot(c.normal, accumulatedImpulse[k]) > 0 ||
                      dot(c.normal, xyz(v[i]) - c.shapeVelocity) < target(c.depth);
        }
        if (presses) atomicAdd(&count[cluster], 1);
    }
};

// Pressure of liquids on walls, of the impulses μ of a pass with the gradients of that pass.
struct SumPressureOnShapes {
    Contacts contacts;
    View<const float> impulse;  // μ [kg m²/s] of the substep so far
    WallImpulses wallImpulses;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> counted;   // [kg m²/s] μ of the passes before; updated
    View<Vec3> pressures;  // by contact: P dt [kg m] of all passes, updated
    float dt;
    HD void operator()(int i) const {
        const float change = impulse[i] - counted[i];
        counted[i] = impulse[i];
        if (!materials[materialOf(phase[i])].fluid || change == 0) return;
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            pressures[k] -= wallImpulses.of(i, k, xyz(contacts.planes[k]), dt * change);
    }
};

// Adds it to the impulses of the contacts, which no pass reads any more.
struct AddPressureOnShapes {
    Contacts contacts;
    View<const Vec3> pressures;
    View<Vec3> accumulatedImpulse;  // by contact: P dt [kg m], updated
    HD void operator()(int i) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) accumulatedImpulse[k] += pressures[k];
    }
};

// Where the paths x + dt v of the particles of round bodies would have to start, so that they end where the rotation by
// ω dt takes them: straight paths lead particles of a rolling ball into the ground.
struct BendPaths {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const float> rowBallRadius;  // [m] by row; 0: not of a round body
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter, omega;
    View<Vec4> x;  // [m] updated
    float dt;
    HD void operator()(int row) const {
        const auto [slot, cluster, q] = bodyParticleOf(tables, pose, clusterRestCenter, x, row);
        if (slot == kNoSlot || !(rowBallRadius[row] > 0)) return;
        if (!params[tables.clusters[cluster].material].rigid) return;
        const Vec3 w = xyz(omega[cluster]);
        x[slot] = vec4(xyz(x[slot]) + rotate(rotationAfter(dt, w), q) - q - dt * cross(w, q), x[slot].w);
    }
};

}  // namespace coalesce
