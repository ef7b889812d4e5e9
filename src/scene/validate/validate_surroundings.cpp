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
#include "sim/stage/shape_surface.h"
#include "sim/world/time_step.h"

namespace coalesce {

void SceneValidator::validateShapes() {
    const float apart = sampleDistance(m_scene.parameters, m_scene.materials);
    for (size_t i = 0; i < m_scene.shapes.size(); ++i) {
        const Node* node = element("shapes", i);
        const std::string path = pathOf("shapes", node, i);
        const std::vector<ShapeKey>& keys = m_scene.shapes[i].keys;
        try {
            Shape shape = m_scene.shapes[i];
            if (!hasError(path)) buildForm(m_scene, shape);
            if (!hasError(path) && apart > 0 && isSampled(shape)) requireSampleRoom(shape, apart);
        } catch (const Error& error) {
            report(node, path, withoutLocation(error, "shapes." + m_scene.shapes[i].name), "");
        }
        if (hasError(path + ".keys")) continue;
        for (size_t k = 1; k < keys.size(); ++k)
            if (!(keys[k].t > keys[k - 1].t))
                report(node, fmt::format("{}.keys.{}.t", path, k), "the times of keys must increase", "");
    }
}

void SceneValidator::validateFields() {
    if (m_scene.forceFields.size() > size_t{kMaxForceFields})
        report(m_root.find("fields"), "fields",
               fmt::format("{} force fields; at most {} are possible", m_scene.forceFields.size(),
                           kMaxForceFields),
               "");
    for (size_t i = 0; i < m_scene.forceFields.size(); ++i) {
        const Node* node = element("fields", i);
        const std::string path = pathOf("fields", node, i);
        if (!hasError(path)) validateActsOn(node, path + ".actsOn", m_scene.forceFields[i].actsOn);
    }
}

// Names usable in exported files, existing liquids, a possible diffusivity.
void SceneValidator::validateAttributes() {
    const Node* table = m_root.find("attributes");
    const auto named = [this](const char* name) {
        return std::ranges::find(m_scene.attributes, name, &AttributeInfo::name);
    };
    for (const Material& m : m_scene.materials)
        for (const char* name : {kGasVorticity, kSmokeless})
            if (m.properties.kind == MaterialKind::gas && named(name) != m_scene.attributes.end())
                report(table, std::string("attributes.") + name,
                       "scenes with a gas already have an attribute of this name", "Rename the attribute.");
    Names names, columns = {"x",        "y",     "z",   "vx",     "vy",     "vz", "id", "velocity",
                            "material", "group", "phi", "radius", "pscale", "v",  "P"};
    for (const AttributeInfo& attribute : m_scene.attributes) {
        const Node* node = table ? table->find(attribute.name) : nullptr;
        const std::string path = "attributes." + printable(attribute.name);
        names.push_back(attribute.name);
        const bool plain = !attribute.name.empty() && attribute.name.size() <= 60 &&
                           !std::isdigit(uint8_t(attribute.name[0])) &&
                           std::all_of(attribute.name.begin(), attribute.name.end(),
                                       [](char c) { return std::isalnum(uint8_t(c)) || c == '_'; });
        if (!plain)
            report(node, path, "this is not a valid name of an attribute",
                   "Exported files use it: letters, digits and _, no digit first, at most 60 characters.");
        Names own = {attribute.name};
        if (attribute.type == AttributeType::vector)
            for (const char* axis : {"_x", "_y", "_z"}) own.push_back(attribute.name + axis);
        for (const std::string& column : own)
            if (has(columns, column))
                report(node, path,
                       fmt::format("exported files already have a column \"{}\"", printable(column)),
                       "Rename the attribute.");
        columns.insert(columns.end(), own.begin(), own.end());
        if (hasError(path) || hasError("materials")) continue;
        Names liquids;
        for (const Material& m : m_scene.materials)
            if (isFluid(m.properties)) liquids.push_back(m.name);
        for (const std::string& name : attribute.materials)
            if (!has(liquids, name))
                report(
                    node, path + ".materials",
                    fmt::format("no liquid is called \"{}\".{}", printable(name), didYouMean(name, liquids)),
                    liquids.empty() ? "The scene has no liquids; attributes diffuse only in liquids."
                                    : "There are: " + listOf(liquids) + ".");
        const auto& solver = m_scene.parameters.solver;
        const double dt = longestSubstep(solver);
        for (const Material& m : m_scene.materials) {
            if (!has(liquids, m.name) || (!attribute.materials.empty() && !has(attribute.materials, m.name)))
                continue;
            const MaterialConstants liquid =
                materialConstants(m.properties, m_scene.parameters.solver.planar);
            const int passes = diffusionPasses(liquid, attribute.diffusivity, dt, solver.planar);
            if (attribute.diffusivity > 0 && passes > kMostDiffusionPasses)
                report(node, path + ".diffusivity",
                       fmt::format("needs {1} passes per substep in {0}; at most {2} are possible",
                                   printable(m.name), passes, kMostDiffusionPasses),
                       fmt::format("At this spacing and time step, at most {:.2g} m^2/s is possible.",
                                   attribute.diffusivity * kMostDiffusionPasses / passes));
        }
    }
    const auto carriedBy = [&](const char* list, const std::vector<Body>& bodies) {
        for (size_t i = 0; m_root.find(list) && i < bodies.size(); ++i) {
            const Node* node = element(list, i);
            const std::string path = pathOf(list, node, i);
            validateValues(bodies[i].values, names, node, path + ".values");
            validateValues(bodies[i].gradient.values, names, node, path + ".gradient.values");
        }
    };
    carriedBy("bodies", m_scene.bodies);
    carriedBy("prefabs", m_scene.prefabs);
    for (size_t i = 0; i < m_scene.emitters.size(); ++i) {
        const Node* node = element("emitters", i);
        validateValues(m_scene.emitters[i].values, names, node, pathOf("emitters", node, i) + ".values");
    }
    if (!m_scene.colorBy.empty() && !has(names, m_scene.colorBy))
        report(m_root.find("colorBy"), "colorBy",
               fmt::format("no attribute is called \"{}\".{}", printable(m_scene.colorBy),
                           didYouMean(m_scene.colorBy, names)),
               names.empty() ? "The scene has no attributes." : "There are: " + listOf(names) + ".");
}

// Initial values must match the type of their attribute.
void SceneValidator::validateValues(const NamedNumbers& values, const Names& names, const Node* node,
                                    const std::string& path) {
    for (const auto& [name, numbers] : values) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            report(node, path,
                   fmt::format("no attribute is called \"{}\".{}", printable(name), didYouMean(name, names)),
                   names.empty() ? "Declare it: \"attributes\": {\"dye\": {}}."
                                 : "There are: " + listOf(names) + ".");
            continue;
        }
        const AttributeInfo& attribute = m_scene.attributes[size_t(found - names.begin())];
        const bool vector = attribute.type == AttributeType::vector;
        if ((numbers.size() == 3) != vector || !fits(attribute.type, attributeValue(numbers)))
            report(node, path + "." + printable(name),
                   fmt::format("the attribute has type {}", attributeTypeNames()[size_t(attribute.type)]),
                   vector                                   ? "Give three numbers [x, y, z]."
                   : attribute.type == AttributeType::whole ? "Give a whole number of 32 bits."
                                                            : "Give one number.");
    }
}

