#include <fmt/format.h>

#include "scene/format/overrides.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

Whole::Whole(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics)
    : m_scene(scene), m_root(root), m_diagnostics(diagnostics), m_groups(scene) {
    for (const Diagnostic& m : diagnostics) {
        m_wrongThemselves.insert(m.path);
        for (size_t end = m.path.size(); end != std::string::npos && end > 0;
             end = m.path.rfind('.', end - 1))
            m_wrong.insert(m.path.substr(0, end));
    }
    for (const Body& body : scene.bodies) m_names.push_back(body.name);
    for (const Material& material : scene.materials) m_names.push_back(material.name);
    for (const Emitter& emitter : scene.emitters) m_names.push_back(emitter.name);
    for (const Check& check : scene.expect) m_labels.push_back(check.name);
}

void Whole::unknown(const Node* node, const std::string& path, const std::string& what,
                    const std::string& name, const Names& known) {
    note(node, path, fmt::format("no {} is called \"{}\".{}", what, printable(name), didYouMean(name, known)),
         known.empty() ? fmt::format("The scene has no {}.", what) : "There are: " + listOf(known) + ".");
}

void Whole::sections() {
    if (m_scene.materials.size() > static_cast<size_t>(kMaxMaterials))
        note(m_root.find("materials"), "materials",
             fmt::format("{} materials; at most {} are possible", m_scene.materials.size(), kMaxMaterials),
             "");
    if (m_scene.bodies.empty() && m_scene.emitters.empty() && !wrong("bodies") && !wrong("emitters"))
        note(m_root.find("bodies"), "bodies",
             "the scene has no bodies and no emitters, so nothing would happen",
             "Add for example \"bodies\": [{\"block\": {\"size\": [1, 1, 1]}}].");
    const Vec3 &low = m_scene.boundsMin, &high = m_scene.boundsMax;
    if (m_scene.bounded && !wrong("bounds") && !(low.x < high.x && low.y < high.y && low.z < high.z))
        note(m_root.find("bounds"), "bounds", "min must be less than max on every axis", "");
}

void Whole::cameras() {
    for (const CameraView& view : m_scene.cameras)
        if (view.eye == view.look && !wrong("camera") && !wrong("cameras"))
            note(m_root.find("camera") ? m_root.find("camera") : m_root.find("cameras"), "camera",
                 "eye and look are the same point, so there is no direction to look in", "");
}

void Whole::poster() {
    const Node* node = m_root.find("poster");
    const Poster& poster = m_scene.poster;
    if (!node || wrong("poster")) return;
    const auto known = [&](const char* key, const std::string& name, const std::vector<std::string>& names) {
        if (name.empty() || has(names, name)) return;
        note(node->find(key), std::string("poster.") + key,
             fmt::format("the scene has no {} \"{}\".{}", key, printable(name), didYouMean(name, names)),
             names.empty() ? "It has none." : "There are: " + listOf(names) + ".");
    };
    std::vector<std::string> cameras;
    for (const CameraView& view : m_scene.cameras) cameras.push_back(view.name);
    known("size", poster.size, m_scene.sizes);
    known("case", poster.caseName, m_scene.cases);
    known("camera", poster.camera, cameras);
    if (!poster.camera.empty() && poster.view)
        note(node, "poster", "it needs either a camera or a view", "Take one of the two away.");
    if (poster.view && poster.view->eye == poster.view->look)
        note(node, "poster.view", "eye and look are the same point, so there is no direction to look in", "");
}

void Whole::caseNamed(const Node* node, const std::string& path, const std::string& name) {
    if (!has(m_scene.cases, name)) unknown(node, path, "case", name, m_scene.cases);
}

// Whom a field or a sink acts on.
void Whole::actedOn(const Node* node, const std::string& path, const Names& names) {
    for (const std::string& name : names) {
        if (name.empty()) {
            note(node, path, "an empty name is none", "Without actsOn everything is meant.");
            continue;
        }
        groupNamed(node, path, name, false);
        for (const Emitter& emitter : m_scene.emitters)
            if (emitter.name == name && !emitter.bodies.empty())
                note(
                    node, path,
                    fmt::format("\"{}\" emits bodies, and these are not called by its name", printable(name)),
                    "Name their material.");
    }
}

// The name of a body, of one of its copies, of a material, or of a shape where shapes are meant too.
void Whole::groupNamed(const Node* node, const std::string& path, const std::string& name, bool orShape) {
    if (m_groups.find(name) || m_wrongThemselves.contains("bodies") ||
        m_wrongThemselves.contains("materials"))
        return;
    Names names = m_names;
    if (orShape) names.emplace_back("shapes");
    for (const Shape& shape : m_scene.shapes)
        if (orShape) names.push_back(shape.name);
    if (has(names, name)) return;
    const auto copies = m_groups.find(name.substr(0, name.find('.')));
    note(node, path,
         fmt::format("no {} is called \"{}\".{}", orShape ? "body, material or shape" : "body or material",
                     printable(name), didYouMean(name, names)),
         copies && copies->count > 1 ? fmt::format("The copies are numbered from 0 to {}.", copies->count - 1)
                                     : "There are: " + listOf(names) + ".");
}

void validateScene(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics) {
    Whole whole(scene, root, diagnostics);
    whole.sections();
    whole.bodies();
    whole.attributes();
    whole.shapes();
    whole.springs();
    whole.fields();
    whole.prefabs();
    whole.emitters();
    whole.sinks();
    whole.timeline();
    whole.cameras();
    whole.poster();
    whole.expect();
    whole.controls();
}

}  // namespace coalesce
