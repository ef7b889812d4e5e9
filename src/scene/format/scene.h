// A scene as its file describes it: plain data, no particles yet. One file is demo, benchmark and test at
// once.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "geometry/shapes/solid.h"
#include "sim/world/parameters.h"
#include "sim/world/shapes.h"
#include "sim/world/world.h"

namespace coalesce {

// Copies of a body, on a lattice about its center or along a curve; each is a body of its own.
struct Copies {
    Vec3 count{1, 1, 1};      // along x, y, z; whole
    Vec3 step{};              // [m] from one to the next
    std::vector<Vec3> along;  // [m] relative to center: instead of a step, they stand evenly on this curve
    float jitter = 0;         // each is moved by up to this share of the step, seeded by Scene::seed
    float turn = 0;           // [deg] each is turned at random by up to this; 180: every orientation alike
};

// Particles of a body that stay where they are, or go with a shape, until the timeline releases the body.
struct Attachment {
    std::optional<Vec3> point;  // [m] the particle that starts nearest to it
    Box box;                    // [m] otherwise: all that start in here
    std::string shape;          // goes with it; empty: stays where it is
};

// One number, or three of a vector, by name.
using NamedNumbers = std::map<std::string, std::vector<double>>;

// Along an axis of the world the values of a body go linearly from its own, at its lowest particle, to these.
struct Gradient {
    std::string axis;  // "x", "y" or "z"; y when empty
    NamedNumbers values;
};

// A body made of particles of one material: liquid, grains, or a solid that keeps its form.
struct Body {
    enum class Kind { Block, Sphere, Points, Solid, Grid, Rope };
    std::string name;
    Kind kind = Kind::Block;
    uint32_t material = 0;     // index into Scene::materials
    Vec3 center{};             // [m]
    Quat rotation{};           // world from body
    Vec3 size{};               // [m] block: full edge lengths; grid: of the sheet along x and z
    float radius = 0;          // [m] sphere
    std::vector<Vec3> points;  // [m] points: the particles themselves; rope: where its curve goes through
    SolidSpec solid;           // a shape by name, or a mesh: its file counts from the folder of the scene's
    bool surface = false;      // solid: particles on its surface only
    float spacing = 0;         // [m] of the particles at the start; 0: the material's
    Vec3 velocity{};           // [m/s] at the start
    Vec3 angularVelocity{};    // [rad/s] at the start; solid: about the center of mass, loose: about `center`
    float jitter = 0;          // start positions are moved by up to this share of d, seeded by Scene::seed
    Vec3 deform{1, 1, 1};      // start positions are scaled by this about the center; the form at rest is not
    uint32_t attributes = kAllCollisionBits;  // bit mask: meets shapes that share a bit
    double at = 0;                            // [s] when it is born
    bool pinned = false;                      // stays where it is until the timeline releases it
    std::optional<Box> pin;                   // [m] only what starts in here does
    std::vector<Attachment> attach;           // and these
    bool selfCollide = false;                 // solid: its particles touch each other
    NamedNumbers values;                      // what its particles carry, by channel; others: its default
    Gradient gradient;
    Copies copies;
};

// A spring between two particles of bodies that are held together.
struct Joint {
    struct End {
        std::string body;
        Vec3 at{};  // [m] the particle that starts nearest to it
    };
    std::string name;
    End from, to;
    std::string material;          // cloth or rope whose stretch it has; empty: that of the ends' own
    std::optional<double> length;  // [m] at rest; empty: as it starts
};

// A command of the timeline: a value that changes linearly with time, swings or changes at once, a pinned
// body that is let go, or what a hand does. Exactly one of set, release, grab, drag, letGo and cut is given.
struct TimedCommand {
    double at = 0, until = 0;      // [s]; until at or before `at`: at once, or swinging without end
    std::string set;               // dotted path of what is set: timeline.h
    std::vector<double> from, to;  // one number, or three of a vector
    std::vector<double> swing;     // likewise: amplitude about `to`
    double period = 1;             // [s] of the swing
    std::string release;           // name of a pinned body
    std::string grab;              // name of a body of which a hand takes hold
    int index = -1;                // grab: by this one of its particles, or
    std::optional<Vec3> point;     // [m] by the one that is nearest to here
    std::optional<Vec3> drag;      // [m] the hand goes there, evenly until `until`
    bool letGo = false;            // the hand lets go
    std::vector<Vec3> cut;         // [m] three corners: what crosses the triangle is cut
    int hand = 0;                  // which hand
};

struct CameraView {
    std::string name;
    Vec3 eye{2, 1.5f, 3}, look{0, 0.5f, 0};  // [m]
    float fov = 45;                          // vertical [deg]
};

// The picture that stands for a scene: where and when it looks best.
struct Poster {
    std::optional<double> time;      // [s]; empty: two thirds of the duration
    std::string size, caseName;      // empty: ci where there is one; the scene as it stands
    std::string camera;              // one of the scene's, by name; empty: the first
    std::optional<CameraView> view;  // instead: a view of its own
    std::string color;               // as --color takes it; empty: as one would see it
};

// One entry of `expect`: a named check and its numbers. What each check measures: docs/scenes.md.
struct Check {
    std::string name;     // key in the file: "level", or a label with "check": "level"
    std::string kind;     // "level"
    std::string group;    // body name, material name, or "" for all
    bool always = false;  // worst over the run instead of one time
    double at = -1;       // [s]; negative: at the end
    std::optional<double> min, max;
    std::map<std::string, double> numbers;     // further numbers of the check (tolerance, expected …)
    std::map<std::string, std::string> words;  // further words (relation, axis …)
    std::map<std::string, std::vector<std::string>> lists;  // further lists of words (cases …)
    std::map<std::string, Vec3> points;                     // further points (corners of a region …)
    double from = -1, to = -1;  // [s] a time window instead of one time; negative: none
    int line = 0;               // in the file
};

struct Scene {
    std::filesystem::path file;
    std::string name;  // file name without folder and ending
    std::string about, tier, source;
    std::vector<std::string> tags;
    std::string size, caseName;             // which size and case this is; "" = the file as it stands
    std::vector<std::string> sizes, cases;  // all that the file offers, in file order
    std::vector<std::string> control;       // checks that this case must fail
    double duration = 5;                    // [s] a full run
    uint64_t seed = 1;
    Parameters parameters;
    std::vector<Material> materials;
    std::vector<AttributeInfo> attributes;
    std::string colorBy;  // the channel that is shown where particles are colored by one; empty: the first
    std::vector<Body> bodies;
    std::vector<Shape> shapes;
    std::vector<Joint> springs;
    std::vector<ForceField> fields;
    std::vector<Body> prefabs;  // that emitters make copies of
    std::vector<Emitter> emitters;
    std::vector<Sink> sinks;
    std::vector<TimedCommand> timeline;
    std::vector<CameraView> cameras;  // at least one
    Poster poster;
    Vec3 boundsMin{}, boundsMax{};  // [m] nothing may leave (check `inside`); equal: no bounds
    bool bounded = false;
    std::vector<Check> expect;
    std::vector<std::string> notes;  // what the user should know: a mesh that is missing
    std::string text;                // the resolved JSON, for recordings and hashes
};

struct SceneChoice {
    std::string size;  // "" = default of the caller
    std::string caseName;
    std::vector<std::string>
        sets;  // "solver.substeps=4", "materials.water.spacing=0.02", "shapes.gate.position=[0,1,0]"
    std::optional<uint64_t> seed;
};

// All that is wrong with a scene file, by line: the message has one paragraph for each mistake. Exit::Scene.
struct SceneError : Error {
    struct Entry {
        int line;  // in the file; 0: of --size, --case or --set
        std::string text;
    };
    std::vector<Entry> entries;
    explicit SceneError(std::vector<Entry> diagnostics);
};

// Reads a scene file (JSON with comments). Every mistake in it is reported, not only the first, each with
// file, line, JSON path, the nearest known name and what to do: SceneError. A file that cannot be read at
// all: Error, Exit::Scene.
Scene readScene(const std::filesystem::path& file, const SceneChoice& choice = {});
// For lists of scenes: what each field says, without what takes a look at the whole or at meshes. Not to be
// built from. Fails as readScene does on what is wrong within a field.
Scene readSceneFields(const std::filesystem::path& file);
// The same from a text; `file` is only its name in messages.
Scene readSceneText(const std::string& text, const std::filesystem::path& file,
                    const SceneChoice& choice = {});
// The resolved scene as JSON that reads back to the same scene. Its size and case become empty override sets.
std::string writeScene(const Scene& scene);
// JSON schema (draft 2020-12) of a scene file, from the same declarations as reader and writer.
std::string sceneSchema();

// Particles that the scene would have, without building them.
size_t countParticles(const Scene& scene);

// Fills an empty world. Refuses with the numbers (Exit::Simulation) when the solver's estimate of memory
// exceeds what the machine has.
void buildWorld(const Scene& scene, World& world);

}  // namespace coalesce
