// Mouse constraints: spring-damper grabs of particles, brush strokes, and gusts of air.
//
// A mouse target at m with velocity m' grabs the point p of a rigid set of particles of mass M: a rigid body,
// the first cluster of a particle in a soft body, or a single loose particle. The spring
//     k = L ω²,   c = 2 ζ L ω,   L: mass that hangs on the set (the whole body) [kg]
// is solved implicitly for the impulse P, stable for any stiffness and mass [CAT11]:
//     (K + γ) P = −(v_p + g dt L/M − m' + β (p − m)),   γ = 1/(c dt + k dt²),   β = k/(c + k dt),
//     K P = P/M + I⁻¹(q × P) × q,   q = p − center,   |P| ≤ f L g dt
// P changes the velocities of the set like those of a rigid body, so momentum changes by exactly P. A grabbed
// particle of cloth or rope gets the mass of the whole body, so that it carries the rest.
// Every particle sums its grabs in their order.
#pragma once

#include "kernels/solid/rigid_motion.h"

namespace coalesce {

constexpr float kWeightGravity = 9.81f;  // [m/s²] unit of maxForce, independent of the scene's gravity

// A grab in this frame.
struct GrabbedSet {
    Vec3 from, to;                    // [m] target at the start and the end of the frame
    uint32_t id;                      // of the grabbed particle
    uint32_t row;                     // of that particle; kNoRow: loose particle
    uint32_t firstCluster, clusters;  // of its body
    float cloth;                      // number of particles of its cloth or rope; 0: none
};

// Effect of a grab in this substep.
struct GrabImpulse {
    float weight;          // factor on the mass of the particle in this substep
    uint32_t slot;         // of the particle; kNoSlot: removed
    uint32_t cluster;      // that is pulled; kNoRow: only the particle
    Vec3 center;           // [m] center of rotation
    Vec3 linear, angular;  // change of velocity [m/s], [rad/s]
};

struct FindGrabbedSlots {
    View<const uint32_t> id;
    View<const GrabbedSet> grabs;
    View<GrabImpulse> impulses;  // slot written; initialized to kNoSlot
    HD void operator()(int i) const {
        for (size_t h = 0; h < grabs.size; ++h)
            if (grabs[h].id == id[i]) impulses[h].slot = static_cast<uint32_t>(i);
    }
};

// Solves A x = b by LDLᵀ, for a symmetric A with all eigenvalues ≥ 1.
HD Vec3 solveSymmetric(const Mat3& a, Vec3 b) {
    const float l10 = a.x.y / a.x.x, l20 = a.x.z / a.x.x;
    const float d1 = a.y.y - l10 * a.x.y, rest = a.y.z - l20 * a.x.y, l21 = rest / d1;
    const float d2 = a.z.z - l20 * a.x.z - l21 * rest;
    const float y1 = b.y - l10 * b.x, y2 = b.z - l20 * b.x - l21 * y1;
    const float z = y2 / d2, y = y1 / d1 - l21 * z;
    return {b.x / a.x.x - l10 * y - l20 * z, y, z};
}

struct SolveGrabs {
    View<const GrabbedSet> grabs;
    View<const Vec4> x, v;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const MomentumSums> sums;  // by chunk
    View<GrabImpulse> impulses;     // updated
    Vec3 gravity;                   // [m/s²]
    float omega;                    // ω of the spring [rad/s]
    float dampingRatio;             // ζ
    float maxForce;                 // f [-] in weights of the body
    float dt;
    float frameFraction;  // [-] elapsed share of the frame at the end of the substep
    float frameRate;      // [1/s]

