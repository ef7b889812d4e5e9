// Particles against collision shapes: contact planes, found once per substep and solved in every iteration.
//
// Planes of a particle lie in contacts[start[i]] … contacts[start[i + 1] − 1], so memory follows the contacts
// that are. Promise: cpu = gpu; each particle writes only its own.
#pragma once

#include "kernels/material.h"
#include "kernels/shape.h"
#include "kernels/smoothing.h"
#include "kernels/status.h"
#include "kernels/view.h"

namespace coalesce {

constexpr uint32_t kLowered =
    1u << 31;  // on a contact's shape: the particle began inside, and is not forced out

struct Contacts {
    View<const uint32_t> start;  // n + 1
    View<const Vec4> planes;     // unit normal, offset [m]: the center keeps dot(normal, x) ≥ offset
    View<const uint32_t> shape;  // which shape the plane belongs to, with kLowered
    View<const ShapeState> shapes;

    HD const ShapeState& shapeOf(uint32_t k) const { return shapes[shape[k] & ~kLowered]; }

    // planes of particle i, none of those that found no room
    HD uint32_t begin(int i) const { return lesserIndex(start[i]); }
    HD uint32_t end(int i) const { return lesserIndex(start[i + 1]); }

private:
    HD uint32_t lesserIndex(uint32_t k) const {
        return k < planes.size ? k : static_cast<uint32_t>(planes.size);
    }
};

// What decides which planes a particle gets.
struct ContactSearch {
    View<const Vec4> x, xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const ShapeState> shapes;
    float margin;      // [-] radii beyond contact
    bool wallDensity;  // the density at walls needs every plane within the support

    template <class Add>
    HD void forEachPlane(int i, Add&& add) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float radius = 0.5f * m.spacing;
        const float reach = greater(margin * radius, wallDensity ? m.support - radius : 0.0f);
        for (uint32_t s = 0; s < shapes.size; ++s)
            findPlanes(shapes[s], xyz(x[i]), xyz(xStar[i]), radius, reach,
                       [&](ContactPlane plane) { add(plane, s); });
    }
};

struct CountContacts {
    ContactSearch search;
    View<uint32_t> count;  // written
    HD void operator()(int i) const {
        uint32_t found = 0;
        search.forEachPlane(i, [&](ContactPlane, uint32_t) { ++found; });
        count[i] = found;
    }
};

struct WriteContacts {
    ContactSearch search;
    View<const uint32_t> start;
    View<Vec4> planes;     // written
    View<uint32_t> shape;  // written
    StatusBlock* status;
    int64_t particles;
    HD void operator()(int i) const {
        uint32_t k = start[i];
        search.forEachPlane(i, [&](ContactPlane plane, uint32_t s) {
            if (k < planes.size) planes[k] = vec4(plane.normal, plane.offset), shape[k] = s;
            ++k;
        });
        if (i + 1 == particles) {
            noteMax(&status->requiredContacts, k);
            if (k > planes.size) noteFlag(&status->flags, kContactOverflow);
        }
    }
};

// What starts inside a shape is led out without gaining speed: x and x* move together ([UPP14] 4.4). Depth is
// taken at the start of the substep, against the shape where it was then, so that a moving wall still pushes.
// What is left of the depth lowers the plane for this substep: contacts then only keep it from getting
// deeper.
struct PreStabilize {
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> planes;     // of `contacts`, offsets lowered
    View<uint32_t> shape;  // of `contacts`, marked
    View<Vec4> x, xStar;   // updated
    int rounds;            // 0: nothing is led out, and impulses push as they will
    float dt;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || x[i].w == 0) return;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float most = m.maxDepenetration * dt;
        Vec3 start = xyz(x[i]);
        float room = most;  // [m] that may still be moved
        for (int round = 0; round < rounds; ++round)
            for (uint32_t k = begin; k < end; ++k) {
                const float depth = -startGap(k, start, m);
                if (depth <= 0) continue;
                const float step = lesser(depth, room);
                start += step * xyz(planes[k]);
                room -= step;
            }
        const Vec3 shift = start - xyz(x[i]);
        x[i] = vec4(start, x[i].w);
        const Vec3 target = xyz(xStar[i]) + shift;
        xStar[i] = vec4(target, xStar[i].w);
        for (uint32_t k = begin; k < end; ++k) {
            // led out gently, a particle is only held; left to the contacts, it may be pushed as fast as
            // allowed
            const float allowed = startGap(k, start, m) + (rounds > 0 ? 0 : most);
            planes[k].w += lesser(allowed, 0.0f);
            if (allowed < -1e-3f * m.spacing) shape[k] |= kLowered;
        }
    }

    // Distance of the start from the plane, both where they were at the start of the substep. The plane
    // belongs to the end of the way: on a round shape or past an edge it may cut off a start that lies
    // outside all the same, and that start is not inside.
    HD float startGap(uint32_t k, Vec3 start, const MaterialConstants& m) const {
        const ShapeState& shape = contacts.shapeOf(k);
        const Vec3 n = xyz(planes[k]);
        const Vec3 onPlane = planes[k].w * n;  // a point of the plane, now
        const Vec3 nBefore = rotate(shape.previous.rotation, rotateBack(shape.present.rotation, n));
        const float gap = dot(nBefore, start - previousPosition(shape, onPlane));
        if (gap >= 0 || shape.container || shape.kind == ShapeKind::plane) return gap;
        const float distance = solidDistance(shape, shape.previous, start) - 0.5f * m.spacing;
        return distance > -1e-3f * m.spacing ? greater(gap, lesser(distance, 0.0f)) : gap;
    }
};

