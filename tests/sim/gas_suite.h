// Gases for tests of them and of their smoke.
#pragma once

#include "sim/make_world.h"

namespace coalesce::test {

inline MaterialProperties air(float spacing) {
    MaterialProperties m = water(spacing);
    m.kind = MaterialKind::gas;
    m.density = 1.2f;
    return m;
}

// Velocity [m/s] at x of what turns about the z axis at a rate [rad/s].
inline Vec3 turnedBy(float rate, Vec3 x) {
    return rate * Vec3{-x.y, x.x, 0};
}
// A disc of gas that fills a round vessel of radius 0.5 m and turns in it rigidly, in a planar world without gravity.
inline void addTurningGas(World& world, const MaterialProperties& gas, float rate, int substeps) {
    constexpr float kRadius = 0.5f;  // [m]
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.planar = true;
    world.parameters.solver.substeps = substeps;
    const uint32_t material = addMaterial(world, gas);
    Shape vessel;
    vessel.name = "vessel", vessel.kind = ShapeKind::sphere, vessel.container = true;
    vessel.radius = kRadius;
    world.shapes.push_back(vessel);
    const int half = static_cast<int>(kRadius / gas.spacing) + 1;
    for (int y = -half; y < half; ++y)
        for (int x = -half; x < half; ++x) {
            const Vec3 at = gas.spacing * Vec3{float(x) + 0.5f, float(y) + 0.5f, 0};
            if (length(at) < kRadius - gas.spacing / 2) addAt(world, at, turnedBy(rate, at), material);
        }
}

}  // namespace coalesce::test
