// Solver of shape contacts: pre-stabilization, non-penetration with Coulomb friction
// (SolveShapeContacts), and continuous collision.
// Each particle writes only its own elements, loads are integer sums.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/contact/shape_loads.h"
#include "kernels/contact/wall_impulses.h"

namespace coalesce {

// Whether a particle whose path starts at `to` in place of `from` passes the surface of a shape, or nearly:
// continuous collision keeps a particle on the side of its start.
template <bool Forms>
HD bool blocksShift(const ContactSearch<Forms>& search, uint32_t phase, Vec3 from, Vec3 to, float radius) {
    bool blocked = false;
    search.forEachShape(phase, from, to, 0, [&](uint32_t s) {
        blocked |= blocksAtStart<Forms>(search.shapes.states[s], search.shapes.tables, from, to, radius);
    });
    return blocked;
}

// Moves the start and the end of a particle's path together, to resolve overlaps with other particles; not if
// the start would pass the surface of a shape.
template <bool Forms>
struct ShiftPath {
    ContactSearch<Forms> search;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> shift;  // [m]
    View<Vec4> x, xStar;     // updated

    HD void operator()(int i) const {
        const Vec3 start = xyz(x[i]), s = xyz(shift[i]), end = start + s;
        const float radius = search.radiusOf(i, materials[materialOf(phase[i])]);
        if (dot(s, s) > 0 && blocksShift<Forms>(search, phase[i], start, end, radius)) return;
        x[i] = vec4(end, x[i].w);
        xStar[i] = vec4(xyz(xStar[i]) + s, xStar[i].w);
    }
};

// Signed distance of the start position of a ball from a contact plane, both at the start of the substep. The
// plane was found for the end of the path: on a round shape or past an edge the start may lie behind the
// plane and still be outside the shape.
template <bool Forms>
HD float startGap(const Contacts& contacts, const ShapeTables& tables, uint32_t k, Vec4 plane, Vec3 start,
                  float radius, float spacing) {
    const ShapeState& shape = contacts.shapeOf(k);
    const Vec3 n = xyz(plane);
    const Vec3 onPlane = plane.w * n;  // a point on the plane, at the present pose
    const Vec3 nBefore = rotate(shape.previous.rotation, inverseRotate(shape.present.rotation, n));
    const float gap = dot(nBefore, start - contacts.previousPosition(k, onPlane));
    // planes, and faces that are separate contacts
    if (gap >= 0 || hasFacesOnly<Forms>(shape)) return gap;
    const float depth = roomAt<Forms>(shape, tables, start, radius) - radius;
    // for non-convex shapes the plane does not bound the start position
    return isConvex<Forms>(shape) && depth < -1e-3f * spacing ? gap : max(gap, min(depth, 0.0f));
}

// Pre-stabilization: resolves initial penetration without adding velocity by moving x and x* together
// ([UPP14] 4.4). Depth is measured at the start of the substep against the shape's pose at that time, so a
// moving wall still pushes. Remaining depth lowers the plane for this substep, so contacts only prevent
// deeper penetration.
// Planes belong to the end of the path, and where it is long, their normals may lead the start through another
// part of a shape, or through a thin one: then it stays. What a convex shape contains is pushed out.
template <bool Forms>
struct PreStabilizeShapes {
    ContactSearch<Forms> search;
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> planes;     // of `contacts`, offsets lowered
    View<uint32_t> shape;  // of `contacts`, flagged
    View<Vec4> x, xStar;   // updated
    int rounds;            // 0: off; contact impulses resolve the overlap
    float dt;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || x[i].w == 0) return;
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float most = m.maxDepenetration * dt;
        const float radius = search.radiusOf(i, m);
        Vec3 start = xyz(x[i]);
        float room = most;  // [m] remaining displacement
        for (int round = 0; round < rounds; ++round)
            for (uint32_t k = begin; k < end; ++k) {
                const float depth = -gapOf(k, start, radius, m);
                if (depth <= 0) continue;
                const float step = min(depth, room);
                start += step * xyz(planes[k]);
                room -= step;
            }
        Vec3 shift = start - xyz(x[i]);
        if (dot(shift, shift) > 0 && blocksShift<Forms>(search, phase[i], xyz(x[i]), start, radius))
            start = xyz(x[i]), shift = {0, 0, 0};
        x[i] = vec4(start, x[i].w);
        const Vec3 target = xyz(xStar[i]) + shift;
        xStar[i] = vec4(target, xStar[i].w);
        for (uint32_t k = begin; k < end; ++k) {
            // with pre-stabilization contacts only hold the particle; without it they may push it out at up
            // to maxDepenetration
            const float allowed = gapOf(k, start, radius, m) + (rounds > 0 ? 0 : most);
            planes[k].w += min(allowed, 0.0f);
            if (allowed < -1e-3f * m.spacing) shape[k] |= kLowered;
        }
    }