// What walls add to the volume fraction of a liquid: the part of the support that lies behind them counts as
// filled. Several walls combine as 1 − Π(1 − Φ_k), which is exact in a right-angled corner. A lattice flush
// with a wall has φ = 1 only up to the difference between sum and integral; the material's wallShift (some
// 0.16 d) takes that away, so that a tank starts at rest.
struct WallTerm {
    Contacts contacts;
    View<const Vec4> xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> wall;  // written: ∇φ_wall [1/m]; w: φ_wall
    float share;      // fluid.wallDensity

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        Vec4 sum{0, 0, 0, 0};
        if (begin < end && share > 0) {
            const MaterialConstants& m = materials[materialOf(phase[i])];
            const float radius = 0.5f * m.spacing;
            Vec3 gradient{0, 0, 0};
            float open = 1;  // Π(1 − Φ_k)
            for (uint32_t k = begin; k < end; ++k) {
                if (repeats(begin, k)) continue;
                const Vec3 n = xyz(contacts.planes[k]);
                const float q =
                    (dot(n, xyz(xStar[i])) - contacts.planes[k].w + radius + m.wallShift) / m.support;
                const float hidden = share * halfSpaceShare(q);
                const float slope = share * halfSpaceSlope(m.support, q);
                // product rule, one factor at a time
                gradient = (1 - hidden) * gradient - (open * slope) * n;
                open *= 1 - hidden;
            }
            sum = vec4(gradient, 1 - open);
        }
        wall[i] = sum;
    }

private:
    // another shape already hides the space behind this plane: a floor and the bottom of a tank, slabs side
    // by side
    HD bool repeats(uint32_t begin, uint32_t k) const {
        for (uint32_t other = begin; other < k; ++other)
            if (dot(xyz(contacts.planes[other]), xyz(contacts.planes[k])) > 0.99f) return true;
        return false;
    }
};

// One iteration of contact and friction: Δ of all planes summed, then averaged (local) or scaled (global).
//     non-penetration  C = n·x* − offset ≥ 0
//     friction         of the tangential way since the start of the substep, relative to the shape's own way
//     there:
//                      all of it below μ_s depth, else a share μ_k depth / |Δx⊥|            [UPP14] eq. 23-25
struct SolveContacts {
    Contacts contacts;
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> xStar;  // updated
    float omega;
    bool average;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || xStar[i].w == 0) return;
        const Vec3 start = xyz(x[i]), target = xyz(xStar[i]);
        const MaterialConstants& m = materials[materialOf(phase[i])];
        Vec3 delta{0, 0, 0};
        int touched = 0;
        for (uint32_t k = begin; k < end; ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            const float depth = contacts.planes[k].w - dot(n, target);
            if (depth <= 0) continue;
            Vec3 push = depth * n;
            const ShapeState& shape = contacts.shapeOf(k);
            if (shape.friction > 0 && m.dynamicFriction + m.staticFriction > 0) {
                const Vec3 at = target + push;
                const Vec3 way = (at - start) - (at - previousPosition(shape, at));
                const Vec3 slide = way - dot(way, n) * n;
                const float distance = length(slide);
                if (distance > 0) {
                    const bool sticks = distance < shape.friction * m.staticFriction * depth;
                    push -= (sticks ? 1.0f
                                    : lesser(shape.friction * m.dynamicFriction * depth / distance, 1.0f)) *
                            slide;
                }
            }
            delta += push;
            ++touched;
        }
        if (touched > 0) xStar[i] = vec4(target + omega / (average ? touched : 1) * delta, xStar[i].w);
    }
};

