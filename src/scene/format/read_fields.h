// Reads the keys of one object of a scene file into the fields of a struct: the visitor of scene_fields.h
// that knows where everything stands. What is wrong it collects, and reads on.
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

constexpr size_t kMaxDiagnostics = 100;  // shown of one file

// "a" and "b" make "a.b"; an empty one leaves the other.
std::string joinPath(const std::string& path, const std::string& name);

// The whole text of a file; one that is missing is refused with the nearest name in its folder and `hint`.
std::string fileText(const std::filesystem::path& file, const std::string& hint);
// Throws all mistakes of a file as a SceneError.
[[noreturn]] void failWith(const std::filesystem::path& file, std::vector<Diagnostic>& diagnostics);

// Reads one object. What it was not asked for is a mistake.
class ReadFields {
public:
    static constexpr bool kReading = true, kSchema = false;

    // materials: their names; null when the section is no table of them, and so nothing can be said
    ReadFields(const Node& node, std::string path, const std::vector<std::string>* materials,
               std::vector<Diagnostic>& diagnostics)
        : m_node(node), m_path(std::move(path)), m_materials(materials), m_diagnostics(diagnostics) {}

    void report(const char* key, std::string what, std::string hint);
    bool has(const char* key) const { return m_node.find(key) != nullptr; }
    // A thing takes one of several forms; called when all its keys are known.
    void oneForm(int found, const char* thing, const std::vector<std::string>& forms, const char* example);
    void unknownCheck(const std::string& kind);

    // Everything asked for: what else is there?
    void finish();

    bool value(bool& out, const Field& field, bool = true);
    bool value(double& out, const Field& field, bool = true);
    bool value(float& out, const Field& field, bool = true);
    bool value(int& out, const Field& field, bool = true);
    bool value(uint64_t& out, const Field& field, bool = true);
    bool value(std::string& out, const Field& field, bool = true);
    bool value(std::vector<std::string>& out, const Field& field, bool = true);
    bool value(std::optional<double>& out, const Field& field, bool = true);
    bool value(Vec3& out, const Field& field, bool = true);

    template <class Enum>
    bool choice(Enum& out, const Field& field) {
        const Node* node = take(field);
        if (!node) return false;
        const auto& names = choiceNames<Enum>();
        const std::vector<std::string> words(names.begin(), names.end());
        if (!node->isText()) return wrongType(*node, field, "one of " + listOf(words));
        const auto found = std::find(words.begin(), words.end(), node->text);
        if (found == words.end()) return unknownWord(*node, field, words);
        out = static_cast<Enum>(found - words.begin());
        return true;
    }

    bool rotation(Quat& out, const Field& field, bool = true);
    bool degrees(Vec3& out, const Field& field);
    bool points(std::vector<Vec3>& out, const Field& field, bool);
    bool numbers(std::vector<double>& out, const Field& field);
    bool attributes(uint32_t& mask, const Field& field);
    bool namedNumbers(NamedNumbers& out, const Field& field);

    template <class Body>
    bool object(const Field& field, bool, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isObject()) {
            wrongType(*node, field, "an object");
            return true;
        }
        ReadFields inner(*node, joinPath(m_path, field.name), m_materials, m_diagnostics);
        inner.m_ofManifest = isManifest(field.name);
        body(inner);
        inner.finish();
        return true;
    }
    template <class T, class Body>
    bool list(const Field& field, std::vector<T>& out, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isArray()) return wrongType(*node, field, "a list of objects");
        std::set<std::string> names;
        for (size_t i = 0; i < node->children.size() && m_diagnostics.size() <= kMaxDiagnostics; ++i) {
            const Node& child = node->children[i];
            const std::string path = joinPath(joinPath(m_path, field.name), elementName(child, i));
            if (!child.isObject()) {
                m_diagnostics.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back();  // the others keep their index
                continue;
            }
            T element;
            if constexpr (requires { element.line; }) element.line = child.line;
            ReadFields inner(child, path, m_materials, m_diagnostics);
            body(inner, element);
            inner.finish();
            if constexpr (requires { element.name; }) {
                if (element.name.empty()) element.name = fmt::format("{}{}", field.name, i);
                if (!names.insert(element.name).second)
                    inner.report("name", fmt::format("two {} are called \"{}\"", field.name, element.name),
                                 "Names must differ.");
            }
            out.push_back(std::move(element));
            if (out.size() > kMaxElements) {
                note(*node, field.name, fmt::format("more than {} elements", kMaxElements), "");
                break;
            }
        }
        return true;
    }
    template <class T, class Body>
    bool table(const Field& field, std::vector<T>& out, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isObject()) return wrongType(*node, field, "an object: name → properties");
        for (const Node& child : node->children) {
            if (m_diagnostics.size() > kMaxDiagnostics) break;
            const std::string path = joinPath(joinPath(m_path, field.name), printable(child.key));
            if (!child.isObject()) {
                m_diagnostics.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back().name = child.key;  // it can be spoken of, and the others keep their index
                continue;
            }
            T element;
            element.name = child.key;
            if constexpr (requires { element.line; }) element.line = child.line;
            ReadFields inner(child, path, m_materials, m_diagnostics);
            inner.m_ofManifest = isManifest(field.name);
            body(inner, element);
            inner.finish();
            out.push_back(std::move(element));
        }
        return true;
    }
    // The name of a material.
    void reference(uint32_t& out, const std::vector<Material>&, const Field& field);

    // Options, of which those are kept that were given.
    template <class T>
    void number(std::map<std::string, T>& out, const Field& field) {
        T number = 0;
        if (value(number, field)) out[field.name] = number;
    }
    void word(std::map<std::string, std::string>& out, const Field& field,
              const std::vector<const char*>& choices);
    void words(std::map<std::string, std::vector<std::string>>& out, const Field& field);
    void point(std::map<std::string, Vec3>& out, const Field& field);

    // Their content was applied before reading; here only their names and the control list are taken.
    void overrides(const Field& field, std::vector<std::string>& names, const std::string& chosen,
                   std::vector<std::string>* control);

private:
    static constexpr size_t kMaxElements = 1u << 16;

    static bool isManifest(std::string_view name);

    void note(const Node& node, const std::string& key, std::string what, std::string hint);
    const Node* take(const Field& field);
    bool wrongType(const Node& node, const Field& field, const std::string& wanted);
    bool unknownWord(const Node& node, const Field& field, const std::vector<std::string>& words);
    bool readNumber(const Node& node, const std::string& name, const Field& field, double& out);
    bool readWhole(const Node& node, const Field& field, double& out);
    bool readNumbers(const Node& node, const std::string& name, const Field& field, double (&out)[3]);
    bool readVector(const Node& node, const std::string& name, const Field& field, Vec3& out);
    bool readTexts(const Node& node, const Field& field, std::vector<std::string>& out);
    static bool isNotFiniteWord(std::string word);

    const Node& m_node;
    std::string m_path;
    const std::vector<std::string>* m_materials;
    std::vector<Diagnostic>& m_diagnostics;
    std::vector<std::string> m_known;
    bool m_ofManifest = false;
};

}  // namespace coalesce
