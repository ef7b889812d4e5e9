// Reads back all data of one particle. Slow: meant for a particle that the user selected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/solver/solver.h"
#include "sim/world/world.h"

namespace coalesce {

struct ParticleFacts {
    uint32_t id = 0, slot = 0;  // slot: index in the arrays
    uint32_t material = 0, group = 0;
    uint32_t body = Group::kNoBody;  // of World::bodies
    Vec3 x{}, v{};                   // [m], [m/s]
    float mass = 0;                  // [kg]; 0: pinned
    bool asleep = false, frozen = false;
    std::optional<float> density;    // [kg/m³] of liquids
    std::optional<double> pressure;  // [Pa] of liquids, after a frame simulated with pressures recorded
    int neighbors = 0;               // within the support of liquids
    int touching = 0, planes = 0;    // number of particles and of shape planes in contact
    double age = 0;                  // [s]
    struct Value {
        std::string name, unit;
        std::vector<double> numbers;
    };
    std::vector<Value> attributes;
    std::vector<Value> arrays;  // of particles.def, raw
};

// nullopt: the particle does not exist. Finds neighbors if no step has done so yet; this reorders the arrays
// and changes no result.
std::optional<ParticleFacts> readParticle(World& world, Solver& solver, uint32_t id);

}  // namespace coalesce
