// A running scene: its world, solver, timeline, clock, edits and rewind history. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache_reader.h"
#include "core/exec.h"
#include "scene/format/file_elements.h"
#include "scene/format/scene.h"
#include "scene/timeline/timeline.h"
#include "session/edit_history.h"
#include "session/replay.h"
#include "session/snapshot_history.h"
#include "session/warnings.h"
#include "session/watched_files.h"
#include "sim/solver/solver.h"

namespace coalesce {

// A scene file as scene lists show it.
struct SceneEntry {
    std::filesystem::path file;
    std::string name, about;
    std::vector<std::string> sizes, cases, tags;
    std::string error;  // why the file cannot be opened; empty: it can
};
SceneEntry readEntry(const std::filesystem::path& file);
// The scenes of a folder, sorted by name.
std::vector<SceneEntry> listScenes(const std::filesystem::path& folder);

// Mouse constraint driven by the window's mouse; timelines use the lower numbers.
constexpr uint32_t kMouseGrab = kMaxMouseConstraints - 1;

class Session;
// Opens a scene, in the present size if the scene has a size of that name.
bool openEntry(Session& session, const SceneEntry& entry);
// Cycles through the cases of the scene and the file's own values. False: the scene has no cases.
bool openNextCase(Session& session);

struct Renaming;  // names_and_film.h

class Session {
public:
    // Throws what the scene reader and builder throw.
    Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec);
    // From a scene that was read with this choice.
    Session(Scene scene, const SceneChoice& choice, const ExecOptions& exec);

    // Called with the scene's name before reading and building that may take long.
    std::function<void(const std::string&)> announce;

    // Opens another scene, size or case. On failure the present scene continues, and problem() has the error.
    bool open(const std::filesystem::path& file, const SceneChoice& choice);
    // Queues a command for the next frame. Consecutive moves of one grab, and consecutive strokes of a brush,
    // are merged.
    void send(const UserCommand& command);
    // To be called before the first command of a cut, a throw, a pull … : undo returns to the present state.
    // what: for display, "Cut".
    void beginInteraction(const std::string& what);
    // Why a Throw or a Pour cannot be executed, and what can be done about that; empty: it can.
    std::string validate(const UserCommand& command) const;
    // Commands that are added to every frame; replaces the previous ones. interaction: which begins with the
    // first frame that has them, "Pour"; it goes on while that is the same. Empty: none.
    void hold(std::vector<UserCommand> commands, const std::string& interaction = "");
    // Starts recording user input; restarts with each reset.
    void startRecording();
    // Writes the recorded input since the start, with state hashes: `coalesce run --replay`. Exit::Output.
    void saveReplay(const std::filesystem::path& file);
    // Continues from a saved state of the scene. Throws what loadState() throws.
    void load(const std::filesystem::path& state);
    // Restarts the scene, with the user's edits or with the file's values. Values set by the timeline are
    // reset in both cases.
    void restart(bool keepEdits);

    // Reads the scene file again, in the same size and case, and reapplies the user's edits where the new
    // file still has their paths. If only cameras and shots have changed, the simulation goes on. On failure
    // the present scene continues, and fileProblem() has the error until the file is fixed.
    bool reload();
    // Reloads if the scene file or one of its meshes has changed since it was read; to be called regularly.
    // True: reloaded and restarted.
    bool pollFile();
    const std::string& fileProblem() const { return m_fileProblem; }

    // Writes the scene with the user's edits and the values of --set, and goes on as the scene of that file:
    // see withValues() for what changes in its text. Where the session has a size or a case, their values
    // change. The answer is the number of values. Nothing is written unless the file reads back to the
    // present scene, and has changed on disk since it was read: Exit::Scene; Exit::Usage while a cache is
    // played, or a replay of the same file recorded.
    size_t save(const std::filesystem::path& file);

