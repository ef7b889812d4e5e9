// Particles for tests: random, or a block with jitter, similar to a liquid at rest.
#pragma once

#include <cmath>
#include <vector>

#include "support/random_values.h"

namespace coalesce::test {

struct Cloud {
    std::vector<Vec4> x;  // [m]; w: inverse mass [1/kg]
    std::vector<Vec4> v;  // [m/s]
    int count() const { return static_cast<int>(x.size()); }
};

struct CloudOptions {
    int count = 400;
    float side = 0.2f;      // [m] of the bounding cube
    float maxSpeed = 2;     // [m/s] per axis
    float inverseMass = 1;  // [1/kg]
    uint64_t seed = 1;
};

inline Cloud randomCloud(const CloudOptions& o) {
    Cloud cloud;
    for (int i = 0; i < o.count; ++i) {
        cloud.x.push_back(vec4(randomVec3(o.seed, 2 * i, 0, o.side), o.inverseMass));
        cloud.v.push_back(vec4(randomVec3(o.seed, 2 * i + 1, -o.maxSpeed, o.maxSpeed), 0.0f));
    }
    return cloud;
}

struct BlockOptions {
    int perSide = 8;        // particles along each edge
    float spacing = 0.05f;  // [m]
    float jitter = 0.1f;    // of the spacing, per axis and side
    float maxSpeed = 2;     // [m/s] per axis
    float inverseMass = 1;  // [1/kg]
    uint64_t seed = 1;
};

inline Cloud jitteredBlock(const BlockOptions& o) {
    Cloud cloud;
    const float jitter = o.jitter * o.spacing;
    for (int z = 0, i = 0; z < o.perSide; ++z)
        for (int y = 0; y < o.perSide; ++y)
            for (int x = 0; x < o.perSide; ++x, ++i) {
                const Vec3 place = o.spacing * Vec3{x + 0.5f, y + 0.5f, z + 0.5f};
                cloud.x.push_back(vec4(place + randomVec3(o.seed, 2 * i, -jitter, jitter), o.inverseMass));
                cloud.v.push_back(vec4(randomVec3(o.seed, 2 * i + 1, -o.maxSpeed, o.maxSpeed), 0.0f));
            }
    return cloud;
}

}  // namespace coalesce::test
