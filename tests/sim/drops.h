// Drops of liquid: how to make them, and what can be measured of them in double.
#pragma once

#include <cmath>
#include <numbers>

#include "sim/fluid/surface_tension.h"
#include "sim/make_world.h"

namespace coalesce::test {

// The points of a lattice, shifted by half a spacing, within a radius given in spacings; `stretch` scales y
// and leaves the volume. `from`: only what lies above this share of the radius.
struct Drop {
    double radius = 6;
    double stretch = 1;
    Vec3 center{};
    double from = -2;
    uint32_t material = 0;
};
inline void addDrop(World& world, const Drop& drop) {
    const double d = world.materials[drop.material].properties.spacing;
    const int reach = static_cast<int>(drop.radius) + 1;
    const double across = 1 / std::sqrt(drop.stretch);
    std::vector<ParticleDef> births;
    for (int z = -reach; z < reach; ++z)
        for (int y = -reach; y < reach; ++y)
            for (int x = -reach; x < reach; ++x) {
                const Vec3d p{x + 0.5, y + 0.5, z + 0.5};
                if (length(p) > drop.radius || p.y() < drop.from * drop.radius) continue;
                births.push_back({.x = drop.center + Vec3{static_cast<float>(d * across * p.x()),
                                                          static_cast<float>(d * drop.stretch * p.y()),
                                                          static_cast<float>(d * across * p.z())},
                                  .material = drop.material});
            }
    world.addParticles(births);
}

inline Vec3d middleOf(const std::vector<Vec4>& x) {
    Vec3d sum;
    for (const Vec4& p : x) sum = sum + 1.0 / static_cast<double>(x.size()) * toDouble(p);
    return sum;
}

// Radius of the ball with the volume of so many lattice cells [m].
inline double radiusOf(size_t count, double d) {
    return std::cbrt(3 * static_cast<double>(count) * d * d * d / (4 * std::numbers::pi));
}

// Accelerations [m/s²] that tension, and adhesion to particles, give at the present positions; by slot. The
// world stays as it is.
inline std::vector<Vec3d> tensionOf(OpenWorld& open, double dt) {
    World& world = open.world;
    const std::vector<Vec4> before = world.particles.v.download();
    StepContext step = open.step;
    step.dt = float(dt);
    SurfaceTension(world.exec).applyForces(step);
    const std::vector<Vec4> after = world.particles.v.download();
    std::vector<Vec3d> a;
    for (size_t i = 0; i < after.size(); ++i)
        a.push_back(1 / dt * (toDouble(after[i]) - toDouble(before[i])));
    world.particles.v.upload(before);
    open.device.xStar.copyFrom(world.particles.x);
    return a;
}

}  // namespace coalesce::test