private:
    HD float gapOf(uint32_t k, Vec3 start, float radius, const MaterialConstants& m) const {
        return startGap<Forms>(contacts, search.shapes.tables, k, planes[k], start, radius, m.spacing);
    }
};

// One iteration of contact and friction: displacements Δ of all planes summed, then averaged (local) or
// scaled (global).
//     non-penetration  C = n·x* − offset ≥ 0
//     friction         removes the tangential displacement since the start of the substep, relative to the
//                      shape: all of it below μ_s depth, else the share μ_k depth / |Δx⊥|  [UPP14] eq. 23-25
// Accumulates the impulse of each plane for the load on its shape: m Δx, plus the impulse λ ∇φ_wall of the
// density constraint in the same iteration for the space behind the wall.
struct SolveShapeContacts {
    Contacts contacts;
    View<const Vec4> x;
    View<const Vec4> slip;  // [m] see slip.h; empty: friction does not remember
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> xLambda;  // w: λ of the density constraint; empty: its impulses are noted elsewhere
    WallImpulses wallImpulses;
    View<Vec3> accumulatedImpulse;      // by contact, updated
    View<Vec3> lastImpulse;             // by contact, bodies only: impulse of the last iteration; updated
    View<const float> contactResponse;  // by slot: factor by which the body followed lastImpulse, see
                                        // FindMassScale; empty: no bodies
    View<Vec4> xStar;                   // updated
    View<Vec4> roundingError;           // [m] of x*; cleared where static friction holds it; empty: not kept
    float omega;
    bool average;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || xStar[i].w == 0) return;
        const Vec3 target = xyz(xStar[i]);
        const MaterialConstants& m = materials[materialOf(phase[i])];
        int touched = 0;
        for (uint32_t k = begin; k < end; ++k) touched += depthOf(k, target) > 0;
        const float mass = 1 / xStar[i].w, share = touched > 0 ? omega / (average ? touched : 1) : 0;
        const float lambda = m.fluid && xLambda.size > 0 ? xLambda[i].w : 0;
        bool held = false;  // by static friction: then its velocity becomes exactly that of the shape
        Vec3 delta{0, 0, 0};
        for (uint32_t k = begin; k < end; ++k) {
            const float depth = depthOf(k, target);
            Vec3 gives{0, 0, 0};
            if (depth > 0) {
                const Vec3 push = pushOf(k, i, target, depth, m, held);
                delta += push;
                gives = mass * share * push;
            }
            if (lambda != 0) gives += wallImpulses.of(i, k, xyz(contacts.planes[k]), lambda);
            if (contactResponse.size > 0) {
                accumulatedImpulse[k] += contactResponse[i] * lastImpulse[k];
                lastImpulse[k] = gives;
            } else {
                accumulatedImpulse[k] += gives;
            }
        }
        if (touched == 0) return;
        xStar[i] = vec4(target + share * delta, xStar[i].w);
        if (roundingError.size > 0 && held) roundingError[i] = {0, 0, 0, 0};
    }

private:
    HD float depthOf(uint32_t k, Vec3 target) const {
        return contacts.planes[k].w - dot(xyz(contacts.planes[k]), target);
    }
    HD Vec3 pushOf(uint32_t k, int i, Vec3 target, float depth, const MaterialConstants& m,
                   bool& held) const {
        const Vec3 n = xyz(contacts.planes[k]), start = xyz(x[i]);
        Vec3 push = depth * n;
        const ShapeState& shape = contacts.shapeOf(k);
        if (!(shape.friction > 0 && m.dynamicFriction + m.staticFriction > 0)) return push;
        const Vec3 at = target + push;
        Vec3 way = (at - start) - (at - contacts.previousPosition(k, at));
        if (slip.size > 0) way += xyz(slip[i]);
        const Vec3 slide = way - dot(way, n) * n;
        const float distance = length(slide);
        if (distance > 0) {
            const bool sticks = distance < shape.friction * m.staticFriction * depth;
            held |= sticks;
            push -=
                (sticks ? 1.0f : min(shape.friction * m.dynamicFriction * depth / distance, 1.0f)) * slide;
        }
        return push;
    }
};

