// A simulation: particles, bodies, materials, shapes, force fields, emitters, parameters, time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "kernels/particles/material_constants.h"
#include "sim/world/attributes.h"
#include "sim/world/body_def.h"
#include "sim/world/body_tables.h"
#include "sim/world/commands.h"
#include "sim/world/emitters.h"
#include "sim/world/force_fields.h"
#include "sim/world/parameters.h"
#include "sim/world/passive_particles.h"
#include "sim/world/shapes.h"
#include "sim/world/sinks.h"
#include "sim/world/spawn_record.h"
#include "sim/world/status.h"

namespace coalesce {

// The arrays of particles.def. Storage is in cell order, which changes every substep; `id` is permanent.
struct ParticleArrays {
    // Becomes:  Buffer<Vec4> x; Buffer<Vec4> v; …
#define ARRAY(T, name, unit, role, about) Buffer<T> name;
#include "sim/world/particles.def"
    std::vector<Attribute> attributes;  // declared by the scene

    size_t size() const {
        return id.size();
    }
};

enum class ArrayRole { State, Optional, Transient };
struct ArrayInfo {
    const char* name;
    const char* unit;
    ArrayRole role;
    const char* about;
};

// visit(array, info) for the arrays of the manifest in its order, for the attributes in theirs, and for those
// of both that have an element per particle.
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
    forEachManifestArray(arrays, [&](auto& array, const ArrayInfo& info) {
        if (info.role != ArrayRole::Optional || array.size() > 0) visit(array, info);
    });
    forEachAttribute(arrays, visit);
}

struct Material {
    std::string name;
    MaterialProperties properties;
};

struct ParticleDef {
    Vec3 x{};  // [m]
    Vec3 v{};  // [m/s]
    uint32_t material = 0, group = 0;
    float inverseMass = -1;  // [1/kg]; negative: from the material (density times rest volume)
    uint32_t reserved = 0;   // number of ids after its own that are reserved
    std::span<const AttributeValue> values{};  // one for each attribute of the world; empty: their defaults
};

// Particles with a common name: a body, an emitter's particles. Those of a solid body have the ids
// first … first + count − 1.
struct Group {
    std::string name;
    uint32_t material = 0;
    uint32_t first = 0, count = 0;
    uint32_t body = kNoBody;                     // of World::bodies
    bool selfCollide = false;                    // of a solid body
    uint32_t collisionMask = kAllCollisionBits;  // bit mask: collides with shapes that share a bit

    static constexpr uint32_t kNoBody = 0xffffffffu;
};

struct World;

// A body that the timeline adds.
struct LaterBody {
    double after = 0;                 // [s] states of later times have it
    uint32_t group = 0;               // its first one, once it is there
    double particles = 0;             // how many
    std::function<void(World&)> add;  // with the next ids
};

constexpr float kUnknownCrossingTime = -1;

// What a run has done so far, besides particles and bodies.
struct RunState {
    uint64_t step = 0;   // substeps done
    uint64_t frame = 0;  // frames done
    double time = 0;     // [s] simulated; the sum of all substeps' lengths
    uint32_t nextId = 0;
    uint64_t particlesAdded = 0, particlesRemoved = 0;
    uint32_t substeps = 0;                          // of the last frame
    uint32_t method = 0;                            // Method of the last frame
    float crossingTime = kNeverCrosses;             // [s] least time in which a particle moves by its radius
    std::vector<MouseConstraint> mouseConstraints;  // that hold something, by number
    SpawnState spawning;                            // progress of emitters and sinks
    PassiveCounters passiveCounters;
};

struct World : RunState {
    explicit World(Exec& e);

    Exec& exec;
    Parameters parameters;
    std::vector<Material> materials;
    std::vector<Shape> shapes;
    std::vector<ForceField> forceFields;    // at most kMaxForceFields
    std::vector<ShapeReport> shapeReports;  // of the last frame; empty before the first
    LinearCounts globalStep;                // of projective dynamics in the last frame
    LinearCounts strainViscosity;           // in the last frame
    bool watchConvergence = false;          // frames fill `convergence`; for display and checks, costs time
    ConvergenceReport convergence;          // of the last frame
    std::vector<Group> groups;
    std::vector<SolidBody> bodies;
    std::vector<LaterBody> laterBodies;  // in the order in which the timeline adds them; fixed
    SolidTables solids;
    ParticleArrays particles;
    PassiveArrays passive;
    std::vector<UserCommand> commands;  // for the coming frame, in order; cleared by it
    std::vector<Prefab> prefabs;        // bodies that emitters and users make copies of
    std::vector<Emitter> emitters;      // by addEmitter
    std::vector<Sink> sinks;            // at most kMaxSinks
    uint32_t groupsNamed = 1;           // every particle's group is below this
    SpawnRecord spawnRecord;            // for display, not part of the state

    size_t count() const { return particles.size(); }

    // Adds particles; they take the next ids in order. Fails (Exit::Scene) on an unknown material or values
    // that are not finite, and changes nothing then.
    void addParticles(std::span<const ParticleDef> particles);
    // Adds an attribute; existing particles get its default. Fails (Exit::Scene) when the name is taken, or
    // when the default does not fit the type.
    void addAttribute(const AttributeInfo& info);
    // Removes the particles with these ids (in any order; unknown ids are ignored); returns how many were
    // removed.
    size_t removeParticles(std::span<const uint32_t> ids);
    // Keeps the particles with these storage indices, ascending, and releases memory when less than half of
    // it is needed.
    void keepParticles(View<const uint32_t> survivors);

    // Bytes of the arrays of particles.def that every scene has, per particle; without attributes.
    static size_t stateBytesPerParticle();
};

// Rest volume, support, λ denominators … of a material, for kernels. Evaluated in double on a filled lattice,
// a planar one where solver.planar is set. dt: of the substep [s], for what is given per second.
// inertialDensity: see below; 0: that of the material.
MaterialConstants materialConstants(const MaterialProperties& properties, bool planar = false, double dt = 0,
                                    float inertialDensity = 0);
// Those of all materials, as frames use them. dt: as above; 0: without what depends on it.
std::vector<MaterialConstants> materialConstants(const World& world, double dt = 0);
// Ratio of inertia up to which fluids are solved alike.
constexpr float kEvenInertia = 4.01f;
// Density with which a material resists acceleration [kg/m³]: of liquids and gases at least that of the
// densest one divided by fluid.massRatio, of others its density.
float inertialDensity(const MaterialProperties& properties, std::span<const Material> materials,
                      float massRatio);
// Gases, and liquids whose inertia depends on massRatio: all their particles have the mass of a lattice cell.
bool hasVirtualMass(const MaterialProperties& properties, std::span<const Material> materials,
                    float massRatio);
// For every group that a particle may name.
std::vector<GroupConstants> groupConstants(const World& world);
// Mass of one particle [kg], in a plane per meter of depth.
float particleMass(const MaterialProperties& properties, bool planar = false);

// Liquid or gas: has a density constraint.
bool isFluid(const MaterialProperties& properties);
// Liquid, gas or grains: nothing holds its particles together, so that they are emitted and poured one by one.
bool isFlowing(const MaterialProperties& properties);
// Shape matching with neither stiffness nor compliance: the bodies have melted and behave as grains.
bool isLoose(const MaterialProperties& properties);
// Shape matching holds its bodies together.
bool isShapeMatched(const MaterialProperties& properties);
// Distance constraints hold its bodies together.
bool isSprung(const MaterialProperties& properties);

}  // namespace coalesce
