#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "scene/build/attribute_values.h"
#include "scene/build/build.h"
#include "scene/build/build_emitters.h"
#include "scene/build/shape_form.h"
#include "scene/build/validation_issue.h"
#include "scene/format/overrides.h"
#include "scene/format/scene_fields.h"
#include "scene/validate/scene_validator.h"
#include "sim/fluid/diffusion.h"

namespace coalesce {

void Whole::shapes() {
    for (size_t i = 0; i < m_scene.shapes.size(); ++i) {
        const Node* node = element("shapes", i);
        const std::string path = pathOf("shapes", node, i);
        const std::vector<ShapeKey>& keys = m_scene.shapes[i].keys;
        try {
            if (!wrong(path)) geometryOf(m_scene, m_scene.shapes[i]);
        } catch (const Error& error) {
            note(node, path, said(error, "shapes." + m_scene.shapes[i].name), "");
        }
        if (wrong(path + ".keys")) continue;
        for (size_t k = 1; k < keys.size(); ++k)
            if (!(keys[k].t > keys[k - 1].t))
                note(node, fmt::format("{}.keys.{}.t", path, k), "the times of keys must grow", "");
    }
}

void Whole::fields() {
    if (m_scene.fields.size() > size_t{kMaxForceFields})
        note(m_root.find("fields"), "fields",
             fmt::format("{} force fields; at most {} are possible", m_scene.fields.size(), kMaxForceFields),
             "");
    for (size_t i = 0; i < m_scene.fields.size(); ++i) {
        const Node* node = element("fields", i);
        const std::string path = pathOf("fields", node, i);
        if (!wrong(path)) actedOn(node, path + ".actsOn", m_scene.fields[i].actsOn);
    }
}

// Names that files may show, liquids that are there, and steps that end.
void Whole::attributes() {
    const Node* table = m_root.find("channels");
    Names names, columns = {"x", "y", "z", "vx", "vy", "vz", "id", "velocity", "material", "group", "phi"};
    for (const AttributeInfo& attribute : m_scene.attributes) {
        const Node* node = table ? table->find(attribute.name) : nullptr;
        const std::string path = "channels." + printable(attribute.name);
        names.push_back(attribute.name);
        const bool plain = !attribute.name.empty() && attribute.name.size() <= 60 &&
                           !std::isdigit(uint8_t(attribute.name[0])) &&
                           std::all_of(attribute.name.begin(), attribute.name.end(),
                                       [](char c) { return std::isalnum(uint8_t(c)) || c == '_'; });
        if (!plain)
            note(node, path, "this cannot be the name of a channel",
                 "Exported files show it: use letters, digits and _, no digit first, at most 60.");
        Names own = {attribute.name};
        if (attribute.type == AttributeType::vector)
            for (const char* axis : {"_x", "_y", "_z"}) own.push_back(attribute.name + axis);
        for (const std::string& column : own)
            if (has(columns, column))
                note(node, path,
                     fmt::format("exported files have a column \"{}\" already", printable(column)),
                     "Give the channel another name.");
        columns.insert(columns.end(), own.begin(), own.end());
        if (wrong(path) || wrong("materials")) continue;
        Names liquids;
        for (const Material& m : m_scene.materials)
            if (m.properties.kind == MaterialKind::fluid) liquids.push_back(m.name);
        for (const std::string& name : attribute.materials)
            if (!has(liquids, name))
                note(node, path + ".materials",
                     fmt::format("no liquid is called \"{}\".{}", printable(name), didYouMean(name, liquids)),
                     liquids.empty() ? "The scene has no liquids; channels diffuse in nothing else."
                                     : "There are: " + listOf(liquids) + ".");
        const auto& solver = m_scene.parameters.solver;
        const double dt = 1.0 / (double{solver.frameRate} * solver.substeps);
        for (const Material& m : m_scene.materials) {
            if (!has(liquids, m.name) || (!attribute.materials.empty() && !has(attribute.materials, m.name)))
                continue;
            const MaterialConstants liquid =
                materialConstants(m.properties, m_scene.parameters.solver.planar);
            const int passes = diffusionPasses(liquid, attribute.diffusivity, dt, solver.planar);
            if (attribute.diffusivity > 0 && passes > kMostDiffusionPasses)
                note(node, path + ".diffusivity",
                     fmt::format("in {} this needs {} passes each substep; at most {} are made",
                                 printable(m.name), passes, kMostDiffusionPasses),
                     fmt::format("At this spacing and time step, {:.2g} m^2/s is possible.",
                                 attribute.diffusivity * kMostDiffusionPasses / passes));
        }
    }
    const auto carriedBy = [&](const char* list, const std::vector<Body>& bodies) {
        for (size_t i = 0; m_root.find(list) && i < bodies.size(); ++i) {
            const Node* node = element(list, i);
            const std::string path = pathOf(list, node, i);
            carried(bodies[i].values, names, node, path + ".values");
            carried(bodies[i].gradient.values, names, node, path + ".gradient.values");
        }
    };
    carriedBy("bodies", m_scene.bodies);
    carriedBy("prefabs", m_scene.prefabs);
    for (size_t i = 0; i < m_scene.emitters.size(); ++i) {
        const Node* node = element("emitters", i);
        carried(m_scene.emitters[i].values, names, node, pathOf("emitters", node, i) + ".values");
    }
    if (!m_scene.colorBy.empty() && !has(names, m_scene.colorBy))
        note(m_root.find("colorBy"), "colorBy",
             fmt::format("no channel is called \"{}\".{}", printable(m_scene.colorBy),
                         didYouMean(m_scene.colorBy, names)),
             names.empty() ? "The scene has no channels." : "There are: " + listOf(names) + ".");
}

// Values that particles are born with must fit the channels.
void Whole::carried(const NamedNumbers& values, const Names& names, const Node* node,
                    const std::string& path) {
    for (const auto& [name, numbers] : values) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            note(node, path,
                 fmt::format("no channel is called \"{}\".{}", printable(name), didYouMean(name, names)),
                 names.empty() ? "Declare it: \"channels\": {\"dye\": {}}."
                               : "There are: " + listOf(names) + ".");
            continue;
        }
        const AttributeInfo& attribute = m_scene.attributes[static_cast<size_t>(found - names.begin())];
        const bool vector = attribute.type == AttributeType::vector;
        if ((numbers.size() == 3) != vector || !fits(attribute.type, attributeValue(numbers)))
            note(node, path + "." + printable(name),
                 fmt::format("the channel is of type {}",
                             attributeTypeNames()[static_cast<size_t>(attribute.type)]),
                 vector                                   ? "Give three numbers [x, y, z]."
                 : attribute.type == AttributeType::whole ? "Give a whole number of 32 bits."
                                                          : "Give one number.");
    }
}

