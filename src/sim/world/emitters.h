// Emitters of a world: properties, progress, and the particles that they spawn in a frame.
//
// Particles leave the nozzle at times within frames: what leaves at time τ of the previous frame is spawned
// at its end t, at the position that it has reached by then,
//     x = nozzle(τ) + v (t − τ) + g (t − τ)²/2,
// so that a jet has neither gaps nor pulses at any frame rate. Packed layers are triangular lattices, each
// over the hollows of the other: with neighbors 2^(1/6) d apart there is one particle in d³, the rest
// density.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geometry/shapes/solid_spec.h"
#include "sim/world/body_def.h"
#include "sim/world/parameters.h"
#include "sim/world/shapes.h"

namespace coalesce {

struct World;

struct Emitter {
    enum class Nozzle { disc, rectangle, volume };
    std::string name;
    EmitterProperties properties;
    Nozzle nozzle = Nozzle::disc;
    float radius = 0.1f;       // [m] disc
    Vec3 size{0.2f, 0, 0.2f};  // [m] rectangle: along the x and z of a plane whose normal is the direction
    SolidSpec solid;           // volume: its file is relative to the scene's folder
    std::vector<Vec3> places;  // [m] volume: lattice positions in it
    uint32_t material = 0;     // of particles
    std::vector<std::string> bodies;  // prefabs that are emitted in turn, instead of particles
    std::vector<uint32_t> prefabs;    // their indices into World::prefabs
    std::string on;  // shape or solid body that the nozzle is attached to; empty: it is fixed
    std::map<std::string, std::vector<double>> values;  // attribute values of its particles; others: defaults
    uint32_t group = 0;                                 // of its particles, in World::groups
    uint64_t seed = 0;                                  // of all random numbers
};

// Progress of an emitter.
struct EmitterProgress {
    double until = 0;      // [s] everything that left before was spawned
    double next = 0;       // layers or particles until the next one leaves, a fraction
    uint64_t events = 0;   // layers, or single particles, that left
    uint64_t emitted = 0;  // particles, or bodies, that were spawned
    uint64_t blocked = 0;  // particles, or bodies, that had no free space
    Vec3 nozzle{};         // [m] attached to a body: its position at `until`
    uint32_t flags = 0;    // bits: 1 it was enabled then, 2 `nozzle` is known
};

// Emitted particles of limited lifetime, in order of ids.
struct Lifetime {
    uint32_t first = 0, end = 0;  // ids
    double dies = 0;              // [s]
};
// From this time on, particles were spawned with this id and higher ones.
struct SpawnTimestamp {
    double time = 0;  // [s]
    uint64_t first = 0;
};
// Rows of the tables of bodies that copies of a prefab use one after the other.
struct BodySlot {
    uint32_t prefab = 0;
    uint32_t body = 0;         // of World::bodies
    uint32_t firstMember = 0;  // in the table of members
    uint32_t alive = 0;
    uint32_t first = 0;  // id of its present or last body
};

// The ball that users throw: a prefab of its own, after those of the scene.
struct ThrownBall {
    std::optional<uint32_t> prefab;  // of World::prefabs; empty: none was thrown yet
    float radius = 0;                // [m]
    bool addedMaterial = false;      // its material is none of the scene's, and the last
};

// Progress of emitters, sinks and user spawns; a part of the state.
struct SpawnState {
    uint64_t frames = 0;             // frames whose spawning and removal are done
    uint64_t seen = 0;               // ids below this have timestamps
    uint32_t firstNew = UINT32_MAX;  // ids from here on were emitted or poured in this frame
    uint64_t expired = 0;            // particles whose lifetime has ended
    std::vector<EmitterProgress> emitters;
    std::vector<uint64_t> removedBySink;  // particles that each sink removed
    std::vector<Lifetime> lifetimes;
    std::vector<SpawnTimestamp> marks;  // as far back as the ages of sinks need
    std::vector<BodySlot> slots;
    ThrownBall ball;
    bool bodiesPending =
        false;  // the timeline will add bodies; their groups come before those of thrown balls
};

// Particles are not spawned nearer to others than this fraction of their mean rest distance: a blocked nozzle
// spawns only what has free space, without explosions.
constexpr float kSpawnClearance = 0.6f;

// A particle or body to be spawned.
struct SpawnPoint {
    Vec3 x{}, v{};        // [m], [m/s]
    uint32_t prefab = 0;  // of a body, with
    Quat rotation{};
    Vec3 spin{};  // [rad/s]
};
// Particles or bodies that an emitter or a user spawns in this frame.
struct SpawnRequest {
    std::optional<uint32_t> emitter{};  // empty: user spawn
    uint32_t material = 0, group = 0;   // of particles
    bool bodies = false;                // copies of prefabs instead
    float reach = 0;  // [m] clearance that each needs, besides that of the particles already there
    std::vector<SpawnPoint> spawned{};
};

// Adds an emitter, and a group of its name for its particles.
void addEmitter(World& world, Emitter emitter);

// Everything that has left the nozzles up to the world's time; updates SpawnState::emitters.
std::vector<SpawnRequest> collectSpawns(World& world);
// Everything that left the nozzle of a full jet in the previous frame. Its phase follows from the time alone,
// so that no progress is stored.
SpawnRequest jetOf(World& world, const Emitter& jet);
// [m] bounding radius of a body about its origin, including the radius of its particles.
float reachOf(const World& world, const Prefab& prefab);

// Current pose of an emitter's nozzle: its center [m] and a rotation whose y axis is the direction. nullopt:
// the body that it is attached to does not exist.
std::optional<Pose> nozzleOf(World& world, const Emitter& emitter);

// Layers of a full jet: distance [m] between lattice neighbors, and between layers, for particles of spacing
// d.
float layerNeighbors(float spacing);
float layerDistance(float spacing);
// Approximate number of particles in a layer of a full jet, from the area of the nozzle; of a volume: 0.
double particlesInLayer(const Emitter& emitter, float spacing);
constexpr double kMostInLayer = 4e6;
// Particles or bodies per second at full flow, if nothing is blocked; a volume that is kept filled: 0.
double rateOf(const Emitter& emitter, float spacing);

}  // namespace coalesce
