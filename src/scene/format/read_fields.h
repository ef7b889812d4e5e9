// The visitor of scene_fields.h that reads: from the keys of an object of a scene file into the fields of a
// struct. Collects errors with their line and path, and continues.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scene/format/json_text.h"
#include "scene/format/overrides.h"
#include "scene/format/scene_fields.h"

namespace coalesce {

constexpr size_t kMaxDiagnostics = 100;  // per file

constexpr const char* kValidName =
    "A name is not empty, has no dot (dots separate the paths of --set), and has at most 100 characters.";

// "a" and "b" give "a.b"; with an empty one, the other.
std::string joinPath(const std::string& path, const std::string& name);

// Text of a file. Fails if it is missing, with the nearest name in its folder and `hint`.
std::string fileText(const std::filesystem::path& file, const std::string& hint);
// Throws all errors of a file as a SceneError.
[[noreturn]] void failWith(const std::filesystem::path& file, std::vector<Diagnostic>& diagnostics);

// Reads one object. Keys that are never requested are errors: see finish().
class ReadFields {
public:
    static constexpr bool kReading = true, kSchema = false;

    // materials: their names; null when the section is invalid, so that references cannot be resolved
    ReadFields(const Node& node, std::string path, const std::vector<std::string>* materials,
               std::vector<Diagnostic>& diagnostics)
        : m_node(node), m_path(std::move(path)), m_materials(materials), m_diagnostics(diagnostics) {}

    void report(const char* key, std::string what, std::string hint);
    bool has(const char* key) const { return m_node.find(key) != nullptr; }
    // In the file; of the object itself where the key is missing.
    int lineOf(const char* key) const { return has(key) ? m_node.find(key)->line : m_node.line; }
    // Reports an object that does not have exactly one of several forms. Call when all its keys are known.
    void oneForm(int found, const char* thing, const std::vector<std::string>& forms, const char* example);
    void unknownCheck(const std::string& kind);

    // Call last: reports unknown keys.
    void finish();

    bool value(bool& out, const KeySpec& spec, bool = true);
    bool value(double& out, const KeySpec& spec, bool = true);
    bool value(float& out, const KeySpec& spec, bool = true);
    bool value(int& out, const KeySpec& spec, bool = true);
    bool value(uint64_t& out, const KeySpec& spec, bool = true);
    bool value(std::string& out, const KeySpec& spec, bool = true);
    bool value(std::vector<std::string>& out, const KeySpec& spec, bool = true);
    bool value(std::optional<double>& out, const KeySpec& spec, bool = true);
    bool value(Vec3& out, const KeySpec& spec, bool = true);

    template <class Enum>
    bool choice(Enum& out, const KeySpec& spec) {
        const Node* node = take(spec);
        if (!node) return false;
        const auto& names = choiceNames<Enum>();
        const std::vector<std::string> words(names.begin(), names.end());
        if (!node->isText()) return wrongType(*node, spec, "one of " + listOf(words));
        const auto found = std::find(words.begin(), words.end(), node->text);
        if (found == words.end()) return unknownWord(*node, spec, words);
        out = static_cast<Enum>(found - words.begin());
        return true;
    }

    bool rotation(Quat& out, const KeySpec& spec, bool = true);
    bool degrees(Vec3& out, const KeySpec& spec);
    bool points(std::vector<Vec3>& out, const KeySpec& spec, bool);
    bool numbers(std::vector<double>& out, const KeySpec& spec);
    bool collisionMask(uint32_t& mask, const KeySpec& spec);
    bool namedNumbers(NamedNumbers& out, const KeySpec& spec);
    // A key whose value the caller reads; null where the key is not in the file.
    const Node* node(const KeySpec& spec) { return take(spec); }

