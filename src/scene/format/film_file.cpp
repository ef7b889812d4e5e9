#include "scene/format/film_file.h"

#include <algorithm>
#include <fmt/format.h>

#include "scene/format/overrides.h"
#include "scene/format/read_fields.h"

namespace coalesce {

namespace {

const std::vector<std::string> kAppended = {"tracks", "timeline", "shots"};
const std::vector<std::string> kReplaced = {"camera", "cameras", "poster", "about", "duration"};

bool isOneOf(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void markOrigin(Node& node, const std::string& origin) {
    node.origin = origin;
    for (Node& child : node.children) markOrigin(child, origin);
}

void removeKey(Node& root, std::string_view key) {
    std::erase_if(root.children, [&](const Node& child) { return child.key == key; });
}

// Presets of commands and shots.
void resolvePresets(Node& list, const std::filesystem::path& folder) {
    for (Node& element : list.children)
        if (Node* preset = element.find("preset"); preset && preset->isText())
            if (std::filesystem::path(preset->text).is_relative())
                preset->text = std::filesystem::absolute(folder / preset->text).lexically_normal().string();
}

}  // namespace

void mergeFilm(Node& root, const std::filesystem::path& film, std::vector<Diagnostic>& diagnostics) {
    const std::string text =
        fileText(film, "Give --film a file, or the name of one in scenes/films/, for example fly_through.");
    Node tree;
    std::vector<Diagnostic> own;
    const bool parsed = parseJson(text, tree, own);
    for (Diagnostic& d : own) {
        d.origin = film.string();
        diagnostics.push_back(std::move(d));
    }
    if (!parsed) return;
    if (!tree.isObject()) {
        diagnostics.push_back(
            {tree.line, 0, film.string(), "", "a film file holds one object, got " + tree.describe(), ""});
        return;
    }
    markOrigin(tree, film.string());
    // the cameras of a film replace all of the scene's
    if (tree.find("camera") || tree.find("cameras")) removeKey(root, "camera"), removeKey(root, "cameras");
    std::vector<std::string> known = kAppended;
    known.insert(known.end(), kReplaced.begin(), kReplaced.end());
    for (Node& child : tree.children) {
        if (!isOneOf(known, child.key)) {
            diagnostics.push_back({child.line, 0, film.string(), printable(child.key),
                                   "this key is not one of a film." + didYouMean(child.key, known),
                                   "A film has " + listOf(known) + "; all else belongs to the scene."});
            continue;
        }
        if (child.isArray()) resolvePresets(child, film.parent_path());
        Node* there = root.find(child.key);
        if (there && isOneOf(kAppended, child.key) && there->isArray() && child.isArray()) {
            for (Node& element : child.children) there->children.push_back(std::move(element));
        } else {
            removeKey(root, child.key);
            root.children.push_back(std::move(child));
        }
    }
}

}  // namespace coalesce
