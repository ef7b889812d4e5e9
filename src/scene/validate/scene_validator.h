// Judges the parts of a scene by each other, one section after the other; see validate_scene.h. Each
// whole_*.cpp has the sections of one subject.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scene/build/groups.h"
#include "scene/format/check_kind.h"
#include "scene/validate/validate_scene.h"

namespace coalesce {

using Names = std::vector<std::string>;

inline bool has(const Names& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

class Whole {
public:
    Whole(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics);

    void sections();
    void bodies();
    void attributes();
    void shapes();
    void springs();
    void fields();
    void prefabs();
    void emitters();
    void sinks();
    void timeline();
    void cameras();
    void poster();
    void expect();
    void controls();

private:
    void note(const Node* node, std::string path, std::string what, std::string hint) {
        const Node& at = node ? *node : m_root;
        m_diagnostics.push_back({at.line, 0, at.origin, std::move(path), std::move(what), std::move(hint)});
    }
    const Node* element(const char* section, size_t i) const {
        const Node* list = m_root.find(section);
        return list && i < list->children.size() ? &list->children[i] : nullptr;
    }
    static std::string pathOf(const char* section, const Node* node, size_t i) {
        return std::string(section) + "." + (node ? elementName(*node, i) : std::to_string(i));
    }
    // Without its place, which is said anyway.
    std::string said(const Error& error, const std::string& path) const {
        const std::string text = error.what(), where = m_scene.file.string() + ": " + path + ": ";
        return text.starts_with(where) ? text.substr(where.size()) : text;
    }
    void unknown(const Node* node, const std::string& path, const std::string& what, const std::string& name,
                 const Names& known);
    bool wrong(const std::string& path) const { return m_wrong.contains(path); }
    void caseNamed(const Node* node, const std::string& path, const std::string& name);
    void actedOn(const Node* node, const std::string& path, const Names& names);
    void groupNamed(const Node* node, const std::string& path, const std::string& name, bool orShape);
    void shapeNamed(const Check& check, const Node* node, const std::string& path, const std::string& name);
    // An element of a list, by its name.
    template <class T>
    void listed(const Node* node, const std::string& path, const char* what, const std::string& name,
                const std::vector<T>& list) {
        Names names;
        for (const T& element : list) names.push_back(element.name);
        if (!has(names, name)) unknown(node, path, what, name, names);
    }
    void order(const Check& check, const Node* node, const std::string& path);
    void plane();
    bool formFits(const Body& body, const Node* node, const std::string& path);
    void attachments(const Body& body, const Node* node, const std::string& path);
    void carried(const NamedNumbers& values, const Names& names, const Node* node, const std::string& path);
    void released(const TimedCommand& command, const Node* node, const std::string& path);
    void grabbed(const TimedCommand& command, const Node* node, const std::string& path);
    void handed(const TimedCommand& command, const Node* node, const std::string& path);
    std::optional<double> particlesOf(const Body& body, const Node* node, const std::string& path);
    void limits(const Check& check, const CheckKind& kind, const Node* node, const std::string& path);
    void comparison(const Check& check, const Node* node, const std::string& path);

    const Scene& m_scene;
    const Node& m_root;
    std::vector<Diagnostic>& m_diagnostics;
    bool m_canMakeBodies = false;   // nothing is wrong with any; found by bodies()
    std::set<std::string> m_wrong;  // the paths of all mistakes and of what they stand in
    std::set<std::string> m_wrongThemselves;
    GroupNames m_groups;
    Names m_names, m_labels;  // that checks and cases speak of
};

}  // namespace coalesce