// After the iterations nothing may be inside a shape, whatever they left: the way x → x* is checked against
// the shapes themselves. Rounds are for corners between shapes: in the wedge between two that meet at an
// acute angle each round takes away a part of what the last one left.
struct KeepOutside {
    ContactSearch search;
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> x;
    View<Vec4> xStar;  // updated

    HD void operator()(int i) const {
        if (xStar[i].w == 0) return;
        const float radius = 0.5f * materials[materialOf(phase[i])].spacing;
        const Vec3 start = xyz(x[i]);
        Vec3 target = xyz(xStar[i]);
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            target += greater(contacts.planes[k].w - dot(n, target), 0.0f) * n;
        }
        bool moved = true;
        for (int round = 0; round < 16 && moved; ++round) {
            moved = false;
            for (uint32_t s = 0; s < search.shapes.size; ++s) {
                if (beganInside(i, s)) continue;
                Vec3 at = target;
                findPlanes(search.shapes[s], start, target, radius, 0, [&](ContactPlane plane) {
                    const float depth = plane.offset - dot(plane.normal, at);
                    if (depth <= 0) return;
                    at += depth * plane.normal;
                    moved |= depth > 1e-4f * radius;  // less is rounding
                });
                target = at;
            }
        }
        xStar[i] = vec4(target, xStar[i].w);
    }

private:
    HD bool beganInside(int i, uint32_t s) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if (contacts.shape[k] == (s | kLowered)) return true;
        return false;
    }
};

// The end of a substep, x* being outside all shapes already: velocity is what really happened.
//     v = (x* − x)/dt;  at a touched plane, the speed towards it becomes −e times that of the impact, or zero
struct Finalize {
    Contacts contacts;
    View<const uint32_t> id;
    View<uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> xStar;
    View<Vec4> x, v;  // updated
    StatusBlock* status;
    float dt, maxSpeed, bounceSpeed;

    HD void operator()(int i) const {
        const Vec4 start = x[i];
        const Vec3 before = xyz(v[i]);  // as predicted: with gravity, before any constraint
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const Vec3 target = xyz(xStar[i]);

        if (!isFinite(target) || (phase[i] & kFrozen)) {
            // quarantine: back to the last finite place, fixed from now on
            if (!(phase[i] & kFrozen)) {
                noteCount(&status->nonFinite, 1);
                noteMin(&status->firstBadId, id[i]);
            }
            phase[i] |= kFrozen;
            x[i] = vec4(xyz(start), 0.0f);
            v[i] = {0, 0, 0, v[i].w};
            return;
        }
        if (start.w == 0) {
            v[i] = {0, 0, 0, v[i].w};
            return;
        }
        const float rate = 1 / dt;
        Vec3 velocity = rate * (target - xyz(start));
        // where no constraint moved it, the predicted speed itself: positions round, and over many short
        // substeps far from the origin their differences would add up to a wrong fall
        const Vec3 predicted = fma(dt, before, xyz(start));
        velocity = {select(target.x == predicted.x, before.x, velocity.x),
                    select(target.y == predicted.y, before.y, velocity.y),
                    select(target.z == predicted.z, before.z, velocity.z)};

        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            if (dot(n, target) - contacts.planes[k].w > 1e-3f * m.spacing) continue;
            const ShapeState& shape = contacts.shapeOf(k);
            const Vec3 wall = rate * (target - previousPosition(shape, target));
            const float impact = dot(n, before - wall), now = dot(n, velocity - wall);
            const float wanted = impact < -bounceSpeed ? -m.restitution * impact : 0;
            if (now < wanted) velocity += (wanted - now) * n;
        }
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) {
            velocity = maxSpeed / sqrt(speed2) * velocity;
            noteCount(&status->clamped, 1);
        }
        x[i] = vec4(target, start.w);
        v[i] = vec4(velocity, v[i].w);
    }
};

}  // namespace coalesce
