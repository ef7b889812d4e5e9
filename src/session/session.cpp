#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "checks/scene_warnings.h"
#include "core/error.h"
#include "scene/build/build.h"
#include "scene/format/overrides.h"
#include "scene/format/read_fields.h"
#include "scene/format/scene_files.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "session/names_and_film.h"
#include "sim/spawn/user_spawns.h"
#include "sim/state/state_file.h"

namespace coalesce {

SceneEntry readEntry(const std::filesystem::path& file) {
    SceneEntry entry{file, file.stem().string(), {}, {}, {}, {}, {}};
    try {
        const Scene scene = readSceneFields(file);
        entry.about = scene.about;
        entry.sizes = scene.sizes, entry.cases = scene.cases, entry.tags = scene.tags;
    } catch (const std::exception& error) {
        entry.error = messageOf(error);
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
    // "" stands for the file's own values and is not in the list
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

// Empty for a file that cannot be read, as that of a cache may be.
std::string rawText(const std::filesystem::path& file) {
    try {
        return fileText(file, "");
    } catch (const Error&) {
        return "";
    }
}

}  // namespace

Session::Session(const std::filesystem::path& file, const SceneChoice& choice, const ExecOptions& exec)
    : Session(readScene(file, choice), choice, exec) {}

Session::Session(Scene scene, const SceneChoice& choice, const ExecOptions& exec)
    : m_execOptions(exec), m_exec(exec), m_files({scene.file}) {
    build(scene);
    const std::string text = rawText(scene.file);
    setScene(std::move(scene), choice, {text, text});
}

void Session::setScene(Scene scene, const SceneChoice& choice, Document document) {
    m_scene = std::move(scene);
    m_sceneMaterials = m_scene.materials.size();
    m_document = std::move(document);
    m_choice = choice;
    m_choice.caseName = m_scene.caseName;  // the choice may have a former name
    ++m_filmGeneration;
    m_fileProblem.clear();
    m_files.watch(filesReadBy(m_scene));
    startReplay();
}

// A thrown ball may have added a material to the world. Adds it to the scenes and the baseline, so that
// comparisons of their values line up.
void Session::addSpawnedMaterials() {
    for (std::vector<Material>* list : {&m_scene.materials, &m_edited.materials, &m_baseline.materials}) {
        list->resize(std::min(list->size(), m_world->materials.size()));
        while (list->size() < m_world->materials.size()) list->push_back(m_world->materials[list->size()]);
    }
}

void Session::removeSpawnedMaterials() {
    m_scene.materials.resize(m_sceneMaterials);
    m_edited.materials.resize(m_sceneMaterials);
}

void Session::build(const Scene& from) {
    const auto start = std::chrono::steady_clock::now();
    // a scene that was built quickly before is not announced
    if (announce && m_buildMs > kLongWait) announce(from.name);
    auto world = std::make_unique<World>(m_exec);
    buildWorld(from, *world);
    auto solver = std::make_unique<Solver>(*world);
    std::vector<std::string> ofScene = briefWarningsOf(from);
    m_snapshots.clear();
    m_inPast = false;
    m_player.reset();
    m_cache.reset();
    // the old solver is destroyed before the world it refers to
    m_solver = std::move(solver);
    m_world = std::move(world);
    m_timeline = std::make_unique<Timeline>(from);
    m_edited = m_builtFrom = from;
    captureBaseline();
    m_targets.assign(m_world->shapes.size(), {});
    m_warnings.clear();
    m_warnings.begin(from.file.string(), std::move(ofScene));
    m_held.clear(), m_heldBegun = false;
    m_status = {};
    m_backlog = m_averageStepMs = 0;
    m_problem.clear();
    ++m_generation, ++m_worldGeneration;
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
    if (m_player) return;
    std::vector<UserCommand>& waiting = m_world->commands;
    // after a failed frame the mouse may hold nothing
    const auto* moves = std::get_if<MoveTarget>(&command);
    const auto* letsGo = std::get_if<Release>(&command);
    if ((moves && !targetOf(*m_world, moves->constraint)) ||
        (letsGo && !targetOf(*m_world, letsGo->constraint)))
        return;
    if (!waiting.empty()) {
        auto* moved = std::get_if<MoveTarget>(&waiting.back());
        const auto* move = std::get_if<MoveTarget>(&command);
        if (moved && move && moved->constraint == move->constraint) {
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

void Session::hold(std::vector<UserCommand> commands, const std::string& interaction) {
    if (interaction != m_heldAs) m_heldBegun = false;
    m_held = std::move(commands);
    m_heldAs = interaction;
}

std::string Session::validate(const UserCommand& command) const {
    return validateSpawnCommand(*m_world, command);
}

bool Session::open(const std::filesystem::path& file, const SceneChoice& choice) {
    WatchedFiles files({file});
    if (announce) announce(file.stem().string());
    m_buildMs = 0;
    try {
        const std::string text = fileText(file, "All scenes: coalesce list.");
        Scene scene = readSceneText(text, file, choice);
        std::optional<Run> left = captureRunToLeave();
        build(scene);
        m_files = std::move(files);
        setScene(std::move(scene), choice, {text, text});
        if (left) leave(std::move(*left), "Opening " + m_scene.name);
        return true;
    } catch (const std::exception& error) {
        m_problem = messageOf(error);
        return false;
    }
}

// Takes cameras, shots, cuts, markers of the timeline and names of elements from a scene that differs in nothing else:
// the simulation goes on, and the new names are returned. nullopt: it does, and nothing was taken.
std::optional<std::vector<Renaming>> Session::takeInPlace(const Scene& scene) {
    Scene taken = m_scene;
    taken.materials.resize(m_sceneMaterials);
    takeFilm(taken, scene), takeNames(taken, scene);
    if (m_scene.film != scene.film || scene.text == m_scene.text || writeScene(taken) != scene.text)
        return std::nullopt;
    std::vector<Renaming> renamed = renamings(m_scene, scene);
    for (Scene* own : {&m_scene, &m_edited, &m_builtFrom}) takeFilm(*own, scene), takeNames(*own, scene);
    ++m_filmGeneration;
    m_fileProblem.clear();
    if (renamed.empty()) return renamed;
    takeNames(*m_world, m_scene);
    captureBaseline();
    const Timeline::Progress progress = m_timeline->progress();
    m_timeline = std::make_unique<Timeline>(m_builtFrom);
    m_timeline->setProgress(progress);
    m_snapshots.forEachEdit([&](Edit& edit) { rename(edit, renamed); });
    return renamed;
}

// Goes on with another text, if the present one is `now`. Else a notice says why not: `cannot`, and the reason.
bool Session::takeText(const std::string& cannot, const std::string& now, const std::string& text) {
    std::string trouble = "the scene has changed in other ways since.";
    try {
        collectUserEdits();
        if (m_document.text == now && takeInPlace(readSceneText(text, m_scene.file, m_choice))) {
            m_document = Document(text, m_document.file);
            return true;
        }
    } catch (const std::exception& error) {
        trouble = messageOf(error);
    }
    m_notices.push_back(cannot + trouble);
    return false;
}

// Another version of the scene with the user's edits. A notice names those whose path it does not have.
Scene Session::withEdits(const Scene& scene, const NewNames& newNames) {
    Scene edited = scene;
    for (Edit edit : editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited)))) {
        const std::vector<std::string> path = splitPath(edit.path);
        const std::string rest = edit.path.substr(path[0].size() + 1 + path[1].size());
        for (const std::string& name :
             path.size() > 2 ? newNames(path[0], path[1]) : std::vector<std::string>{path[1]}) {
            edit.path = path[0] + "." + name + rest;
            if (const std::string error = applyEdit(tunablesOf(edited), edit); !error.empty())
                m_notices.push_back(edit.path + " was reset to the value of the file: " + error);
        }
    }
    return edited;
}

// Restarts with another version of the scene and the user's edits. On an error the present run continues.
void Session::rebuildWith(Scene scene, Document document, const std::string& what, const NewNames& newNames,
                          std::optional<Run> left) {
    removeSpawnedMaterials();
    try {
        build(withEdits(scene, newNames));
    } catch (...) {
        addSpawnedMaterials();
        throw;
    }
    setScene(std::move(scene), m_choice, std::move(document));
    if (left) leave(std::move(*left), what);
}

// The text of a file is now another one: what runs of its scene have differs from that.
void Session::setFileText(const std::filesystem::path& file, const std::string& text) {
    for (std::vector<Run>* runs : {&m_earlier, &m_later})
        for (Run& run : *runs)
            if (run.scene.file == file) run.document = {run.document.text, text};
}

bool Session::reload() {
    const WatchedFiles read = m_files;
    const bool sameMeshes = !m_files.changedBut({m_scene.file, m_scene.film});
    // also before an error: the files are read again when they change once more
    m_files = WatchedFiles(m_files.files());
    try {
        // the error may be in a mesh, so all files are watched before any is read
        std::vector<std::filesystem::path> files = filesReadBy(readSceneFields(m_scene.file));
        for (const std::filesystem::path& file : m_files.files()) files.push_back(file);
        m_files.watch(files);
        const std::string text = fileText(m_scene.file, "");
        Document document{text, text};
        if (hasChangedElements()) {
            if (text != m_document.file)
                fail(
                    Exit::Scene, m_scene.file.string(),
                    "the file has changed on disk, and elements of the scene were changed here and not saved",
                    "Save the scene under another name, or open the file again.");
            document = m_document;
        }
        Scene scene = readSceneText(document.text, m_scene.file, m_choice);
        if (const auto renamed = sameMeshes ? takeInPlace(scene) : std::nullopt) {
            const auto renameEdit = [&](Edit& edit) { rename(edit, *renamed); };
            m_history.forEachEdit(renameEdit);
            if (document.text != m_document.text) m_history.removeTexts();
            // runs with unsaved changes do not have it: save() refuses them
            for (std::vector<Run>* runs : {&m_earlier, &m_later})
                for (Run& run : *runs) {
                    if (run.scene.file != m_scene.file || run.document.text != m_document.file) continue;
                    run.document = {document.file, document.file};
                    for (Scene* own : {&run.scene, &run.builtFrom})
                        takeFilm(*own, scene), takeNames(*own, scene);
                    run.history.forEachEdit(renameEdit);
                    run.history.removeTexts();
                    run.lastStep = run.history.done();
                    std::ranges::for_each(run.state.edits, renameEdit);
                }
            m_document = std::move(document);
            return true;
        }
        std::optional<Run> left = captureRunToLeave();
        if (left) left->files = read, left->document = {left->document.text, document.file};
        setFileText(m_scene.file, document.file);
        rebuildWith(
            std::move(scene), std::move(document), "Reloading " + m_scene.name,
            [](const std::string&, const std::string& element) { return std::vector{element}; },
            std::move(left));
        return true;
    } catch (const std::exception& error) {
        m_fileProblem = messageOf(error);
        return false;
    }
}

bool Session::pollFile() {
    const uint64_t before = m_worldGeneration;
    return !m_player && m_files.changed() && reload() && m_worldGeneration != before;
}

void Session::load(const std::filesystem::path& state) {
    loadState(*m_world, state);
    recreateSolver();
    addSpawnedMaterials();
    m_snapshots.clear();
    m_inPast = false;
    collectUserEdits();
    m_timeline->catchUp(*m_world);
    captureBaseline();
    startReplay();
}

void Session::restart(bool keepEdits) {
    if (m_player) {
        seek(inPoint());
        return;
    }
    std::optional<Run> left = captureRunToLeave();
    removeSpawnedMaterials();
    const Scene before = m_edited;
    try {
        build(keepEdits ? before : m_scene);
        if (left) leave(std::move(*left), keepEdits ? "Restart" : "Reverting to the file");
        startReplay();
    } catch (const std::exception& error) {
        m_problem = messageOf(error);
        addSpawnedMaterials();
    }
}

int Session::advance(double seconds) {
    m_warnings.elapse(seconds);
    if (paused) {
        m_backlog = 0;
        return 0;
    }
    const double frameTime = 1.0 / m_world->parameters.solver.frameRate;
    m_backlog = std::min(m_backlog + seconds * double{speed}, 2 * std::max(1.0, double{speed}) * frameTime);
    // the small tolerance avoids skipped frames where the display runs at the scene's frame rate
    const int frames = int(m_backlog / frameTime + 1e-3);
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
    if (m_player) {
        if (stepCached()) m_problem.clear();
        m_stepMs =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return;
    }
    try {
        if (!m_heldAs.empty() && !m_held.empty() && !std::exchange(m_heldBegun, true))
            beginInteraction(m_heldAs);
        discardFuture(divergesFromRecorded());
        collectUserEdits();
        m_snapshots.update(*m_world);
        if (m_snapshots.isDue(*m_world)) m_snapshots.add(currentSnapshot());
        RecordedFrame* const recorded = m_snapshots.recordFrame(m_world->frame, m_recorder.events());
        driveToTargets();
        m_world->commands.insert(m_world->commands.end(), m_held.begin(), m_held.end());
        const std::vector<UserCommand> sent = m_world->commands;
        const uint64_t frame = m_world->frame;
        m_timeline->advance(*m_world);
        captureBaseline();
        m_status = m_solver->step();
        // only frames that succeeded are recorded
        if (recorded) recorded->commands = sent, recorded->done = true, recorded->end = m_world->time;
        for (const UserCommand& command : sent)
            if (m_recording) m_recorder.record(frame, command);
        m_warnings.update(m_status, *m_world, m_scene);
        if (m_recording) m_recorder.checkpoint(*m_world);
    } catch (const std::exception& error) {
        m_problem = messageOf(error);
        paused = true;
    }
    addSpawnedMaterials();
    m_stepMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    // the first value is taken as it is
    m_averageStepMs += (m_averageStepMs > 0 ? 0.1 : 1) * (m_stepMs - m_averageStepMs);
}

}  // namespace coalesce
