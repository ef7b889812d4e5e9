// Sheets of cloth for tests.
#pragma once

#include "sim/make_bodies.h"
#include "sim/world/body_factory.h"

namespace coalesce::test {

struct ClothGrid {
    Vec3 position{};  // [m] of its middle
    Quat rotation{};  // flat in the x-z plane without
    int nx = 9, nz = 9;
    uint32_t material = 0;
    Vec3 velocity{};  // [m/s]
};

inline MaterialProperties cloth(float spacing, float drag, float lift) {
    MaterialProperties m = solid(MaterialKind::cloth, spacing);
    m.drag = drag;
    m.lift = lift;
    m.bendStiffness = m.shearStiffness = 1;
    return m;
}

inline void addCloth(World& world, const ClothGrid& c) {
    const MaterialProperties& m = world.materials[c.material].properties;
    const ClothMesh cloth = makeGrid(c.nx, c.nz, m.spacing);
    std::vector<BodySample> samples;
    std::vector<float> masses;
    for (size_t k = 0; k < cloth.points.size(); ++k) {
        samples.push_back({.x = cloth.points[k]});
        masses.push_back(m.areaDensity * cloth.share[k]);
    }
    const BodyDef birth{.name = "cloth" + std::to_string(world.bodies.size()),
                        .material = c.material,
                        .samples = samples,
                        .clusters = {},
                        .links = cloth.links,
                        .triangles = cloth.triangles,
                        .masses = masses,
                        .position = c.position,
                        .rotation = c.rotation,
                        .velocity = c.velocity,
                        .skin = nullptr};
    addBodies(world, {&birth, 1});
}

// Area and mass of such a sheet.
inline double areaOf(const ClothGrid& c, double spacing) {
    return (c.nx - 1) * (c.nz - 1) * spacing * spacing;
}

}  // namespace coalesce::test
