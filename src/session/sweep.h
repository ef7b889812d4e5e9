// A sweep: one file that names scenes, cases, sizes and values of parameters. Every combination is a job.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// What a job leaves in its folder. Resolution, camera and quality as those of a shot; empty: the default.
struct SweepImages {
    std::string resolution = "480x270";
    std::string camera;
    std::string quality = "final";
};
struct SweepPicture {
    SweepImages images;
    std::optional<double> at;  // [s] of film; absent: the last frame
    int line = 0;              // in the file
};
struct SweepVideo {
    SweepImages images;
    std::optional<double> fps;  // absent: one image per frame
    uint64_t parts = 1;         // its images are drawn in so many steps, which may run at the same time
    int line = 0;               // in the file
};
struct SweepMesh {
    std::string format = "ply";  // or obj
    uint64_t every = 1;          // frames between files
};
struct SweepOutputs {
    bool stats = true;   // measures of `expect`, times, state hash
    bool cache = false;  // every frame
    std::optional<SweepPicture> picture;
    std::optional<SweepMesh> mesh;
    std::optional<SweepVideo> video;

    // Pictures, videos and meshes are made from the cache, so that a scene is simulated once.
    bool needsCache() const { return cache || picture || video || mesh; }
};

// One value that changes from job to job.
struct SweepAxis {
    std::string path;                 // as of --set: "materials.water.viscosity"
    std::vector<std::string> values;  // as of --set: JSON, or a word
    std::vector<int> lines;           // of the values in the file
};

// One name of a list in the file.
struct SweepName {
    std::string name;  // "" of sizes and cases: the values of the scene file
    int line = 0;
};

struct Sweep {
    std::filesystem::path file;
    std::string name;  // of the file, without folder and extension
    std::string about;
    std::vector<SweepName> scenes;  // files relative to the sweep, or names of scenes
    std::vector<SweepName> sizes;   // at least one
    std::vector<SweepName> cases;   // empty: all cases of each scene
    std::vector<SweepAxis> axes;
    std::optional<uint64_t> frames;
    std::optional<double> duration;  // [s]; with neither, that of the scene
    SweepOutputs outputs;
};

struct SweepJob {
    std::filesystem::path scene;
    SceneChoice choice;                                       // with the values as `sets`
    std::vector<std::pair<std::string, std::string>> values;  // path, value
    uint64_t frames = 0;
    double frameRate = 60;  // [1/s]
    // Identifies the results: of the program's version, the scene with all choices applied, the bytes of its
    // meshes, the frames and the outputs.
    uint64_t key = 0;
};

// The path of a scene that a sweep names.
using SceneFinder = std::function<std::filesystem::path(const std::string& name)>;

// Reads a sweep (JSON with comments). Reports all errors with line, key, and nearest name: SceneError.
Sweep readSweep(const std::filesystem::path& file);
// Every combination, in the order of the file, the last axis fastest. Reads and validates the scene of each
// job, without simulating. Reports errors as readSweep does.
std::vector<SweepJob> jobsOf(const Sweep& sweep, const SceneFinder& find);

}  // namespace coalesce
