// Contacts of particles with collision shapes: planes, found once per substep and solved in every iteration.
//
// The planes of particle i are contacts[start[i]] … contacts[start[i + 1] − 1], so memory is proportional to
// the number of contacts. Promise: cpu = gpu; each particle writes only its own elements.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

constexpr uint32_t kLowered =
    1u << 31;  // flag in Contacts::shape: the particle started inside and is not pushed out

struct Contacts {
    View<const uint32_t> start;  // n + 1
    View<const Vec4> planes;     // unit normal, offset [m]: the center keeps dot(normal, x) ≥ offset
    View<const uint32_t> shape;  // which shape the plane belongs to, with kLowered
    View<const ShapeState> shapes;

    HD const ShapeState& shapeOf(uint32_t k) const { return shapes[shape[k] & ~kLowered]; }

    // planes of particle i; excludes those beyond the capacity
    HD uint32_t begin(int i) const { return lesserIndex(start[i]); }
    HD uint32_t end(int i) const { return lesserIndex(start[i + 1]); }

private:
    HD uint32_t lesserIndex(uint32_t k) const {
        return k < planes.size ? k : static_cast<uint32_t>(planes.size);
    }
};

// Finds the contact planes of a particle.
template <bool Forms>
struct ContactSearch {
    View<const Vec4> x, xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ShapeSet shapes;
    float margin;   // [-] search distance beyond contact, in radii
    bool allWalls;  // density and adhesion at walls need every plane within the support
    bool planar;    // particles keep their z

    HD uint32_t attributesOf(uint32_t phase) const { return groups[groupOf(phase)].attributes; }
    // visit(s) for the shapes that collide with this phase and whose box is within `reach` of the path from
    // start to `end`, at the value of `end` after the previous visit
    template <class Visit>
    HD void forEachShape(uint32_t phase, Vec3 start, const Vec3& end, float reach, Visit&& visit) const {
        const uint32_t attributes = attributesOf(phase);
        shapes.forEachNear([&] { return boundsOfPath(start, end, reach); },
                           [&](uint32_t s) {
                               if (shapes.states[s].attributes & attributes) visit(s);
                           });
    }
    template <class Add>
    HD void forEachPlane(int i, Add&& add) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float radius = 0.5f * m.spacing;
        const float reach = max(margin * radius, allWalls && m.fluid ? m.support - radius : 0.0f);
        const Vec3 start = xyz(x[i]), end = xyz(xStar[i]);
        forEachShape(phase[i], start, end, radius + reach, [&](uint32_t s) {
            findPlanes<Forms>(shapes.states[s], shapes.tables, start, end, radius, reach,
                              [&](ContactPlane plane) {
                                  if (!planar || cut(plane, start.z)) add(plane, s);
                              });
        });
    }

private:
    // Replaces the plane by one parallel to z through its intersection with the particles' plane; false where
    // both are nearly parallel.
    HD static bool cut(ContactPlane& plane, float z) {
        const float across = sqrt(plane.normal.x * plane.normal.x + plane.normal.y * plane.normal.y);
        if (across < 0.1f) return false;
        plane.offset = (plane.offset - plane.normal.z * z) / across;
        plane.normal = {plane.normal.x / across, plane.normal.y / across, 0};
        return true;
    }
};

template <bool Forms>
struct CountContacts {
    ContactSearch<Forms> search;
    View<uint32_t> count;  // written
    HD void operator()(int i) const {
        uint32_t found = 0;
        search.forEachPlane(i, [&](ContactPlane, uint32_t) { ++found; });
        count[i] = found;
    }
};

template <bool Forms>
struct WriteContacts {
    ContactSearch<Forms> search;
    View<const uint32_t> start;
    View<Vec4> planes;              // written
    View<uint32_t> shape;           // written
    View<Vec3> accumulatedImpulse;  // cleared
    StatusBlock* status;
    int64_t particles;
    HD void operator()(int i) const {
        uint32_t k = start[i];
        search.forEachPlane(i, [&](ContactPlane plane, uint32_t s) {
            if (k < planes.size)
                planes[k] = vec4(plane.normal, plane.offset), shape[k] = s, accumulatedImpulse[k] = {0, 0, 0};
            ++k;
        });
        if (i + 1 == particles) {
            atomicMax(&status->requiredContacts, k);
            if (k > planes.size) atomicOr(&status->flags, kContactOverflow);
        }
    }
};

