// Motion of spray, foam and bubbles. Each particle writes only its own elements.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/motion/force_field.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

// Velocity of the fluid around points:  v_f(x) = Σ_j v_j W(x − x_j) / Σ_j W(x − x_j)      [UPP14] eq. 28
// Liquids and gases carry smoke; only liquids make the difference
// between spray, foam and bubbles, and carry these.
struct FindFluidAround {
    FluidGrid grid;
    View<const Vec4> point;  // [m] in the order of cells; w: h [m] of its material, 0: nobody asks
    View<const uint32_t> isMarker;
    View<uint32_t> nearSmoke;  // by slot: set to 1 where a marker of smoke is near; empty: nobody asks
    View<Vec4> around;         // [m/s] written: v_f; w: number of neighbors

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> p = point[i];
        const auto marker = 0 < IntOf<I>(isMarker[i]);
        const SmoothingT<R> kernel = smoothing(p.w);
        Vec3T<R> sum{R(0), R(0), R(0)};
        R weights(0), neighbors(0);
        grid.forEachWithin(xyz(p), p.w, [&](uint32_t k, R r2, decltype(marker) near) {
            if (nearSmoke.size > 0 && any(near & marker)) atomicOr(&nearSmoke[grid.source[k]], 1);
            const bool gas = grid.isGas.size > 0 && grid.isGas[k] != 0;
            const auto counts = gas ? near & marker : near;
            const R weight = select(counts, spiky(kernel, r2).weight, R(0));
            const Vec4 v = grid.v[k];
            sum = fma(weight, Vec3T<R>{R(v.x), R(v.y), R(v.z)}, sum);
            weights += weight;
            neighbors += select(counts, R(1), R(0));
        });
        const R scale = select(R(0) < weights, R(1) / weights, R(0));
        put(around, i, vec4(scale * sum, neighbors));
    }
};

// Points in the order of cells, for FindFluidAround.
struct SortPassive {
    View<const Vec4> x;
    View<const uint32_t> tag;
    View<const uint32_t> order;  // sorted position -> index
    View<const PassiveConstants> materials;
    View<Vec4> point;         // written
    View<uint32_t> isMarker;  // written

    HD void operator()(int i) const {
        const uint32_t p = order[i];
        point[i] = vec4(xyz(x[p]), materials[materialOfTag(tag[p])].support);
        isMarker[i] = classOf(tag[p]) == PassiveClass::smoke;
    }
};

// Velocities of one frame, with v_f of its end. [IAAT12] 3.2
//     spray   v += dt (g + a), then drag towards the wind
//     foam    v = v_f
//     bubble  v = (v + dt (k_d v_f − k_b g))/(1 + dt k_d)
//     smoke   v = v_f; without neighbors markers of liquids move as spray, others take on wind and rise
struct AdvectPassive {
    View<const uint32_t> order;  // sorted position -> index
    View<const Vec4> around;     // of FindFluidAround, by sorted position
    View<const PassiveConstants> materials;
    ForceFields fields;
    View<const Vec4> x, v;
    View<const uint32_t> tag;
    View<Vec4> vNew;           // written
    View<uint32_t> tagNew;     // written
    View<uint32_t> ballistic;  // written: 1 where it moves freely, not with the fluid
    View<Vec4>
        point;  // updated, by sorted position: where smoke is carried to within half a frame; w: 0 for others
    Vec3 gravity;  // [m/s²]
    float dt;      // [s] of the frame

