#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/build/joints.h"
#include "scene/build/validation_issue.h"
#include "scene/format/overrides.h"
#include "scene/format/scene_fields.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

// Vertices of a cloth nearer than this share of the spacing overlap so much that contacts and stretch disagree.
constexpr double kClosestVertices = 0.5;

// Number of particles of one copy; reports a shape that cannot be made.
std::optional<double> SceneValidator::particlesOf(const Body& body, const Node* node,
                                                  const std::string& path) {
    try {
        return countBody(m_scene, body);
    } catch (const Error& error) {
        report(node, path, withoutLocation(error, "bodies." + body.name), "");
        return {};
    }
}

// Cloth needs a grid or a surface, rope a curve.
bool SceneValidator::formFits(const Body& body, const Node* node, const std::string& path) {
    const MaterialKind kind = m_scene.materials[body.material].properties.kind;
    const bool cloth = body.kind == Body::Kind::Grid, chain = body.kind == Body::Kind::Rope;
    if (kind == MaterialKind::cloth && !cloth && body.kind != Body::Kind::Solid)
        report(node, path, "a cloth needs a grid, or the surface of a shape",
               "For example \"grid\": {\"size\": [1, 0, 1]}, or \"shape\": \"icosphere\".");
    else if (kind == MaterialKind::rope && !chain)
        report(node, path, "a rope needs a curve",
               "For example \"rope\": {\"points\": [[0, 0, 0], [1, 0, 0]]}.");
    else if ((cloth && kind != MaterialKind::cloth) || (chain && kind != MaterialKind::rope))
        report(
            node, path,
            fmt::format("a {} needs a material of kind {}; \"{}\" has another kind", cloth ? "grid" : "rope",
                        cloth ? "cloth" : "rope", printable(m_scene.materials[body.material].name)),
            "Change the kind of the material, or the form of the body.");
    else
        return true;
    return false;
}

void SceneValidator::validateBodies() {
    double total = 0, copies = 0;
    const size_t before = m_diagnostics.size();
    for (size_t i = 0; i < m_scene.bodies.size(); ++i) {
        const Body& body = m_scene.bodies[i];
        if (body.material >= m_scene.materials.size()) continue;  // reported by the reader
        const Material& material = m_scene.materials[body.material];
        const Node* node = element("bodies", i);
        const std::string path = pathOf("bodies", node, i);
        if (hasError(path) || hasError("materials." + printable(material.name))) continue;
        if (!formFits(body, node, path)) continue;
        const float spacing = spacingOf(m_scene, body);
        const auto n = particlesOf(body, node, path);
        if (!n) continue;
        copies += double{body.copies.count.x} * body.copies.count.y * body.copies.count.z;
        total += *n * body.copies.count.x * body.copies.count.y * body.copies.count.z;
        if (*n == 0 && body.kind == Body::Kind::Grid && body.size.y > 0)
            report(node, path, "a grid lies in the xz plane, and this one has no extent in x or z",
                   "Give its size as [x, 0, z], and a rotation, as [90, 0, 0] for a sheet that stands.");
        else if (*n == 0)
            report(node, path, "the body is too small for a single particle",
                   fmt::format("{} spacing is {:g} m. Make the body larger or the spacing smaller.",
                               body.spacing > 0 ? "Its" : "Its material's", spacing));
        // particles of a cloth are the vertices of its mesh
        if (material.properties.kind != MaterialKind::cloth || body.kind != Body::Kind::Solid || *n == 0)
            continue;
        const double apart = std::sqrt(areaOf(solidOf(m_scene, body)->mesh()) / *n);  // [m]
        if (apart < kClosestVertices * double{material.properties.spacing})
            report(
                node, path,
                fmt::format("the vertices of its mesh are {:.2g} m apart, much less than the spacing of its "
                            "particles, {:g} m",
                            apart, material.properties.spacing),
                fmt::format("Use a coarser mesh, or set materials.{}.spacing to {:.2g}.",
                            printable(material.name), apart));
    }
    if (copies >= kMaxGroups)
        report(m_root.find("bodies"), "bodies",
               fmt::format("{:.3g} bodies with all copies; at most {} are possible", copies, kMaxGroups - 1),
               "");
    if (total > kMaxParticles)
        report(m_root.find("bodies"), "bodies",
               fmt::format("{:.3g} particles; at most {:.3g} are possible", total, kMaxParticles),
               "Use a coarser spacing or smaller bodies.");
    m_canMakeBodies = !hasError("bodies") && !hasError("materials") && m_diagnostics.size() == before;
    if (!m_canMakeBodies) return;
    for (size_t i = 0; i < m_scene.bodies.size(); ++i) {
        const Node* node = element("bodies", i);
        if (m_scene.bodies[i].pin || !m_scene.bodies[i].attach.empty())
            validateAttachments(m_scene.bodies[i], node, pathOf("bodies", node, i));
    }
    if (m_scene.parameters.solver.planar) validatePlanar();
}

// In a planar scene all particles must start at the same z.
void SceneValidator::validatePlanar() {
    for (const OutOfPlane& out : outOfPlane(m_scene)) {
        const Node* node = element("bodies", out.body);
        report(node, pathOf("bodies", node, out.body), out.issue.what, out.issue.advice);
    }
}

