#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>

#include "scene/build/build.h"
#include "scene/format/read_fields.h"
#include "scene/format/scene.h"
#include "scene/validate/validate_scene.h"

namespace coalesce {

namespace {

// Applies the chosen set of `sizes` or `cases`.
void applyChosen(Node& root, const char* section, const char* option, const std::string& name,
                 std::vector<Diagnostic>& diagnostics) {
    if (name.empty()) return;
    const Node* sets = root.find(section);
    std::vector<std::string> names;
    if (sets && sets->isObject())
        for (const Node& set : sets->children) names.push_back(set.key);
    const Node* chosen = sets && sets->isObject() ? sets->find(name) : nullptr;
    if (!chosen) {
        diagnostics.push_back(
            {0, 0, fmt::format("{} {}", option, printable(name)), "",
             fmt::format("the scene has no such {}.{}", option + 2, didYouMean(name, names)),
             names.empty() ? fmt::format("It has no {} at all.", section)
                           : "It has: " + listOf(names) + "."});
        return;
    }
    const Node copy = *chosen;  // the tree changes under it
    for (const Node& entry : copy.children)
        if (entry.key != "control") applyOverride(root, entry.key, entry, diagnostics);
}

std::string textOf(const std::vector<SceneError::Entry>& entries) {
    std::string text;
    for (const SceneError::Entry& entry : entries) text += (text.empty() ? "" : "\n") + entry.text;
    return text;
}

}  // namespace

void failWith(const std::filesystem::path& file, std::vector<Diagnostic>& diagnostics) {
    std::stable_sort(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
    std::vector<SceneError::Entry> entries;
    for (size_t i = 0; i < diagnostics.size() && i < kMaxDiagnostics; ++i) {
        const Diagnostic& m = diagnostics[i];
        // "--set a.b=c" says the path itself
        const bool saysPath = !m.path.empty() && m.origin.starts_with("--set " + m.path + "=");
        std::string where = m.origin.empty() ? file.string() : m.origin;
        if (m.line > 0) where += fmt::format(":{}", m.line);
        if (m.column > 0) where += fmt::format(":{}", m.column);
        std::string text = where + ": " + (m.path.empty() || saysPath ? "" : m.path + ": ") + m.what;
        if (!m.hint.empty()) text += "\n    " + m.hint;
        entries.push_back({m.line, std::move(text)});
    }
    if (diagnostics.size() > kMaxDiagnostics)
        entries.push_back(
            {std::numeric_limits<int>::max(),
             fmt::format("{}: … and {} more mistakes", file.string(), diagnostics.size() - kMaxDiagnostics)});
    throw SceneError(std::move(entries));
}

SceneError::SceneError(std::vector<Entry> diagnostics)
    : Error(Exit::Scene, textOf(diagnostics)), entries(std::move(diagnostics)) {}

namespace {

// What stands in the fields; mistakes are collected, but for those after which nothing can be read.
Scene readFieldsOf(const std::string& text, const std::filesystem::path& file, const SceneChoice& choice,
                   Node& root, std::vector<Diagnostic>& diagnostics) {
    if (!parseJson(text, root, diagnostics)) failWith(file, diagnostics);
    if (!root.isObject()) {
        diagnostics.push_back(
            {root.line, 0, "", "", "a scene file holds one object, got " + root.describe(), ""});
        failWith(file, diagnostics);
    }
    applyChosen(root, "sizes", "--size", choice.size, diagnostics);
    applyChosen(root, "cases", "--case", choice.caseName, diagnostics);
    for (const std::string& set : choice.sets) applySet(root, set, diagnostics);

    Scene scene;
    scene.file = file;
    scene.name = file.stem().string();
    scene.size = choice.size;
    scene.caseName = choice.caseName;
    std::vector<std::string> materials;
    const Node* table = root.find("materials");
    const bool readable = !table || table->isObject();
    if (table && readable)
        for (const Node& child : table->children) materials.push_back(child.key);
    for (const std::string& name : materials)
        if (name.empty() || name.find('.') != std::string::npos || name.size() > 100)
            diagnostics.push_back(
                {table->find(name)->line, 0, "", "materials",
                 fmt::format("\"{}\" cannot be a name", printable(name)),
                 "A name is not empty, has no dot (dots divide the paths of --set), and has "
                 "at most 100 letters."});
    ReadFields fields(root, "", readable ? &materials : nullptr, diagnostics);
    visitScene(fields, scene);
    fields.finish();
    if (choice.seed) scene.seed = *choice.seed;
    return scene;
}

}  // namespace

Scene readSceneText(const std::string& text, const std::filesystem::path& file, const SceneChoice& choice) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    Scene scene = readFieldsOf(text, file, choice, root, diagnostics);
    if (diagnostics.size() < kMaxDiagnostics) validateScene(scene, root, diagnostics);
    if (!diagnostics.empty()) failWith(file, diagnostics);
    for (const Body& body : scene.bodies)
        if (!body.solid.mesh.empty()) solidOf(scene, body, &scene.notes);
    if (scene.cameras.empty()) scene.cameras.push_back(defaultCamera(scene));
    scene.text = writeScene(scene);
    return scene;
}

std::string fileText(const std::filesystem::path& file, const std::string& hint) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        // the scene of that name elsewhere in its folder is the likeliest thing meant
        std::vector<std::string> names;
        const std::filesystem::path folder =
            file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error))
            if (it->path().extension() == ".json") names.push_back(it->path().filename().string());
        std::sort(names.begin(), names.end());
        fail(Exit::Scene, file.string(),
             "there is no such file." + didYouMean(file.filename().string(), names), hint);
    }
    const uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > kMaxFileBytes)
        fail(Exit::Scene, file.string(),
             fmt::format("the file has {} MB; at most {} MB are read", size >> 20, kMaxFileBytes >> 20));
    std::ifstream in(file, std::ios::binary);
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in) fail(Exit::Scene, file.string(), "the file cannot be read", "Is it readable for you?");
    return text;
}

Scene readSceneFields(const std::filesystem::path& file) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    Scene scene = readFieldsOf(fileText(file, "All scenes: coalesce list."), file, {}, root, diagnostics);
    if (!diagnostics.empty()) failWith(file, diagnostics);
    return scene;
}

Scene readScene(const std::filesystem::path& file, const SceneChoice& choice) {
    return readSceneText(fileText(file, "All scenes: coalesce list."), file, choice);
}

}  // namespace coalesce