    HD void operator()(int sorted) const {
        const uint32_t i = order[sorted];
        const uint32_t material = materialOfTag(tag[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 start = xyz(x[i]), carrying = xyz(around[sorted]);
        const float n = around[sorted].w;
        const bool marker = classOf(tag[i]) == PassiveClass::smoke;
        const PassiveClass kind = marker              ? PassiveClass::smoke
                                  : n < m.sprayBelow  ? PassiveClass::spray
                                  : n > m.bubbleAbove ? PassiveClass::bubble
                                                      : PassiveClass::foam;
        Vec3 velocity = xyz(v[i]);
        const bool free = kind == PassiveClass::spray || (marker && m.liquid && n == 0);
        if (free) {
            velocity = fma(dt * m.gravityScale, gravity, velocity);
            velocity = fma(dt, fields.acceleration(start, m.forceFieldMask, 0), velocity);
            if (m.airDrag > 0)
                velocity +=
                    dt * m.airDrag / (1 + dt * m.airDrag) * (fields.wind(start, m.forceFieldMask) - velocity);
        } else if (marker && n == 0) {
            const Vec3 up = normalizeOr(-gravity, {0, 1, 0});
            const Vec3 air = fma(m.smokeRise, up, fields.wind(start, m.forceFieldMask));
            velocity = 1 / (1 + dt * kMixing) * fma(dt * kMixing, air, velocity);
        } else if (kind == PassiveClass::bubble) {
            const Vec3 pulled = fma(dt * m.drag, carrying, velocity);
            velocity = 1 / (1 + dt * m.drag) * fma(-dt * m.buoyancy * m.gravityScale, gravity, pulled);
        } else {
            velocity = carrying;
        }
        const bool carried = marker && n > 0;
        point[sorted] = carried ? vec4(fma(0.5f * dt, velocity, start), m.support) : vec4(start, 0.0f);
        vNew[i] = vec4(velocity, v[i].w);
        tagNew[i] = makeTag(kind, material);
        ballistic[i] = free;
    }

private:
    static constexpr float kMixing = 2;  // [1/s] rate at which smoke takes on the velocity of the air
};

// Moves all of them. Smoke takes v_f at the middle of the frame: with v_f of its start alone, a
// marker in a vortex would spiral outward. All of them age; [IAAT12] lets only foam age, and then
// spray that never meets liquid again stays forever.
struct MovePassive {
    View<const uint32_t> order;  // sorted position -> index
    View<const Vec4> around;     // at the middle of the frame, by sorted position; w: 0 where nothing carries
    View<const Vec4> x;
    View<Vec4> xNew, v;  // written, updated
    float dt;            // [s] of the frame
    float maxSpeed;      // [m/s]
    bool planar;

    HD void operator()(int sorted) const {
        const uint32_t i = order[sorted];
        Vec3 velocity = around[sorted].w > 0 ? xyz(around[sorted]) : xyz(v[i]);
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) velocity = maxSpeed / sqrt(speed2) * velocity;
        if (planar) velocity.z = 0;
        xNew[i] = vec4(fma(dt, velocity, xyz(x[i])), x[i].w + dt);
        v[i] = vec4(velocity, v[i].w);
    }
};

// Keeps the end of each path outside of all shapes, takes away
// the velocity into them, and finds who lives on.
struct CollidePassive {
    View<const PassiveConstants> materials;
    ShapeSet shapes;
    View<const Vec4> start;
    View<const uint32_t> tag, ballistic;
    View<Vec4> x, v;      // updated
    View<uint32_t> keep;  // written: 0 at the end of its life
    bool planar;

    HD void operator()(int i) const {
        const float radius = 0.1f * materials[materialOfTag(tag[i])].spacing;
        const Vec3 from = xyz(start[i]);
        Vec3 end = xyz(x[i]), velocity = xyz(v[i]);
        bool touched = false;
        shapes.forEachNear([&] { return boundsOfPath(from, end, radius); },
                           [&](uint32_t s) {
                               findPlanes<true>(shapes.states[s], shapes.tables, from, end, radius, 0.0f,
                                                [&](ContactPlane plane) {
                                                    const float depth = plane.offset - dot(plane.normal, end);
                                                    if (depth <= 0) return;
                                                    if (planar) plane.normal.z = 0;
                                                    end = fma(depth, plane.normal, end);
                                                    const float into = min(dot(plane.normal, velocity), 0.0f);
                                                    velocity = fma(-into, plane.normal, velocity);
                                                    touched = true;
                                                });
                           });
        if (touched && ballistic[i] != 0) velocity = (1 - kStick) * velocity;
        const float age = x[i].w, lifetime = v[i].w;
        x[i] = vec4(end, age);
        v[i] = vec4(velocity, lifetime);
        keep[i] = age < lifetime && isFinite(end) && isFinite(velocity);
    }

private:
    static constexpr float kStick = 0.5f;  // [-] share of the velocity that a drop loses at a shape
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
