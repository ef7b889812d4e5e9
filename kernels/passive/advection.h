// Motion of spray, foam and bubbles; their drag on the liquid: drag_reaction.h. Each particle writes only its own elements.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/motion/force_field.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

// The points around which each particle needs the velocity of the fluid, and the keys of their cells. Spray,
// foam and bubbles: where they are. Markers: the middle of the path that the velocity of the last frame leads
// along; with v_f of its start alone, a marker in a vortex would spiral outward.
struct PlacePassive {
    View<const Vec4> x, v;
    View<const uint32_t> tag;
    View<const PassiveConstants> materials;
    View<Vec4> point;      // [m] written; w: h [m] of its material, negative: a marker
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …
    CellKeyLayout plan;
    float inverseCell;  // [1/m]
    float half;         // [s] of the frame

    HD void operator()(int i) const {
        const bool marker = classOf(tag[i]) == PassiveClass::smoke;
        const float support = materials[materialOfTag(tag[i])].support;
        const Vec3 at = marker ? fma(half, xyz(v[i]), xyz(x[i])) : xyz(x[i]);
        point[i] = vec4(at, marker ? -support : support);
        key[i] = keyOfPoint(plan, inverseCell, at);
        order[i] = static_cast<uint32_t>(i);
    }
};

// Velocity of the fluid around points:  v_f(x) = Σ_j v_j w(x − x_j) / Σ_j w(x − x_j)      [UPP14] eq. 28
// with w = (1 − r²/h²)⁴: a mean needs no gradient and no norm, so its weight needs no square root.
// Liquids and gases carry smoke; only liquids make the difference
// between spray, foam and bubbles, and carry these.
struct FindFluidAround {
    FluidGrid grid;
    View<const uint32_t> order;  // sorted position -> index
    View<const Vec4> point;      // of PlacePassive, by index
    View<uint32_t> nearSmoke;    // by slot: set to 1 where a marker of smoke is near; empty: nobody asks
    View<Vec4> around;           // [m/s] written, by index: v_f; w: number of neighbors
    View<float> weightSum;       // written, by index: Σ_j w(x − x_j); empty: nobody asks

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const auto to = order[i];
        const Vec4T<R> p = point[to];
        const auto marker = p.w < R(0);
        const R h = max(p.w, -p.w), scale = R(-1) / (h * h);
        Vec3T<R> sum{R(0), R(0), R(0)};
        R weights(0), neighbors(0);
        grid.forEachWithin(xyz(p), h, [&] INLINED(uint32_t k, R r2, decltype(marker) near) {
            if (nearSmoke.size > 0 && any(near & marker)) atomicOr(&nearSmoke[grid.source[k]], 1);
            const bool gas = grid.isGas.size > 0 && grid.isGas[k] != 0;
            const auto counts = gas ? near & marker : near;
            const R a = fma(scale, r2, R(1)), a2 = a * a;
            const R weight = select(counts, a2 * a2, R(0));
            const Vec4 v = grid.v[k];
            sum = fma(weight, Vec3T<R>{R(v.x), R(v.y), R(v.z)}, sum);
            weights += weight;
            neighbors += select(counts, R(1), R(0));
        });
        const R inverse = select(R(0) < weights, R(1) / weights, R(0));
        scatter(static_cast<IntOf<I>>(to), vec4(inverse * sum, neighbors));
        if (weightSum.size > 0) scatter(static_cast<IntOf<I>>(to), weights);
    }

private:
    HD void scatter(int to, Vec4 value) const { around[to] = value; }
    HD void scatter(int to, float weights) const { weightSum[to] = weights; }
    HD void scatter(LaneInt to, LaneFloat weights) const {
#ifndef __CUDA_ARCH__
        for (int lane = 0; lane < kLanes; ++lane) weightSum[to.bits[lane]] = weights.bits[lane];
#endif
    }
    HD void scatter(LaneInt to, const Vec4T<LaneFloat>& value) const {
#ifndef __CUDA_ARCH__
        for (int lane = 0; lane < kLanes; ++lane)
            around[to.bits[lane]] = {value.x.bits[lane], value.y.bits[lane], value.z.bits[lane],
                                     value.w.bits[lane]};
#endif
    }
};

// Divides the number of neighbors of what would be foam by the share of its support outside of shapes: what has few
// neighbors for want of room, deep in a tank at its wall, is no foam. Behind a face at the distance q h from the center
// lies the cap (1 − q)² (2 + q)/4 of the ball; of several faces the shares outside are multiplied, which is exact at
// right angles through the center. A launch of its own: within MovePassive its registers would be spilled.
struct DiscountShapes {
    View<const Vec4> x;
    View<const uint32_t> tag;
    View<const PassiveConstants> materials;
    ShapeSet shapes;
    View<Vec4> around;  // updated: w
    bool planar;

    HD void operator()(int i) const {
        const PassiveConstants& m = materials[materialOfTag(tag[i])];
        Vec4 found = around[i];
        if (classOf(tag[i]) == PassiveClass::smoke || m.classAt(found.w) != PassiveClass::foam) return;
        const Vec3 at = xyz(x[i]);
        const float support = m.support, radius = 0.1f * support;
        float share = 1;
        shapes.forEachNear([&] { return boundsOfPath(at, at, support); },
                           [&](uint32_t s) {
                               findPlanes<true>(shapes.states[s], shapes.tables, at, at, radius, 0.0f,
                                                support, [&](ContactPlane plane) {
                                                    if (planar && 0.5f < plane.normal.z * plane.normal.z)
                                                        return;
                                                    const float distance =
                                                        dot(plane.normal, at) - plane.offset + radius;
                                                    const float q = clamp(distance / support, 0.0f, 1.0f);
                                                    share *= 1 - 0.25f * (1 - q) * (1 - q) * (2 + q);
                                                });
                           });
        found.w /= max(share, 0.1f);
        around[i] = found;
    }
};

