#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "scene/format/scene_files.h"
#include "sim/state/state.h"

namespace coalesce {

SceneEntry readEntry(const std::filesystem::path& file) {
    SceneEntry entry{file, file.stem().string(), {}, {}, {}, {}, {}};
    try {
        const Scene scene = readSceneFields(file);
        entry.about = scene.about;
        entry.sizes = scene.sizes, entry.cases = scene.cases, entry.tags = scene.tags;
    } catch (const Error& error) {
        entry.error = error.what();
    }
    return entry;
}

bool openEntry(Session& session, const SceneEntry& entry) {
    SceneChoice choice;
    const std::string& size = session.choice().size;
    if (std::find(entry.sizes.begin(), entry.sizes.end(), size) != entry.sizes.end()) choice.size = size;
    return session.open(entry.file, choice);
}

bool openNextCase(Session& session) {
    const std::vector<std::string> cases = session.scene().cases;
    if (cases.empty()) return false;
    SceneChoice choice = session.choice();
    const auto at = std::find(cases.begin(), cases.end(), choice.caseName);
    // "" is not among them: the first comes after it, and it after the last
    choice.caseName = at == cases.end() ? cases[0] : at + 1 == cases.end() ? "" : *(at + 1);
    return session.open(std::filesystem::path(session.scene().file), choice);
}

std::vector<SceneEntry> listScenes(const std::filesystem::path& folder) {
    std::vector<SceneEntry> entries;
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
        if (file.path().extension() != ".json") continue;
        entries.push_back(readEntry(file.path()));
    }
    std::sort(entries.begin(), entries.end(),
              [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
    return entries;
}

namespace {

constexpr double kLongWait = 300;  // [ms]

std::vector<std::filesystem::path> madeOf(const Scene& scene) {
    std::vector<std::filesystem::path> files = filesOf(scene);
    files.push_back(scene.file);
    return files;
}

}  // namespace

Session::Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec)
    : Session(readScene(file, choice), choice, exec) {}

Session::Session(Scene scene, const SceneChoice& choice, const ExecOptions& exec)
    : m_execOptions(exec), m_exec(exec), m_files({scene.file}) {
    m_exec.profiler.enabled = true;
    build(scene);
    takeScene(std::move(scene), choice);
}

void Session::takeScene(Scene scene, const SceneChoice& choice) {
    m_scene = std::move(scene);
    m_ownMaterials = m_scene.materials.size();
    m_choice = choice;
    m_fileProblem.clear();
    m_files.watch(madeOf(m_scene));
    startReplay();
}

// A ball that was thrown may have brought a material along, which what is compared with the world has too.
void Session::takeExtraMaterials() {
    for (std::vector<Material>* list : {&m_scene.materials, &m_edited.materials, &m_seen.materials}) {
        list->resize(std::min(list->size(), m_world->materials.size()));
        while (list->size() < m_world->materials.size()) list->push_back(m_world->materials[list->size()]);
    }
}

void Session::dropExtraMaterials() {
    m_scene.materials.resize(m_ownMaterials);
    m_edited.materials.resize(m_ownMaterials);
}

void Session::build(const Scene& from) {
    const auto start = std::chrono::steady_clock::now();
    // what was quick will be so again
    if (announce && m_buildMs > kLongWait) announce(from.name);
    auto world = std::make_unique<World>(m_exec);
    buildWorld(from, *world);
    auto solver = std::make_unique<Solver>(*world);
    m_past.clear();
    m_rewound = false;
    // the old solver goes before the world it refers to
    m_solver = std::move(solver);
    m_world = std::move(world);
    m_timeline = std::make_unique<Timeline>(from);
    m_edited = from;
    see();
    m_targets.assign(m_world->shapes.size(), {});
    m_warnings.clear();
    m_held.clear();
    m_status = {};
    m_backlog = m_usualMs = 0;
    m_problem.clear();
    ++m_generation, ++m_worlds;
    m_buildMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void Session::startReplay() {
    if (!m_recording) return;
    m_recorder.begin(m_scene, m_choice,
                     editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited))),
                     *m_world);
}

void Session::startRecording() {
    m_recording = true;
    startReplay();
}

void Session::saveReplay(const std::filesystem::path& file) {
    CHECK(m_recording);
    discardFuture();
    m_recorder.write(*m_world, file);
}

