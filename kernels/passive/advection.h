// Motion of spray, foam and bubbles. Each particle writes only its own elements.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/motion/force_field.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

// Velocity of the fluid around a point:  v_f(x) = Σ_j v_j W(x − x_j) / Σ_j W(x − x_j)      [UPP14] eq. 28
// over the particles for which counts(j) holds.
struct FluidAround {
    Vec3 velocity{0, 0, 0};  // [m/s]
    int neighbors = 0;
};
template <class Counts>
HD FluidAround fluidAround(const FluidGrid& grid, View<const Vec4> v, Vec3 x, float support,
                           Counts&& counts) {
    FluidAround around;
    const Smoothing kernel = smoothing(support);
    Vec3 sum{0, 0, 0};
    float weights = 0;
    grid.forEachWithin(x, support, [&](uint32_t j, float r2) {
        if (!counts(j)) return;
        const float weight = spiky(kernel, r2).weight;
        sum = fma(weight, xyz(v[j]), sum);
        weights += weight;
        ++around.neighbors;
    });
    if (weights > 0) around.velocity = (1 / weights) * sum;
    return around;
}

// One frame, with v_f of its end. [IAAT12] 3.2
//     spray   v += dt (g + a), then drag towards the wind
//     foam    v = v_f
//     bubble  v = (v + dt (k_d v_f − k_b g))/(1 + dt k_d)
//     smoke   v = v_f at the middle of the frame; without neighbors markers of liquids move as spray, others take on wind and rise
// Liquids and gases carry smoke; only liquids make the difference between spray, foam and bubbles, and carry these.
// All of them age; [IAAT12] lets only foam age, and then spray that never meets liquid again stays forever.
struct AdvectPassive {
    FluidGrid grid;
    View<const Vec4> fluidVelocity;  // [m/s] by slot
    View<const int32_t> isGas;       // by slot: 1, where liquids and gases are in one scene; else empty
    View<uint32_t> nearSmoke;        // by slot: set to 1 where a marker of smoke is near; empty: nobody asks
    View<const PassiveConstants> materials;
    ForceFields fields;
    View<const Vec4> x, v;
    View<const uint32_t> tag;
    View<Vec4> xNew, vNew;     // written
    View<uint32_t> tagNew;     // written
    View<uint32_t> ballistic;  // written: 1 where it moves freely, not with the fluid
    Vec3 gravity;              // [m/s²]
    float dt;                  // [s] of the frame
    float maxSpeed;            // [m/s]
    bool planar;

    HD void operator()(int i) const {
        const uint32_t material = materialOfTag(tag[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 start = xyz(x[i]);
        const bool marker = classOf(tag[i]) == PassiveClass::smoke;
        const auto carries = [&](uint32_t j) { return marker || isGas.size == 0 || isGas[j] == 0; };
        const FluidAround fluid = fluidAround(grid, fluidVelocity, start, m.support, [&](uint32_t j) {
            if (marker && nearSmoke.size > 0) atomicOr(&nearSmoke[j], 1);
            return carries(j);
        });
        const float n = toFloat(fluid.neighbors);
        const PassiveClass kind = marker              ? PassiveClass::smoke
                                  : n < m.sprayBelow  ? PassiveClass::spray
                                  : n > m.bubbleAbove ? PassiveClass::bubble
                                                      : PassiveClass::foam;
        Vec3 velocity = xyz(v[i]);
        const bool free = kind == PassiveClass::spray || (marker && m.liquid && fluid.neighbors == 0);
        if (free) {
            velocity = fma(dt * m.gravityScale, gravity, velocity);
            velocity = fma(dt, fields.acceleration(start, m.forceFieldMask, 0), velocity);
            if (m.airDrag > 0)
                velocity +=
                    dt * m.airDrag / (1 + dt * m.airDrag) * (fields.wind(start, m.forceFieldMask) - velocity);
        } else if (marker && fluid.neighbors == 0) {
            const Vec3 up = normalizeOr(-gravity, {0, 1, 0});
            const Vec3 air = fma(m.smokeRise, up, fields.wind(start, m.forceFieldMask));
            velocity = 1 / (1 + dt * kMixing) * fma(dt * kMixing, air, velocity);
        } else if (kind == PassiveClass::bubble) {
            const Vec3 pulled = fma(dt * m.drag, fluid.velocity, velocity);
            velocity = 1 / (1 + dt * m.drag) * fma(-dt * m.buoyancy * m.gravityScale, gravity, pulled);
        } else {
            velocity = fluid.velocity;
            // midpoint rule: with v_f of its start alone, a marker in a vortex would spiral outward
            if (marker) {
                const FluidAround middle =
                    fluidAround(grid, fluidVelocity, fma(0.5f * dt, velocity, start), m.support, carries);
                if (middle.neighbors > 0) velocity = middle.velocity;
            }
        }
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) velocity = maxSpeed / sqrt(speed2) * velocity;
        if (planar) velocity.z = 0;

        xNew[i] = vec4(fma(dt, velocity, start), x[i].w + dt);
        vNew[i] = vec4(velocity, v[i].w);
        tagNew[i] = makeTag(kind, material);
        ballistic[i] = free;
    }

private:
    static constexpr float kMixing = 2;  // [1/s] rate at which smoke takes on the velocity of the air
};

// Keeps the end of each path outside of all shapes, takes away the velocity into them, and finds who lives on.
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

struct FindGas {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<int32_t> isGas;  // written
    HD void operator()(int i) const { isGas[i] = materials[materialOf(phase[i])].gas; }
};

}  // namespace coalesce