// Pre-stabilization: resolves initial penetration without adding velocity by moving x and x* together
// ([UPP14] 4.4). Depth is measured at the start of the substep against the shape's pose at that time, so a
// moving wall still pushes. Remaining depth lowers the plane for this substep, so contacts only prevent
// deeper penetration.
template <bool Forms>
struct PreStabilize {
    Contacts contacts;
    ShapeTables tables;
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
        Vec3 start = xyz(x[i]);
        float room = most;  // [m] remaining displacement
        for (int round = 0; round < rounds; ++round)
            for (uint32_t k = begin; k < end; ++k) {
                const float depth = -startGap(k, start, m);
                if (depth <= 0) continue;
                const float step = min(depth, room);
                start += step * xyz(planes[k]);
                room -= step;
            }
        const Vec3 shift = start - xyz(x[i]);
        x[i] = vec4(start, x[i].w);
        const Vec3 target = xyz(xStar[i]) + shift;
        xStar[i] = vec4(target, xStar[i].w);
        for (uint32_t k = begin; k < end; ++k) {
            // with pre-stabilization contacts only hold the particle; without it they may push it out at up
            // to maxDepenetration
            const float allowed = startGap(k, start, m) + (rounds > 0 ? 0 : most);
            planes[k].w += min(allowed, 0.0f);
            if (allowed < -1e-3f * m.spacing) shape[k] |= kLowered;
        }
    }

    // Signed distance of the start position from the plane, both at the start of the substep. The plane was
    // found for the end of the path: on a round shape or past an edge the start may lie behind the plane and
    // still be outside the shape.
    HD float startGap(uint32_t k, Vec3 start, const MaterialConstants& m) const {
        const ShapeState& shape = contacts.shapeOf(k);
        const Vec3 n = xyz(planes[k]);
        const Vec3 onPlane = planes[k].w * n;  // a point on the plane, at the present pose
        const Vec3 nBefore = rotate(shape.previous.rotation, inverseRotate(shape.present.rotation, n));
        const float gap = dot(nBefore, start - previousPosition(shape, onPlane));
        // planes, and faces that are separate contacts
        if (gap >= 0 || hasFacesOnly<Forms>(shape)) return gap;
        const float radius = 0.5f * m.spacing, depth = roomAt<Forms>(shape, tables, start, radius) - radius;
        // for non-convex shapes the plane does not bound the start position
        const bool convex = !is<Forms>(shape, ShapeKind::field) && !is<Forms>(shape, ShapeKind::mesh);
        return convex && depth < -1e-3f * m.spacing ? gap : max(gap, min(depth, 0.0f));
    }
};

// Contribution of walls to the volume fraction of a liquid: the part of the support behind them counts as
// filled. Several walls combine as 1 − Π(1 − Φ_k), which is exact in a right-angled corner. For a lattice
// flush with a wall, φ differs from 1 by the difference between sum and integral; the material's wallShift
// (about 0.16 d) removes it, so a tank starts at rest.
struct WallTerm {
    Contacts contacts;
    View<const Vec4> xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> wall;        // written: ∇φ_wall [1/m]; w: φ_wall
    View<float> steepness;  // written, by contact: its part of ∇φ_wall is −steepness (1 − φ_wall) n [1/m]
    float share;            // fluid.wallDensity
    bool planar;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        Vec4 sum{0, 0, 0, 0};
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (begin < end && share > 0 && m.fluid) {
            const float radius = 0.5f * m.spacing;
            Vec3 gradient{0, 0, 0};
            float open = 1;  // Π(1 − Φ_k)
            for (uint32_t k = begin; k < end; ++k) {
                steepness[k] = 0;
                if (repeats(begin, k)) continue;
                const Vec3 n = xyz(contacts.planes[k]);
                const float q =
                    (dot(n, xyz(xStar[i])) - contacts.planes[k].w + radius + m.wallShift) / m.support;
                const float hidden = share * (planar ? halfPlaneShare(q) : halfSpaceShare(q));
                const float slope =
                    share * (planar ? halfPlaneSlope(m.support, q) : halfSpaceSlope(m.support, q));
                // product rule, one factor at a time
                gradient = (1 - hidden) * gradient - (open * slope) * n;
                steepness[k] = slope / (1 - hidden);
                open *= 1 - hidden;
            }
            sum = vec4(gradient, 1 - open);
        }
        wall[i] = sum;
    }

private:
    // an earlier plane already covers the space behind this one: a floor and the bottom of a tank, adjacent
    // slabs
    HD bool repeats(uint32_t begin, uint32_t k) const {
        for (uint32_t other = begin; other < k; ++other)
            if (dot(xyz(contacts.planes[other]), xyz(contacts.planes[k])) > 0.99f) return true;
        return false;
    }
};

