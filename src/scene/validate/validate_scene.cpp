#include <fmt/format.h>

#include "scene/format/overrides.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

SceneValidator::SceneValidator(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics)
    : m_scene(scene), m_root(root), m_diagnostics(diagnostics), m_groups(scene) {
    for (const Diagnostic& m : diagnostics) {
        m_erroneous.insert(m.path);
        for (size_t end = m.path.size(); end != std::string::npos && end > 0;
             end = m.path.rfind('.', end - 1))
            m_containingErrors.insert(m.path.substr(0, end));
    }
    for (const Body& body : scene.bodies) m_names.push_back(body.name);
    for (const Material& material : scene.materials) m_names.push_back(material.name);
    for (const Emitter& emitter : scene.emitters) m_names.push_back(emitter.name);
    for (const Check& check : scene.expect) m_labels.push_back(check.name);
}

void SceneValidator::reportUnknown(const Node* node, const std::string& path, const std::string& what,
                                   const std::string& name, const Names& known) {
    report(node, path,
           fmt::format("no {} is called \"{}\".{}", what, printable(name), didYouMean(name, known)),
           known.empty() ? fmt::format("The scene has no {}.", what) : "There are: " + listOf(known) + ".");
}

void SceneValidator::validateSections() {
    if (m_scene.materials.size() > size_t(kMaxMaterials))
        report(m_root.find("materials"), "materials",
               fmt::format("{} materials; at most {} are possible", m_scene.materials.size(), kMaxMaterials),
               "");
    if (m_scene.bodies.empty() && m_scene.emitters.empty() && !hasError("bodies") && !hasError("emitters"))
        report(m_root.find("bodies"), "bodies", "the scene has no bodies and no emitters",
               m_root.find("shots") || m_root.find("tracks")
                   ? "If it is a film: coalesce validate SCENE --film FILE."
               : m_root.find("values") || m_root.find("scenes")
                   ? "If it is a sweep: coalesce sweep FILE --to DIR."
                   : "Add for example \"bodies\": [{\"block\": {\"size\": [1, 1, 1]}}].");
    const Vec3 &low = m_scene.boundsMin, &high = m_scene.boundsMax;
    if (m_scene.bounded && !hasError("bounds") && !(low.x < high.x && low.y < high.y && low.z < high.z))
        report(m_root.find("bounds"), "bounds", "min must be less than max on every axis", "");
    const Parameters::Solver& solver = m_scene.parameters.solver;
    if (solver.minSubsteps > solver.maxSubsteps && !hasError("solver"))
        report(m_root.find("solver"), "solver.minSubsteps",
               fmt::format("{} is more than solver.maxSubsteps, which is {}", solver.minSubsteps,
                           solver.maxSubsteps),
               "Set minSubsteps to at most maxSubsteps.");
}

void SceneValidator::validateCameras() {
    for (const CameraView& view : m_scene.cameras)
        if (view.eye == view.look && !hasError("camera") && !hasError("cameras"))
            report(m_root.find("camera") ? m_root.find("camera") : m_root.find("cameras"), "camera",
                   "eye and look are the same point, so the view has no direction", "");
}

void SceneValidator::validatePoster() {
    const Node* node = m_root.find("poster");
    const Poster& poster = m_scene.poster;
    if (!node || hasError("poster")) return;
    const auto known = [&](const char* key, const std::string& name, const std::vector<std::string>& names) {
        if (name.empty() || has(names, name)) return;
        report(node->find(key), std::string("poster.") + key,
               fmt::format("the scene has no {} \"{}\".{}", key, printable(name), didYouMean(name, names)),
               names.empty() ? "It has none." : "There are: " + listOf(names) + ".");
    };
    std::vector<std::string> cameras;
    for (const CameraView& view : m_scene.cameras) cameras.push_back(view.name);
    known("size", poster.size, m_scene.sizes);
    known("case", poster.caseName, m_scene.cases);
    known("camera", poster.camera, cameras);
    if (!poster.camera.empty() && poster.view)
        report(node, "poster", "it has both a camera and a view", "Remove one of the two.");
    if (poster.view && poster.view->eye == poster.view->look)
        report(node, "poster.view", "eye and look are the same point, so the view has no direction", "");
}

void SceneValidator::validateCaseName(const Node* node, const std::string& path, const std::string& name) {
    if (!has(m_scene.cases, name)) reportUnknown(node, path, "case", name, m_scene.cases);
}

// The groups that a field or sink acts on.
void SceneValidator::validateActsOn(const Node* node, const std::string& path, const Names& names) {
    for (const std::string& name : names) {
        if (name.empty()) {
            report(node, path, "a name is empty", "Remove actsOn to act on everything.");
            continue;
        }
        validateGroupName(node, path, name, false);
        for (const Emitter& emitter : m_scene.emitters)
            if (emitter.name == name && !emitter.bodies.empty())
                report(node, path,
                       fmt::format("\"{}\" emits bodies, which cannot be selected by the emitter's name",
                                   printable(name)),
                       "Name their material instead.");
    }
}

// The name of a body, a copy, a material, or with `orShape` of a shape.
void SceneValidator::validateGroupName(const Node* node, const std::string& path, const std::string& name,
                                       bool orShape) {
    if (m_groups.find(name) || m_erroneous.contains("bodies") || m_erroneous.contains("materials")) return;
    Names names = m_names;
    if (orShape) names.emplace_back("shapes");
    for (const Shape& shape : m_scene.shapes)
        if (orShape) names.push_back(shape.name);
    if (has(names, name)) return;
    const auto copies = m_groups.find(name.substr(0, name.find('.')));
    report(node, path,
           fmt::format("no {} is called \"{}\".{}", orShape ? "body, material or shape" : "body or material",
                       printable(name), didYouMean(name, names)),
           copies && copies->count > 1
               ? fmt::format("The copies are numbered from 0 to {}.", copies->count - 1)
               : "There are: " + listOf(names) + ".");
}

void validateScene(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics) {
    SceneValidator validator(scene, root, diagnostics);
    validator.validateSections();
    validator.validateBodies();
    validator.validateAttributes();
    validator.validateShapes();
    validator.validateSprings();
    validator.validateFields();
    validator.validatePrefabs();
    validator.validateMethod();
    validator.validateEmitters();
    validator.validateSinks();
    validator.validateMarkers();
    validator.validateTimeline();
    validator.validateTracks();
    validator.validateCameraMotion();
    validator.validateShots();
    validator.validateCameras();
    validator.validatePoster();
    validator.validateChecks();
    validator.validateControls();
}

}  // namespace coalesce