// Continuous collision after the iterations: checks the path x → x* against the shapes themselves, so that no
// particle ends inside a shape. Several rounds handle corners between shapes: in a wedge of acute angle each
// round removes part of the remaining penetration. A particle still blocked after the last round returns to
// its start position in the frame of the blocking shape. Where another shape blocks that way, as between a press
// and its bed, its ball shrinks in further rounds, so that it stays between them. What still blocks it then
// returns it to its start again: between shapes at rest it stays exactly there, and does not creep through one.
template <bool Forms>
struct SolveContinuousCollision {
    ContactSearch<Forms> search;
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> x;
    View<Vec3> accumulatedImpulse;  // by contact, updated; empty: impulses and loads are not wanted
    View<const Vec3>
        lastImpulse;   // by contact: impulse of the last iteration, not yet accumulated; may be empty
    View<Vec4> xStar;  // updated
    ShapeLoads loads;

    HD void operator()(int i) const {
        const Vec4 begin = x[i], end = xStar[i];
        const uint32_t mine = phase[i], firstContact = contacts.begin(i), endOfContacts = contacts.end(i);
        if (end.w == 0) return;
        const float radius = search.radiusOf(i, materials[materialOf(mine)]), mass = 1 / end.w;
        const Vec3 start = xyz(begin);
        Vec3 target = xyz(end);
        for (uint32_t k = firstContact; k < endOfContacts; ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            const float depth = max(contacts.planes[k].w - dot(n, target), 0.0f);
            target += depth * n;
            if (accumulatedImpulse.size > 0) accumulatedImpulse[k] += mass * depth * n;
            if (lastImpulse.size > 0) accumulatedImpulse[k] += lastImpulse[k];
        }
        bool moved = true;
        float ball = radius;
        for (int round = 0; round < kRounds + kSmallerRounds && moved; ++round) {
            moved = false;
            if (round >= kRounds) ball *= 0.5f;
            search.forEachShape(mine, start, target, radius, [&](uint32_t s) {
                const ShapeState& shape = search.shapes.states[s];
                const ShapeTables& tables = search.shapes.tables;
                Vec3 at = target;
                float slack = kBlocks * radius;  // less is rounding
                const auto hold = [&](ContactPlane plane) {
                    const float depth = plane.offset - dot(plane.normal, at);
                    if (depth <= 0) return;
                    at += depth * plane.normal;
                    moved |= depth > slack;
                };
                // a particle that started too close is not pushed out here, but must not get closer
                const bool began = beganInside(i, s);
                if (began && hasFacesOnly<Forms>(shape)) {
                    if (!shape.container) return;  // its contact holds it
                    findFacesFromStart<Forms>(shape, tables, start, target, ball, [&](ContactPlane plane) {
                        if (plane.offset - dot(plane.normal, at) > slack) hold(plane);
                    });
                } else {
                    const float room = began ? roomAt<Forms>(shape, tables, start, ball) : ball;
                    if (room < kBlocks * radius) return;  // inside
                    slack = kBlocks * max(room, kTight * radius);
                    findPlanes<Forms>(shape, tables, start, target, room, 0, 0, hold);
                }
                if (length(at - target) > returnsBeyond(round) * radius) {
                    Vec3 unused;
                    at = endInWorld<Forms>(shape, tables, startInShape<Forms>(shape, tables, start), unused);
                }
                noteGiven(i, s, mass * (at - target), at);
                target = at;
            });
        }
        xStar[i] = vec4(target, end.w);
    }

private:
    // of the whole ball, and of ever smaller ones down to 1/256
    static constexpr int kRounds = 16, kSmallerRounds = 8;
    // [radii] a particle that a shape moves farther in this round returns to its start
    HD static float returnsBeyond(int round) {
        return round + 1 == kRounds ? 0.01f : round + 1 == kRounds + kSmallerRounds ? 0 : 1e30f;
    }

    HD bool beganInside(int i, uint32_t s) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if (contacts.shape[k] == (s | kLowered)) return true;
        return false;
    }
    // adds to the first contact of the shape; if there is none, to the load of the shape
    HD void noteGiven(int i, uint32_t s, Vec3 gives, Vec3 at) const {
        if (accumulatedImpulse.size == 0) return;
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if ((contacts.shape[k] & ~kLowered) == s) {
                accumulatedImpulse[k] += gives;
                return;
            }
        loads.add(i, s, search.shapes.states[s], gives, at);
    }
};

}  // namespace coalesce
