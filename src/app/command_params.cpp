// `coalesce params`: all parameters and material properties, from their manifests.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "geometry/shapes/solid_shapes.h"
#include "scene/format/check_kind.h"
#include "scene/format/overrides.h"
#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "sim/world/parameters.h"

namespace coalesce {

namespace {

struct ParameterRow {
    std::string name, type, value, range, unit, about;
};

std::string text(Vec3 v) {
    return fmt::format("[{:g}, {:g}, {:g}]", v.x, v.y, v.z);
}

template <class T>
ParameterRow rowOf(const T& value, const ParameterInfo& info) {
    ParameterRow row{fmt::format("{}.{}", info.group, info.name),    "",        "",
                     fmt::format("{:g} … {:g}", info.min, info.max), info.unit, info.about};
    if constexpr (std::is_enum_v<T>) {
        const auto& names = choiceNames<T>();
        row.type = "choice";
        row.value = names[size_t(value)];
        row.range = fmt::format("{}", fmt::join(names, ", "));
    } else if constexpr (std::is_same_v<T, Vec3>) {
        row.type = "vector";
        row.value = text(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        row.type = "switch";
        row.value = value ? "true" : "false";
        row.range = "false, true";
    } else {
        row.type = std::is_same_v<T, int> ? "whole" : "number";
        row.value = fmt::format("{:g}", double(value));
    }
    return row;
}

std::vector<ParameterRow> rows() {
    std::vector<ParameterRow> rows;
    const auto add = [&](const auto& value, const ParameterInfo& info) {
        rows.push_back(rowOf(value, info));
    };
    const Parameters parameters;
    const MaterialProperties material;
    const ForceFieldProperties field;
    forEachParameter(parameters, add);
    forEachParameter(material, add);
    forEachParameter(field, add);
    const EmitterProperties emitter;
    const SinkProperties sink;
    forEachParameter(emitter, add);
    forEachParameter(sink, add);
    return rows;
}

const char* typeName(CheckOption::Type type) {
    switch (type) {
        case CheckOption::Type::Number:
            return "number";
        case CheckOption::Type::Word:
            return "word";
        case CheckOption::Type::Words:
            return "words";
        case CheckOption::Type::Point:
            return "[x, y, z]";
    }
    return "";
}

// Also in other capitals: "opacity" is in "smokeOpacity".
bool has(std::string_view text, std::string_view part) {
    const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end() ||
           part.empty();
}

struct SceneKey {
    std::string path, about;  // path: "shapes[].opacity"
};

// The keys of scene files, from their JSON schema; former ones are left out.
void collectKeys(const nlohmann::json& schema, const std::string& path, std::vector<SceneKey>& keys) {
    if (!schema.is_object() || schema.contains("deprecated")) return;
    if (!path.empty() && schema.contains("description"))
        keys.push_back({path, schema["description"].get<std::string>()});
    if (schema.contains("items")) collectKeys(schema["items"], path + "[]", keys);
    if (schema.contains("additionalProperties"))
        collectKeys(schema["additionalProperties"], path + ".NAME", keys);
    if (!schema.contains("properties")) return;
    for (const auto& [name, value] : schema["properties"].items())
        collectKeys(value, path.empty() ? name : path + "." + name, keys);
}

// Keys that are no parameters, with this word in their last name or in their description; of those that several
// objects have in common, the first.
std::vector<SceneKey> keysWith(const std::string& word, const std::vector<ParameterRow>& parameters) {
    std::vector<SceneKey> all, found;
    collectKeys(nlohmann::json::parse(sceneSchema()), "", all);
    const auto lastOf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    for (const SceneKey& key : all) {
        if (!has(lastOf(key.path), word) && !has(key.about, word)) continue;
        const bool parameter = std::ranges::any_of(parameters, [&](const ParameterRow& row) {
            return lastOf(row.name) == lastOf(key.path) && has(key.about, row.about);
        });
        const bool again = std::ranges::any_of(found, [&](const SceneKey& other) {
            return lastOf(other.path) == lastOf(key.path) && other.about == key.about;
        });
        if (!parameter && !again) found.push_back(key);
    }
    return found;
}

// Checks of `expect` with this word in their name, in what they measure, or in an option.
std::vector<const CheckKind*> checksWith(const std::string& word) {
    std::vector<const CheckKind*> found;
    for (const CheckKind& kind : checkKinds())
        if (has(kind.name, word) || has(kind.measures, word) ||
            std::ranges::any_of(kind.options, [&](const CheckOption& o) { return has(o.name, word); }))
            found.push_back(&kind);
    return found;
}

// The names that are searched, without their paths.
std::vector<std::string> searchedNames(const std::vector<ParameterRow>& parameters) {
    std::vector<std::string> names;
    std::vector<SceneKey> keys;
    collectKeys(nlohmann::json::parse(sceneSchema()), "", keys);
    for (const ParameterRow& row : parameters) names.push_back(row.name.substr(row.name.rfind('.') + 1));
    for (const SceneKey& key : keys) names.push_back(key.path.substr(key.path.rfind('.') + 1));
    for (const CheckKind& kind : checkKinds()) names.emplace_back(kind.name);
    return names;
}

// Those whose name or description contains the word, and then also the keys of scenes and the checks.
void printTable(const std::string& word) {
    const std::vector<ParameterRow> all = rows();
    size_t printed = 0;
    for (const ParameterRow& row : all) {
        if (!has(row.name, word) && !has(row.about, word)) continue;
        ++printed;
        fmt::print("{:30} {:7} {:20} {:28} {:10} {}\n", row.name, row.type, row.value, row.range, row.unit,
                   row.about);
    }
    if (word.empty()) return;
    const std::vector<SceneKey> keys = keysWith(word, all);
    if (!keys.empty()) fmt::print("{}Keys of scene files (docs/scenes.md):\n", printed > 0 ? "\n" : "");
    for (const SceneKey& key : keys) fmt::print("{:44} {}\n", key.path, key.about);
    const std::vector<const CheckKind*> checks = checksWith(word);
    if (!checks.empty())
        fmt::print("{}Checks of expect (docs/scenes.md):\n", printed + keys.size() > 0 ? "\n" : "");
    for (const CheckKind* kind : checks)
        fmt::print("{:30} {:10} {}\n", kind->name, kind->unit, kind->measures);
    if (printed + keys.size() + checks.size() == 0)
        fail(Exit::Usage, "coalesce params " + printable(word),
             "no parameter, key of scenes or check has this word in its name or description." +
                 didYouMean(word, searchedNames(all)),
             "All parameters: coalesce params.");
}

// Escapes |, which separates cells.
std::string cell(std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
    return text;
}

// A cell with a line for each text.
std::string lines(const std::vector<std::string>& texts) {
    return cell(fmt::format("{}", fmt::join(texts, "<br>")));
}

void printMarkdown() {
    fmt::print("| parameter | type | default | range | unit | what it does |\n|---|---|---|---|---|---|\n");
    for (const ParameterRow& row : rows())
        fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", row.name, row.type, row.value, row.range, row.unit,
                   cell(row.about));
    fmt::print("\n| check | unit | measures | options |\n|---|---|---|---|\n");
    for (const CheckKind& kind : checkKinds()) {
        std::vector<std::string> options;
        for (const CheckOption& o : kind.options)
            options.push_back(fmt::format("`{}` ({}): {}", o.name, typeName(o.type), o.about));
        fmt::print("| `{}` | {} | {} | {} |\n", kind.name, kind.unit, cell(kind.measures), lines(options));
    }
    fmt::print("\n| solid | form | parameters |\n|---|---|---|\n");
    for (const SolidShapeInfo& solid : solidShapes()) {
        std::vector<std::string> numbers;
        for (const SolidNumberInfo& n : solid.numbers)
            numbers.push_back(
                fmt::format("`{}` ({:g}; {:g} … {:g}): {}", n.name, n.value, n.min, n.max, n.about));
        fmt::print("| `{}` | {} | {} |\n", solid.name, cell(solid.about), lines(numbers));
    }
}

}  // namespace

void addParamsCommand(CLI::App& app, Command& result) {
    struct Options {
        bool schema = false, markdown = false;
        std::string word;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("params",
                                           "Prints all parameters and all properties of materials, force "
                                           "fields, emitters and sinks, with default, range and unit");
    CLI::Option* word = command->add_option(
        "word", options->word,
        "Prints only those with this word in name or description, and the keys of scene files with it");
    auto* schema = command->add_flag("--schema", options->schema, "Prints the JSON schema of scene files");
    command
        ->add_flag("--markdown", options->markdown,
                   "Prints Markdown tables, including the checks of `expect` and the built-in solids")
        ->excludes(schema)
        ->excludes(word);
    schema->excludes(word);
    command->callback([options, &result] {
        result.run = [options] {
            if (options->schema)
                fmt::print("{}", sceneSchema());
            else if (options->markdown)
                printMarkdown();
            else
                printTable(options->word);
            return 0;
        };
    });
}

}  // namespace coalesce