// One iteration of contact and friction: displacements Δ of all planes summed, then averaged (local) or
// scaled (global).
//     non-penetration  C = n·x* − offset ≥ 0
//     friction         removes the tangential displacement since the start of the substep, relative to the
//                      shape: all of it below μ_s depth, else the share μ_k depth / |Δx⊥|  [UPP14] eq. 23-25
// Accumulates the impulse of each plane for the load on its shape: m Δx, plus the impulse λ ∇φ_wall of the
// density constraint in the same iteration for the space behind the wall.
struct SolveContacts {
    Contacts contacts;
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> xLambda;           // w: λ of the density constraint
    View<const Vec4> wall;              // w: φ_wall
    View<const float> steepness;        // by contact, see WallTerm
    View<Vec3> accumulatedImpulse;      // by contact, updated
    View<Vec3> lastImpulse;             // by contact, bodies only: impulse of the last iteration; updated
    View<const float> contactResponse;  // by slot: factor by which the body followed lastImpulse, see
                                        // FindMassScale; empty: no bodies
    View<Vec4> xStar;                   // updated
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
        const float pressed =
            m.fluid && wall[i].w > 0 ? xLambda[i].w * (1 - wall[i].w) : 0;  // per steepness [kg m²]
        Vec3 delta{0, 0, 0};
        for (uint32_t k = begin; k < end; ++k) {
            const float depth = depthOf(k, target);
            Vec3 gives{0, 0, 0};
            if (depth > 0) {
                const Vec3 push = pushOf(k, i, target, depth, m);
                delta += push;
                gives = mass * share * push;
            }
            if (pressed != 0) gives -= pressed * steepness[k] * xyz(contacts.planes[k]);
            if (contactResponse.size > 0) {
                accumulatedImpulse[k] += contactResponse[i] * lastImpulse[k];
                lastImpulse[k] = gives;
            } else {
                accumulatedImpulse[k] += gives;
            }
        }
        if (touched > 0) xStar[i] = vec4(target + share * delta, xStar[i].w);
    }

private:
    HD float depthOf(uint32_t k, Vec3 target) const {
        return contacts.planes[k].w - dot(xyz(contacts.planes[k]), target);
    }
    HD Vec3 pushOf(uint32_t k, int i, Vec3 target, float depth, const MaterialConstants& m) const {
        const Vec3 n = xyz(contacts.planes[k]), start = xyz(x[i]);
        Vec3 push = depth * n;
        const ShapeState& shape = contacts.shapeOf(k);
        if (!(shape.friction > 0 && m.dynamicFriction + m.staticFriction > 0)) return push;
        const Vec3 at = target + push;
        const Vec3 way = (at - start) - (at - previousPosition(shape, at));
        const Vec3 slide = way - dot(way, n) * n;
        const float distance = length(slide);
        if (distance > 0) {
            const bool sticks = distance < shape.friction * m.staticFriction * depth;
            push -=
                (sticks ? 1.0f : min(shape.friction * m.dynamicFriction * depth / distance, 1.0f)) * slide;
        }
        return push;
    }
};

// Force, torque and trigger counts of a shape in a frame. Integer sums do not depend on their order.
struct ShapeTally {
    int64_t force[3], torque[3];  // fixed-point, in units of 1/ShapeLoads::quanta
    uint32_t entered;             // trigger: particles that entered
    uint32_t present;             // trigger: particles inside at the end of the frame
};
// Accumulates loads on shapes: force −m Δx/dt², and its torque about the shape's position.
struct ShapeLoads {
    View<ShapeTally>
        tallies;  // `copies` consecutive elements per shape, to reduce contention between threads
    int copies;
    float quanta;  // [1/(kg m)] fixed-point units per m Δx

    HD ShapeTally& tally(int i, uint32_t s) const { return tallies[s * copies + i % copies]; }
    HD void add(int i, uint32_t s, const ShapeState& shape, Vec3 accumulatedImpulse, Vec3 at) const {
        if (accumulatedImpulse == Vec3{0, 0, 0} || !isFinite(accumulatedImpulse)) return;
        const Vec3 force = -quanta * accumulatedImpulse, torque = cross(at - shape.present.position, force);
        ShapeTally& sum = tally(i, s);
        atomicAddFixed(&sum.force[0], whole(force.x)), atomicAddFixed(&sum.torque[0], whole(torque.x));
        atomicAddFixed(&sum.force[1], whole(force.y)), atomicAddFixed(&sum.torque[1], whole(torque.y));
        atomicAddFixed(&sum.force[2], whole(force.z)), atomicAddFixed(&sum.torque[2], whole(torque.z));
    }

private:
    HD static int64_t whole(float quanta) { return static_cast<int64_t>(clamp(quanta, -1e15f, 1e15f)); }
};

