// Validates a scene section by section; see validate_scene.h. Each validate_*.cpp has the sections of one
// subject.
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

class SceneValidator {
public:
    SceneValidator(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics);

    void validateSections();
    void validateBodies();
    void validateAttributes();
    void validateShapes();
    void validateSprings();
    void validateFields();
    void validatePrefabs();
    void validateMethod();
    void validateEmitters();
    void validateSinks();
    void validateMarkers();
    void validateTimeline();
    void validateTracks();
    void validateCameraMotion();
    void validateShots();
    void validateCameras();
    void validatePoster();
    void validateChecks();
    void validateControls();

private:
    void report(const Node* node, std::string path, std::string what, std::string hint) {
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
    // The message without its location, which the diagnostic has anyway.
    std::string withoutLocation(const Error& error, const std::string& path) const {
        std::string text = error.what();
        for (const std::string& where : {m_scene.file.string() + ": ", path + ": "})
            if (text.starts_with(where)) text.erase(0, where.size());
        return text;
    }
    void reportUnknown(const Node* node, const std::string& path, const std::string& what,
                       const std::string& name, const Names& known);
    bool hasError(const std::string& path) const { return m_containingErrors.contains(path); }
    void validateCaseName(const Node* node, const std::string& path, const std::string& name);
    void validateActsOn(const Node* node, const std::string& path, const Names& names);
    void validateGroupName(const Node* node, const std::string& path, const std::string& name, bool orShape);
    void validateShapeName(const Check& check, const Node* node, const std::string& path,
                           const std::string& name);
    // The name of an element of a list.
    template <class T>
    void validateElementName(const Node* node, const std::string& path, const char* what,
                             const std::string& name, const std::vector<T>& list) {
        Names names;
        for (const T& element : list) names.push_back(element.name);
        if (!has(names, name)) reportUnknown(node, path, what, name, names);
    }
    void validateOrder(const Check& check, const Node* node, const std::string& path);
    void validatePlanar();
    bool formFits(const Body& body, const Node* node, const std::string& path);
    void validateAttachments(const Body& body, const Node* node, const std::string& path);
    void validateValues(const NamedNumbers& values, const Names& names, const Node* node,
                        const std::string& path);
    void validateRelease(const TimedCommand& command, const Node* node, const std::string& path);
    void validateGrab(const TimedCommand& command, const Node* node, const std::string& path);
    void validateMouseCommand(const TimedCommand& command, const Node* node, const std::string& path);
    void validateRepetition(const TimedCommand& command, const Node* node, const std::string& path);
    void validateFilmCommand(const TimedCommand& command, const Node* node, const std::string& path);
    void validatePreset(const std::string& file, bool duringRun, const Node* node, const std::string& path);
    void validateTrackKeys(const Track& track, const Node* node, const std::string& path);
    void validateTrackExpressions(const Track& track, const Node* node, const std::string& path);
    std::string tryValue(const Track& track, const std::vector<double>& value, const std::string& word) const;
    void validateCameraKeys(const CameraView& camera, const Node* node, const std::string& path);
    std::optional<double> particlesOf(const Body& body, const Node* node, const std::string& path);
    void validateLimits(const Check& check, const CheckKind& kind, const Node* node, const std::string& path);
    void validateComparison(const Check& check, const Node* node, const std::string& path);

    const Scene& m_scene;
    const Node& m_root;
    std::vector<Diagnostic>& m_diagnostics;
    bool m_canMakeBodies = false;              // all bodies are valid; set by validateBodies()
    std::set<std::string> m_erroneous;         // paths of all errors of the reader
    std::set<std::string> m_containingErrors;  // the same, and paths of all objects that contain one
    GroupNames m_groups;
    Names m_names, m_labels;  // of groups, of checks
};

}  // namespace coalesce