    HD void operator()(int h) const {
        const GrabbedSet grab = grabs[h];
        GrabImpulse result = impulses[h];
        result.cluster = kNoRow;
        result.weight = 1;
        result.center = result.linear = result.angular = Vec3{0, 0, 0};
        if (result.slot != kNoSlot && x[result.slot].w > 0 && !(phase[result.slot] & kFrozen)) {
            const Vec3 target = fma(frameFraction, grab.to - grab.from, grab.from);
            const Vec3 moves = frameRate * (grab.to - grab.from);
            if (grab.row == kNoRow)
                solveLoose(result, grab, target, moves);
            else
                solveBody(result, grab, target, moves);
        }
        impulses[h] = result;
    }

private:
    // γ M of the spring; load: L/M
    HD float softness(float load) const { return 1 / (load * dt * omega * (2 * dampingRatio + dt * omega)); }
    // −(v_p + g dt L/M − m' + β (p − m)); gravity is applied later in the substep, so the weight that hangs
    // on the set is compensated in advance
    HD Vec3 wanted(const GrabImpulse& result, Vec3 velocity, Vec3 target, Vec3 moves, float load) const {
        const Vec3 p = xyz(x[result.slot]);
        const float fall = load * dt * materials[materialOf(phase[result.slot])].gravityScale;
        const float beta = omega / (2 * dampingRatio + dt * omega);
        return moves - velocity - fall * gravity + beta * (target - dt * moves - p);
    }
    HD Vec3 limited(Vec3 impulse, float weights) const {
        const float most = weights * kWeightGravity * dt, size = length(impulse);
        return size > most ? most / size * impulse : impulse;
    }
    HD void solveLoose(GrabImpulse& result, const GrabbedSet& grab, Vec3 target, Vec3 moves) const {
        // a particle that has the mass of its whole cloth carries that cloth in addition
        result.weight = max(grab.cloth, 1.0f);
        const float hangs = grab.cloth > 0 ? 2.0f : 1.0f;
        const Vec3 need = wanted(result, xyz(v[result.slot]), target, moves, hangs);
        // raises the force limit by the weight of the cloth
        result.linear = limited(1 / (1 + softness(1.0f)) * need, maxForce + hangs - 1);
    }
    // Impulses here are divided by the mass of the set.
    HD void solveBody(GrabImpulse& result, const GrabbedSet& grab, Vec3 target, Vec3 moves) const {
        const uint32_t cluster = tables.memberCluster[tables.rowMembers[tables.rowStart[grab.row]]];
        const RigidMoments spin(tables.clusters[cluster], sums);
        if (!(spin.mass > 0)) return;
        // clusters without particles have mass 0
        float all = 0;
        for (uint32_t k = 0; k < grab.clusters; ++k) all += pose[grab.firstCluster + k].mass;
        const float load = max(all / spin.mass, 1.0f);
        const Vec3 q = xyz(x[result.slot]) - pose[cluster].center;
        const auto response = [&](Vec3 impulse) {
            return impulse + cross(spin.angularVelocityOf(cross(q, impulse)), q);
        };
        Mat3 k{response({1, 0, 0}), response({0, 1, 0}), response({0, 0, 1})};
        const float soft = softness(load);
        k.x.x += soft, k.y.y += soft, k.z.z += soft;
        const Vec3 velocity = spin.linear + cross(spin.omega, q);
        const Vec3 impulse =
            limited(solveSymmetric(k, wanted(result, velocity, target, moves, load)), maxForce * load);
        result.cluster = cluster;
        result.center = pose[cluster].center;
        result.linear = impulse;
        result.angular = spin.angularVelocityOf(cross(q, impulse));
    }
};

struct ApplyGrabImpulses {
    View<const GrabImpulse> impulses;
    View<const Vec4> x;
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<Vec4> v;  // [m/s] updated
    HD void operator()(int i) const {
        Vec4 velocity = v[i];
        for (size_t h = 0; h < impulses.size; ++h) {
            const GrabImpulse& result = impulses[h];
            if (result.slot == kNoSlot) continue;
            const Vec3 change = result.linear + cross(result.angular, xyz(x[i]) - result.center);
            velocity = vec4(fma(shareOf(result, i), change, xyz(velocity)), velocity.w);
        }
        v[i] = velocity;
    }

private:
    // Share of a particle's mass that belongs to the grabbed set: 1/n if the particle is in n clusters.
    HD float shareOf(const GrabImpulse& result, int i) const {
        if (result.cluster == kNoRow) return result.slot == static_cast<uint32_t>(i) ? 1.0f : 0.0f;
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        if (row == kNoRow) return 0;
        const uint32_t begin = tables.rowStart[row], end = tables.rowStart[row + 1];
        bool member = false;
        for (uint32_t e = begin; e < end; ++e)
            member |= tables.memberCluster[tables.rowMembers[e]] == result.cluster;
        return member ? 1 / static_cast<float>(end - begin) : 0.0f;
    }
};

// Applies the mass factors after prediction, before particles are reordered. Sequential, because two grabs
// may hold one particle.
struct ScaleGrabbedMasses {
    View<const GrabImpulse> impulses;
    View<Vec4> xStar;  // w: updated
    HD void operator()(int) const {
        for (size_t h = 0; h < impulses.size; ++h)
            if (impulses[h].slot != kNoSlot && impulses[h].weight > 1)
                xStar[impulses[h].slot].w /= impulses[h].weight;
    }
};

// Segment of a brush stroke in this frame.
struct Stroke {
    Vec3 from, to;  // [m]
};

// Drags liquids and grains near a brush towards its velocity u, at rate s with falloff f:
//     v += (u − v) s f dt/(1 + s f dt),   f = (1 − r²/R²)³,   r: distance from the segment
struct ApplyBrush {
    View<const Stroke> strokes;
    View<const Vec4> x;
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<Vec4> v;     // [m/s] updated
    float radius;     // R [m]
    float strength;   // s [1/s]
    float frameRate;  // [1/s]
    float dt;
    HD void operator()(int i) const {
        if (rowOf(groups[groupOf(phase[i])], id[i]) != kNoRow) return;
        Vec4 velocity = v[i];
        for (size_t s = 0; s < strokes.size; ++s) {
            const Vec3 from = strokes[s].from, way = strokes[s].to - from, r = xyz(x[i]) - from;
            const float along2 = dot(way, way);
            const float t = along2 > 0 ? clamp(dot(r, way) / along2, 0.0f, 1.0f) : 0.0f;
            const Vec3 off = r - t * way;
            const float inside = 1 - dot(off, off) / (radius * radius);
            if (!(inside > 0)) continue;
            const float rate = strength * dt * inside * inside * inside;
            const Vec3 change = rate / (1 + rate) * (frameRate * way - xyz(velocity));
            velocity = vec4(xyz(velocity) + change, velocity.w);
        }
        v[i] = velocity;
    }
};

// A blast in this frame: air that moves along a ray.
struct GustRay {
    Vec3 from, along;  // [m]; unit
    float speed;       // [m/s]
};

// Drag of a blast on a particle of mass m, spacing d and cross section d² with c_d = 1:
//     v' = v + n (s − n·v) k dt/(1 + k dt),   k = f ρ_air d² (s − n·v)/(2 m),   f = (1 − r²/R²)²,
// with n, s: direction and speed of the air; r: distance from its ray. Does not slow particles that are
// faster.
struct ApplyGusts {
    View<const GustRay> gusts;
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> v;      // [m/s] updated
    float radius;      // R [m]
    float airDensity;  // [kg/m³]
    float dt;
    HD void operator()(int i) const {
        Vec4 velocity = v[i];
        const float d = materials[materialOf(phase[i])].spacing;
        for (size_t b = 0; b < gusts.size; ++b) {
            const Vec3 n = gusts[b].along, r = xyz(x[i]) - gusts[b].from;
            const float along = dot(r, n), slower = gusts[b].speed - dot(n, xyz(velocity));
            const Vec3 off = r - along * n;
            const float inside = 1 - dot(off, off) / (radius * radius);
            if (!(along > 0) || !(inside > 0) || !(slower > 0)) continue;
            const float rate = 0.5f * inside * inside * airDensity * d * d * slower * x[i].w * dt;
            velocity = vec4(fma(slower * rate / (1 + rate), n, xyz(velocity)), velocity.w);
        }
        v[i] = velocity;
    }
};

}  // namespace coalesce
