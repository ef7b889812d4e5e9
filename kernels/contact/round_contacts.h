// Contacts of the round surfaces of rigid bodies with shapes. Each body solves all of its own, one after the
// other (Gauss-Seidel), at the true point of contact p, r = p − center, with its mass and inertia:
//     normal    C = n·p − offset ≥ 0,    ΔP = −C / (n·K n),   P_n = Σ ΔP ≥ 0
//     friction  slide: displacement of the body's material at p since the start of the substep, relative to
//               the shape and ⊥ n;  P_t −= slide / (t·K t),  |P_t| ≤ μ_s P_n, else μ_k P_n
//     motion    t += P/M,  θ += I⁻¹ (r × P),   K = 1/M − [r]× I⁻¹ [r]×
// Friction that acts at the particles instead holds points inside the surface, and those of a lattice form
// facets: a ball stood on a slope instead of rolling down.
#pragma once

#include "kernels/contact/rebound.h"
#include "kernels/contact/shape_contact_solve.h"
#include "kernels/solid/round_surface.h"

namespace coalesce {

// Round surfaces of rigid bodies, at their present poses.
struct RoundPoses {
    View<const RoundSurface> surfaces;
    View<const RoundBody> bodies;
    View<const ClusterPose> pose;  // by cluster
    View<const Vec4> clusterRestCenter;

    // from the center of mass to the center of the surface
    HD Vec3 armOf(const RoundSurface& s, const RoundBody& body) const {
        return rotate(pose[body.cluster].rotation, s.center - xyz(clusterRestCenter[body.cluster]));
    }
    HD Vec3 centerOf(const RoundSurface& s, const RoundBody& body) const {
        return pose[body.cluster].center + armOf(s, body);
    }
    // from the center of the surface to its point that is nearest to a plane with normal n
    HD Vec3 toPlane(const RoundSurface& s, const RoundBody& body, Vec3 n) const {
        const Vec3 axis = rotate(pose[body.cluster].rotation, s.axis);
        const Vec3 across = n - dot(n, axis) * axis;
        const float size = length(across);
        // a disc that lies flat rests on its particles
        return size > 0.05f ? (-s.radius / size) * across : Vec3{0, 0, 0};
    }
};

// Path of the center of a round surface, for the search of contacts: start, and end as predicted.
struct PlaceRoundSurfaces {
    RoundPoses poses;  // at the start
    View<const RoundMotion> motion;
    View<Vec4> start, end;  // [m] by round surface, written; w: inverse mass
    View<uint32_t> phase;   // written
    View<float> radius;     // [m] written
    float dt;
    HD void operator()(int i) const {
        const RoundSurface s = poses.surfaces[i];
        const RoundBody body = poses.bodies[s.body];
        const RoundMotion m = motion[s.body];
        const Vec3 arm = poses.armOf(s, body), at = poses.centerOf(s, body);
        start[i] = vec4(at, m.inverseMass);
        end[i] = vec4(at + dt * (m.linear + cross(m.omega, arm)), m.inverseMass);
        phase[i] = body.phase;
        radius[i] = s.radius;
    }
};

// Resolves the overlap that a substep starts with, by a translation of x and x*; see PreStabilizeShapes.
template <bool Forms>
struct PreStabilizeRound {
    RoundPoses poses;
    Contacts contacts;  // by round surface
    ShapeTables tables;
    View<const RoundMotion> motion;
    View<const MaterialConstants> materials;
    View<Vec4> start;        // updated
    View<Vec4> planes;       // of `contacts`, offsets lowered
    View<ClusterPose> pose;  // of the start, updated
    View<Vec4> translation;  // [m] by cluster, written; w: 1
    int rounds;              // 0: off
    float dt;

    HD void operator()(int b) const {
        const RoundBody body = poses.bodies[b];
        if (!(motion[b].inverseMass > 0)) return;
        const MaterialConstants& m = materials[materialOf(body.phase)];
        const float most = m.maxDepenetration * dt;
        float room = most;
        Vec3 shift{0, 0, 0};
        for (int round = 0; round < rounds; ++round)
            forEachContact(body, [&](uint32_t s, uint32_t k) {
                const float depth = -gapOf(body, s, k, xyz(start[s]) + shift, m);
                if (depth <= 0) return;
                const float step = min(depth, room);
                shift += step * xyz(planes[k]);
                room -= step;
            });
        forEachContact(body, [&](uint32_t s, uint32_t k) {
            const float allowed = gapOf(body, s, k, xyz(start[s]) + shift, m) + (rounds > 0 ? 0 : most);
            planes[k].w += min(allowed, 0.0f);
        });
        for (uint32_t s = body.first; s < body.first + body.count; ++s)
            start[s] = vec4(xyz(start[s]) + shift, start[s].w);
        pose[body.cluster].center += shift;
        translation[body.cluster] = vec4(shift, 1.0f);
    }

private:
    template <class Visit>
    HD void forEachContact(const RoundBody& body, Visit&& visit) const {
        for (uint32_t s = body.first; s < body.first + body.count; ++s)
            for (uint32_t k = contacts.begin(int(s)); k < contacts.end(int(s)); ++k) visit(s, k);
    }
    HD float gapOf(const RoundBody& body, uint32_t s, uint32_t k, Vec3 at, const MaterialConstants& m) const {
        const RoundSurface& surface = poses.surfaces[s];
        const float gap = startGap<Forms>(contacts, tables, k, planes[k], at, surface.radius, m.spacing);
        const Vec3 n = xyz(planes[k]);
        return gap + surface.radius + dot(n, poses.toPlane(surface, body, n));
    }
};

// What the kernels below share: the contacts of a body, and the impulses that move it.
struct RoundContacts {
    RoundPoses poses;
    Contacts contacts;  // by round surface
    View<const RoundMotion> motion;
    View<const MaterialConstants> materials;

