// Runs a scene file headless: every case in turn, its checks and controls, and the comparisons between cases.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache_writer.h"
#include "checks/expect.h"
#include "core/exec.h"
#include "geometry/math/vec3d.h"
#include "scene/format/scene.h"
#include "session/replay.h"
#include "sim/solver/solver.h"

namespace coalesce {

// Argument of the frame callback. Frame 0 is the initial state.
struct RunFrame {
    const Scene& scene;  // scene.caseName, scene.size say which
    World& world;
    const Status& status;
    size_t run, runs;        // which of the cases that are run, from 1
    uint64_t frame, frames;  // frame of frames
    double ms;               // wall time of this frame's step [ms]
};

struct RunOptions {
    std::string size;                     // "": demo where the scene has it
    std::optional<std::string> caseName;  // absent: every case, or the file's own values if it has none
    std::vector<std::string> sets;        // as in SceneChoice
    std::optional<uint64_t> seed;
    std::filesystem::path film = {};  // as in SceneChoice
    std::optional<uint64_t> frames;   // instead of the scene's duration
    std::optional<double> duration;   // [s] instead of the scene's duration; frames wins
    ExecOptions exec;
    std::optional<Replay>
        replay;  // of this scene and choice; played back instead of evaluating the scene's checks
    std::optional<CacheOptions> cache;  // writes every frame; of one case
    bool convergence = false;           // reports how far each frame was solved
    bool repeat = false;              // run each case twice; the check `repeatable` compares the state hashes
    std::function<bool()> stop = {};  // asked before each frame; true ends the run there, in order
    // Before the first frame of a case; not called without warnings.
    std::function<void(const Scene&, const std::vector<std::string>& warnings)> onWarnings;
    std::function<void(const RunFrame&)> onFrame;                             // progress, statistics
    std::function<void(const Scene&, uint64_t frame, uint64_t hash)> onHash;  // costs a hash per frame
    // For --load-state and --save-state: after the world is built, and after its last frame.
    std::function<void(World&)> onBuilt, onDone;
    // For --hash-stages: the solver of a case before its first frame, and null after its last.
    std::function<void(const Scene&, const World&, const Solver*)> onSolver;
};

struct CaseReport {
    std::string caseName, size;
    size_t particles = 0;  // at the end
    uint64_t frames = 0;
    uint64_t substeps = 0;        // of all frames
    double simulated = 0;         // [s]
    double msPerFrame = 0;        // mean wall time of a step [ms]
    double bytesPerParticle = 0;  // peak device memory
    uint64_t hash = 0;            // of the state at the end
    std::vector<Vec3d> places;    // [m] positions of all particles at the end, if same_places compares them
    std::string device;           // Exec::description
    struct Convergence {
        double time;  // [s]
        ConvergenceReport constraints;
        LinearCounts globalStep, strainViscosity;
    };
    std::vector<Convergence> convergence;  // by frame; empty: not wanted
    std::vector<CheckResult> checks;
    std::vector<std::string> control;   // checks that this case must fail
    std::vector<std::string> notes;     // of scene and status, without repetitions
    std::vector<std::string> warnings;  // of the scene, without repetitions
    bool checked = true;                // false: a run was continued, and its checks were not evaluated
    bool stopped = false;               // before its last frame; what it was to reach is not judged
    bool passed = false;                // all checks hold; of a control case, exactly the named ones fail
};

struct RunReport {
    std::string scene;  // name
    std::vector<CaseReport> cases;
    std::vector<CheckResult> comparisons;  // between cases
    bool valuesSet = false;                // other values than the file's were asked for
    bool stopped = false;                  // some frames or cases were not run
    bool passed() const;
    std::string text() const;  // the report for a terminal
    std::string json() const;  // the report as JSON
};

// Reads every case first, so that an error in the last one is found before anything is simulated. Throws
// simulation errors (Exit::Simulation); failed checks are in the report.
RunReport runScene(const std::filesystem::path& file, const RunOptions& options);

// Number of frames that a run of this scene simulates.
uint64_t framesOf(const Scene& scene, const RunOptions& options);

}  // namespace coalesce
