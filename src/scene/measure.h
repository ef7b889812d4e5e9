// The measurements behind `expect`, on plain host data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/point_grid.h"
#include "scene/scene.h"

namespace coalesce {

// All particles at one time, in the order of their ids.
struct Snapshot {
    double time = 0;  // [s]
    std::vector<uint32_t> id;
    std::vector<uint32_t> phase;
    std::vector<Double3> x;    // [m]
    std::vector<Double3> v;    // [m/s]
    std::vector<double> mass;  // [kg]
    double bytesPerParticle = 0;
};
Snapshot takeSnapshot(World& world);

// What a check remembers between frames.
struct MeasureState {
    std::optional<double> number;  // lowest energy so far; time of arrival
    Snapshot since;                // drift: where the particles were
};

// The value of a check now. `selected`: indices into `now`. Empty when there is nothing to measure (no
// particles).
std::optional<double> measure(const Scene& scene, const Check& check, const Snapshot& now,
                              const Snapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state);

// Rest volume [m³] of a particle: a filled lattice of spacing d has volume fraction 1 under the kernel of
// support h.
double latticeVolume(double d, double h);
// The spiky kernel 15/(π h⁶) (h − r)³ [1/m³] at squared distance r2. [MCG03]
double kernelOf(double h, double r2);

}  // namespace coalesce
