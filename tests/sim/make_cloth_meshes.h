// Cloth and ropes for tests.
#pragma once

#include "sim/make_world.h"
#include "sim/world/body_factory.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce::test {

inline MaterialProperties cloth(float spacing) {
    MaterialProperties m;
    m.kind = MaterialKind::cloth;
    m.spacing = spacing;
    m.staticFriction = m.dynamicFriction = 0;
    m.areaDensity = 0.3f;
    return m;
}
inline MaterialProperties rope(float spacing) {
    MaterialProperties m = cloth(spacing);
    m.kind = MaterialKind::rope;
    return m;
}

// A body of a sheet; each particle weighs `density` times its share. Gives the index of the body.
inline uint32_t addCloth(World& world, const ClothMesh& cloth, float density, uint32_t material = 0,
                         std::span<const ClothEdge> more = {}, Vec3 position = {}, Quat rotation = {}) {
    std::vector<BodySample> samples;
    std::vector<float> masses;
    for (size_t i = 0; i < cloth.points.size(); ++i) {
        samples.push_back({.x = cloth.points[i]});
        masses.push_back(density * cloth.share[i]);
    }
    std::vector<ClothEdge> links = cloth.links;
    links.insert(links.end(), more.begin(), more.end());
    const BodyDef birth{.name = "sheet" + std::to_string(world.bodies.size()),
                        .material = material,
                        .samples = samples,
                        .clusters = {},
                        .links = links,
                        .triangles = cloth.triangles,
                        .masses = masses,
                        .position = position,
                        .rotation = rotation,
                        .skin = nullptr};
    return addBodies(world, {&birth, 1});
}

// Points along x, `step` apart.
inline std::vector<Vec3> straight(int count, float step) {
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k) points.push_back({step * static_cast<float>(k), 0, 0});
    return points;
}

// The corners of a cube, each face two triangles, subdivided: a closed sheet.
inline ClothMesh closedBox(int cells, float step) {
    TriangleMesh mesh;
    const auto half = 0.5f * static_cast<float>(cells);
    const auto face = [&](Vec3 o, Vec3 u, Vec3 v) {
        for (int j = 0; j < cells; ++j)
            for (int i = 0; i < cells; ++i) {
                // halves of whole numbers are exact: corners of neighbors coincide
                const auto at = [&](int a, int b) {
                    return step * (o + static_cast<float>(a) * u + static_cast<float>(b) * v);
                };
                const auto n = static_cast<uint32_t>(mesh.vertices.size());
                mesh.vertices.insert(mesh.vertices.end(),
                                     {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
                mesh.triangles.insert(mesh.triangles.end(), {{n, n + 1, n + 2}, {n, n + 2, n + 3}});
            }
    };
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    face({-half, -half, half}, x, y), face({half, -half, -half}, -x, y);
    face({half, -half, half}, -z, y), face({-half, -half, -half}, z, y);
    face({-half, half, half}, x, -z), face({-half, -half, -half}, x, z);
    return makeClothMesh(mesh);
}

// Holds the particles with these ids where they are.
inline void pin(World& world, std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) {
        const std::vector<uint32_t> all = world.particles.id.download();
        std::vector<Vec4> x = world.particles.x.download();
        x.at(static_cast<size_t>(std::find(all.begin(), all.end(), id) - all.begin())).w = 0;
        world.particles.x.upload(x);
    }
}

// Where the particles of the rows are now; w: inverse mass, −1 where there is none.
inline std::vector<Vec4> placesByRow(const World& world) {
    std::vector<Vec4> places(world.solids.rows(), Vec4{0, 0, 0, -1});
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<Vec4> x = world.particles.x.download();
    for (size_t i = 0; i < id.size(); ++i)
        for (const SolidBody& body : world.bodies)
            if (const uint32_t k = id[i] - world.groups[body.group].first; k < body.rows)
                places[body.firstRow + k] = x[i];
    return places;
}

}  // namespace coalesce::test