    // ---- elements of the scene: session_elements.cpp ----
    // Add, duplicate, rename or remove an element of a section "shapes", "bodies", "emitters", "sinks" or
    // "fields". The change is in the text of the scene, see file_elements.h; the file gets it by save(). All
    // but a new name restart with the user's edits, and undo returns to the run before. They return the error,
    // which is a notice, too; empty: done.
    std::string addElement(const std::string& section, const std::string& json);  // with a name
    // The copy of a body is beside it, that of another element at the same place.
    std::string duplicateElement(const std::string& section, const std::string& element,
                                 const std::string& name);
    std::string renameElement(const std::string& section, const std::string& element,
                              const std::string& name);
    std::string removeElement(const std::string& section, const std::string& element);
    // What the file does not have of these changes, and how one of them is taken back.
    const std::vector<ElementChange>& elementChanges() const { return m_document.changes; }
    std::string undoElementChange(const ElementChange& change);
    // Moves a body to another start position [m] of its center, and restarts.
    std::string placeBody(const std::string& body, Vec3 center);
    // Goes on with another text of the scene. what: the change, for display. Where only cameras, shots, cuts,
    // markers or names of elements differ, the simulation goes on, and the change is a step of undo.
    std::string changeText(const std::string& what, const std::string& text);
    const std::string& text() const { return m_document.text; }
    // This name, with a number behind it where the section has an element of that name.
    std::string freeName(const std::string& section, const std::string& name) const;
    // Whether the text of the scene has changes that its file does not have.
    bool hasChangedElements() const { return m_document.text != m_document.file; }
    // Whether there are changes that the scene file does not have.
    bool isChanged() { return hasChangedElements() || !differences().empty(); }

    // ---- playing a cache ----
    // Plays frames of a cache of this scene instead of simulating, over and over; seeks go to any of them.
    // Commands and edits have no effect until another scene is opened. Exit::Scene, Exit::Usage.
    void play(const std::filesystem::path& cache, uint64_t first = 0, uint64_t last = UINT64_MAX);
    bool playsCache() const { return m_player != nullptr; }
    // Between in point and out point playing repeats; both are frames of the cache.
    uint64_t inPoint() const { return m_cached[m_in]; }
    uint64_t outPoint() const { return m_cached[m_out]; }
    void setInPoint(uint64_t frame);
    void setOutPoint(uint64_t frame);

    // ---- rewind ----
    // A seek discards nothing: frames after the present one are dropped, also from the replay that is being
    // recorded, when the next frame is simulated. It releases the mouse grab. On an error the answer is
    // false, problem() has the message, and the session stands at its old frame or at a snapshot.

    // Restores the newest snapshot that is not after this frame. False: there is none.
    bool restore(uint64_t frame);
    // Goes to exactly this frame, between the oldest snapshot and the last frame simulated; resimulates from
    // the snapshot before it, or from the present frame. False: out of range.
    bool seek(uint64_t frame);
    // seek() if resimulating fits the seek budget, else restore().
    bool seekNear(uint64_t frame);
    bool isWithinBudget(uint64_t frame) const;
    double seekBudget = 0.25;  // [s] wall time for one key press or slider move
    // Number of frames that seek() would resimulate; nullopt: out of range.
    std::optional<uint64_t> framesTo(uint64_t frame) const;
    // [s] first and last time that can be sought, and the frame nearest to a time.
    double firstTime() const;
    double lastTime() const;
    std::optional<uint64_t> frameAt(double time) const;
    SnapshotHistory& snapshots() { return m_snapshots; }
    const SnapshotHistory& snapshots() const { return m_snapshots; }
    // Why seeking is disabled, for the user; empty: it is enabled. Set while a recording runs.
    std::string seekBlockedReason;

    // ---- clock ----
    // Simulates whole frames for the elapsed wall time [s], scaled by the speed. A backlog of more than two
    // frames is dropped: a slow device shows slow motion instead of falling further behind. Returns the
    // number of frames.
    int advance(double seconds);
    // This many frames, independent of the clock; `seconds` only updates the real-time factor.
    void advanceFrames(int frames, double seconds);
    // One frame, whether paused or not. A simulation error pauses and becomes the problem().
    void step();

    const Scene& scene() const { return m_scene; }  // as read; source of "reset to scene value"
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
    uint64_t generation() const { return m_generation; }  // increments when world or solver are new objects
    // Increments when the world is rebuilt; particle ids start over.
    uint64_t worldGeneration() const { return m_worldGeneration; }
    // Increments when the cameras and shots of the scene may have changed.
    uint64_t filmGeneration() const { return m_filmGeneration; }
    // Simulated time per wall time, smoothed over about a second.
    double realTimeFactor() const { return m_realTime; }
    double stepMs() const { return m_stepMs; }  // [ms] wall time of the last frame

    // Whether runs that are left are kept for undo; off for sessions that only follow another one.
    bool keepsRuns = true;

