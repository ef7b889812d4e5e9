// Seeking: back to snapshots of the run, and from there by resimulating the recorded frames.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "session/names_and_film.h"
#include "session/session.h"

namespace coalesce {

SessionSnapshot Session::currentSnapshot() {
    const RecordedFrame* recorded = m_snapshots.recordedFrame(m_world->frame);
    return {WorldSnapshot(*m_world),
            m_timeline->progress(),
            editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited))),
            m_targets,
            m_recorder.events(),
            recorded ? recorded->changes.size() : 0};
}

// Drops everything after the frame that was sought. Where the run takes another course from here, undo
// returns to the end of the present one.
void Session::discardFuture(bool diverges) {
    if (!m_inPast) return;
    std::optional<Run> left = diverges && hasFuture() ? captureRun() : std::nullopt;
    if (left)
        leave(std::move(*left), fmt::format("Going on from {:.2f} s", m_world->time));
    else
        makeBranchesAfter(m_world->frame, m_changesAtSeek);
    m_inPast = false;
    m_snapshots.truncateAfter(m_world->frame, m_changesAtSeek);
    if (m_recording) m_recorder.truncate(m_world->frame, m_eventsAtSeek);
}

// Whether the frames that are simulated now differ from those that were simulated before the seek.
bool Session::divergesFromRecorded() const {
    if (!m_world->commands.empty() || !m_held.empty()) return true;
    size_t done = m_changesAtSeek;
    for (uint64_t frame = m_world->frame; frame <= m_snapshots.lastFrame(); ++frame, done = 0)
        if (const RecordedFrame* recorded = m_snapshots.recordedFrame(frame))
            if (recorded->changes.size() > done || !recorded->commands.empty()) return true;
    return false;
}

// A change by the user, recorded for resimulation.
void Session::record(Change change) {
    if (RecordedFrame* frame = m_snapshots.recordFrame(m_world->frame, m_recorder.events()))
        frame->changes.push_back(std::move(change));
}

// Keeps a snapshot of the present frame, so that a later seek can return to it. False: no snapshots.
bool Session::prepareSeek() {
    if (!seekBlockedReason.empty()) return false;
    collectUserEdits();
    if (!m_inPast && !m_snapshots.list().empty() && m_snapshots.fits(*m_world))
        m_snapshots.add(currentSnapshot());
    return !m_snapshots.list().empty();
}

void Session::recreateSolver() {
    m_solver = std::make_unique<Solver>(*m_world);
    ++m_generation;
}

// On a failed allocation the present world continues.
void Session::restoreSnapshot(const SessionSnapshot& snapshot) {
    m_solver.reset();  // frees its memory for the state
    try {
        snapshot.world.restore(*m_world);
    } catch (...) {
        recreateSolver();
        throw;
    }
    recreateSolver();
    takeNames(*m_world, m_scene);  // an element may have another one since
    m_timeline->setProgress(snapshot.timeline);
    m_targets = snapshot.targets;
    m_eventsAtSeek = snapshot.events, m_changesAtSeek = snapshot.changes;
    addSpawnedMaterials();
    m_edited = m_scene;
    for (const Edit& edit : snapshot.edits) applyEdit(tunablesOf(m_edited), edit);
    captureBaseline();
    m_status = {};
    m_inPast = true;
}

// Runs go() between prepareSeek() and finishSeek(), which also cleans up after an error. False: an error, now
// the problem(), or nothing to seek to.
bool Session::seekWith(const std::function<bool()>& go) {
    std::string error;
    try {
        if (!prepareSeek() || !go()) return false;
    } catch (const std::exception& e) {
        error = messageOf(e);
    }
    finishSeek();
    m_problem = error;
    return error.empty();
}

void Session::finishSeek() {
    m_held.clear(), m_heldBegun = false;
    m_warnings.truncate(m_world->frame);
    m_backlog = 0;
    m_problem.clear();
    releaseGrab();
}

// The state may hold a body that the mouse no longer does.
void Session::releaseGrab() {
    m_world->commands.clear();
    if (targetOf(*m_world, kMouseGrab)) m_world->commands.push_back(Release{kMouseGrab});
}

bool Session::restore(uint64_t frame) {
    if (m_player) return seek(frame);
    return seekWith([&] {
        restoreSnapshot(*m_snapshots.find(frame));
        return true;
    });
}

std::optional<uint64_t> Session::framesTo(uint64_t frame) const {
    if (m_player) {
        if (frame < m_cached.front() || frame > m_cached.back()) return {};
        return 0;
    }
    const SessionSnapshot* snapshot = m_snapshots.find(frame);
    const uint64_t present = m_world->frame, last = m_inPast ? m_snapshots.lastFrame() : present;
    if (!seekBlockedReason.empty() || !snapshot || snapshot->world.frame() > frame || frame > last) return {};
    const uint64_t fromSnapshot = frame - snapshot->world.frame();
    return present <= frame ? std::min(fromSnapshot, frame - present) : fromSnapshot;
}

bool Session::isWithinBudget(uint64_t frame) const {
    const auto frames = framesTo(frame);
    return frames && double(*frames) * m_averageStepMs <= 1e3 * seekBudget;
}

bool Session::seekNear(uint64_t frame) {
    return isWithinBudget(frame) ? seek(frame) : restore(frame);
}

bool Session::seek(uint64_t frame) {
    if (!framesTo(frame)) return false;
    if (m_player) {
        try {
            showCached(cachedIndex(frame));
            m_problem.clear();
            return true;
        } catch (const std::exception& error) {
            m_problem = error.what();
            return false;
        }
    }
    return seekWith([&] {
        const SessionSnapshot* snapshot = m_snapshots.find(frame);
        const uint64_t present = m_world->frame;
        if (!snapshot || snapshot->world.frame() > frame) return false;
        if (!m_inPast || present > frame || present < snapshot->world.frame()) restoreSnapshot(*snapshot);
        try {
            while (m_world->frame < frame) resimulate();
        } catch (...) {
            restoreSnapshot(*snapshot);  // timeline and targets are ahead of the failed frame
            throw;
        }
        return true;
    });
}

// Simulates the next recorded frame again, bit-identically.
void Session::resimulate() {
    const RecordedFrame* recorded = m_snapshots.recordedFrame(m_world->frame);
    CHECK(recorded && recorded->done);
    for (const Change& change : recorded->changes) {
        if (change.what == Change::What::World) applyEdit(tunablesOf(*m_world), change.edit);
        if (change.what == Change::What::Edit) applyEdit(tunablesOf(m_edited), change.edit);
        if (change.what == Change::What::Target) m_targets[change.shape] = change.target;
    }
    driveToTargets();  // advances the targets; the commands it queues are replaced by the recorded ones
    m_world->commands = recorded->commands;
    m_timeline->advance(*m_world);
    captureBaseline();
    m_status = m_solver->step();
    addSpawnedMaterials();
    const RecordedFrame* next = m_snapshots.recordedFrame(m_world->frame);
    m_eventsAtSeek = next ? next->events : m_recorder.events();
    m_changesAtSeek = 0;
}

}  // namespace coalesce
