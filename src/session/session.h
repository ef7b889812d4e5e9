// A scene being played: the world, its solver, and the clock. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exec.h"
#include "scene/format/scene.h"
#include "scene/timeline/timeline.h"
#include "session/edit_history.h"
#include "session/replay.h"
#include "session/snapshot_history.h"
#include "session/warnings.h"
#include "session/watched_files.h"
#include "sim/solver/solver.h"

namespace coalesce {

// A scene file as the list shows it.
struct SceneEntry {
    std::filesystem::path file;
    std::string name, about;
    std::vector<std::string> sizes, cases, tags;
    std::string error;  // what is wrong with the file; empty: nothing
};
SceneEntry readEntry(const std::filesystem::path& file);
// The scenes of a folder, by name.
std::vector<SceneEntry> listScenes(const std::filesystem::path& folder);

// The hand of the mouse; timelines rather use the first ones.
constexpr uint32_t kMouseHand = kMaxMouseConstraints - 1;

class Session;
// Opens it in the size that was chosen before, when this scene has it too: what runs well goes on to do so.
bool openEntry(Session& session, const SceneEntry& entry);
// The next case of the scene, of all its cases and the file as it stands in turn. False: it has none.
bool openNextCase(Session& session);

class Session {
public:
    // Throws what reader and builder throw.
    Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec);
    // Of a scene that was read in this choice.
    Session(Scene scene, const SceneChoice& choice, const ExecOptions& exec);

    // Told the name of a scene before work that may take long: one is read and built.
    std::function<void(const std::string&)> announce;

    // Another scene, size or case. On failure the present one goes on, and problem() says why.
    bool open(const std::filesystem::path& file, const SceneChoice& choice);
    // A command for the coming frame. Of one hand's moves, and of a brush's ways, within a frame one is made.
    void send(const UserCommand& command);
    // What is asked of every frame from now on, in place of what was held before.
    void hold(std::vector<UserCommand> commands) { m_held = std::move(commands); }
    // From now on, and anew with every start, what hands and the panel do is taken down.
    void startRecording();
    // All since the start, with the hashes of the states: `coalesce run --replay`. Exit::Output.
    void saveReplay(const std::filesystem::path& file);
    // Goes on from a saved state of the scene. Throws what loadState() throws.
    void load(const std::filesystem::path& state);
    // From the start again: with the parameters that a hand has changed, or all as the file has them. What
    // the timeline has set is as it was before.
    void reset(bool keepTweaks);

    // The same scene, size and case, as the file is now: with what a hand has changed where it still has a
    // place. On failure the present one goes on, and fileProblem() says why until the file is mended.
    bool reload();
    // Reloads when the file, or a mesh that it names, has changed since it was read; to be called now and
    // then. True: it did.
    bool pollFile();
    const std::string& fileProblem() const { return m_fileProblem; }

    // Back to a state that was kept, the newest not after this frame; or forward again, as long as no frame
    // was simulated since. False: none was kept. What comes after it is forgotten with the next frame, also
    // by the replay that is being recorded. The mouse lets go. An error on the way becomes the problem(), and
    // the answer is false: then it stands where it stood, or at a kept state.
    bool rewindTo(uint64_t frame);
    // To exactly this frame, between the oldest state and how far the run had come: from the state before it,
    // or from where it stands, the frames between are simulated again as they were. False: there is no way.
    bool seek(uint64_t frame);
    // To this frame where simulating it again takes no longer than the patience, else to the state before it.
    bool seekNear(uint64_t frame);
    bool isQuick(uint64_t frame) const;
    double seekBudget = 0.25;  // [s] for one key or a move of the slider
    // How many frames that takes; nullopt: there is no way.
    std::optional<uint64_t> framesTo(uint64_t frame) const;
    SnapshotHistory& past() { return m_past; }
    const SnapshotHistory& past() const { return m_past; }
    // Why nobody may go back for now, for the user: something shows the run without a break. Empty: one may.
    std::string seekBlockedReason;

