// All state of a simulation: particles, materials, shapes, force fields, parameters, time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "kernels/particles/material_constants.h"
#include "sim/world/attributes.h"
#include "sim/world/bodies.h"
#include "sim/world/commands.h"
#include "sim/world/emitters.h"
#include "sim/world/force_fields.h"
#include "sim/world/parameters.h"
#include "sim/world/shapes.h"
#include "sim/world/sinks.h"

namespace coalesce {

// The arrays of particles.def. Storage is in cell order and renewed each substep; `id` names a particle for
// good.
struct ParticleArrays {
    // Becomes:  Buffer<Vec4> x; Buffer<Vec4> v; …
#define ARRAY(T, name, unit, role, about) Buffer<T> name;
#include "sim/world/particles.def"
    std::vector<Attribute> attributes;  // what the scene adds

    size_t size() const {
        return id.size();
    }
};

enum class ArrayRole { State, Transient };
struct ArrayInfo {
    const char* name;
    const char* unit;
    ArrayRole role;
    const char* about;
};

// visit(array, info) for the arrays of the manifest in its order, for the attributes in theirs, and for both.
// Arrays: ParticleArrays, or another struct with members of these names.
template <class Arrays, class Visit>
void forEachManifestArray(Arrays& arrays, Visit&& visit) {
#define ARRAY(T, name, unit, role, about) visit(arrays.name, ArrayInfo{#name, unit, ArrayRole::role, about});
#include "sim/world/particles.def"
}
template <class Arrays, class Visit>
void forEachAttribute(Arrays& arrays, Visit&& visit) {
    for (auto& attribute : arrays.attributes) {
        const ArrayInfo info{attribute.info.name.c_str(), attribute.info.unit.c_str(), ArrayRole::State, ""};
        std::visit([&](auto& values) { visit(values, info); }, attribute.values);
    }
}
template <class Arrays, class Visit>
void forEachArray(Arrays& arrays, Visit&& visit) {
    forEachManifestArray(arrays, visit);
    forEachAttribute(arrays, visit);
}

struct Material {
    std::string name;
    MaterialProperties properties;
};

// A particle to be born.
struct ParticleDef {
    Vec3 x{};  // [m]
    Vec3 v{};  // [m/s]
    uint32_t material = 0, group = 0;
    float inverseMass = -1;  // [1/kg]; negative: from the material (density times rest volume)
    uint32_t reserved = 0;   // as many ids behind its own are kept for later
    std::span<const AttributeValue> values{};  // one for each channel of the world; empty: their defaults
};

// What a body of the scene became; its particles have the ids first .. first + count - 1.
struct Group {
    std::string name;
    uint32_t material = 0;
    uint32_t first = 0, count = 0;
    uint32_t body = kNoBody;                  // of World::bodies
    bool selfCollide = false;                 // of a solid body
    uint32_t attributes = kAllCollisionBits;  // bit mask: meets shapes that share a bit

    static constexpr uint32_t kNoBody = 0xffffffffu;
};

// What a run has done so far, besides particles and bodies.
struct RunState {
    uint64_t step = 0;   // substeps done
    uint64_t frame = 0;  // frames done
    double time = 0;     // [s] simulated; the sum of all substeps' lengths
    uint32_t nextId = 0;
    uint64_t births = 0, deaths = 0;                // particles added and removed
    std::vector<MouseConstraint> mouseConstraints;  // that hold something, by number
    SpawnState spawning;                            // progress of emitters and sinks
};

struct World : RunState {
    explicit World(Exec& e);

    Exec& exec;
    Parameters parameters;
    std::vector<Material> materials;
    std::vector<Shape> shapes;
    std::vector<ForceField> fields;         // at most kMaxForceFields
    std::vector<ShapeReport> shapeReports;  // of the last frame; empty before the first
    std::vector<Group> groups;
    std::vector<SolidBody> bodies;
    SolidTables solids;
    ParticleArrays particles;
    uint32_t shownAttribute = 0;        // whose values color the particles where channels are looked at
    std::vector<UserCommand> commands;  // of the coming frame, in order; empty again when it is done
    std::vector<Prefab> prefabs;        // bodies that emitters make copies of
    std::optional<uint32_t> ball;       // of them: what hands throw, once they have
    float ballRadius = 0;               // [m] of it; 0: there is none yet
    bool ballAdded = false;             // with a material of its own, the last one
    bool bodiesToCome = false;          // the timeline brings in more; their groups come before all others
    std::vector<Emitter> emitters;      // by addEmitter
    std::vector<Sink> sinks;            // at most kMaxSinks
    uint32_t groupsNamed = 1;           // no particle names a group of this number or above
    std::vector<SpawnTimestamp>
        spawnTimestamps;  // of all births of this run, for looking at; not part of the state

    size_t count() const { return particles.size(); }

    // Adds particles; they take the next ids in order. Fails (Exit::Scene) on an unknown material or values
    // that are not finite, and changes nothing then.
    void addParticles(std::span<const ParticleDef> births);
    // [s] since a particle was born. What a loaded state brought with it counts as there from the start.
    double ageOf(uint32_t id) const;
    // Adds a channel; those who live already get its default. Fails (Exit::Scene) when there is one of that
    // name, or when the default does not fit the type.
    void addAttribute(const AttributeInfo& info);
    // Adds solid bodies, each as a group of its own; gives the index of the first in `bodies`. Fails
    // (Exit::Scene) as addParticles does, and for a body without particles.
    uint32_t addBodies(std::span<const BodyDef> births);
    // Brings a copy of a prefab into the world, in a slot of the turnover that is free, or in a new one.
    // Gives its index. Fails as addBodies does.
    uint32_t addCopy(const SpawnPoint& copy);
    // Puts slots for emitted bodies in place of those that there are: their tables, with bodies that are
    // still to be filled in. For saved states.
    void setSlots(std::span<const BodySlot> slots);
    // Adds an emitter, with a group of its name for what it emits.
    void addEmitter(Emitter emitter);
    // Joins rows of bodies. The material of a hold is cloth or rope.
    void addSprings(std::span<const DistanceConstraint> springs);
    // Removes the particles with these ids (ascending order not needed; unknown ids are ignored); returns how
    // many went.
    size_t removeParticles(std::span<const uint32_t> ids);
    // Keeps the particles that are stored in these places, ascending, and gives memory back when less than
    // half of it is needed.
    void keepParticles(View<const uint32_t> survivors);

    // Ids from here on are born now; addParticles() says so before it gives any.
    void stampSpawns();

    // Bytes of all arrays of particles.def, per particle; without channels.
    static size_t stateBytesPerParticle();
    // Bytes of the channels, per particle.
    size_t attributeBytesPerParticle() const;
};

// Rest volume, support, λ denominators … of a material, for kernels. Evaluated in double on a filled lattice,
// a planar one where solver.planar is set. dt: of the substep [s], for what is given per second.
MaterialConstants materialConstants(const MaterialProperties& properties, bool planar = false, double dt = 0);
// For every group that a particle may name.
std::vector<GroupConstants> groupConstants(const World& world);
// Mass of one particle [kg], in a plane per meter of depth.
float particleMass(const MaterialProperties& properties, bool planar = false);

// Nothing holds its bodies together: they have melted, and are grains.
bool isLoose(const MaterialProperties& properties);
// Shape matching holds its bodies together.
bool isShapeMatched(const MaterialProperties& properties);
// Springs do.
bool isSprung(const MaterialProperties& properties);

}  // namespace coalesce