    template <class Body>
    bool object(const KeySpec& spec, bool, Body&& body) {
        const Node* node = take(spec);
        if (!node) return false;
        if (!node->isObject()) {
            wrongType(*node, spec, "an object",
                      fmt::format("Write \"{}\": {{ \"key\": value }}; its keys are in docs/scenes.md.",
                                  spec.name));
            return true;
        }
        ReadFields inner(*node, joinPath(m_path, spec.name), m_materials, m_diagnostics);
        inner.m_ofManifest = isManifest(spec.name);
        body(inner);
        inner.finish();
        return true;
    }
    template <class T, class Body>
    bool list(const KeySpec& spec, std::vector<T>& out, Body&& body) {
        const Node* node = take(spec);
        if (!node) return false;
        if (!node->isArray()) return wrongType(*node, spec, "a list of objects");
        std::set<std::string> names;
        for (size_t i = 0; i < node->children.size() && m_diagnostics.size() <= kMaxDiagnostics; ++i) {
            const Node& child = node->children[i];
            const std::string path = joinPath(joinPath(m_path, spec.name), elementName(child, i));
            if (!child.isObject()) {
                m_diagnostics.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back();  // keeps the indices of the others
                continue;
            }
            T element;
            if constexpr (requires { element.line; }) element.line = child.line;
            ReadFields inner(child, path, m_materials, m_diagnostics);
            body(inner, element);
            inner.finish();
            if constexpr (requires { element.name; }) {
                if (element.name.empty()) element.name = fmt::format("{}{}", spec.name, i);
                if (!names.insert(element.name).second)
                    inner.report("name", fmt::format("two {} are called \"{}\"", spec.name, element.name),
                                 "Names must be unique.");
            }
            out.push_back(std::move(element));
            if (out.size() > kMaxElements) {
                note(*node, spec.name, fmt::format("more than {} elements", kMaxElements), "");
                break;
            }
        }
        return true;
    }
    template <class T, class Body>
    bool table(const KeySpec& spec, std::vector<T>& out, Body&& body) {
        const Node* node = take(spec);
        if (!node) return false;
        if (!node->isObject()) return wrongType(*node, spec, "an object: name → properties");
        for (const Node& child : node->children) {
            if (m_diagnostics.size() > kMaxDiagnostics) break;
            const std::string path = joinPath(joinPath(m_path, spec.name), printable(child.key));
            if (!child.isObject()) {
                m_diagnostics.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back().name = child.key;  // keeps its name and the indices of the others
                continue;
            }
            T element;
            element.name = child.key;
            if constexpr (requires { element.line; }) element.line = child.line;
            ReadFields inner(child, path, m_materials, m_diagnostics);
            inner.m_ofManifest = isManifest(spec.name);
            body(inner, element);
            inner.finish();
            out.push_back(std::move(element));
        }
        return true;
    }
    // The name of a material.
    void reference(uint32_t& out, const std::vector<Material>&, const KeySpec& spec);

    // Options: stored only if given.
    template <class T>
    void number(std::map<std::string, T>& out, const KeySpec& spec) {
        T number = 0;
        if (value(number, spec)) out[spec.name] = number;
    }
    void word(std::map<std::string, std::string>& out, const KeySpec& spec,
              const std::vector<const char*>& choices);
    void words(std::map<std::string, std::vector<std::string>>& out, const KeySpec& spec);
    void point(std::map<std::string, Vec3>& out, const KeySpec& spec);

    // The overrides were applied before reading; reads only the names of the sets and the control list.
    void overrides(const KeySpec& spec, std::vector<std::string>& names, const std::string& chosen,
                   std::vector<std::string>* control);

private:
    static constexpr size_t kMaxElements = 1u << 16;

    static bool isManifest(std::string_view name);

    void note(const Node& node, const std::string& key, std::string what, std::string hint);
    const Node* take(const KeySpec& spec);
    bool wrongType(const Node& node, const KeySpec& spec, const std::string& wanted,
                   const std::string& advice = "");
    bool unknownWord(const Node& node, const KeySpec& spec, const std::vector<std::string>& words);
    bool readNumber(const Node& node, const std::string& name, const KeySpec& spec, double& out);
    bool readWhole(const Node& node, const KeySpec& spec, double& out);
    bool readNumbers(const Node& node, const std::string& name, const KeySpec& spec, double (&out)[3]);
    bool readColor(const Node& node, const std::string& name, Vec3& out);
    bool readVector(const Node& node, const std::string& name, const KeySpec& spec, Vec3& out);
    bool readTexts(const Node& node, const KeySpec& spec, std::vector<std::string>& out);
    static bool isNotFiniteWord(std::string word);

    const Node& m_node;
    std::string m_path;
    const std::vector<std::string>* m_materials;
    std::vector<Diagnostic>& m_diagnostics;
    std::vector<std::string> m_known;
    bool m_ofManifest = false;
};

}  // namespace coalesce
