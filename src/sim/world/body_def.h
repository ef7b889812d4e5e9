// Definitions of solid bodies, cloth and ropes, before they are added to a world.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/particles/material_constants.h"
#include "kernels/solid/round_surface.h"
#include "sim/world/attributes.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

// The surface of a body as it is drawn, bound to its clusters by linear blend skinning:
//     x = Σ_k weight_k (R_k (p − rest_k) + center_k)
// with p in the body's frame, rest_k the cluster's center there, R_k and center_k the cluster's present pose.
struct Skin {
    TriangleMesh mesh;                              // in the body's frame [m]
    std::vector<std::array<uint32_t, 4>> clusters;  // of a vertex, counted within the body; empty: cluster 0
    std::vector<std::array<float, 4>> weights;      // their sum is 1
};

// A particle of a body at rest.
struct BodySample {
    Vec3 x{};                     // [m] in the body's frame
    float distance = 2 * kNoSdf;  // signed distance φ to the surface [m], negative inside
    Vec3 normal{0, 1, 0};         // ∇φ, unit
};

// Indices of the samples that one shape-matching constraint holds together.
using Cluster = std::vector<uint32_t>;

struct BodyDef {
    std::string name;
    uint32_t material = 0;
    std::span<const BodySample> samples;
    std::span<const Cluster> clusters;       // empty: one cluster of all samples, a rigid body
    std::span<const RoundSurface> rounds{};  // of a rigid body; empty: its particles alone touch shapes
    std::span<const ClothEdge> links{};      // cloth, rope
    std::span<const Triangle> triangles{};   // cloth
    std::span<const float> masses{};         // [kg] of each particle; empty: particleMass
    float particleMass = -1;                 // [kg]; negative: from the material
    Vec3 position{};                         // [m] of the body's frame
    Quat rotation{};                         // world from body
    Vec3 velocity{};                         // [m/s] of the center of mass
    Vec3 angularVelocity{};                  // [rad/s] about it
    bool selfCollide = false;                // its particles touch each other, as balls
    std::span<const AttributeValue>
        values{};                      // for each sample, one for each attribute; empty: their defaults
    std::shared_ptr<const Skin> skin;  // may be null: drawn as balls
};

// A body that emitters make copies of; rigid or soft.
struct Prefab {
    std::string name;
    uint32_t material = 0;
    std::vector<BodySample> samples;
    std::vector<Cluster> clusters;       // empty: one cluster of all samples
    std::vector<RoundSurface> rounds{};  // of a rigid body
    float particleMass = -1;             // [kg]; negative: from the material
    bool selfCollide = false;
    uint32_t collisionMask = kAllCollisionBits;
    std::vector<AttributeValue> values{};  // for each sample, one for each attribute; empty: their defaults
    std::shared_ptr<const Skin> skin;      // may be null
};

}  // namespace coalesce
