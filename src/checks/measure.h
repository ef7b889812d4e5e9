// The measurements behind `expect`, on plain host data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geometry/math/hash_grid.h"
#include "geometry/math/rigid_fit.h"
#include "scene/format/scene.h"

namespace coalesce {

struct SoftState;   // soft_state.h
struct ClothState;  // cloth_state.h

// All particles at one time, in the order of their ids.
struct ParticleSnapshot {
    double time = 0;  // [s]
    std::vector<uint32_t> id;
    std::vector<uint32_t> phase;
    std::vector<Vec3d> x;                                 // [m]
    std::vector<Vec3d> v;                                 // [m/s]
    std::vector<std::vector<AttributeValue>> attributes;  // by attribute of the scene, one value per particle
    std::vector<double> mass;                             // [kg]; of held particles: that of their material
    std::vector<uint8_t> held;                            // 1: pinned, or attached to a shape
    std::vector<Vec3d> pull;                              // [m/s^2] gravity on it
    std::vector<Vec3d> form;           // [m] of a start: positions in the undisturbed rest shape; empty: x
    std::vector<Shape> shapes;         // as set by the timeline
    std::vector<ShapeReport> reports;  // of the last frame; empty before the first frame
    std::shared_ptr<const SoftState> soft;    // null in a world without soft bodies
    std::shared_ptr<const ClothState> cloth;  // null in a world without springs
    double bytesPerParticle = 0;
    LinearCounts globalStep, strainViscosity;  // linear solves of the last frame
    ConvergenceReport convergence;             // of the last frame
    std::vector<EmitterProgress> emitters;     // progress of each emitter
    std::vector<uint64_t> removedBySink;       // particles removed by each sink
    uint64_t births = 0, deaths = 0;           // particles added and removed so far
    double megabytes = 0;                      // device memory in use
    std::vector<Vec3d> passive;                // [m] spray, foam and bubbles
    std::vector<uint32_t> passiveTags;         // of each
    std::vector<uint32_t> passiveIds;          // of each, ascending
    PassiveCounters passiveCounters;
};
ParticleSnapshot takeSnapshot(World& world);
// Adds to a start the particles spawned since; their start is now. Drops removed particles before they fill
// more than half of the list.
void addSpawned(ParticleSnapshot& start, const ParticleSnapshot& now);

// State of a check between frames.
struct MeasureState {
    std::optional<double> number;  // lowest energy so far; time of arrival
    ParticleSnapshot since;        // drift, slide: at the reference time; crossings, energy: previous frame
    double workOfGravity = 0;      // energy: added by changes of gravity [J]
    std::vector<std::array<double, 2>> path;      // time, value of each observed frame
    std::vector<Vec3d> vectors;                   // load, torque: of each frame of the window
    std::set<uint32_t> crossed;                   // crossings, pierced, passed: ids
    std::set<std::array<uint32_t, 2>> met;        // touched: pairs of groups
    std::map<uint32_t, Quatd> turned;             // rotation: of each body in the previous frame
    std::map<uint32_t, double> turns;             // rotation: its angle, full turns counted [rad]
    std::map<uint32_t, double> fell;              // wave: when each body fell [s]
    std::map<std::string, MeasureState> ofGroup;  // order: of the measure of each group
};

// Current value of a check. `selected`: indices into `now`. Empty when there is nothing to measure (no
// particles).
std::optional<double> measure(const Scene& scene, const Check& check, const ParticleSnapshot& now,
                              const ParticleSnapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state);

// Rest volume [m³] of a particle, such that a filled lattice of spacing d has volume fraction 1 with the
// kernel of support h.
double latticeVolume(double d, double h, bool planar = false);
// The spiky kernel 15/(π h⁶) (h − r)³ [1/m³] at squared distance r2. [MCG03]
double kernelOf(double h, double r2);

}  // namespace coalesce
