// The measurements behind `expect`, on plain host data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geometry/math/point_grid.h"
#include "geometry/math/rigid_fit.h"
#include "scene/format/scene.h"

namespace coalesce {

struct SoftState;   // soft_state.h
struct ClothState;  // cloth_state.h

// All particles at one time, in the order of their ids.
struct Snapshot {
    double time = 0;  // [s]
    std::vector<uint32_t> id;
    std::vector<uint32_t> phase;
    std::vector<Vec3d> x;                                 // [m]
    std::vector<Vec3d> v;                                 // [m/s]
    std::vector<std::vector<AttributeValue>> attributes;  // of the world, one value for each particle
    std::vector<double> mass;                             // [kg]; of what is held: that of its material
    std::vector<uint8_t> held;                            // 1: stays where it is, or goes with a shape
    std::vector<Vec3d> pull;                              // [m/s^2] gravity on it
    std::vector<Vec3d> form;    // [m] of a start: places in the undisturbed form of the bodies; empty: x
    std::vector<Shape> shapes;  // as the timeline has left them
    std::vector<ShapeReport> reports;         // what they told of the last frame; empty before the first
    std::shared_ptr<const SoftState> soft;    // null in a world without soft bodies
    std::shared_ptr<const ClothState> cloth;  // null in a world without springs
    double bytesPerParticle = 0;
    std::vector<EmitterProgress> emitters;  // what each has done so far
    std::vector<uint64_t> removedBySink;    // particles that each sink took
    uint64_t births = 0, deaths = 0;        // of particles
    double megabytes = 0;                   // of the machine's memory, now
};
Snapshot takeSnapshot(World& world);
// Adds to a start what has been born since; those particles start now. What has died is let go before it
// fills more than half of the list.
void addSpawned(Snapshot& start, const Snapshot& now);

// What a check remembers between frames.
struct MeasureState {
    std::optional<double> number;  // lowest energy so far; time of arrival
    Snapshot since;    // drift, slide: where the particles were; crossings, energy: in the frame before
    double given = 0;  // energy: what changes of gravity have added [J]
    std::vector<std::array<double, 2>> path;      // time, value of each frame looked at
    std::vector<Vec3d> vectors;                   // load, torque: of each frame of the window
    std::set<uint32_t> gone;                      // crossings: ids
    std::set<std::array<uint32_t, 2>> met;        // touched: pairs of groups
    std::map<uint32_t, Quatd> turned;             // rotation: of each body, in the frame before
    std::map<uint32_t, double> turns;             // rotation: its angle, full turns counted [rad]
    std::map<uint32_t, double> fell;              // wave: when each body fell [s]
    std::map<std::string, MeasureState> ofGroup;  // order: of the check's measure of each group
};

// The value of a check now. `selected`: indices into `now`. Empty when there is nothing to measure (no
// particles).
std::optional<double> measure(const Scene& scene, const Check& check, const Snapshot& now,
                              const Snapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state);

// Rest volume [m³] of a particle: a filled lattice of spacing d has volume fraction 1 under the kernel of
// support h.
double latticeVolume(double d, double h, bool planar = false);
// The spiky kernel 15/(π h⁶) (h − r)³ [1/m³] at squared distance r2. [MCG03]
double kernelOf(double h, double r2);

}  // namespace coalesce
