// Everything that is known of one particle, read back from where the world is. Slow, for one particle that a
// person looks at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/solver/solver.h"
#include "sim/world/world.h"

namespace coalesce {

struct ParticleFacts {
    uint32_t id = 0, slot = 0;  // its name; where it is stored now
    uint32_t material = 0, group = 0;
    uint32_t body = Group::kNoBody;  // of World::bodies
    Vec3 x{}, v{};                   // [m], [m/s]
    float mass = 0;                  // [kg]; 0: pinned
    bool asleep = false, frozen = false;
    std::optional<float> density;    // [kg/m³] of liquids
    std::optional<double> pressure;  // [Pa] of liquids, once a frame was simulated while it is watched
    int neighbors = 0;               // within the support of liquids
    int touching = 0, planes = 0;    // particles and planes of shapes that it touches
    double age = 0;                  // [s]
    struct Value {
        std::string name, unit;
        std::vector<double> numbers;
    };
    std::vector<Value> attributes;
    std::vector<Value> arrays;  // of particles.def, as they are stored
};

// nullopt: it does not live. Finds neighbors where no step has found them yet, which renews the order of
// storage and changes no result.
std::optional<ParticleFacts> readParticle(World& world, Solver& solver, uint32_t id);

}  // namespace coalesce
