// Undo beyond values: runs that were left by opening, restarting, reloading, or going on from an earlier
// frame; and states before interactions, which are kept as runs of the same world.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "scene/format/scene_files.h"
#include "session/session.h"

namespace coalesce {

namespace {
constexpr size_t kMostRuns = 64;
}

// Of a run that was rewound, its end: what came after the present frame is kept.
Session::Run Session::presentRun(Keep keep) {
    const bool ahead = hasFuture();
    Run run{.what = {},
            .scene = m_scene,
            .builtFrom = m_builtFrom,
            .document = m_document,
            .files = m_files,
            .sceneMaterials = m_sceneMaterials,
            .choice = m_choice,
            .state = ahead ? m_snapshots.list().back() : currentSnapshot(),
            .history = m_history,
            .recorder = {},
            .lastStep = m_lastStep,
            .worldGeneration = m_worldGeneration};
    if (!ahead)
        for (const UserCommand& command : m_world->commands)
            if (std::holds_alternative<Cut>(command) || std::holds_alternative<Throw>(command))
                run.commands.push_back(command);
    if (m_inPast && !ahead) run.state.events = m_eventsAtSeek;
    run.isCheckpoint = keep == Keep::Checkpoint;
    if (run.isCheckpoint) {
        m_recorder.keepEvents();
    } else {
        run.recorder = m_recorder;
        // the replay ends where the state is
        if (m_recording && m_inPast) run.recorder->truncate(run.state.world.frame(), run.state.events);
    }
    return run;
}

// The present run; nullopt: it is not kept, since a cache is played, the
// session keeps none, or its state cannot be copied.
std::optional<Session::Run> Session::captureRun(Keep keep) {
    if (m_player || !keepsRuns) return {};
    try {
        Run run = presentRun(keep);
        makeBranchesAfter(run.state.world.frame(), run.state.changes);
        return run;
    } catch (const std::exception& error) {
        while (!m_earlier.empty() && m_earlier.back().isCheckpoint) m_earlier.pop_back();
        m_notices.push_back(std::string("The present run is not kept for undo: ") + error.what());
        return {};
    }
}

// The same before another run follows.
std::optional<Session::Run> Session::captureRunToLeave(Keep keep) {
    if (m_player || !keepsRuns) return {};
    collectUserEdits();
    closeStep();
    return captureRun(keep);
}

// A rewound run goes on from here, so its end is kept first.
void Session::beginInteraction(const std::string& what) {
    if (m_player || !keepsRuns) return;
    discardFuture();
    if (m_snapshots.isDisabled()) return;
    const auto bytes = double(WorldSnapshot::bytesOf(*m_world));
    if (bytes > m_snapshots.limitBytes()) {
        if (std::exchange(m_toldWorld, m_worldGeneration) != m_worldGeneration)
            m_notices.push_back(fmt::format(
                "{} cannot be undone: one state of this scene takes {:.3g} MB, more than the rewind memory "
                "(page Settings).",
                what, 1e-6 * bytes));
        return;
    }
    if (std::optional<Run> before = captureRunToLeave(Keep::Checkpoint)) leave(std::move(*before), what);
}

// A scene takes about as much as its text, without meshes, which are read again.
size_t Session::Run::bytes() const {
    return state.world.bytes() + history.bytes() + (recorder ? recorder->bytes() : 0) + document.text.size() +
           document.file.size() + scene.text.size() + builtFrom.text.size();
}

size_t Session::undoBytes() const {
    size_t bytes = 0;
    for (const std::vector<Run>* runs : {&m_earlier, &m_later})
        for (const Run& run : *runs) bytes += run.bytes();
    return bytes;
}

// Frames after this one are dropped, and no run has them: checkpoints there become branches, from which the
// present run does not go on.
void Session::makeBranchesAfter(uint64_t frame, size_t changes) {
    for (auto run = m_earlier.rbegin(); run != m_earlier.rend() && run->isCheckpoint; ++run) {
        const SessionSnapshot& state = run->state;
        if (std::pair(state.world.frame(), state.changes) <= std::pair(frame, changes)) return;
        run->isCheckpoint = false;
        run->recorder = m_recorder;
        run->recorder->truncate(state.world.frame(), state.events);
    }
}

bool Session::hasFuture() const {
    return m_inPast && !m_snapshots.list().empty() &&
           m_snapshots.list().back().world.frame() > m_world->frame;
}

// Keeps a run, which another one follows now. what: how it was left, for display.
void Session::leave(Run run, std::string what) {
    run.what = std::move(what);
    run.history.closeStep();
    run.lastStep = run.history.done();
    m_earlier.push_back(std::move(run));
    m_later.clear();
    m_history.clear();
    // the newest is kept in any case
    double bytes = 0;
    size_t kept = 0;
    while (kept < std::min(m_earlier.size(), kMostRuns)) {
        bytes += double(m_earlier[m_earlier.size() - 1 - kept].bytes());
        if (kept > 0 && bytes > m_snapshots.limitBytes()) break;
        ++kept;
    }
    m_earlier.erase(m_earlier.begin(), m_earlier.end() - std::ptrdiff_t(kept));
}

// That world was built again: runs of it belong to the present world now.
void Session::adoptRunsOf(uint64_t worldGeneration) {
    for (std::vector<Run>* runs : {&m_earlier, &m_later})
        for (Run& run : *runs)
            if (run.worldGeneration == worldGeneration) run.worldGeneration = m_worldGeneration;
}

// Puts back the last run of `from`, as it was when it was left; the present one goes to the end of `to`. On
// an error the present run continues, and problem() has the error.
bool Session::returnTo(std::vector<Run>& from, std::vector<Run>& to) {
    // the state of a run fits the meshes that it was built with
    if (from.back().files.changedBut({from.back().scene.file, from.back().scene.film})) {
        m_notices.push_back(
            from.back().scene.name +
            ": the previous run cannot be restored, because a mesh file that it uses has changed");
        from.pop_back();
        return false;
    }
    const bool sameWorld = from.back().worldGeneration == m_worldGeneration;
    // a recording shows one continuous run, and ends with the world that it shows
    if (sameWorld && !seekBlockedReason.empty()) {
        m_notices.push_back(seekBlockedReason);
        return false;
    }
    std::optional<Run> present = captureRunToLeave();
    if (!present) return false;
    Run run = std::move(from.back());
    const uint64_t generation = m_worldGeneration;
    const Timeline::Progress progress = m_timeline->progress();  // in the past, present has that of its end
    const auto takeScene = [&](const Run& of) {
        m_scene = of.scene;
        m_sceneMaterials = of.sceneMaterials;
        m_builtFrom = of.builtFrom;
    };
    try {
        if (announce && run.scene.name != m_scene.name) announce(run.scene.name);
        if (!sameWorld) build(run.builtFrom);
        takeScene(run);
        if (sameWorld) m_timeline = std::make_unique<Timeline>(m_builtFrom);  // names may have changed
        restoreSnapshot(run.state);
    } catch (const std::exception& error) {
        std::string problem = messageOf(error);
        from.back() = std::move(run);
        takeScene(*present);
        if (sameWorld) {
            m_timeline = std::make_unique<Timeline>(m_builtFrom);
            m_timeline->setProgress(progress);
        }
        if (m_worldGeneration != generation) try {
                build(present->builtFrom);
                restoreSnapshot(present->state);
                adoptRunsOf(generation);
                m_recorder = std::move(*present->recorder);
                m_inPast = false;
            } catch (const std::exception& again) {
                problem += std::string("\nThe present run is lost: ") + again.what();
            }
        m_problem = problem;
        return false;
    }
    if (sameWorld) {
        // the snapshots before the state are its own if the present run went on from it; they may begin later
        if (run.isCheckpoint && m_snapshots.reaches(m_world->frame))
            m_snapshots.truncateAfter(m_world->frame, m_changesAtSeek);
        else
            m_snapshots.clear();
        finishSeek();
    }
    adoptRunsOf(run.worldGeneration);
    m_inPast = false;  // what came after the present frame went with the run
    releaseGrab();
    m_world->commands.insert(m_world->commands.end(), run.commands.begin(), run.commands.end());
    m_document = std::move(run.document);
    m_choice = run.choice;
    m_history = std::move(run.history);
    if (run.recorder)
        m_recorder = std::move(*run.recorder);
    else
        m_recorder.truncate(m_world->frame, run.state.events);
    m_lastStep = run.lastStep;
    m_files = WatchedFiles(filesReadBy(m_scene));
    m_fileProblem.clear();
    ++m_filmGeneration;
    from.pop_back();
    to.push_back(std::move(*present));
    return true;
}

bool Session::undoesRun() const {
    return !m_earlier.empty() && m_history.done() == 0;
}

bool Session::redoesRun() const {
    return !m_later.empty() && m_history.done() == m_lastStep;
}

// A rewound run is kept to its end, and goes on from the present frame with the same steps.
void Session::branch() {
    EditHistory history = m_history;
    discardFuture();
    m_history = std::move(history);
}

// Undoes or redoes the next step of the history. The step stays where it is if that fails.
bool Session::applyNext(bool back) {
    const EditHistory::Step* next = back ? m_history.undoable() : m_history.redoable();
    // a copy: the history may change below
    const std::optional<EditHistory::Step> step = next ? std::optional(*next) : std::nullopt;
    const char* cannot = back ? " cannot be undone: " : " cannot be redone: ";
    const auto move = [&] { return back ? m_history.undo() : m_history.redo(); };
    if (step && step->isOfText()) {
        if (!takeText(step->what + cannot, back ? step->after : step->before,
                      back ? step->before : step->after))
            return false;
        move();
        return true;
    }
    if (step) branch();
    return applyStep(move(), cannot);
}

bool Session::undo() {
    if (!undoesRun()) return applyNext(true);
    const std::string what = m_earlier.back().what;
    if (!returnTo(m_earlier, m_later)) return false;
    m_later.back().what = what;
    m_notices.push_back(fmt::format("{} was undone: {} at {:.2f} s. Ctrl+Shift+Z returns to {} at {:.2f} s.",
                                    what, m_scene.name, m_world->time, m_later.back().scene.name,
                                    m_later.back().state.world.time()));
    return true;
}

bool Session::redo() {
    if (!redoesRun()) return applyNext(false);
    const std::string what = m_later.back().what;
    if (!returnTo(m_later, m_earlier)) return false;
    m_earlier.back().what = what;
    m_notices.push_back(fmt::format("{} was redone: {} at {:.2f} s.", what, m_scene.name, m_world->time));
    return true;
}

std::string Session::undoable() const {
    if (undoesRun()) return m_earlier.back().what;
    return m_history.undoable() ? EditHistory::describe(*m_history.undoable()) : "";
}

std::string Session::redoable() const {
    if (redoesRun()) return m_later.back().what;
    return m_history.redoable() ? EditHistory::describe(*m_history.redoable()) : "";
}

}  // namespace coalesce