// What holds particles of a body needs at least one, and attachments an existing shape.
void SceneValidator::validateAttachments(const Body& body, const Node* node, const std::string& path) {
    Names shapes;
    for (const Shape& shape : m_scene.shapes) shapes.push_back(shape.name);
    for (const Attachment& a : body.attach) {
        if (!a.shape.empty() && !has(shapes, a.shape))
            reportUnknown(node, path + ".attach", "shape", a.shape, shapes);
        else if (!a.shape.empty() && !isSolid(m_scene, body))
            report(node, path + ".attach", "loose particles cannot be attached to a shape",
                   "Bodies of rigid, soft, cloth or rope materials can.");
    }
    const size_t index = size_t(&body - m_scene.bodies.data());
    const auto form = formOf(m_scene, body);
    std::vector<Vec3> all;
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        const std::vector<Vec3> positions = positionsOf(m_scene, index, copy, *form);
        all.insert(all.end(), positions.begin(), positions.end());
    }
    const auto requireParticles = [&](const Box& box, const char* key) {
        Body alone = body;
        alone.pinned = false, alone.pin = box, alone.attach.clear();
        const std::vector<bool> held = heldOf(alone, all);
        if (std::find(held.begin(), held.end(), true) == held.end())
            report(
                node, path + key,
                fmt::format("no particle of \"{}\" starts between [{:g}, {:g}, {:g}] and [{:g}, {:g}, {:g}]",
                            printable(body.name), box.low.x, box.low.y, box.low.z, box.high.x, box.high.y,
                            box.high.z),
                "Positions are world coordinates, not relative to the body's center.");
    };
    if (body.pin) requireParticles(*body.pin, ".pin");
    for (const Attachment& a : body.attach)
        if (!a.point) requireParticles(a.box, ".attach");
}

void SceneValidator::validateSprings() {
    if (!m_canMakeBodies) return;
    Names bodies;
    for (const Body& body : m_scene.bodies) bodies.push_back(body.name);
    for (size_t i = 0; i < m_scene.springs.size(); ++i) {
        const Joint& joint = m_scene.springs[i];
        const Node* node = element("springs", i);
        const std::string path = pathOf("springs", node, i);
        if (hasError(path)) continue;
        bool fine = true;
        for (const auto& [end, name] : {std::pair(&joint.from, ".from"), std::pair(&joint.to, ".to")}) {
            const auto meaning = m_groups.find(end->body);
            if (!meaning || meaning->material || meaning->emitted || end->body.empty()) {
                report(node, path + name + ".body",
                       fmt::format("no body is called \"{}\".{}", printable(end->body),
                                   didYouMean(end->body, bodies)),
                       "There are: " + listOf(bodies) + ".");
                fine = false;
            } else if (!isSolid(m_scene, m_scene.bodies[m_groups.bodyOf(meaning->first).body])) {
                report(node, path + name + ".body",
                       fmt::format("springs cannot hold the loose particles of \"{}\"", printable(end->body)),
                       "Bodies of rigid, soft, cloth or rope materials can be joined.");
                fine = false;
            }
        }
        if (!fine) continue;
        const auto material = materialOf(m_scene, joint);
        const bool named = std::any_of(m_scene.materials.begin(), m_scene.materials.end(),
                                       [&](const Material& m) { return m.name == joint.material; });
        Names sprung;
        for (const Material& m : m_scene.materials)
            if (isSprung(m.properties)) sprung.push_back(m.name);
        const std::string known = sprung.empty() ? "The scene has none: add one of kind rope."
                                                 : "There are: " + listOf(sprung) + ".";
        if (!joint.material.empty() && !named)
            report(node, path + ".material",
                   fmt::format("no material is called \"{}\".{}", printable(joint.material),
                               didYouMean(joint.material, sprung)),
                   known);
        else if (!material || !isSprung(m_scene.materials[*material].properties))
            report(node, path + ".material", "a spring needs a material of kind cloth or rope", known);
        const auto from = nearestAtStart(m_scene, joint.from.body, joint.from.at),
                   to = nearestAtStart(m_scene, joint.to.body, joint.to.at);
        if (from.group == to.group && from.index == to.index)
            report(node, path, "both ends are the same particle", "Move one of the points.");
    }
}

// Prefabs are single rigid or soft bodies without a position.
void SceneValidator::validatePrefabs() {
    for (size_t i = 0; i < m_scene.prefabs.size(); ++i) {
        const Body& body = m_scene.prefabs[i];
        const Node* node = element("prefabs", i);
        const std::string path = pathOf("prefabs", node, i);
        if (hasError(path) || body.material >= m_scene.materials.size()) continue;
        const Material& material = m_scene.materials[body.material];
        if (hasError("materials." + printable(material.name))) continue;
        if (!isShapeMatched(material.properties))
            report(node, path + ".material",
                   fmt::format("a prefab must be rigid or soft; \"{}\" is neither", printable(material.name)),
                   "Give its material kind rigid or soft.");
        const Body plain;
        const auto refuse = [&](const char* key, bool given) {
            if (given)
                report(node, path + "." + key,
                       "is not allowed in a prefab: the emitter sets how copies start", "Remove it.");
        };
        refuse("at", body.at > 0);
        refuse("pinned", body.pinned), refuse("pin", body.pin.has_value()),
            refuse("attach", !body.attach.empty());
        refuse("copies", copiesOf(body) != 1);
        refuse("center", !(body.center == plain.center));
        refuse("rotation", std::abs(body.rotation.w) < 1 - 1e-6f);
        refuse("velocity", !(body.velocity == plain.velocity));
        refuse("angularVelocity", !(body.angularVelocity == plain.angularVelocity));
        refuse("jitter", body.jitter > 0), refuse("deform", !(body.deform == plain.deform));
        const auto n = particlesOf(body, node, path);
        if (n && *n == 0)
            report(node, path, "the body is too small for a single particle",
                   "Make it larger or its material's spacing smaller.");
    }
}

}  // namespace coalesce