    bool paused = false;
    static constexpr float kMinSpeed = 1.0f / 16, kMaxSpeed = 4;
    float speed = 1;  // simulated seconds per wall second, where the device keeps up

    // ---- edits: session_edits.cpp ----
    // Sets one value by its path, within the open undo step. Values that are fixed at spawn apply after the
    // next restart; a shape is moved to its new pose over the next frames, and pushes what is in its way.
    // Returns the error, which is a notice, too; empty: done.
    std::string edit(const Edit& edit);
    // The same without the notice, for those who show the error themselves.
    std::string tryEdit(const Edit& edit);
    // Several values as one undo step, all or none.
    std::string edit(const std::vector<Edit>& edits);
    // Pose of shape k, or the pose it is being moved to.
    Pose targetPose(size_t k) const;
    // Moves a shape, or a sink with a shape, by edits. The target is a pose at the present time, whereas
    // edits of position and rotation set the pose at time 0, as in scene files. For an element with a
    // velocity or timeline motion the initial pose is shifted by the same offset, and its motion continues
    // from the target.
    void moveTo(const std::string& section, const std::string& element, const Pose& target);
    // Ends the open undo step; the next edit begins another one.
    void closeStep() { m_history.closeStep(); }
    // Undo takes back what the user did last: a step of edits; an interaction, by returning to the state
    // before it; or opening another scene, size or case, a restart, a reload, or going on from an earlier
    // frame, by returning to the run that was left, at its last state and with its edits. Redo returns to the
    // end of what was undone. session_runs.cpp
    bool undo();
    bool redo();
    // Memory [bytes] of the runs that are kept for both.
    size_t undoBytes() const;
    // What they would undo or redo, for display; empty: nothing.
    std::string undoable() const;
    std::string redoable() const;
    // The scene with the user's edits; restart(true) builds from it.
    const Scene& edited() const { return m_edited; }
    // The user's edits: values that differ from the scene file.
    std::vector<Edit> differences();
    // All values as the user sees them: from the world, except values fixed at spawn and the poses of shapes,
    // which come from the edited scene.
    std::vector<Tunable> tunables();
    // True: an edit of a value that is fixed at spawn waits for a restart.
    bool needsRestart() const;
    const Warnings& warnings() const { return m_warnings; }
    void dismissWarning(int id) { m_warnings.dismiss(id); }
    // Messages to show once, since the last call: refused edits, and edits dropped by a reload.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }

private:
    // The parameters of the world that user edits are detected in, see collectUserEdits().
    struct Baseline {
        Parameters parameters;
        std::vector<Material> materials;
        std::vector<ForceField> forceFields;
        std::vector<Emitter> emitters;
        std::vector<Sink> sinks;
    };

    // The text of a scene, with changed elements, and the text of its file when it was last read or written.
    struct Document {
        Document() = default;
        Document(std::string textNow, std::string textOfFile);
        std::string text, file;
        std::vector<ElementChange> changes;  // from the file to the text
    };

    // A run of a scene, kept when another one follows it.
    struct Run {
        std::string what;  // what undo takes back by returning to it: "Restart"
        Scene scene, builtFrom;
        Document document;
        WatchedFiles files;  // with their times when they were read
        size_t sceneMaterials = 0;
        SceneChoice choice;
        SessionSnapshot state;
        EditHistory history;
        std::optional<ReplayRecorder> recorder;  // nullopt: the run that follows has its events
        size_t lastStep = 0;                     // steps of its history when a later run followed it
        std::vector<UserCommand> commands = {};  // cuts and throws that wait for the next frame
        uint64_t worldGeneration = 0;            // of the world that its state is of
        bool isCheckpoint = false;               // the run that follows went on from its state

        size_t bytes() const;
    };

    // New elements of a section for the old ones, by their place in the list of the file.
    using Places = std::function<std::vector<size_t>(size_t)>;
    std::string changeDocument(const std::string& section, const std::string& what,
                               const std::function<std::string(const std::string&)>& change,
                               const Places& places, const std::function<void(const Scene&)>& check = {});
    // The names under which the values of an element of a section go on.
    using NewNames = std::function<std::vector<std::string>(const std::string&, const std::string&)>;
    Scene withEdits(const Scene& scene, const NewNames& newNames);
    void rebuildWith(Scene scene, Document document, const std::string& what, const NewNames& newNames,
                     std::optional<Run> left);
    void build(const Scene& from);
    void setScene(Scene scene, const SceneChoice& choice, Document document);
    void setFileText(const std::filesystem::path& file, const std::string& text);
    std::optional<std::vector<Renaming>> takeInPlace(const Scene& scene);
    bool takeText(const std::string& cannot, const std::string& now, const std::string& text);
    bool applyNext(bool back);
    void addSpawnedMaterials();
    void removeSpawnedMaterials();
    void startReplay();