    // visit(s, k, r, gap): surface, contact, arm from the center of mass, distance of the point from the plane
    template <class Visit>
    HD void forEach(const RoundBody& body, Visit&& visit) const {
        for (uint32_t s = body.first; s < body.first + body.count; ++s) {
            const RoundSurface& surface = poses.surfaces[s];
            const Vec3 arm = poses.armOf(surface, body), at = poses.centerOf(surface, body);
            for (uint32_t k = contacts.begin(int(s)); k < contacts.end(int(s)); ++k) {
                const Vec3 n = xyz(contacts.planes[k]), out = poses.toPlane(surface, body, n);
                // the plane is that of the center of a ball of this radius
                visit(s, k, arm + out, dot(n, at + out) + surface.radius - contacts.planes[k].w);
            }
        }
    }
    HD static Vec3 across(Vec3 a, Vec3 n) { return a - dot(a, n) * n; }
    // The impulse of a contact after it was changed so that the point moves by `missing` more along n, and
    // `slide` across it stops, as far as the cone of friction lets it. Both are displacements, with impulses in
    // kg m, or velocities, with impulses in kg m/s.
    HD Vec3 impulse(const RoundMotion& m, const MaterialConstants& material, float shapeFriction, Vec3 n,
                    Vec3 r, Vec3 before, float missing, Vec3 slide) const {
        const float normal = max(dot(before, n) + missing / m.along(n, r), 0.0f);
        if (!(normal > 0 && shapeFriction > 0 && material.staticFriction + material.dynamicFriction > 0))
            return normal * n;
        Vec3 drag = across(before, n);
        if (const float size = length(slide); size > 0) {
            const Vec3 t = 1 / size * slide;
            drag = drag - size / m.along(t, r) * t;
        }
        const float strength = length(drag);
        if (strength > shapeFriction * material.staticFriction * normal)
            drag = min(shapeFriction * material.dynamicFriction * normal / strength, 1.0f) * drag;
        return normal * n + drag;
    }
};

// What has been stopped inside the substep loses its approach speed, or bounces; see UpdateVelocities.
struct RoundImpacts {
    View<const Vec4> predicted;  // [m] centers of the surfaces, without contacts
    Vec3 gravity;                // [m/s²]
    float dt, bounceSpeed;

    // Speed of rebound of a contact of surface s [m/s]; 0: none. n: normal of the plane, r: arm from the center of mass,
    // gap: at the end of the substep, wall: velocity of the shape [m/s]
    HD float reboundOf(const RoundContacts& round, const RoundBody& body, const RoundMotion& before,
                       uint32_t s, Vec3 n, Vec3 r, float gap, Vec3 wall) const {
        const MaterialConstants& material = round.materials[materialOf(body.phase)];
        const float impact = dot(n, before.linear + cross(before.omega, r) - wall);
        if (!(material.restitution > 0 && impact < -bounceSpeed)) return 0;
        // the gap without this contact
        const float ahead =
            gap + dot(n, xyz(predicted[s]) - round.poses.centerOf(round.poses.surfaces[s], body));
        return reboundSpeed(material.restitution, -material.gravityScale * dot(n, gravity), impact, ahead,
                            dt);
    }
};

// One iteration: displacement of each body by its contacts.
struct SolveRoundContacts {
    RoundContacts round;
    View<const ClusterPose> startPose;
    View<Vec3> accumulatedImpulse;     // by contact [kg m], updated
    View<Vec4> translation, rotation;  // [m], [rad] by cluster, written; w: 1
    int passes;

