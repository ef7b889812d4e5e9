#include "view/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "sim/state.h"

namespace coalesce {

std::vector<SceneEntry> listScenes(const std::filesystem::path& folder) {
    std::vector<SceneEntry> entries;
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
        if (file.path().extension() != ".json") continue;
        SceneEntry entry{file.path(), file.path().stem().string(), {}, {}, {}};
        try {
            const Scene scene = readScene(file.path());
            entry.about = scene.about;
            entry.sizes = scene.sizes;
        } catch (const Error& error) {
            entry.error = error.what();
        }
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
    return entries;
}

Session::Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec)
    : m_exec(exec), m_scene(readScene(file, choice)), m_tweaked(m_scene), m_choice(choice) {
    m_exec.profiler.enabled = true;
    build(m_scene);
}

void Session::build(const Scene& from) {
    auto world = std::make_unique<World>(m_exec);
    buildWorld(from, *world);
    auto solver = std::make_unique<Solver>(*world);
    // the old solver goes before the world it refers to
    m_solver = std::move(solver);
    m_world = std::move(world);
    m_timeline = std::make_unique<Timeline>(from);
    m_tweaked = from;
    see();
    m_goals.assign(m_world->shapes.size(), {});
    m_warnings.clear();
    m_status = {};
    m_backlog = 0;
    m_problem.clear();
    ++m_generation;
}

void Session::startReplay() {
    if (!m_recording) return;
    m_recorder.begin(m_scene, m_choice,
                     editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_tweaked))),
                     *m_world);
}

void Session::startRecording() {
    m_recording = true;
    startReplay();
}

void Session::saveReplay(const std::filesystem::path& file) {
    CHECK(m_recording);
    m_recorder.write(*m_world, file);
}

void Session::send(const HandCommand& command) {
    std::vector<HandCommand>& waiting = m_world->commands;
    // after a frame that failed, the hand may hold nothing any more
    const auto* moves = std::get_if<MoveHand>(&command);
    const auto* letsGo = std::get_if<LetGo>(&command);
    if ((moves && !targetOf(*m_world, moves->hand)) || (letsGo && !targetOf(*m_world, letsGo->hand))) return;
    if (!waiting.empty()) {
        auto* moved = std::get_if<MoveHand>(&waiting.back());
        const auto* move = std::get_if<MoveHand>(&command);
        if (moved && move && moved->hand == move->hand) {
            *moved = *move;
            return;
        }
        auto* brushed = std::get_if<Brush>(&waiting.back());
        const auto* brush = std::get_if<Brush>(&command);
        if (brushed && brush && brushed->to == brush->from) {
            brushed->to = brush->to;
            return;
        }
    }
    waiting.push_back(command);
}

bool Session::open(const std::filesystem::path& file, const SceneChoice& choice) {
    try {
        Scene scene = readScene(file, choice);
        build(scene);
        m_history.clear();
        m_scene = std::move(scene);
        m_choice = choice;
        startReplay();
        return true;
    } catch (const Error& error) {
        m_problem = error.what();
        return false;
    }
}

void Session::load(const std::filesystem::path& state) {
    loadState(*m_world, state);
    noteTweaks();
    m_timeline->catchUp(*m_world);
    see();
    startReplay();
}

void Session::reset(bool keepTweaks) {
    const std::vector<Edit> dropped = keepTweaks ? std::vector<Edit>() : differences();
    noteTweaks();
    const Scene before = m_tweaked;
    try {
        build(keepTweaks ? before : m_scene);
        // what is dropped can be had back
        closeStep();
        for (const Edit& edit : dropped)
            m_history.add({edit, editAt(tunablesOf(std::as_const(m_scene)), edit.path)});
        closeStep();
        startReplay();
    } catch (const Error& error) {
        m_problem = error.what();
    }
}

int Session::advance(double seconds) {
    if (paused) {
        m_backlog = 0;
        return 0;
    }
    const double frameTime = 1.0 / m_world->parameters.solver.frameRate;
    m_backlog = std::min(m_backlog + seconds, 2 * frameTime);
    // the small tolerance keeps a display of the scene's own rate from skipping
    const int frames = static_cast<int>(m_backlog / frameTime + 1e-3);
    m_backlog = std::max(0.0, m_backlog - frames * frameTime);
    advanceFrames(frames, seconds);
    return frames;
}

void Session::advanceFrames(int frames, double seconds) {
    const double before = m_world->time;
    for (int k = 0; k < frames && !paused; ++k) step();
    if (seconds <= 0) return;
    const double weight = 1 - std::exp(-seconds);
    m_realTime += weight * ((m_world->time - before) / seconds - m_realTime);
}

void Session::step() {
    const auto start = std::chrono::steady_clock::now();
    try {
        noteTweaks();
        leadShapes();
        if (m_recording)
            for (const HandCommand& command : m_world->commands) m_recorder.note(m_world->frame, command);
        m_timeline->advance(*m_world);
        see();
        m_status = m_solver->step();
        m_warnings.note(m_status, *m_world, m_scene);
        if (m_recording) m_recorder.mark(*m_world);
    } catch (const Error& error) {
        m_problem = error.what();
        paused = true;
    }
    m_stepMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace coalesce
