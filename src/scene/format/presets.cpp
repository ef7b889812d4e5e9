#include "scene/format/presets.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/config_folder.h"
#include "core/whole_file.h"
#include "scene/format/former_keys.h"
#include "scene/format/overrides.h"
#include "scene/format/read_fields.h"

namespace coalesce {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExample = "For example \"solver.substeps\": 4, or \"world.gravity\": [0, -1.6, 0].";

// Reads a value of the file; false: its type is not supported.
bool readValue(const Node& node, Edit& edit) {
    edit.path = currentPath(node.key);
    if (node.isNumber())
        edit.numbers = {node.number};
    else if (node.isText())
        edit.word = node.text;
    else if (node.type == Node::Type::Bool)
        edit.word = node.boolean ? "true" : "false";
    else if (node.isArray() && (node.children.size() == 3 || node.children.size() == 4)) {
        for (const Node& child : node.children) {
            if (!child.isNumber()) return false;
            edit.numbers.push_back(child.number);
        }
    } else
        return false;
    return true;
}

}  // namespace

std::vector<Edit> differencesFromDefaults(const Scene& scene) {
    const Parameters parameters;
    std::vector<Material> materials = scene.materials;
    std::vector<ForceField> fields = scene.forceFields;
    std::vector<Emitter> emitters = scene.emitters;
    std::vector<Sink> sinks = scene.sinks;
    const auto clear = [](auto& list) {
        for (auto& element : list) element.properties = {};
    };
    clear(materials), clear(fields), clear(emitters), clear(sinks);
    ConstTunables now = tunablesOf(scene);
    now.shapes = nullptr;
    return editsBetween({parameters, materials, fields, emitters, sinks}, now);
}

Preset readPreset(const std::filesystem::path& file) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    if (!parseJson(fileText(file, "The panel of coalesce view saves presets."), root, diagnostics))
        failWith(file, diagnostics);
    if (!root.isObject()) {
        diagnostics.push_back(
            {root.line, 0, "", "", "a preset holds one object, got " + root.describe(), kExample});
        failWith(file, diagnostics);
    }
    Preset preset;
    preset.file = file;
    const auto note = [&](const Node& node, std::string path, std::string what, const std::string& hint) {
        diagnostics.push_back({node.line, 0, "", std::move(path), std::move(what), hint});
    };
    const std::vector<std::string> keys{"about", "scene", "values"};
    for (const Node& part : root.children) {
        const bool text = part.key == "about" || part.key == "scene";
        if (std::find(keys.begin(), keys.end(), part.key) == keys.end())
            note(part, printable(part.key), "unknown key." + didYouMean(part.key, keys),
                 "Known keys: " + listOf(keys) + ".");
        else if (text ? !part.isText() : !part.isObject())
            note(part, part.key,
                 fmt::format("expects {}, got {}", text ? "a string" : "an object", part.describe()),
                 text ? "" : kExample);
        if (text && part.isText()) (part.key == "about" ? preset.about : preset.scene) = part.text;
    }
    const Node* values = root.find("values");
    if (!values) note(root, "values", "is missing", kExample);
    for (const Node& node : values && values->isObject() ? values->children : std::vector<Node>()) {
        Edit edit;
        if (readValue(node, edit)) {
            preset.values.push_back(std::move(edit));
            preset.lines.push_back(node.line);
        } else {
            note(node, "values." + printable(node.key),
                 "expects a number, a list of three or four, a string, true or false; got " + node.describe(),
                 kExample);
        }
    }
    if (!diagnostics.empty()) failWith(file, diagnostics);
    return preset;
}