void Session::send(const UserCommand& command) {
    std::vector<UserCommand>& waiting = m_world->commands;
    // after a frame that failed, the hand may hold nothing any more
    const auto* moves = std::get_if<MoveGrab>(&command);
    const auto* letsGo = std::get_if<Release>(&command);
    if ((moves && !targetOf(*m_world, moves->hand)) || (letsGo && !targetOf(*m_world, letsGo->hand))) return;
    if (!waiting.empty()) {
        auto* moved = std::get_if<MoveGrab>(&waiting.back());
        const auto* move = std::get_if<MoveGrab>(&command);
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
    WatchedFiles files({file});
    if (announce) announce(file.stem().string());
    m_buildMs = 0;
    try {
        Scene scene = readScene(file, choice);
        build(scene);
        m_history.clear();
        m_files = std::move(files);
        takeScene(std::move(scene), choice);
        return true;
    } catch (const Error& error) {
        m_problem = error.what();
        return false;
    }
}

bool Session::reload() {
    // also where something is wrong with them: then they are read again when they have changed once more
    m_files = WatchedFiles(m_files.files());
    try {
        // a mesh that it names may be what is wrong, so all are watched before any is looked at
        std::vector<std::filesystem::path> files = madeOf(readSceneFields(m_scene.file));
        for (const std::filesystem::path& file : m_files.files()) files.push_back(file);
        m_files.watch(files);
        Scene scene = readScene(m_scene.file, m_choice);
        collectUserEdits();
        Scene from = scene;
        std::vector<std::string> lost;  // what was changed, and has no place any more
        for (const Edit& edit :
             editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited))))
            if (const std::string trouble = applyEdit(tunablesOf(from), edit); !trouble.empty())
                lost.push_back(edit.path + " is as in the file: " + trouble);
        build(from);
        m_notices.insert(m_notices.end(), lost.begin(), lost.end());
        takeScene(std::move(scene), m_choice);
        return true;
    } catch (const Error& error) {
        m_fileProblem = error.what();
        return false;
    }
}

bool Session::pollFile() {
    return m_files.changed() && reload();
}

SessionSnapshot Session::presentState() {
    const RecordedFrame* played = m_past.played(m_world->frame);
    return {WorldSnapshot(*m_world),
            m_timeline->progress(),
            editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited))),
            m_targets,
            m_recorder.events(),
            played ? played->changes.size() : 0};
}

// What was simulated after the state that was gone back to has not happened: from here on it is another.
void Session::discardFuture() {
    if (!m_rewound) return;
    m_rewound = false;
    m_past.cutAfter(m_world->frame, m_changesThen);
    if (m_recording) m_recorder.cutTo(m_world->frame, m_eventsThen);
}

// What a hand changed, for the ways back and forth.
void Session::note(Change change) {
    if (RecordedFrame* frame = m_past.open(m_world->frame, m_recorder.events()))
        frame->changes.push_back(std::move(change));
}

// True: there is a way back. From where it is now, it leads forward again.
bool Session::leavePresent() {
    if (!seekBlockedReason.empty()) return false;
    collectUserEdits();
    if (!m_rewound && !m_past.states().empty() && m_past.hasRoomFor(*m_world)) m_past.keep(presentState());
    return !m_past.states().empty();
}

void Session::beginSolverAnew() {
    m_solver = std::make_unique<Solver>(*m_world);
    ++m_generation;
}

// Where there is too little memory for it, the present world goes on.
void Session::restore(const SessionSnapshot& past) {
    m_solver.reset();  // what it takes of memory is for the state
    try {
        past.world.restore(*m_world);
    } catch (...) {
        beginSolverAnew();
        throw;
    }
    beginSolverAnew();
    m_timeline->setProgress(past.timeline);
    m_targets = past.goals;
    m_eventsThen = past.events, m_changesThen = past.changes;
    takeExtraMaterials();
    m_edited = m_scene;
    for (const Edit& edit : past.tweaks) applyEdit(tunablesOf(m_edited), edit);
    see();
    m_status = {};
    m_rewound = true;
}