    HD void operator()(int b) const {
        const RoundBody body = round.poses.bodies[b];
        const RoundMotion m = round.motion[b];
        if (!(m.inverseMass > 0)) return;
        const MaterialConstants& material = round.materials[materialOf(body.phase)];
        const ClusterPose now = round.poses.pose[body.cluster], before = startPose[body.cluster];
        const Vec3 moved = now.center - before.center, turned = tangentOf(now.rotation, before.rotation);
        Vec3 t{0, 0, 0}, turn{0, 0, 0};
        for (int pass = 0; pass < passes; ++pass)
            round.forEach(body, [&](uint32_t, uint32_t k, Vec3 r, float gap) {
                const Vec3 n = xyz(round.contacts.planes[k]), old = accumulatedImpulse[k];
                const Vec3 at = now.center + r, step = t + cross(turn, r);
                const Vec3 slide =
                    moved + t + cross(turned + turn, r) - (at - round.contacts.previousPosition(k, at));
                const Vec3 impulse = round.impulse(m, material, round.contacts.shapeOf(k).friction, n, r, old,
                                                   -(gap + dot(n, step)), round.across(slide, n));
                accumulatedImpulse[k] = impulse;
                m.push(impulse - old, r, t, turn);
            });
        translation[body.cluster] = vec4(t, 1.0f);
        rotation[body.cluster] = vec4(turn, 1.0f);
    }

private:
    // The rotation from `before` to `now` as the prediction makes it: particles move along tangents, so that
    // shape matching finds only the angle atan(ω dt).
    HD static Vec3 tangentOf(Quat now, Quat before) {
        const Quat q = now * conjugate(before);
        const Vec3 v{q.x, q.y, q.z};
        const float cosine = q.w * q.w - dot(v, v);
        return 2 * q.w / max(cosine, 0.1f) * v;
    }
};

// Moves the particles of round bodies with them.
struct MoveRoundBodies {
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter, translation, rotation;  // rotation: empty: none
    View<Vec4> x;                                               // updated; empty: not moved
    View<Vec4> xStar;                                           // updated
    HD void operator()(int row) const {
        const auto [slot, cluster, q] = bodyParticleOf(tables, pose, clusterRestCenter, xStar, row);
        if (slot == kNoSlot || translation[cluster].w == 0) return;
        Vec3 more = xyz(translation[cluster]);
        if (rotation.size > 0) more += cross(xyz(rotation[cluster]), q);
        xStar[slot] = vec4(xyz(xStar[slot]) + more, xStar[slot].w);
        if (x.size > 0) x[slot] = vec4(xyz(x[slot]) + more, x[slot].w);
    }
};

// End of a substep: velocities at contacts. Friction acts on the impact as well.
struct BounceRound {
    RoundContacts round;  // at the end of the substep
    RoundImpacts impacts;
    View<Vec3> accumulatedImpulse;  // by contact [kg m], updated
    View<Vec3> bounce;              // by contact [kg m/s], written
    View<Vec4> linear, omega;       // [m/s], [rad/s] by cluster, updated
    int passes;

    HD void operator()(int b) const {
        const RoundBody body = round.poses.bodies[b];
        const RoundMotion m = round.motion[b];
        if (!(m.inverseMass > 0)) return;
        const MaterialConstants& material = round.materials[materialOf(body.phase)];
        const Vec3 center = round.poses.pose[body.cluster].center;
        const float dt = impacts.dt;
        Vec3 v = xyz(linear[body.cluster]), w = xyz(omega[body.cluster]);
        for (int pass = 0; pass < passes; ++pass)
            round.forEach(body, [&](uint32_t s, uint32_t k, Vec3 r, float gap) {
                if (pass == 0) bounce[k] = {0, 0, 0};
                if (gap > 1e-3f * material.spacing) return;
                const Vec3 n = xyz(round.contacts.planes[k]), at = center + r, old = bounce[k];
                const Vec3 wall = 1 / dt * (at - round.contacts.previousPosition(k, at));
                const float wanted = impacts.reboundOf(round, body, m, s, n, r, gap, wall);
                const Vec3 now = v + cross(w, r) - wall;
                const Vec3 impulse = round.impulse(m, material, round.contacts.shapeOf(k).friction, n, r, old,
                                                   wanted - dot(n, now), round.across(now, n));
                bounce[k] = impulse;
                accumulatedImpulse[k] += dt * (impulse - old);
                m.push(impulse - old, r, v, w);
            });
        linear[body.cluster] = vec4(v, linear[body.cluster].w);
        omega[body.cluster] = vec4(w, omega[body.cluster].w);
    }
};

// Adds the impulses of a substep to the loads on the shapes.
struct AccumulateRoundLoads {
    RoundContacts round;
    View<const Vec3> accumulatedImpulse;  // by contact [kg m]
    ShapeLoads loads;
    HD void operator()(int b) const {
        const RoundBody body = round.poses.bodies[b];
        if (!(round.motion[b].inverseMass > 0)) return;
        const Vec3 center = round.poses.pose[body.cluster].center;
        round.forEach(body, [&](uint32_t, uint32_t k, Vec3 r, float) {
            loads.add(b, round.contacts.shape[k], round.contacts.shapeOf(k), accumulatedImpulse[k],
                      center + r);
        });
    }
};

}  // namespace coalesce