std::vector<Edit> valuesFor(const Scene& scene, const Preset& preset) {
    Scene tried = scene;
    std::vector<Diagnostic> diagnostics;
    for (size_t k = 0; k < preset.values.size(); ++k)
        if (const std::string trouble = applyEdit(tunablesOf(tried), preset.values[k]); !trouble.empty())
            diagnostics.push_back(
                {k < preset.lines.size() ? preset.lines[k] : 0, 0, "",
                 "values." + printable(preset.values[k].path),
                 trouble + (trouble.ends_with(".") || trouble.ends_with("?") ? "" : "."),
                 preset.scene.empty() || preset.scene == scene.name
                     ? ""
                     : fmt::format("The preset was made with the scene \"{}\".", printable(preset.scene))});
    if (!diagnostics.empty()) failWith(preset.file, diagnostics);
    return preset.values;
}

void writePreset(const Preset& preset, const std::filesystem::path& file) {
    Json head = Json::object();
    if (!preset.about.empty()) head["about"] = preset.about;
    if (!preset.scene.empty()) head["scene"] = preset.scene;
    std::string text = "{\n";
    for (const auto& [key, value] : head.items()) text += fmt::format("  \"{}\": {},\n", key, value.dump());
    text += "  \"values\": {";
    for (size_t k = 0; k < preset.values.size(); ++k) {
        const Edit& edit = preset.values[k];
        // values of --set are JSON, except choices
        const std::string set = asSet(edit);
        const bool word = !edit.word.empty() && edit.word != "true" && edit.word != "false";
        text += fmt::format("{}\n    {}: {}", k ? "," : "", Json(edit.path).dump(),
                            word ? Json(edit.word).dump() : set.substr(edit.path.size() + 1));
    }
    text += preset.values.empty() ? "}\n}\n" : "\n  }\n}\n";
    writeFile(file, text);
}

std::filesystem::path presetFolder() {
    const std::filesystem::path config = configFolder();
    return config.empty() ? config : config / "presets";
}

std::filesystem::path presetFile(const std::filesystem::path& folder, const std::string& name) {
    const auto refuse = [&](const char* why) {
        fail(Exit::Usage, "preset \"" + printable(name) + "\"", why, "Choose another name.");
    };
    if (name.empty() || name.size() > 100) refuse("a name has 1 to 100 characters");
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 32 ||
            std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos)
            refuse("it is not a valid file name");
    if (name[0] == '.') refuse("names that begin with a dot are hidden");
    if (folder.empty())
        fail(Exit::Output, "preset \"" + printable(name) + "\"", "there is no folder for presets",
             "Set HOME or XDG_CONFIG_HOME to an absolute path.");
    return folder / (name + ".json");
}

std::filesystem::path findPreset(const std::vector<std::filesystem::path>& folders, const std::string& name) {
    const std::filesystem::path path = name;
    if (path.has_parent_path() || path.extension() == ".json") return path;
    std::vector<std::string> names;
    for (const std::filesystem::path& folder : folders) {
        if (folder.empty()) continue;
        const std::filesystem::path file = presetFile(folder, name);
        std::error_code missing;
        if (std::filesystem::exists(file, missing)) return file;
        for (const auto& other : std::filesystem::directory_iterator(folder, missing))
            if (other.path().extension() == ".json") names.push_back(other.path().stem().string());
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    fail(Exit::Scene, "preset \"" + printable(name) + "\"",
         "there is no preset of this name." + didYouMean(name, names),
         fmt::format(
             "There are: {}. The panel of coalesce view saves others; a file is named with its extension.",
             fmt::join(names, ", ")));
}

std::vector<PresetEntry> listPresets(const std::filesystem::path& folder) {
    std::vector<PresetEntry> entries;
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
        if (file.path().extension() != ".json") continue;
        PresetEntry entry{file.path(), file.path().stem().string(), {}, {}, {}};
        try {
            const Preset preset = readPreset(file.path());
            entry.about = preset.about, entry.scene = preset.scene;
        } catch (const Error& error) {
            entry.error = error.what();
        }
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const PresetEntry& a, const PresetEntry& b) { return a.name < b.name; });
    return entries;
}

}  // namespace coalesce