// Continuous collision after the iterations: checks the path x → x* against the shapes themselves, so that no
// particle ends inside a shape. Several rounds handle corners between shapes: in a wedge of acute angle each
// round removes part of the remaining penetration. A particle still blocked after the last round returns to
// its start position in the frame of the blocking shape.
template <bool Forms>
struct KeepOutside {
    ContactSearch<Forms> search;
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> x;
    View<Vec3> accumulatedImpulse;  // by contact, updated
    View<const Vec3>
        lastImpulse;   // by contact: impulse of the last iteration, not yet accumulated; may be empty
    View<Vec4> xStar;  // updated
    ShapeLoads loads;

    HD void operator()(int i) const {
        if (xStar[i].w == 0) return;
        const float radius = 0.5f * materials[materialOf(phase[i])].spacing, mass = 1 / xStar[i].w;
        const Vec3 start = xyz(x[i]);
        Vec3 target = xyz(xStar[i]);
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            const float depth = max(contacts.planes[k].w - dot(n, target), 0.0f);
            target += depth * n;
            accumulatedImpulse[k] += mass * depth * n;
            if (lastImpulse.size > 0) accumulatedImpulse[k] += lastImpulse[k];
        }
        bool moved = true;
        for (int round = 0; round < 16 && moved; ++round) {
            moved = false;
            search.forEachShape(phase[i], start, target, radius, [&](uint32_t s) {
                const ShapeState& shape = search.shapes.states[s];
                // a particle that started too close is not pushed out here, but must not get closer
                float room = radius;
                if (beganInside(i, s))
                    room = hasFacesOnly<Forms>(shape)
                               ? 0
                               : roomAt<Forms>(shape, search.shapes.tables, start, radius);
                if (room < 0.01f * radius) return;
                Vec3 at = target;
                findPlanes<Forms>(shape, search.shapes.tables, start, target, room, 0,
                                  [&](ContactPlane plane) {
                                      const float depth = plane.offset - dot(plane.normal, at);
                                      if (depth <= 0) return;
                                      at += depth * plane.normal;
                                      moved |= depth > 1e-4f * radius;  // less is rounding
                                  });
                if (round == 15 && length(at - target) > 0.01f * radius)
                    at = toWorld(shape.present, toShape(shape.previous, start));
                noteGiven(i, s, mass * (at - target), at);
                target = at;
            });
        }
        xStar[i] = vec4(target, xStar[i].w);
    }

private:
    HD bool beganInside(int i, uint32_t s) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if (contacts.shape[k] == (s | kLowered)) return true;
        return false;
    }
    // adds to the first contact of the shape; if there is none, to the load of the shape
    HD void noteGiven(int i, uint32_t s, Vec3 gives, Vec3 at) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if ((contacts.shape[k] & ~kLowered) == s) {
                accumulatedImpulse[k] += gives;
                return;
            }
        loads.add(i, s, search.shapes.states[s], gives, at);
    }
};

// End of a substep, after x* is outside all shapes: velocity from displacement, and restitution.
//     v = (x* − x)/dt;  at a touched plane, the approach speed becomes −e times the impact speed, or zero
// The impact was τ before the end of the substep, and gravity g (towards the plane) continued to act on the
// predicted speed s. With one speed per substep, a fall arrives g dt/2 too slow and a rise loses as much.
// With
//     e (s − g τ + g dt/2) + g dt/2
// a ball of e = 1 keeps its height.
struct Finalize {
    Contacts contacts;
    View<const uint32_t> id;
    View<uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> xStar;
    View<Vec3> accumulatedImpulse;  // by contact, updated
    View<Vec4> x, v;                // updated
    StatusBlock* status;
    Vec3 gravity;  // [m/s²]
    float dt, maxSpeed, bounceSpeed, sleepSpeed;
    bool planar;