// Through the past, to arrive also where an error comes in between, which becomes the problem. False: that,
// or there is no way.
bool Session::seekWith(const std::function<bool()>& way) {
    std::string trouble;
    try {
        if (!leavePresent() || !way()) return false;
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    finishSeek();
    m_problem = trouble;
    return trouble.empty();
}

// At a frame of the past.
void Session::finishSeek() {
    m_held.clear();
    m_warnings.backTo(m_world->frame);
    m_backlog = 0;
    m_problem.clear();
    m_world->commands.clear();
    if (targetOf(*m_world, kMouseHand)) m_world->commands.push_back(Release{kMouseHand});
}

bool Session::rewindTo(uint64_t frame) {
    return seekWith([&] {
        restore(*m_past.find(frame));
        return true;
    });
}

std::optional<uint64_t> Session::framesTo(uint64_t frame) const {
    const SessionSnapshot* past = m_past.find(frame);
    const uint64_t present = m_world->frame, last = m_rewound ? m_past.lastFrame() : present;
    if (!seekBlockedReason.empty() || !past || past->world.frame() > frame || frame > last) return {};
    const uint64_t fromPast = frame - past->world.frame();
    return present <= frame ? std::min(fromPast, frame - present) : fromPast;
}

bool Session::isQuick(uint64_t frame) const {
    const auto frames = framesTo(frame);
    return frames && static_cast<double>(*frames) * m_usualMs <= 1e3 * seekBudget;
}

bool Session::seekNear(uint64_t frame) {
    return isQuick(frame) ? seek(frame) : rewindTo(frame);
}

bool Session::seek(uint64_t frame) {
    if (!framesTo(frame)) return false;
    return seekWith([&] {
        const SessionSnapshot* past = m_past.find(frame);
        const uint64_t present = m_world->frame;
        if (!past || past->world.frame() > frame) return false;
        if (!m_rewound || present > frame || present < past->world.frame()) restore(*past);
        try {
            while (m_world->frame < frame) resimulate();
        } catch (...) {
            restore(*past);  // timeline and hands have gone farther than the world
            throw;
        }
        return true;
    });
}

// The next frame of the past, as it was.
void Session::resimulate() {
    const RecordedFrame* played = m_past.played(m_world->frame);
    CHECK(played && played->done);
    for (const Change& change : played->changes) {
        if (change.what == Change::What::World) applyEdit(tunablesOf(*m_world), change.edit);
        if (change.what == Change::What::Edit) applyEdit(tunablesOf(m_edited), change.edit);
        if (change.what == Change::What::Goal) m_targets[change.shape] = change.goal;
    }
    driveToTargets();  // the goals go on; the commands that come of it are among those below
    m_world->commands = played->commands;
    m_timeline->advance(*m_world);
    see();
    m_status = m_solver->step();
    takeExtraMaterials();
    const RecordedFrame* next = m_past.played(m_world->frame);
    m_eventsThen = next ? next->events : m_recorder.events();
    m_changesThen = 0;
}

void Session::load(const std::filesystem::path& state) {
    loadState(*m_world, state);
    takeExtraMaterials();
    m_past.clear();
    m_rewound = false;
    collectUserEdits();
    m_timeline->catchUp(*m_world);
    see();
    startReplay();
}

void Session::reset(bool keepTweaks) {
    const std::vector<Edit> dropped = keepTweaks ? std::vector<Edit>() : differences();
    collectUserEdits();
    dropExtraMaterials();
    const Scene before = m_edited;
    try {
        build(keepTweaks ? before : m_scene);
        // what is dropped can be had back
        closeStep();
        for (const Edit& edit : dropped)
            // a ball that was thrown has gone with its values
            if (Edit own = editAt(tunablesOf(std::as_const(m_scene)), edit.path); !own.path.empty())
                m_history.add({edit, std::move(own)});
        closeStep();
        startReplay();
    } catch (const Error& error) {
        m_problem = error.what();
        takeExtraMaterials();
    }
}

int Session::advance(double seconds) {
    if (paused) {
        m_backlog = 0;
        return 0;
    }
    const double frameTime = 1.0 / m_world->parameters.solver.frameRate;
    m_backlog = std::min(m_backlog + seconds * double{speed}, 2 * std::max(1.0, double{speed}) * frameTime);
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
        discardFuture();
        collectUserEdits();
        m_past.see(*m_world);
        if (m_past.isDue(*m_world)) m_past.keep(presentState());
        RecordedFrame* const played = m_past.open(m_world->frame, m_recorder.events());
        driveToTargets();
        m_world->commands.insert(m_world->commands.end(), m_held.begin(), m_held.end());
        const std::vector<UserCommand> sent = m_world->commands;
        const uint64_t frame = m_world->frame;
        m_timeline->advance(*m_world);
        see();
        m_status = m_solver->step();
        // a frame that failed has not happened
        if (played) played->commands = sent, played->done = true, played->end = m_world->time;
        for (const UserCommand& command : sent)
            if (m_recording) m_recorder.note(frame, command);
        m_warnings.note(m_status, *m_world, m_scene);
        if (m_recording) m_recorder.mark(*m_world);
    } catch (const Error& error) {
        m_problem = error.what();
        paused = true;
    }
    takeExtraMaterials();
    m_stepMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    // the first one counts in full
    m_usualMs += (m_usualMs > 0 ? 0.1 : 1) * (m_stepMs - m_usualMs);
}

}  // namespace coalesce
