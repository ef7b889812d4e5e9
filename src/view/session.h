// A scene being played: the world, its solver, and the clock. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/exec.h"
#include "scene/replay.h"
#include "scene/scene.h"
#include "scene/timeline.h"
#include "sim/solver.h"
#include "view/edit_history.h"
#include "view/warnings.h"

namespace coalesce {

// A scene file as the list shows it.
struct SceneEntry {
    std::filesystem::path file;
    std::string name, about;
    std::vector<std::string> sizes;
    std::string error;  // what is wrong with the file; empty: nothing
};
// The scenes of a folder, by name.
std::vector<SceneEntry> listScenes(const std::filesystem::path& folder);

class Session {
public:
    // Throws what reader and builder throw.
    Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec);

    // Another scene, size or case. On failure the present one goes on, and problem() says why.
    bool open(const std::filesystem::path& file, const SceneChoice& choice);
    // A command for the coming frame. Of one hand's moves, and of a brush's ways, within a frame one is made.
    void send(const HandCommand& command);
    // From now on, and anew with every start, what hands and the panel do is taken down.
    void startRecording();
    // All since the start, with the hashes of the states: `coalesce run --replay`. Exit::Output.
    void saveReplay(const std::filesystem::path& file);
    // Goes on from a saved state of the scene. Throws what loadState() throws.
    void load(const std::filesystem::path& state);
    // From the start again: with the parameters that a hand has changed, or all as the file has them. What
    // the timeline has set is as it was before.
    void reset(bool keepTweaks);

    // Simulates whole frames for the time that passed on the wall [s]. What is more than two frames late is
    // given up, so that a slow machine shows slow motion instead of falling ever farther behind. Returns the
    // frames done.
    int advance(double seconds);
    // This many frames, whatever the clock says; it still measures the real-time factor.
    void advanceFrames(int frames, double seconds);
    // One frame, whether paused or not. An error of the simulation pauses and becomes the problem().
    void step();

    const Scene& scene() const { return m_scene; }  // as read; what "reset" of a value goes back to
    const SceneChoice& choice() const { return m_choice; }
    World& world() { return *m_world; }
    const World& world() const { return *m_world; }
    Solver& solver() { return *m_solver; }
    Exec& exec() { return m_exec; }
    const Exec& exec() const { return m_exec; }
    const Status& status() const { return m_status; }
    const std::string& problem() const { return m_problem; }
    void dismissProblem() { m_problem.clear(); }
    uint64_t generation() const { return m_generation; }  // grows when world and solver are new objects
    double realTimeFactor() const {
        return m_realTime;
    }                                           // simulated per wall time, smoothed over about a second
    double stepMs() const { return m_stepMs; }  // wall time of the last frame

    bool paused = false;

    // ---- edits: session_edits.cpp ----
    // Sets one value, by its path, as a part of the present step of the history. What is fixed when particles
    // are born counts from the next reset; a shape is led to its new place by the coming frames, and pushes
    // what is in its way. What cannot be done is said in the answer; empty: done.
    std::string edit(const Edit& edit);
    // The same for several as one step: all or none.
    std::string edit(const std::vector<Edit>& edits);
    // Where shape k is, or is being led.
    Pose goalOf(size_t k) const;
    // Leads it there.
    void place(size_t k, const Pose& goal);
    // The coming edits are another step of undo.
    void closeStep() { m_history.closeStep(); }
    bool undo();
    bool redo();
    const EditHistory& history() const { return m_history; }
    // What a reset goes back to: the scene with everything that a hand has changed.
    const Scene& tweaked() const { return m_tweaked; }
    // What differs in it from the scene file.
    std::vector<Edit> differences();
    // All values as they are: of the world, but what is fixed at birth and where shapes go as a hand wants
    // it.
    std::vector<Tunable> tunables();
    // Something fixed at birth was changed since the world was built.
    bool waitsForReset() const;
    const Warnings& warnings() const { return m_warnings; }

private:
    void build(const Scene& from);
    void startReplay();
    void noteTweaks();  // what was changed since see()
    void see();
    std::string apply(const Edit& edit);
    void leadShapes();
    std::vector<Edit> fixedTweaks() const;

    Exec m_exec;
    Scene m_scene;
    Scene m_tweaked;  // with what a hand has changed
    struct {
        Parameters parameters;
        std::vector<Material> materials;
        std::vector<ForceField> fields;
        std::vector<Emitter> emitters;
        std::vector<Sink> sinks;
    } m_seen;  // as program and timeline left them
    SceneChoice m_choice;
    std::unique_ptr<World> m_world;
    std::unique_ptr<Solver> m_solver;
    std::unique_ptr<Timeline> m_timeline;
    EditHistory m_history;
    std::vector<std::optional<Pose>> m_goals;  // of shapes that are being led
    Warnings m_warnings;
    bool m_recording = false;
    ReplayRecorder m_recorder;
    Status m_status;
    std::string m_problem;
    uint64_t m_generation = 0;
    double m_backlog = 0;  // [s] of wall time not yet simulated
    double m_realTime = 0, m_stepMs = 0;
};

}  // namespace coalesce
