// Emitters of a world: what they are, what they have done so far, and what is due from them in a frame.
//
// Births belong to times within frames: what leaves the mouth at time τ of the frame that has just passed is
// born at its end t, where it has flown to by then,
//     x = mouth(τ) + v (t − τ) + g (t − τ)²/2,
// so that a jet has neither gaps nor pulses at any frame rate. Packed layers are triangular lattices, one
// over the hollows of the other: with neighbors 2^(1/6) d apart there is one particle in d³, the rest
// density.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geometry/shapes/solid.h"
#include "sim/world/bodies.h"
#include "sim/world/parameters.h"
#include "sim/world/shapes.h"

namespace coalesce {

struct World;

// A body that emitters make copies of; rigid or soft.
struct Prefab {
    std::string name;
    uint32_t material = 0;
    std::vector<BodySample> samples;
    std::vector<Cluster> clusters;  // empty: one match of all
    float particleMass = -1;        // [kg]; negative: from the material
    bool selfCollide = false;
    uint32_t attributes = kAllCollisionBits;
    std::vector<AttributeValue> values{};  // for each sample, one for each channel; empty: their defaults
    std::shared_ptr<const Skin> skin;      // may be null
};

struct Emitter {
    enum class Nozzle { disc, rectangle, volume };
    std::string name;
    EmitterProperties properties;
    Nozzle nozzle = Nozzle::disc;
    float radius = 0.1f;       // [m] disc
    Vec3 size{0.2f, 0, 0.2f};  // [m] rectangle: along the x and z of a plane whose normal is the direction
    SolidSpec solid;           // volume: its file counts from the scene's folder
    std::vector<Vec3> places;  // [m] volume: a lattice in it, one particle at each spacing
    uint32_t material = 0;     // of particles
    std::vector<std::string> bodies;  // prefabs that leave in turn, instead of particles
    std::vector<uint32_t> prefabs;    // their indices into World::prefabs
    std::string on;                   // shape or solid body that the mouth rides on; empty: it stands still
    std::map<std::string, std::vector<double>>
        values;          // what its particles carry, by channel; others: defaults
    uint32_t group = 0;  // of World::groups: that of its particles
    uint64_t seed = 0;   // of all that is random
};

// How far an emitter has come.
struct EmitterProgress {
    double until = 0;      // [s] what left before has been born
    double next = 0;       // what leaves next, layers or particles, is so many of them away
    uint64_t events = 0;   // layers, or single particles, that left
    uint64_t emitted = 0;  // particles, or bodies, that were born
    uint64_t blocked = 0;  // that found their place taken
    Vec3 nozzle{};         // [m] of one on a body: where it was at `until`
    uint32_t flags = 0;    // bits: 1 it was enabled then, 2 `mouth` is known
};

// What was emitted with a limited life, in order of ids.
struct Lifetime {
    uint32_t first = 0, end = 0;  // ids
    double dies = 0;              // [s]
};
// From this time on, particles were born with this id and higher ones.
struct SpawnTimestamp {
    double time = 0;  // [s]
    uint64_t first = 0;
};
// A place in the tables of bodies for copies of a prefab, one after the other.
struct BodySlot {
    uint32_t prefab = 0;
    uint32_t body = 0;         // of World::bodies
    uint32_t firstMember = 0;  // in the table of members
    uint32_t alive = 0;
    uint32_t first = 0;  // id of its present or last body
};

// What emitters and sinks have done so far; a part of the state.
struct SpawnState {
    uint64_t frames = 0;   // births and deaths of so many frames are done
    uint64_t seen = 0;     // ids below this have been marked
    uint64_t expired = 0;  // particles whose life was over
    std::vector<EmitterProgress> emitters;
    std::vector<uint64_t> removedBySink;  // particles that each sink took
    std::vector<Lifetime> lifetimes;
    std::vector<SpawnTimestamp> marks;  // as far back as sinks ask for
    std::vector<BodySlot> slots;
};

// A particle is born nowhere nearer to another than this share of their mean distance at rest: a mouth that
// is blocked brings in no more than finds room, and nothing bursts apart.
constexpr float kBirthRoom = 0.6f;

// Something that is to be born.
struct SpawnPoint {
    Vec3 x{}, v{};        // [m], [m/s]
    uint32_t prefab = 0;  // of a body, with
    Quat rotation{};
    Vec3 spin{};  // [rad/s]
};
// What one emitter, or a hand, wants to bring into the world now.
struct SpawnRequest {
    std::optional<uint32_t> emitter{};  // empty: a hand
    uint32_t material = 0, group = 0;   // of particles
    bool bodies = false;                // copies of prefabs instead
    float reach = 0;  // [m] free room that each needs about it, besides that of who is there
    std::vector<SpawnPoint> spawned{};
};

// What has left the mouths up to the world's time; notes it in SpawnState::emitters.
std::vector<SpawnRequest> collectSpawns(World& world);
// What left the mouth of a full jet in the frame that has just passed. Where it is in its layers follows from
// the time alone, so that it needs no progress kept.
SpawnRequest jetOf(World& world, const Emitter& jet);
// [m] of the ball about a body's origin that holds all of it, with the room that its particles need.
float reachOf(const World& world, const Prefab& prefab);

// Where the mouth of an emitter is now: its center [m] and a rotation whose y axis is the direction. nullopt:
// what it rides on is not there.
std::optional<Pose> nozzleOf(World& world, const Emitter& emitter);

// Layers of a full jet: lattice neighbors and layers are this far apart [m], for particles of spacing d.
float layerNeighbors(float spacing);
float layerDistance(float spacing);
// About how many particles a layer of a full jet has, from the area of the mouth; of a volume: 0.
double particlesInLayer(const Emitter& emitter, float spacing);
constexpr double kMostInLayer = 4e6;
// Particles or bodies per second at full flow, whatever finds room; a volume that is kept full: 0.
double rateOf(const Emitter& emitter, float spacing);

}  // namespace coalesce
