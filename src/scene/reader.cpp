#include "scene/reader.h"

#include <fmt/format.h>

#include "scene/build/build.h"
#include "scene/build/shape_form.h"
#include "scene/format/film_file.h"
#include "scene/format/former_keys.h"
#include "scene/format/read_fields.h"
#include "scene/format/writer.h"
#include "scene/validate/validate_scene.h"

namespace coalesce {

namespace {

// Of the key "cases.NAME" of a size: the case; null: another key.
Node* caseOf(Node& root, const std::string& key) {
    const std::vector<std::string> names = splitPath(key);
    Node* cases = names.size() == 2 && names[0] == "cases" ? root.find("cases") : nullptr;
    return cases && cases->isObject() ? cases->find(names[1]) : nullptr;
}

// Values that a size gives to a case: they replace those of the same key, or are added.
void adjustCase(Node& ofScene, const Node& ofSize) {
    for (const Node& value : ofSize.children) {
        if (Node* old = ofScene.find(value.key))
            *old = value;
        else
            ofScene.children.push_back(value);
    }
}

// Applies the chosen override set of `sizes` or `cases`.
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
             (names.empty() ? fmt::format("It has no {}.", section) : "It has: " + listOf(names) + ".") +
                 (name == "default" ? fmt::format(" Leave {} out.", option) : "")});
        return;
    }
    const Node copy = *chosen;  // applyOverride() changes the tree
    for (const Node& entry : copy.children) {
        Node* adjusted = caseOf(root, entry.key);
        if (adjusted && adjusted->isObject() && entry.isObject())
            adjustCase(*adjusted, entry);
        else if (entry.key != "control" && entry.key != "formerly")
            applyOverride(root, entry.key, entry, diagnostics);
    }
}

// Reads all keys. Collects errors; throws only if nothing can be read.
Scene readFieldsOf(const std::string& text, const std::filesystem::path& file, const SceneChoice& choice,
                   Node& root, std::vector<Diagnostic>& diagnostics) {
    if (!parseJson(text, root, diagnostics)) failWith(file, diagnostics);
    if (!root.isObject()) {
        diagnostics.push_back(
            {root.line, 0, "", "", "a scene file holds one object, got " + root.describe(), ""});
        failWith(file, diagnostics);
    }
    Scene scene;
    renameFormerKeys(root, scene.notes);
    const std::string size = chosenSize(root, choice.size);
    applyChosen(root, "sizes", "--size", size, diagnostics);
    const std::string caseName = currentCase(root, choice.caseName);
    if (caseName != choice.caseName)
        scene.notes.push_back(fmt::format("case \"{}\" is now called \"{}\"; the former name still works.",
                                          choice.caseName, caseName));
    applyChosen(root, "cases", "--case", caseName, diagnostics);
    if (!choice.film.empty()) {
        // after the size, whose duration is that of a test
        mergeFilm(root, choice.film, diagnostics);
        renameFormerKeys(root, scene.notes);
    }
    for (const std::string& set : choice.sets) applySet(root, set, diagnostics);

    scene.file = file;
    scene.film = choice.film;
    scene.name = file.stem().string();
    scene.size = size;
    scene.caseName = caseName;
    std::vector<std::string> materials;
    const Node* table = root.find("materials");
    const bool readable = !table || table->isObject();
    if (table && readable)
        for (const Node& child : table->children) materials.push_back(child.key);
    for (const std::string& name : materials)
        if (name.empty() || name.find('.') != std::string::npos || name.size() > 100)
            diagnostics.push_back({table->find(name)->line, 0, "", "materials",
                                   fmt::format("\"{}\" is not a valid name", printable(name)), kValidName});
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
    for (const Shape& shape : scene.shapes) noteMesh(scene, shape, scene.notes);
    if (scene.cameras.empty()) scene.cameras.push_back(defaultCamera(scene));
    scene.text = writeScene(scene);
    return scene;
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