void Whole::emitters() {
    if (const auto plane = objectionToPlane(m_scene.parameters, m_scene.emitters))
        note(m_root.find("emitters"), "emitters", plane->what, plane->advice);
    Names prefabs, rides;
    for (const Body& body : m_scene.prefabs) prefabs.push_back(body.name);
    for (const Shape& shape : m_scene.shapes) rides.push_back(shape.name);
    bool late = false;
    for (const Body& body : m_scene.bodies) {
        late |= body.at > 0;
        const bool solid = body.material < m_scene.materials.size() &&
                           isShapeMatched(m_scene.materials[body.material].properties);
        for (uint32_t copy = 0; solid && copy < copiesOf(body); ++copy) rides.push_back(nameOf(body, copy));
    }
    for (size_t i = 0; i < m_scene.emitters.size(); ++i) {
        const Emitter& e = m_scene.emitters[i];
        const Node* node = element("emitters", i);
        const std::string path = pathOf("emitters", node, i);
        if (wrong(path)) continue;
        if (!e.on.empty() && !has(rides, e.on))
            unknown(node, path + ".on", "shape or solid body", e.on, rides);
        for (const std::string& name : e.bodies)
            if (!has(prefabs, name)) unknown(node, path + ".bodies", "prefab", name, prefabs);
        // what is said of its material already is not judged again
        const bool judged = e.material >= m_scene.materials.size() ||
                            wrong("materials." + printable(m_scene.materials[e.material].name));
        for (const ValidationIssue& o : objectionsTo(e, judged ? std::vector<Material>() : m_scene.materials))
            note(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        if (!e.bodies.empty()) {
            if (late)
                note(node, path + ".bodies", "a scene with late births cannot emit bodies",
                     "Let an emitter bring in the late body, with maximum 1.");
            continue;
        }
        if (judged) continue;
        const Material& material = m_scene.materials[e.material];
        const MaterialKind kind = material.properties.kind;
        if (kind != MaterialKind::fluid && kind != MaterialKind::grains)
            note(node, path + ".material",
                 fmt::format("\"{}\" is neither a fluid nor grains", printable(material.name)),
                 "Bodies are emitted as prefabs: \"bodies\": [\"rock\"].");
        if (e.nozzle != Emitter::Nozzle::volume) continue;
        try {
            if (placesOf(m_scene, e).empty())
                note(node, path + ".volume", "it is too small for a single particle", "Make it larger.");
        } catch (const Error& error) {
            note(node, path + ".volume", said(error, "bodies." + e.name), "");
        }
    }
}

void Whole::sinks() {
    if (m_scene.sinks.size() > kMaxSinks)
        note(m_root.find("sinks"), "sinks",
             fmt::format("{} sinks; at most {} are possible", m_scene.sinks.size(), kMaxSinks), "");
    for (size_t i = 0; i < m_scene.sinks.size(); ++i) {
        const Sink& sink = m_scene.sinks[i];
        const Node* node = element("sinks", i);
        const std::string path = pathOf("sinks", node, i);
        if (wrong(path)) continue;
        for (const ValidationIssue& o : objectionsTo(sink))
            note(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        actedOn(node, path + ".actsOn", sink.actsOn);
        try {
            if (sink.formed) geometryOf(m_scene, sink.form);
        } catch (const Error& error) {
            note(node, path, said(error, "shapes." + sink.form.name), "");
        }
    }
}

}  // namespace coalesce
