// Hands hold particles by a spring, and brush through loose ones.
//
// A hand is at m, moves with m', and holds the point p of a rigid set of particles of mass M: a rigid body,
// or the cluster of a soft one that speaks for the particle; a loose particle is a set of its own. The spring
//     k = L ω²,   c = 2 ζ L ω,   L: mass of what hangs on the set (all of the body) [kg]
// is solved implicitly for the impulse P, so that no stiffness and no mass is too much [CAT11]:
//     (K + γ) P = −(v_p + g dt L/M − m' + β (p − m)),   γ = 1/(c dt + k dt²),   β = k/(c + k dt),
//     K P = P/M + I⁻¹(q × P) × q,   q = p − center,   |P| ≤ f L g dt
// The set takes P as a rigid body does; as it is a change of velocities, momentum changes by P and no more.
// The particle of a cloth or rope that is held counts as heavy as all of it, so that it carries the rest.
// Promise: cpu = gpu; every particle adds up its hands in their order.
#pragma once

#include "kernels/solid/rigid_motion.h"

namespace coalesce {

constexpr float kWeightGravity = 9.81f;  // [m/s²] what a weight is, whatever the world's gravity

// A hand in this frame.
struct GrabbedSet {
    Vec3 from, to;                    // [m] at the start of the frame and at its end
    uint32_t id;                      // of the particle that it holds
    uint32_t row;                     // of that particle; kNoRow: it is loose
    uint32_t firstCluster, clusters;  // of its body
    float cloth;                      // particles of the cloth or rope that it is part of; 0: of none
};

// What a hand does to what it holds in this substep.
struct Pull {
    float weight;       // how much heavier the particle counts in this substep
    uint32_t slot;      // of the particle; kNoSlot: it is no more
    uint32_t cluster;   // that moves; kNoRow: the particle alone
    Vec3 center;        // [m] about which it turns
    Vec3 linear, turn;  // change of velocity [m/s], [rad/s]
};

struct FindHeld {
    View<const uint32_t> id;
    View<const GrabbedSet> grips;
    View<Pull> pulls;  // slot written; before: kNoSlot
    HD void operator()(int i) const {
        for (size_t h = 0; h < grips.size; ++h)
            if (grips[h].id == id[i]) pulls[h].slot = static_cast<uint32_t>(i);
    }
};

// x with A x = b for a symmetric A of which all eigenvalues are 1 or more; by LDLᵀ.
HD Vec3 solveSymmetric(const Mat3& a, Vec3 b) {
    const float l10 = a.x.y / a.x.x, l20 = a.x.z / a.x.x;
    const float d1 = a.y.y - l10 * a.x.y, rest = a.y.z - l20 * a.x.y, l21 = rest / d1;
    const float d2 = a.z.z - l20 * a.x.z - l21 * rest;
    const float y1 = b.y - l10 * b.x, y2 = b.z - l20 * b.x - l21 * y1;
    const float z = y2 / d2, y = y1 / d1 - l21 * z;
    return {b.x / a.x.x - l10 * y - l20 * z, y, z};
}

struct FindPulls {
    View<const GrabbedSet> grips;
    View<const Vec4> x, v;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const SpinSums> sums;  // by chunk
    View<Pull> pulls;           // updated
    Vec3 gravity;               // [m/s²]
    float omega;                // ω of the spring [rad/s]
    float dampingRatio;         // ζ
    float maxForce;             // f, in weights
    float dt;
    float after;      // share of the frame that is over when the substep ends
    float frameRate;  // [1/s]