    // Turns changes of the world's parameters since captureBaseline() into user edits.
    void collectUserEdits();
    void captureBaseline();
    std::string apply(const Edit& edit);
    void addChange(EditHistory::Change change);
    bool applyStep(const std::vector<Edit>& edits, const char* what);
    std::string conflictOf(const Edit& edit);
    Edit valueOf(const std::string& path);
    std::string applyPose(const Edit& edit, const std::string& section, const std::string& element);
    void driveToTargets();
    std::vector<Edit> pendingEdits() const;
    void record(Change change);

    SessionSnapshot currentSnapshot();
    bool prepareSeek();
    void restoreSnapshot(const SessionSnapshot& snapshot);
    void recreateSolver();
    bool seekWith(const std::function<bool()>& go);
    void finishSeek();
    void resimulate();
    void showCached(size_t index);
    size_t cachedIndex(uint64_t frame) const;
    bool stepCached();
    void discardFuture(bool diverges = true);

    // A run is kept as a branch, when another one replaces it, or as a checkpoint, when it goes on.
    enum class Keep { Branch, Checkpoint };
    Run presentRun(Keep keep);
    std::optional<Run> captureRun(Keep keep = Keep::Branch);
    std::optional<Run> captureRunToLeave(Keep keep = Keep::Branch);
    void makeBranchesAfter(uint64_t frame, size_t changes);
    bool hasFuture() const;
    bool divergesFromRecorded() const;
    void releaseGrab();
    void leave(Run run, std::string what);
    void branch();
    void adoptRunsOf(uint64_t worldGeneration);
    bool returnTo(std::vector<Run>& from, std::vector<Run>& to);
    bool undoesRun() const;
    bool redoesRun() const;

    ExecOptions m_execOptions;
    Exec m_exec;
    Scene m_scene;
    Scene m_edited;  // m_scene with the user's edits
    Document m_document;
    size_t m_sceneMaterials = 0;  // number in the file; a thrown ball may add one, see ballMaterial()
    WatchedFiles m_files;         // of the scene, with their times when they were read
    std::string m_fileProblem;
    SnapshotHistory m_snapshots;
    std::unique_ptr<CacheReader> m_cache;
    std::unique_ptr<CachePlayer> m_player;  // null: the scene is simulated
    std::vector<uint64_t> m_cached;         // frames of the cache
    size_t m_in = 0, m_out = 0;             // in m_cached
    bool m_inPast = false;                  // after a seek, until a frame is simulated or a value is edited
    size_t m_eventsAtSeek = 0;              // replay events before the frame that was sought
    size_t m_changesAtSeek = 0;             // changes before that frame
    Baseline m_baseline;                    // the world as program and timeline left it
    SceneChoice m_choice;
    std::unique_ptr<World> m_world;
    std::unique_ptr<Solver> m_solver;
    std::unique_ptr<Timeline> m_timeline;
    Scene m_builtFrom;                    // the scene that the world was built from
    std::vector<Run> m_earlier, m_later;  // the nearest one last
    size_t m_lastStep = 0;                // steps of the history when the last of m_later followed it
    EditHistory m_history;
    std::vector<std::optional<Pose>> m_targets;  // per shape; set while it is being moved
    Warnings m_warnings;
    std::vector<std::string> m_notices;
    std::vector<UserCommand> m_held;
    std::string m_heldAs;      // the interaction of these commands
    bool m_heldBegun = false;  // a frame had them
    bool m_recording = false;
    ReplayRecorder m_recorder;
    Status m_status;
    std::string m_problem;
    uint64_t m_generation = 0, m_worldGeneration = 0, m_filmGeneration = 0;
    double m_backlog = 0;  // [s] wall time not simulated yet
    double m_realTime = 0, m_stepMs = 0, m_buildMs = 0;
    uint64_t m_toldWorld = 0;    // the world of which a notice says that interactions are not undone
    double m_averageStepMs = 0;  // smoothed over about ten frames; 0: no frame yet
};

}  // namespace coalesce