void SceneValidator::validateMethod() {
    if (const auto issue = methodIssue(m_scene.parameters, m_scene.materials))
        report(m_root.find("solver"), "solver.method", issue->what, issue->advice);
    if (const auto issue = boundaryIssue(m_scene.parameters))
        report(m_root.find("fluid"), "fluid.boundary", issue->what, issue->advice);
}

void SceneValidator::validateEmitters() {
    if (const auto plane = planarIssue(m_scene.parameters, m_scene.emitters))
        report(m_root.find("emitters"), "emitters", plane->what, plane->advice);
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
        if (hasError(path)) continue;
        if (!e.on.empty() && !has(rides, e.on))
            reportUnknown(node, path + ".on", "shape or solid body", e.on, rides);
        for (const std::string& name : e.bodies)
            if (!has(prefabs, name)) reportUnknown(node, path + ".bodies", "prefab", name, prefabs);
        // does not report errors of its material again
        const bool reported = e.material >= m_scene.materials.size() ||
                              hasError("materials." + printable(m_scene.materials[e.material].name));
        for (const ValidationIssue& o : issuesOf(e, reported ? std::vector<Material>() : m_scene.materials))
            report(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        if (!e.bodies.empty()) {
            if (late)
                report(node, path + ".bodies",
                       "a scene with bodies that are added later (`at`) cannot emit bodies",
                       "Add the later body by an emitter with maximum 1.");
            continue;
        }
        if (reported) continue;
        const Material& material = m_scene.materials[e.material];
        if (!isFlowing(material.properties))
            report(node, path + ".material",
                   fmt::format("\"{}\" is neither fluid, gas nor grains", printable(material.name)),
                   "Emit bodies as prefabs: \"bodies\": [\"rock\"].");
        if (e.nozzle != Emitter::Nozzle::volume) continue;
        try {
            if (positionsOf(m_scene, e).empty())
                report(node, path + ".volume", "the volume is too small for a single particle",
                       "Make it larger.");
        } catch (const Error& error) {
            report(node, path + ".volume", withoutLocation(error, "bodies." + e.name), "");
        }
    }
}

void SceneValidator::validateSinks() {
    if (m_scene.sinks.size() > kMaxSinks)
        report(m_root.find("sinks"), "sinks",
               fmt::format("{} sinks; at most {} are possible", m_scene.sinks.size(), kMaxSinks), "");
    for (size_t i = 0; i < m_scene.sinks.size(); ++i) {
        const Sink& sink = m_scene.sinks[i];
        const Node* node = element("sinks", i);
        const std::string path = pathOf("sinks", node, i);
        if (hasError(path)) continue;
        for (const ValidationIssue& o : issuesOf(sink))
            report(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        validateActsOn(node, path + ".actsOn", sink.actsOn);
        try {
            if (sink.formed) geometryOf(m_scene, sink.form);
        } catch (const Error& error) {
            report(node, path, withoutLocation(error, "shapes." + sink.form.name), "");
        }
    }
}

void SceneValidator::validateMarkers() {
    int64_t markers = 0;
    for (const MarkerRegion& region : m_scene.markers) markers += region.count;
    if (const int capacity = m_scene.parameters.passive.capacity; markers > capacity)
        report(m_root.find("markers"), "markers",
               fmt::format("{} markers, and passive.capacity is {}", markers, capacity),
               "Reduce count, or raise passive.capacity.");
}

}  // namespace coalesce