    HD void operator()(int i) const {
        const Vec4 start = x[i];
        const Vec3 before = xyz(v[i]);  // as predicted: with gravity, before constraints
        const MaterialConstants& m = materials[materialOf(phase[i])];
        Vec3 target = xyz(xStar[i]);
        if (planar) target.z = start.z;

        if (!isFinite(target) || (phase[i] & kFrozen)) {
            // quarantine: back to the last finite position, frozen from now on
            if (!(phase[i] & kFrozen)) {
                atomicAdd(&status->nonFinite, 1);
                atomicMin(&status->firstBadId, id[i]);
            }
            phase[i] |= kFrozen;
            x[i] = vec4(xyz(start), 0.0f);
            v[i] = {0, 0, 0, v[i].w};
            return;
        }
        const float rate = 1 / dt;
        if (start.w == 0) {
            // kinematic: x* was set by its anchor
            x[i] = vec4(target, 0.0f);
            v[i] = vec4(rate * (target - xyz(start)), v[i].w);
            return;
        }
        Vec3 velocity = rate * (target - xyz(start));
        // where no constraint moved it, keep the predicted velocity: differences of rounded positions far
        // from the origin would accumulate an error in free fall over many short substeps
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
            float wanted = 0;
            if (m.restitution > 0 && impact < -bounceSpeed) {
                const float g = -m.gravityScale * dot(n, gravity);
                const float since = clamp((contacts.planes[k].w - dot(n, predicted)) / -impact, 0.0f, dt);
                wanted = m.restitution * (g * (0.5f * dt - since) - impact) + 0.5f * g * dt;
            }
            if (now >= wanted) continue;
            velocity += (wanted - now) * n;
            accumulatedImpulse[k] += (wanted - now) * dt / start.w * n;
        }
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) {
            velocity = maxSpeed / sqrt(speed2) * velocity;
            atomicAdd(&status->clamped, 1);
        }
        // sleeping: a slow particle keeps its position, and its velocity too, so that a lasting force wakes
        // it [UPP14] 4.5
        const Vec3 way = target - xyz(start);
        const bool asleep = !m.fluid && dot(way, way) < sleepSpeed * dt * (sleepSpeed * dt);
        phase[i] = asleep ? phase[i] | kAsleep : phase[i] & ~kAsleep;
        x[i] = asleep ? start : vec4(target, start.w);
        v[i] = vec4(velocity, v[i].w);
    }
};

// ---- loads and triggers of shapes ----

// Adds the impulses of a substep to the loads on the shapes.
struct SumLoads {
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

// A shape without contact response that counts the particles inside and may teleport them.
struct Trigger {
    uint32_t shape;
    int32_t sends;        // 1: teleports particles that are inside
    Vec3 sendTo, spread;  // [m] center and half size of the target box; velocity becomes 0
};

// Counts as entered: outside at the start of the substep and inside at its end, or inside in between, by the
// particle's center.
template <bool Forms>
struct WatchTriggers {
    View<const Trigger> triggers;
    ContactSearch<Forms> search;
    View<const uint32_t> id;
    View<Vec4> x, xStar, v;  // updated for teleported particles
    ShapeLoads loads;
    uint32_t substep;  // since the start of the run; seeds the target positions
    bool last;         // last substep of a frame

    HD void operator()(int i) const {
        for (size_t t = 0; t < triggers.size; ++t) {
            const Trigger trigger = triggers[t];
            const ShapeState& shape = search.shapes.states[trigger.shape];
            if (!(shape.attributes & search.attributesOf(search.phase[i]))) continue;
            const Vec3 a = toShape(shape.previous, xyz(x[i])), b = toShape(shape.present, xyz(xStar[i]));
            Vec3 unused;
            float distance;
            const bool before = solidDistance<Forms>(shape, search.shapes.tables, a, unused) < 0;
            const bool after = solidDistance<Forms>(shape, search.shapes.tables, b, unused) < 0;
            const bool through =
                !before && !after && !is<Forms>(shape, ShapeKind::plane) &&
                sweepSolid<Forms>(shape, search.shapes.tables, 0, a, b, unused, distance) >= 0;
            ShapeTally& tally = loads.tally(i, trigger.shape);
            if ((!before && after) || through) atomicAdd(&tally.entered, 1);
            if (!after && !through) continue;
            if (trigger.sends && xStar[i].w > 0) {
                const Vec3 place{trigger.sendTo.x + trigger.spread.x * evenly(i, 0),
                                 trigger.sendTo.y + trigger.spread.y * evenly(i, 1),
                                 trigger.sendTo.z + trigger.spread.z * evenly(i, 2)};
                x[i] = xStar[i] = vec4(place, xStar[i].w);
                v[i] = {0, 0, 0, v[i].w};
            } else if (last && after) {
                atomicAdd(&tally.present, 1);
            }
        }
    }

private:
    // uniform in −1 … 1, hashed from particle, time and axis
    HD float evenly(int i, uint32_t axis) const {
        uint32_t h = (id[i] * 0x9e3779b9u ^ substep * 0x85ebca6bu) + axis * 0xc2b2ae35u;
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        return toFloat(static_cast<int>((h ^ h >> 16) >> 8)) * (2.0f / 16777215.0f) - 1;
    }
};

}  // namespace coalesce
