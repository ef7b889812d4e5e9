// Saving the scene of a session into its file, or into another one.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/error.h"
#include "core/whole_file.h"
#include "scene/format/file_elements.h"
#include "scene/format/file_values.h"
#include "scene/format/overrides.h"
#include "scene/format/read_fields.h"
#include "scene/format/scene_files.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "session/session.h"

namespace coalesce {

namespace {

// The paths whose values differ; empty: something else does.
std::vector<std::string> differingPaths(const Scene& a, const Scene& b) {
    const auto alike = [](const auto& x, const auto& y) { return x.size() == y.size(); };
    if (!alike(a.materials, b.materials) || !alike(a.forceFields, b.forceFields) ||
        !alike(a.emitters, b.emitters) || !alike(a.sinks, b.sinks) || !alike(a.shapes, b.shapes))
        return {};
    std::vector<std::string> paths;
    for (const Edit& edit : editsBetween(tunablesOf(a), tunablesOf(b))) paths.push_back(edit.path);
    return paths;
}

// "shapes.gate.position=[0, 1, 0]" with the place of the element in place of its name, which a step may change.
std::string byPlace(const std::string& text, const std::string& set) {
    std::vector<std::string> path = splitPath(set.substr(0, set.find('=')));
    if (path.size() < 3 || path[0] == "materials") return set;
    const std::vector<std::string> names = elementNames(text, path[0]);
    const auto found = std::ranges::find(names, path[1]);
    if (found == names.end()) return set;
    return fmt::format("{}.{}.{}{}", path[0], found - names.begin(),
                       fmt::join(path.begin() + 2, path.end(), "."), set.substr(set.find('=')));
}

}  // namespace

size_t Session::save(const std::filesystem::path& file) {
    const std::filesystem::path& from = m_scene.file;
    if (m_player)
        fail(Exit::Usage, file.string(), "a cache is played, whose scene is not a file",
             "Open the scene to change it.");
    std::error_code ignored;
    const bool sameFile = file == from || std::filesystem::equivalent(file, from, ignored);
    if (m_recording && sameFile)
        fail(Exit::Usage, file.string(),
             "a replay of this scene is being recorded, which it would not fit any more",
             "Save the scene under another name.");

    if (sameFile && std::filesystem::exists(from, ignored) && fileText(from, "") != m_document.file)
        fail(Exit::Scene, file.string(), "the file has changed since it was read",
             "Save the scene under another name, or open the file again.");

    const std::vector<Edit> edits = differences();
    std::vector<std::string> sets = m_choice.sets;
    for (const std::string& set : asSets(m_scene, edits)) sets.push_back(set);
    const std::string text = withValues(m_document.text, from, sets, m_choice);

    // what was written must read back to the scene as it is
    SceneChoice choice = m_choice;
    choice.sets.clear();
    Scene expected = m_edited;
    expected.materials.resize(m_sceneMaterials);
    Scene saved = [&] {
        try {
            return readSceneText(text, file, choice);
        } catch (const Error& error) {
            fail(Exit::Scene, file.string(),
                 fmt::format("the saved scene would not be valid.\n{}", error.what()),
                 "Files that it names are sought beside it: save it in " + from.parent_path().string() + ".");
        }
    }();
    expected.cameras = saved.cameras;  // the default one depends on the text
    if (writeScene(saved) != writeScene(expected))
        fail(Exit::Scene, file.string(),
             fmt::format("the saved scene would differ from the present one: {}",
                         fmt::join(differingPaths(saved, expected), ", ")),
             "Nothing was written. Set these values in the file by hand.");
    writeFile(file, text);

    // the texts of the steps get the values, too
    try {
        for (std::string& set : sets) set = byPlace(m_document.text, set);
        m_history.replaceTexts(
            [&](const std::string& step) { return withValues(step, from, sets, m_choice); });
    } catch (const Error&) {
        m_history.clear();
    }

    // the simulation goes on, as the scene of the new file
    m_choice = choice;
    m_document = {text, text};
    for (std::vector<Run>* runs : {&m_earlier, &m_later})
        for (Run& run : *runs)
            if (run.scene.file == from) run.scene.file = run.builtFrom.file = file;
    setFileText(file, text);
    const Scene before = std::exchange(m_scene, std::move(saved));
    m_edited.file = m_scene.file, m_edited.name = m_scene.name, m_edited.text = m_scene.text;
    addSpawnedMaterials();
    // edits of snapshots are what the scene does not have
    m_snapshots.replaceEdits([&](const std::vector<Edit>& edits) {
        Scene then = before;
        for (const Edit& edit : edits) applyEdit(tunablesOf(then), edit);
        return editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(then)));
    });
    m_fileProblem.clear();
    m_files = WatchedFiles(filesReadBy(m_scene));
    return sets.size();
}

}  // namespace coalesce
