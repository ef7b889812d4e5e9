// Bodies for tests: blocks of a lattice, with or without the distances inside them.
#pragma once

#include "sim/make_world.h"
#include "sim/world/body_clusters.h"
#include "sim/world/body_factory.h"

namespace coalesce::test {

inline MaterialProperties solid(MaterialKind kind, float spacing, float friction = 0) {
    MaterialProperties m;
    m.kind = kind;
    m.spacing = spacing;
    m.staticFriction = m.dynamicFriction = friction;
    return m;
}

struct BodyBlock {
    Vec3 position{};  // [m] of its center
    Quat rotation{};
    int nx = 3, ny = 3, nz = 3;
    uint32_t material = 0;
    Vec3 velocity{}, angularVelocity{};
    bool selfCollide = false;
    bool distances = true;      // its particles know how deep in it they lie
    float clusterSpacing = -1;  // [m]; negative: one match of all
    float particleMass = -1;    // [kg]; negative: from the material
};

inline std::vector<BodySample> samplesOf(const BodyBlock& b, float d) {
    std::vector<BodySample> samples;
    const Vec3 half{0.5f * d * b.nx, 0.5f * d * b.ny, 0.5f * d * b.nz};
    for (int z = 0; z < b.nz; ++z)
        for (int y = 0; y < b.ny; ++y)
            for (int x = 0; x < b.nx; ++x) {
                BodySample s;
                s.x = d * Vec3{x + 0.5f, y + 0.5f, z + 0.5f} - half;
                if (b.distances) {
                    const float depth[3] = {std::abs(s.x.x) - half.x, std::abs(s.x.y) - half.y,
                                            std::abs(s.x.z) - half.z};
                    const auto axis = std::max_element(depth, depth + 3) - depth;
                    const float side[3] = {s.x.x < 0 ? -1.f : 1.f, s.x.y < 0 ? -1.f : 1.f,
                                           s.x.z < 0 ? -1.f : 1.f};
                    s.distance = depth[axis];
                    s.normal = {axis == 0 ? side[0] : 0, axis == 1 ? side[1] : 0, axis == 2 ? side[2] : 0};
                }
                samples.push_back(s);
            }
    return samples;
}

// Gives the index of the body.
inline uint32_t addBody(World& world, const BodyBlock& b) {
    const float d = world.materials[b.material].properties.spacing;
    const std::vector<BodySample> samples = samplesOf(b, d);
    const std::vector<Cluster> clusters = b.clusterSpacing > 0
                                              ? makeClusters(samples, b.clusterSpacing, b.clusterSpacing)
                                              : std::vector<Cluster>{};
    const BodyDef birth{.name = "body" + std::to_string(world.bodies.size()),
                        .material = b.material,
                        .samples = samples,
                        .clusters = clusters,
                        .particleMass = b.particleMass,
                        .position = b.position,
                        .rotation = b.rotation,
                        .velocity = b.velocity,
                        .angularVelocity = b.angularVelocity,
                        .selfCollide = b.selfCollide,
                        .skin = nullptr};
    return addBodies(world, {&birth, 1});
}

// A ball of particles on a lattice. round: it touches shapes with its true surface, not with these.
inline uint32_t addBall(World& world, Vec3 position, float radius, bool round = true) {
    const float d = world.materials[0].properties.spacing;
    std::vector<BodySample> samples;
    const int n = int(radius / d) + 1;
    for (int x = -n; x < n; ++x)
        for (int y = -n; y < n; ++y)
            for (int z = -n; z < n; ++z) {
                const Vec3 p = d * Vec3{x + 0.5f, y + 0.5f, z + 0.5f};
                const float far = length(p);
                if (far <= radius) samples.push_back({p, far - radius, (1 / far) * p});
            }
    const RoundSurface surface{.radius = radius};
    const BodyDef birth{.name = "ball",
                        .samples = samples,
                        .clusters = {},
                        .rounds = round ? std::span(&surface, 1) : std::span<const RoundSurface>(),
                        .position = position,
                        .skin = nullptr};
    return addBodies(world, {&birth, 1});
}

// Momentum, and angular momentum about the origin, of all particles [kg m/s], [kg m²/s].
struct Momenta {
    Vec3d linear, angular;
    double speed = 0, spin = 0;  // Σ m |v|, Σ m |x × v|: what they are to be compared with
};
inline Momenta momentaOf(const World& world) {
    Momenta sum;
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i].w == 0) continue;
        const double m = 1 / double{x[i].w};
        const Vec3d p = m * toDouble(v[i]), L = cross(toDouble(x[i]), p);
        sum.linear = sum.linear + p;
        sum.angular = sum.angular + L;
        sum.speed += length(p);
        sum.spin += length(L);
    }
    return sum;
}

}  // namespace coalesce::test