    HD void operator()(int h) const {
        const GrabbedSet grip = grips[h];
        Pull pull = pulls[h];
        pull.cluster = kNoRow;
        pull.weight = 1;
        pull.center = pull.linear = pull.turn = Vec3{0, 0, 0};
        if (pull.slot != kNoSlot && x[pull.slot].w > 0 && !(phase[pull.slot] & kFrozen)) {
            const Vec3 target = fma(after, grip.to - grip.from, grip.from);
            const Vec3 moves = frameRate * (grip.to - grip.from);
            if (grip.row == kNoRow)
                pullLoose(pull, grip, target, moves);
            else
                pullBody(pull, grip, target, moves);
        }
        pulls[h] = pull;
    }

private:
    // γ M of the spring, per mass L/M that hangs on the set
    HD float softness(float load) const { return 1 / (load * dt * omega * (2 * dampingRatio + dt * omega)); }
    // −(v_p + g dt L/M − m' + β (p − m)); gravity comes after the hands, and they know: the weight of all
    // that hangs on the set will drag it down
    HD Vec3 wanted(const Pull& pull, Vec3 velocity, Vec3 target, Vec3 moves, float load) const {
        const Vec3 p = xyz(x[pull.slot]);
        const float fall = load * dt * materials[materialOf(phase[pull.slot])].gravityScale;
        const float beta = omega / (2 * dampingRatio + dt * omega);
        return moves - velocity - fall * gravity + beta * (target - dt * moves - p);
    }
    HD Vec3 limited(Vec3 impulse, float weights) const {
        const float most = weights * kWeightGravity * dt, size = length(impulse);
        return size > most ? most / size * impulse : impulse;
    }
    HD void pullLoose(Pull& pull, const GrabbedSet& grip, Vec3 target, Vec3 moves) const {
        // on a particle that counts as all of its sheet hangs that sheet once more
        pull.weight = max(grip.cloth, 1.0f);
        const float hangs = grip.cloth > 0 ? 2.0f : 1.0f;
        const Vec3 need = wanted(pull, xyz(v[pull.slot]), target, moves, hangs);
        // and the hand carries that besides
        pull.linear = limited(1 / (1 + softness(1.0f)) * need, maxForce + hangs - 1);
    }
    // All impulses here are per mass of the set.
    HD void pullBody(Pull& pull, const GrabbedSet& grip, Vec3 target, Vec3 moves) const {
        const uint32_t cluster = tables.memberCluster[tables.rowMembers[tables.rowStart[grip.row]]];
        const Spin spin(tables.clusters[cluster], sums);
        if (!(spin.mass > 0)) return;
        // what fell off with dead particles hangs on it no more
        float all = 0;
        for (uint32_t k = 0; k < grip.clusters; ++k) all += pose[grip.firstCluster + k].mass;
        const float load = max(all / spin.mass, 1.0f);
        const Vec3 q = xyz(x[pull.slot]) - pose[cluster].center;
        const auto response = [&](Vec3 impulse) {
            return impulse + cross(spin.spinOf(cross(q, impulse)), q);
        };
        Mat3 k{response({1, 0, 0}), response({0, 1, 0}), response({0, 0, 1})};
        const float soft = softness(load);
        k.x.x += soft, k.y.y += soft, k.z.z += soft;
        const Vec3 velocity = spin.linear + cross(spin.omega, q);
        const Vec3 impulse =
            limited(solveSymmetric(k, wanted(pull, velocity, target, moves, load)), maxForce * load);
        pull.cluster = cluster;
        pull.center = pose[cluster].center;
        pull.linear = impulse;
        pull.turn = spin.spinOf(cross(q, impulse));
    }
};

struct ApplyPulls {
    View<const Pull> pulls;
    View<const Vec4> x;
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<Vec4> v;  // [m/s] updated
    HD void operator()(int i) const {
        Vec4 velocity = v[i];
        for (size_t h = 0; h < pulls.size; ++h) {
            const Pull& pull = pulls[h];
            if (pull.slot == kNoSlot) continue;
            const Vec3 change = pull.linear + cross(pull.turn, xyz(x[i]) - pull.center);
            velocity = vec4(fma(shareOf(pull, i), change, xyz(velocity)), velocity.w);
        }
        v[i] = velocity;
    }

private:
    // How much of a particle's mass the set of a hand has: one of n clusters has an n-th of it.
    HD float shareOf(const Pull& pull, int i) const {
        if (pull.cluster == kNoRow) return pull.slot == static_cast<uint32_t>(i) ? 1.0f : 0.0f;
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        if (row == kNoRow) return 0;
        const uint32_t begin = tables.rowStart[row], end = tables.rowStart[row + 1];
        bool member = false;
        for (uint32_t e = begin; e < end; ++e)
            member |= tables.memberCluster[tables.rowMembers[e]] == pull.cluster;
        return member ? 1 / static_cast<float>(end - begin) : 0.0f;
    }
};

// After prediction, before anything is stored anew. One hand after the other: two may hold one particle.
struct WeighHeld {
    View<const Pull> pulls;
    View<Vec4> xStar;  // w: updated
    HD void operator()(int) const {
        for (size_t h = 0; h < pulls.size; ++h)
            if (pulls[h].slot != kNoSlot && pulls[h].weight > 1) xStar[pulls[h].slot].w /= pulls[h].weight;
    }
};

// A stroke of a brush in this frame, along a segment.
struct Stroke {
    Vec3 from, to;  // [m]
};

// Liquids and grains near a brush take on its velocity u, at the rate s in its middle and less outwards:
//     v += (u − v) s f dt/(1 + s f dt),   f = (1 − r²/R²)³,   r: distance from the segment
struct BrushParticles {
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

// A gust in this frame: air that moves along a line, from a point on.
struct Blast {
    Vec3 from, along;  // [m]; unit
    float speed;       // [m/s]
};

// A particle of mass m and spacing d turns its cross section d² to the air, which drags it with c_d = 1:
//     v' = v + n (s − n·v) k dt/(1 + k dt),   k = f ρ_air d² (s − n·v)/(2 m),   f = (1 − r²/R²)²,
// with n, s: direction and speed of the air; r: distance from its line. What is faster already is left alone.
struct BlowParticles {
    View<const Blast> blasts;
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
        for (size_t b = 0; b < blasts.size; ++b) {
            const Vec3 n = blasts[b].along, r = xyz(x[i]) - blasts[b].from;
            const float along = dot(r, n), slower = blasts[b].speed - dot(n, xyz(velocity));
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
