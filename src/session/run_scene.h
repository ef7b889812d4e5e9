// Runs a scene file without pictures: every case in turn, its checks, its controls, and the comparisons
// between cases.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checks/expect.h"
#include "core/exec.h"
#include "scene/format/scene.h"
#include "session/replay.h"
#include "sim/solver/solver.h"

namespace coalesce {

// What a callback sees after a frame. frame 0 is the start, before anything moved.
struct RunFrame {
    const Scene& scene;  // scene.caseName, scene.size say which
    World& world;
    const Status& status;
    uint64_t frame, frames;  // frame of frames
    double ms;               // wall time of this frame's step [ms]
};

struct RunOptions {
    std::string size;  // "" = the file as it stands
    std::optional<std::string>
        caseName;                   // absent: every case of the file, or the file itself when it has none
    std::vector<std::string> sets;  // as in SceneChoice
    std::optional<uint64_t> seed;
    std::optional<uint64_t> frames;  // instead of the scene's duration
    std::optional<double> duration;  // [s] instead of the scene's duration; frames wins
    ExecOptions exec;
    std::optional<Replay>
        replay;           // of this scene in this choice; plays it instead of checking what is expected
    bool repeat = false;  // run each case twice: check `repeatable` compares the state hashes
    std::function<void(const RunFrame&)> onFrame;                             // progress, statistics
    std::function<void(const Scene&, uint64_t frame, uint64_t hash)> onHash;  // costs a hash per frame
    // For --load-state and --save-state: after the world is built, and after its last frame.
    std::function<void(World&)> onBuilt, onDone;
};

struct CaseReport {
    std::string caseName, size;
    size_t particles = 0;  // at the end
    uint64_t frames = 0;
    double simulated = 0;                       // [s]
    double msPerFrame = 0;                      // mean wall time of a step [ms]
    double bytesPerParticle = 0;                // peak of the machine's memory
    uint64_t hash = 0;                          // of the state at the end
    std::vector<std::array<double, 3>> places;  // [m] of all particles at the end, where same_places asks
    std::string device;                         // Exec::description
    std::vector<CheckResult> checks;
    std::vector<std::string> control;  // checks this case must fail
    std::vector<std::string> notes;    // of the scene and of the status, each line once
    bool passed = false;               // every check holds; of a control case: exactly the named ones fail
};

struct RunReport {
    std::string scene;  // name
    std::vector<CaseReport> cases;
    std::vector<CheckResult> comparisons;  // between cases
    bool passed() const;
    std::string text() const;  // the whole report for a terminal
    std::string json() const;  // the same for a machine
};

// Reads every case first, so a mistake in the last one costs no simulation. A problem of the simulation
// itself (Exit::Simulation) is thrown; a check that does not hold is in the report.
RunReport runScene(const std::filesystem::path& file, const RunOptions& options);

// The frames that a run of this scene has.
uint64_t framesOf(const Scene& scene, const RunOptions& options);

}  // namespace coalesce
