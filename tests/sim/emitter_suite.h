// Emitters and sinks for tests of them.
#pragma once

#include "sim/make_bodies.h"
#include "support/each_backend.h"

namespace coalesce::test {

inline constexpr float kSpacing = 0.05f;  // [m]

inline Emitter tap(Vec3 position, Vec3 direction, float speed, float radius = 0.12f) {
    Emitter e;
    e.name = "tap";
    e.radius = radius;
    e.properties.position = position, e.properties.direction = direction, e.properties.speed = speed;
    e.seed = 7;
    return e;
}
inline Sink sinkOf(const char* name, ShapeKind kind, bool outside, float age = 0) {
    Sink s;
    s.name = name, s.formed = true, s.form.kind = kind;
    s.properties.outside = outside, s.properties.age = age;
    return s;
}
inline void floating(World& world) {
    world.parameters.world.gravity = {0, 0, 0};
}
inline void addFloatingWater(World& world) {
    addMaterial(world, water(kSpacing));
    floating(world);
}
inline bool balanced(const World& world) {
    return world.count() == world.particlesAdded - world.particlesRemoved;
}
inline Prefab stoneOf(const World& world, uint32_t material) {
    return {.name = "stone",
            .material = material,
            .samples = samplesOf({.nx = 3, .ny = 2, .nz = 2}, world.materials[material].properties.spacing),
            .clusters = {},
            .skin = nullptr};
}

}  // namespace coalesce::test