    // Simulates whole frames for the time that passed on the wall [s], by the speed. What is more than two
    // pictures late is given up, so that a slow machine shows slow motion instead of falling ever farther
    // behind. Returns the frames done.
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
    const ExecOptions& execOptions() const { return m_execOptions; }
    const Status& status() const { return m_status; }
    const std::string& problem() const { return m_problem; }
    void dismissProblem() { m_problem.clear(); }
    uint64_t generation() const { return m_generation; }  // grows when world and solver are new objects
    uint64_t worlds() const { return m_worlds; }  // grows when the world is built anew: ids begin again
    double realTimeFactor() const {
        return m_realTime;
    }                                           // simulated per wall time, smoothed over about a second
    double stepMs() const { return m_stepMs; }  // wall time of the last frame

    bool paused = false;
    static constexpr float kLeastSpeed = 1.0f / 16, kMostSpeed = 4;
    float speed = 1;  // simulated seconds per second on the wall, where the machine keeps up

    // ---- edits: session_edits.cpp ----
    // Sets one value, by its path, as a part of the present step of the history. What is fixed when particles
    // are born counts from the next reset; a shape is led to its new place by the coming frames, and pushes
    // what is in its way. What cannot be done is said in the answer; empty: done.
    std::string edit(const Edit& edit);
    // The same for several as one step: all or none.
    std::string edit(const std::vector<Edit>& edits);
    // Where shape k is, or is being led.
    Pose goalOf(size_t k) const;
    // Moves a shape, or a sink that has a form, by way of edits. The goal is a place of now; what edits say
    // of positions and rotations is, as in scene files, where things start. The two differ for what moves by
    // itself or by the timeline: it begins as much elsewhere as it is moved, and goes on from the goal.
    void moveThere(const std::string& section, const std::string& element, const Pose& goal);
    // The coming edits are another step of undo.
    void closeStep() { m_history.closeStep(); }
    bool undo();
    bool redo();
    const EditHistory& history() const { return m_history; }
    // What a reset goes back to: the scene with everything that a hand has changed.
    const Scene& edited() const { return m_edited; }
    // What differs in it from the scene file.
    std::vector<Edit> differences();
    // All values as they are: of the world, but what is fixed at birth and where shapes go as a hand wants
    // it.
    std::vector<Tunable> tunables();
    // Something fixed at birth was changed since the world was built.
    bool waitsForReset() const;
    const Warnings& warnings() const { return m_warnings; }
    // What a person should be told once, since this was asked last: edits that were refused, and values that
    // have no place any more.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }

private:
    void build(const Scene& from);
    void discardFuture();
    void startReplay();
    void collectUserEdits();  // what was changed since see()
    void see();
    std::string apply(const Edit& edit);
    bool applyStep(const std::vector<Edit>& edits, const char* what);
    std::string objectionTo(const Edit& edit);
    Edit valueOf(const std::string& path);
    std::string applyPlace(const Edit& edit, const std::string& section, const std::string& element);
    void driveToTargets();
    std::vector<Edit> fixedTweaks() const;
    SessionSnapshot presentState();
    bool leavePresent();
    void restore(const SessionSnapshot& past);
    void beginSolverAnew();
    bool seekWith(const std::function<bool()>& way);
    void finishSeek();
    void resimulate();
    void note(Change change);
    void takeExtraMaterials();
    void dropExtraMaterials();
    void takeScene(Scene scene, const SceneChoice& choice);

    ExecOptions m_execOptions;
    Exec m_exec;
    Scene m_scene;
    Scene m_edited;             // with what a hand has changed
    size_t m_ownMaterials = 0;  // of the scene; the world's may have one more, see ballMaterial()
    WatchedFiles m_files;       // of the scene, as they were when they were read last
    std::string m_fileProblem;
    SnapshotHistory m_past;
    bool m_rewound = false;    // and nothing was done since
    size_t m_eventsThen = 0;   // of the replay, at the frame that was gone back to
    size_t m_changesThen = 0;  // of that frame
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
    std::vector<std::optional<Pose>> m_targets;  // of shapes that are being led
    Warnings m_warnings;
    std::vector<std::string> m_notices;
    std::vector<UserCommand> m_held;
    bool m_recording = false;
    ReplayRecorder m_recorder;
    Status m_status;
    std::string m_problem;
    uint64_t m_generation = 0, m_worlds = 0;
    double m_backlog = 0;  // [s] of wall time not yet simulated
    double m_realTime = 0, m_stepMs = 0, m_buildMs = 0;
    double m_usualMs = 0;  // of a frame, smoothed over about ten; 0: none was done
};

}  // namespace coalesce