// Moves all of them by one frame with v_f of its end, keeps the end of each path outside of all shapes, takes
// away the velocity into them, and finds who lives on. [IAAT12] 3.2
//     spray   v += dt (g + a), then drag towards the wind
//     foam    v = v_f
//     bubble  v = (v + dt (k_d v_f − k_b g))/(1 + dt k_d)
//     smoke   v = v_f; without neighbors markers of liquids move as spray, others take on wind and rise
// All of them age; [IAAT12] lets only foam age, and then spray that never meets liquid again stays forever.
struct MovePassive {
    View<const Vec4> around;  // of FindFluidAround and DiscountShapes
    View<const PassiveConstants> materials;
    ForceFields fields;
    ShapeSet shapes;
    View<const Vec4> x, v;
    View<const uint32_t> tag;
    View<Vec4> xNew, vNew;  // written
    View<uint32_t> tagNew;  // written
    View<uint32_t> keep;    // written: 0 at the end of its life
    Vec3 gravity;           // [m/s²]
    float dt;               // [s] of the frame
    float maxSpeed;         // [m/s]
    int maxChange;          // of display weights within the frame, see blendTowards
    bool planar;

    HD void operator()(int i) const {
        const Vec4 place = x[i], motion = v[i], carrying = around[i];
        const uint32_t before = tag[i], material = materialOfTag(before);
        const PassiveConstants& m = materials[material];
        const float n = carrying.w;
        const bool marker = classOf(before) == PassiveClass::smoke;
        const PassiveClass kind = marker ? PassiveClass::smoke : m.classAt(n);
        const bool free = kind == PassiveClass::spray || (marker && m.liquid && n == 0);
        const Vec3 from = xyz(place);
        Vec3 velocity = velocityOf(m, kind, free, from, xyz(motion), carrying);
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) velocity = maxSpeed / sqrt(speed2) * velocity;
        if (planar) velocity.z = 0;
        Vec3 end = fma(dt, velocity, from);
        if (collide(from, 0.1f * m.spacing, end, velocity) && free) velocity = (1 - kStick) * velocity;
        const float age = place.w + dt, lifetime = motion.w;
        xNew[i] = vec4(end, age);
        vNew[i] = vec4(velocity, lifetime);
        tagNew[i] = marker ? before : blendTowards(before, kind, maxChange);
        keep[i] = age < lifetime && isFinite(end) && isFinite(velocity);
    }

private:
    static constexpr float kMixing = 2;    // [1/s] rate at which smoke takes on the velocity of the air
    static constexpr float kStick = 0.5f;  // [-] share of the velocity that a drop loses at a shape

    // carrying: v_f; w: number of neighbors
    HD Vec3 velocityOf(const PassiveConstants& m, PassiveClass kind, bool free, Vec3 at, Vec3 velocity,
                       Vec4 carrying) const {
        if (free) {
            velocity = fma(dt * m.gravityScale, gravity, velocity);
            velocity = fma(dt, fields.acceleration(at, m.forceFieldMask, 0), velocity);
            if (m.airDrag > 0)
                velocity +=
                    dt * m.airDrag / (1 + dt * m.airDrag) * (fields.wind(at, m.forceFieldMask) - velocity);
            return velocity;
        }
        if (kind == PassiveClass::smoke && carrying.w == 0) {
            const Vec3 up = normalizeOr(-gravity, {0, 1, 0});
            const Vec3 air = fma(m.smokeRise, up, fields.wind(at, m.forceFieldMask));
            return 1 / (1 + dt * kMixing) * fma(dt * kMixing, air, velocity);
        }
        if (kind == PassiveClass::bubble) {
            const Vec3 pulled = fma(dt * m.drag, xyz(carrying), velocity);
            return 1 / (1 + dt * m.drag) * fma(-dt * m.buoyancy * m.gravityScale, gravity, pulled);
        }
        return xyz(carrying);
    }

    // true: a shape was touched
    HD bool collide(Vec3 from, float radius, Vec3& end, Vec3& velocity) const {
        bool touched = false;
        shapes.forEachNear([&] { return boundsOfPath(from, end, radius); },
                           [&](uint32_t s) {
                               findPlanes<true>(shapes.states[s], shapes.tables, from, end, radius, 0.0f,
                                                0.0f, [&](ContactPlane plane) {
                                                    const float depth = plane.offset - dot(plane.normal, end);
                                                    if (depth <= 0) return;
                                                    if (planar) plane.normal.z = 0;
                                                    end = fma(depth, plane.normal, end);
                                                    const float into = min(dot(plane.normal, velocity), 0.0f);
                                                    velocity = fma(-into, plane.normal, velocity);
                                                    touched = true;
                                                });
                           });
        return touched;
    }
};

// Time for which each gas particle has had no marker of smoke within its support.
struct AgeSmokeless {
    View<const uint32_t> phase, nearSmoke;
    View<const MaterialConstants> materials;
    View<float> smokeless;  // [s] updated
    float dt;               // [s] of the frame
    HD void operator()(int i) const {
        const bool counts = materials[materialOf(phase[i])].gas != 0 && nearSmoke[i] == 0;
        smokeless[i] = counts ? smokeless[i] + dt : 0.0f;
    }
};

}  // namespace coalesce
