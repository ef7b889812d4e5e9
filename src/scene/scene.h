// A scene as its file describes it: plain data, no particles yet. One file is demo, benchmark and test at
// once.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "sim/parameters.h"
#include "sim/shapes.h"
#include "sim/world.h"

namespace coalesce {

// A body made of particles of one material.
struct Body {
    enum class Kind { Block, Sphere, Points };
    std::string name;
    Kind kind = Kind::Block;
    uint32_t material = 0;     // index into Scene::materials
    Vec3 center{};             // [m]
    Vec3 size{};               // [m] block: full edge lengths
    float radius = 0;          // [m] sphere
    std::vector<Vec3> points;  // [m] points: the particles themselves
    Vec3 velocity{};           // [m/s] at the start
    float jitter = 0;          // start positions are moved by up to this share of d, seeded by Scene::seed
};

struct CameraView {
    std::string name;
    Vec3 eye{2, 1.5f, 3}, look{0, 0.5f, 0};  // [m]
    float fov = 45;                          // vertical [deg]
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
    std::vector<Body> bodies;
    std::vector<Shape> shapes;
    std::vector<CameraView> cameras;  // at least one
    Vec3 boundsMin{}, boundsMax{};    // [m] nothing may leave (check `inside`); equal: no bounds
    bool bounded = false;
    std::vector<Check> expect;
    std::string text;  // the resolved JSON, for recordings and hashes
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
    explicit SceneError(std::vector<Entry> mistakes);
};

// Reads a scene file (JSON with comments). Every mistake in it is reported, not only the first, each with
// file, line, JSON path, the nearest known name and what to do: SceneError. A file that cannot be read at
// all: Error, Exit::Scene.
Scene readScene(const std::filesystem::path& file, const SceneChoice& choice = {});
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
