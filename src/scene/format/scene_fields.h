// Every key of a scene file, declared once, for all visitors (key_spec.h): reader, writer, schema, renamed
// keys, edits. Here are those of the file itself, of force fields, commands, cameras and posters.
#pragma once

#include <string>
#include <vector>

#include "scene/format/body_fields.h"
#include "scene/format/emitter_fields.h"
#include "scene/format/expect_fields.h"
#include "scene/format/shape_fields.h"

namespace coalesce {

template <class F>
void visitForceField(F& f, ForceField& field) {
    f.value(field.name, {"name", "Name of the field."});
    forEachParameter(field.properties,
                     [&](auto& value, const ParameterInfo& info) { visitParameter(f, value, info); });
    f.value(field.actsOn, {"actsOn", "Materials and bodies that it acts on; everything when omitted."},
            !field.actsOn.empty());
    if constexpr (F::kReading)
        if (length(field.properties.direction) == 0)
            f.report("direction", "must not have length 0", "For example [0, 1, 0].");
}

template <class F>
void visitCommand(F& f, TimedCommand& command) {
    f.value(command.at, {"at", "Time.", "s", 0, 1e6, true});
    f.value(command.until,
            {"until", "Time at which `to` is reached; at once when omitted. End of a swing.", "s", 0, 1e6},
            command.until > command.at);
    f.value(command.set,
            {.name = "set",
             .about = "Path of a parameter, of a property of a material, force field, emitter or sink, or of "
                      "the position or motion of a shape or sink.",
             .isPath = true},
            !command.set.empty());
    f.numbers(command.from, {"from", "Value at the start; with until."});
    f.numbers(command.to, {"to", "Value at the end; center of a swing."});
    f.numbers(command.swing,
              {"swing", "Instead of from: amplitude of a sine about `to`, which starts at 0; with period."});
    f.value(command.period, {"period", "Period of the swing.", "s", 1e-3, 1e6}, !command.swing.empty());
    f.value(command.release, {"release", "Name of a pinned body that is released."},
            !command.release.empty());
    const bool usesMouse = !command.grab.empty() || command.drag || command.letGo;
    f.value(command.constraint,
            {"hand", "Index of the mouse constraint that grabs, drags or releases.", "-", 0,
             kMaxMouseConstraints - 1},
            usesMouse);
    f.value(command.grab, {"grab", "Name of the body that is grabbed, at one of its particles."},
            !command.grab.empty());
    f.value(command.index,
            {"index", "Of grab: index of the particle in the body, from 0.", "-", 0, kMaxParticles},
            command.index >= 0);
    Vec3 point = command.point.value_or(Vec3{}), drag = command.drag.value_or(Vec3{});
    if (f.value(point, {"point", "Of grab: instead of index, the particle nearest to this point.", "m"},
                command.point.has_value()))
        command.point = point;
    if (f.value(drag,
                {"drag", "Moves the mouse constraint here in a straight line, to arrive at `until`.", "m"},
                command.drag.has_value()))
        command.drag = drag;
    f.value(command.letGo, {"letGo", "Releases the grabbed body."}, command.letGo);
    f.points(command.cut, {"cut", "Cuts springs that cross the triangle of these three corners.", "m"},
             !command.cut.empty());
}

template <class F>
void visitView(F& f, CameraView& view) {
    f.value(view.eye, {"eye", "Position of the camera.", "m", -kFar, kFar, true});
    f.value(view.look, {"look", "Point that it looks at.", "m", -kFar, kFar, true});
    f.value(view.fov, {"fov", "Vertical field of view.", "deg", 1, 170});
}

template <class F>
void visitCamera(F& f, CameraView& view) {
    f.value(view.name, {"name", "Name of the view."});
    visitView(f, view);
}

template <class F>
void visitPoster(F& f, Poster& poster) {
    double time = poster.time.value_or(0);
    if (f.value(time, {"time", "Time of the image; two thirds of the duration when omitted.", "s", 0, 1e6},
                poster.time.has_value()))
        poster.time = time;
    f.value(poster.size, {"size", "Size of the scene; ci when omitted."}, !poster.size.empty());
    f.value(poster.caseName, {"case", "Case of the scene; none when omitted."}, !poster.caseName.empty());
    f.value(poster.camera, {"camera", "Name of a camera; the first when omitted."}, !poster.camera.empty());
    CameraView view = poster.view.value_or(CameraView{});
    if (f.object({"view", "A view instead of a camera."}, poster.view.has_value(),
                 [&](F& g) { visitView(g, view); }))
        poster.view = view;
    f.value(poster.color, {"color", "Coloring of particles, as for --color."}, !poster.color.empty());
}

// The groups of parameters.def, in order.
inline const std::vector<const char*>& parameterGroups() {
    static const std::vector<const char*> groups = [] {
        std::vector<const char*> names;
        const Parameters defaults;
        forEachParameter(defaults, [&](const auto&, const ParameterInfo& info) {
            if (names.empty() || std::string_view(names.back()) != info.group) names.push_back(info.group);
        });
        return names;
    }();
    return groups;
}

template <class F>
void visitScene(F& f, Scene& scene) {
    f.value(scene.about, {"about", "The idea of the scene in one sentence."}, !scene.about.empty());
    f.value(scene.tier, {"tier", "paper, parity or beyond."}, !scene.tier.empty());
    f.value(scene.tags, {"tags", "Tags, for `coalesce list`."}, !scene.tags.empty());
    f.value(scene.source, {"source", "Source of the idea."}, !scene.source.empty());
    f.value(scene.duration, {"duration", "Length of a full run.", "s", 0, 1e6});
    f.value(scene.seed, {"seed", "Random seed.", "-", 0, 9e15});
    for (const char* group : parameterGroups())
        f.object({group, "Parameters; `coalesce params` explains each."}, true, [&](F& g) {
            forEachParameter(scene.parameters, [&](auto& value, const ParameterInfo& info) {
                if (std::string_view(info.group) == group) visitParameter(g, value, info);
            });
        });
    f.table({"materials", "Materials by name; `coalesce params` explains each property."}, scene.materials,
            [](F& g, Material& material) {
                forEachParameter(material.properties, [&](auto& value, const ParameterInfo& info) {
                    visitParameter(g, value, info);
                });
            });
    // bodies bring values for them
    f.table({.name = "attributes",
             .about = "Values that every particle carries, by name.",
             .formerNames = {"channels"}},
            scene.attributes, [](F& g, AttributeInfo& attribute) { visitAttribute(g, attribute); });
    f.value(scene.colorBy,
            {"colorBy",
             "Name of the attribute that colors particles with --color channel; the first when omitted."},
            !scene.colorBy.empty());
    f.list({"bodies", "Bodies of particles."}, scene.bodies,
           [&](F& g, Body& body) { visitBody(g, body, scene); });
    f.list({"shapes", "Collision shapes."}, scene.shapes, [](F& g, Shape& shape) { visitShape(g, shape); });
    f.list({"springs", "Springs between particles of solid bodies, cloth and ropes."}, scene.springs,
           [](F& g, Joint& joint) { visitJoint(g, joint); });
    f.list({"fields", "Force fields and wind."}, scene.forceFields,
           [](F& g, ForceField& field) { visitForceField(g, field); });
    f.list({"prefabs", "Bodies that are copied by emitters; not in the world at the start."}, scene.prefabs,
           [&](F& g, Body& body) { visitBody(g, body, scene); });
    f.list({"emitters", "Add particles and bodies to the world."}, scene.emitters,
           [&](F& g, Emitter& emitter) { visitEmitter(g, emitter, scene); });
    f.list({"sinks", "Remove particles and bodies from the world."}, scene.sinks,
           [](F& g, Sink& sink) { visitSink(g, sink); });
    f.list({"timeline", "Commands at given times."}, scene.timeline,
           [](F& g, TimedCommand& command) { visitCommand(g, command); });
    if (f.object({"bounds", "No particle may leave this box: the check `inside`."}, scene.bounded, [&](F& g) {
            g.value(scene.boundsMin, {"min", "Lower corner.", "m", -kFar, kFar, true});
            g.value(scene.boundsMax, {"max", "Upper corner.", "m", -kFar, kFar, true});
        }))
        scene.bounded = true;
    CameraView single;
    if (f.object({"camera", "The view of the scene."}, false, [&](F& g) { visitCamera(g, single); })) {
        if (single.name.empty()) single.name = "main";
        scene.cameras.push_back(single);
    }
    f.list({"cameras", "Several views; the first is shown."}, scene.cameras,
           [](F& g, CameraView& view) { visitCamera(g, view); });
    f.object(
        {"poster", "Preview image of the scene, in the gallery and in lists."},
        scene.poster.time || scene.poster.view ||
            !(scene.poster.size + scene.poster.caseName + scene.poster.camera + scene.poster.color).empty(),
        [&](F& g) { visitPoster(g, scene.poster); });
    f.overrides({"sizes", "Named sets of overrides: dotted path → value. Usually ci, demo and paper."},
                scene.sizes, scene.size, nullptr);
    f.overrides({"cases", "Named sets of overrides; `control` names checks that the case must fail."},
                scene.cases, scene.caseName, &scene.control);
    f.table({"expect", "Checks: name of a check → its limits. See docs/scenes.md."}, scene.expect,
            [](F& g, Check& check) { visitCheck(g, check); });
}

}  // namespace coalesce
