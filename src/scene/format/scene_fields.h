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

// Origin and velocity of a tool of the window.
template <class F, class Tool>
void visitJet(F& f, Tool& tool) {
    f.value(tool.from, {"from", "Where it starts.", "m", -kFar, kFar, true});
    f.value(tool.velocity, {"velocity", "Velocity.", "m/s", -1e4, 1e4, true});
}

// An optional object of a command.
template <class F, class T, class Visit>
void visitOptional(F& f, std::optional<T>& part, const KeySpec& spec, Visit&& visit) {
    T value = part.value_or(T{});
    if (f.object(spec, part.has_value(), [&](F& g) { visit(g, value); })) part = value;
}

template <class F>
void visitCommand(F& f, TimedCommand& command, const Scene& scene) {
    f.value(command.at, {"at", "Time.", "s", 0, 1e6, true});
    f.value(
        command.until,
        {"until",
         "Time at which `to` is reached; at once when omitted. End of a swing, a jet, a gust or repetitions.",
         "s", 0, 1e6},
        command.until > command.at);
    if (F::kReading || F::kSchema || command.clock != Clock::simulation)
        f.choice(command.clock, {"clock", "Whether times are simulated seconds or seconds of film."});
    f.value(command.every, {"every", "Repeats throw, cut or brush with this period.", "s", 1e-4, 1e6},
            command.every > 0);
    f.value(command.everyFrames, {"everyFrames", "The same in frames of film.", "-", 1, 1e6},
            command.everyFrames > 0);
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
    f.value(command.word, {"word", "Instead of to: the new value of a choice, for example of solver.method."},
            !command.word.empty());
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
    Vec3 point = command.point.value_or(Vec3{}), target = command.target.value_or(Vec3{}),
         drag = command.drag.value_or(Vec3{});
    if (f.value(point, {"point", "Of grab: instead of index, the particle nearest to this point.", "m"},
                command.point.has_value()))
        command.point = point;
    if (f.value(
            target,
            {"target", "Of grab: where it pulls the particle; where that is when omitted.", "m", -kFar, kFar},
            command.target.has_value()))
        command.target = target;
    if (f.value(drag,
                {"drag", "Moves the mouse constraint here in a straight line, to arrive at `until`.", "m"},
                command.drag.has_value()))
        command.drag = drag;
    f.value(command.letGo, {"letGo", "Releases the grabbed body."}, command.letGo);
    f.points(command.cut, {"cut", "Cuts springs that cross the triangle of these three corners.", "m"},
             !command.cut.empty());
    visitOptional(f, command.ball, {"throw", "Throws a ball (hand.ballRadius)."},
                  [](F& g, Throw& ball) { visitJet(g, ball); });
    visitOptional(f, command.pour, {"pour", "Pours liquid or grains from a disc until `until`."},
                  [&](F& g, Pour& pour) {
                      g.reference(pour.material, scene.materials, {"material", "Name of the material."});
                      visitJet(g, pour);
                  });
    visitOptional(f, command.gust, {"gust", "Blows along a ray until `until`, or for one frame."},
                  [](F& g, Gust& gust) { visitJet(g, gust); });
    visitOptional(f, command.brush, {"brush", "Moves a brush within one frame."}, [](F& g, Brush& brush) {
        g.value(brush.from, {"from", "Start of the stroke.", "m", -kFar, kFar, true});
        g.value(brush.to, {"to", "End of the stroke.", "m", -kFar, kFar, true});
    });
    visitOptional(
        f, command.place,
        {"place",
         "Moves a shape over one frame, as its gizmo does; it stays there, or continues its "
         "own motion."},
        [](F& g, PlaceShape& place) {
            g.value(place.shape, {"shape", "Name of the shape.", "-", 0, 0, true});
            g.value(place.position,
                    {"position", "Position at the end of the frame.", "m", -kFar, kFar, true});
            g.rotation(place.rotation, {"rotation", "Rotation then, as that of the shape: it is set, too."});
        });
    f.value(command.preset, {"preset", "File of a preset whose values are set, relative to this file."},
            !command.preset.empty());
    f.value(command.camera, {"camera", "Name of the camera that the film cuts to; time of film."},
            !command.camera.empty());
    f.value(command.blend, {"blend", "Moves to the camera within this time instead of cutting.", "s", 0, 1e4},
            command.blend > 0);
    f.value(command.marker, {"marker", "A note that the dope sheet shows."}, !command.marker.empty());
}

template <class F>
void visitTrackKey(F& f, TrackKey& key) {
    f.value(key.t, {"t", "Time.", "s", 0, 1e6, true});
    f.numbers(key.value, {"value", "Value: one number, or three of a vector; 0 and 1 of a switch.", "-",
                          -kLargest, kLargest});
    f.value(key.word, {"word", "Instead of value: of a choice."}, !key.word.empty());
    f.choice(key.ease, {"ease",
                        "Interpolation from the previous key: step (a jump at this key), linear, "
                        "smooth (3u^2 - 2u^3), easeIn (u^3), easeOut, or spline (cubic through the keys)."});
}

template <class F>
void visitTrack(F& f, Track& track) {
    f.value(track.set, {.name = "set",
                        .about = "Path of the value, as of `set` in the timeline.",
                        .required = true,
                        .isPath = true});
    f.choice(track.clock, {"clock", "Whether times are simulated seconds or seconds of film."});
    f.list({"keys", "Values at times."}, track.keys, [](F& g, TrackKey& key) { visitTrackKey(g, key); });
    f.value(track.expr, {"expr", "Instead of keys: an expression, or three of a vector."},
            !track.expr.empty());
}

template <class F>
void visitShot(F& f, Shot& shot) {
    f.value(shot.name, {"name", "Name of the shot."});
    f.value(shot.from, {"from", "Start.", "s", 0, 1e6});
    f.value(shot.to, {"to", "End.", "s", 0, 1e6, true});
    f.value(shot.camera, {"camera", "Name of a camera; those of the film with their cuts when omitted."},
            !shot.camera.empty());
    f.value(shot.size, {"size", "Size of the scene, unless --size is given."}, !shot.size.empty());
    f.value(shot.caseName, {"case", "Case of the scene, unless --case is given."}, !shot.caseName.empty());
    f.value(shot.preset, {"preset", "File of a preset, relative to this file."}, !shot.preset.empty());
    f.value(shot.resolution, {"resolution", "Image size, as for --resolution."}, !shot.resolution.empty());
    f.value(shot.fps, {"fps", "Images per second of film; one per frame when omitted.", "1/s", 1e-3, 1e4});
    f.value(shot.quality, {"quality", "Render quality, as for --quality."}, !shot.quality.empty());
    f.value(shot.output, {"output", "Video (.mp4, .mov), or a folder for images."}, !shot.output.empty());
}

template <class F>
void visitView(F& f, CameraView& view) {
    f.value(view.eye, {"eye", "Position of the camera.", "m", -kFar, kFar, true});
    f.value(view.look, {"look", "Point that it looks at.", "m", -kFar, kFar, true});
    f.value(view.fov, {"fov", "Vertical field of view.", "deg", 1, 170});
    f.value(view.orthographicHeight,
            {"orthographicHeight",
             "Height of an orthographic image, which has no perspective; 0 or omitted: perspective.", "m", 0,
             kFar},
            view.orthographicHeight != 0);
}

template <class F>
void visitCameraKey(F& f, CameraKey& key) {
    f.value(key.t, {"t", "Time of the film.", "s", 0, 1e6, true});
    f.value(key.eye, {"eye", "Position of the camera.", "m", -kFar, kFar, true});
    f.value(key.look, {"look", "Point that it looks at.", "m", -kFar, kFar, true});
    f.value(key.fov, {"fov", "Vertical field of view; that of the camera when omitted.", "deg", 1, 170});
    f.value(key.orthographicHeight,
            {"orthographicHeight",
             "Height of an orthographic image; that of the camera, which is orthographic, when omitted.", "m",
             1e-4, kFar});
    f.value(key.roll, {"roll", "Roll; that of the camera when omitted.", "deg", -3600, 3600});
    f.choice(key.ease, {"ease",
                        "Interpolation from the previous key: spline (continuous speed), step, linear, "
                        "smooth, easeIn or easeOut."});
    f.value(key.cut, {"cut", "Jumps here; the path before ends at the key before."}, key.cut);
}

template <class F>
void visitCamera(F& f, CameraView& view) {
    f.value(view.name, {"name", "Name of the view."});
    visitView(f, view);
    f.value(view.roll, {"roll", "Roll about the line of sight.", "deg", -360, 360}, view.roll != 0);
    f.value(
        view.target,
        {"target", "Body, material, emitter or shape whose center it looks at; `look` while it is empty."},
        !view.target.empty());
    f.value(view.follow,
            {"follow", "Body, material, emitter or shape; eye and look are relative to its center."},
            !view.follow.empty());
    f.value(
        view.orbit,
        {"orbit", "Angular velocity of the eye about a vertical axis through `look`.", "deg/s", -3600, 3600},
        view.orbit != 0);
    if (F::kReading || F::kSchema || view.spline != CameraSpline::catmullRom)
        f.choice(view.spline, {"spline",
                               "Path through the keys: catmullRom (centripetal, does not overshoot), hermite "
                               "(velocities continuous in time) or linear."});
    f.value(view.constantSpeed,
            {"constantSpeed", "The eye moves evenly from the first key of a path to its last."},
            view.constantSpeed);
    f.list({"keys", "Views at times of the film; replace eye and look."}, view.keys,
           [](F& g, CameraKey& key) { visitCameraKey(g, key); });
}

template <class F>
void visitPoster(F& f, Poster& poster) {
    double time = poster.time.value_or(0);
    if (f.value(time, {"time", "Time of the image; two thirds of the duration when omitted.", "s", 0, 1e6},
                poster.time.has_value()))
        poster.time = time;
    f.value(poster.size, {"size", "Size of the scene; demo when omitted."}, !poster.size.empty());
    f.value(poster.caseName, {"case", "Case of the scene; none when omitted."}, !poster.caseName.empty());
    f.value(poster.camera, {"camera", "Name of a camera; the first when omitted."}, !poster.camera.empty());
    CameraView view = poster.view.value_or(CameraView{});
    if (f.object({"view", "A view instead of a camera."}, poster.view.has_value(),
                 [&](F& g) { visitView(g, view); }))
        poster.view = view;
    f.value(poster.fill,
            {"fill",
             "Share of width or height that the particles fill: the camera keeps its direction and moves.",
             "-", 0, 1});
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
    f.value(scene.tier, {"tier", "paper, parity, beyond or regression."}, !scene.tier.empty());
    if constexpr (F::kReading) {
        const std::vector<std::string> tiers = {"paper", "parity", "beyond", "regression"};
        if (!scene.tier.empty() && std::ranges::find(tiers, scene.tier) == tiers.end())
            f.report(
                "tier",
                fmt::format("\"{}\" is not a tier.{}", printable(scene.tier), didYouMean(scene.tier, tiers)),
                "Choose one of " + listOf(tiers) + ".");
    }
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
             "Name of the attribute that colors particles with --color attribute; the first when omitted."},
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
    f.list({"markers", "Markers of smoke or dye at the start."}, scene.markers,
           [&](F& g, MarkerRegion& region) { visitMarkers(g, region, scene); });
    f.list({"timeline", "Commands at given times."}, scene.timeline,
           [&](F& g, TimedCommand& command) { visitCommand(g, command, scene); });
    f.list({"tracks", "Values as functions of time."}, scene.tracks,
           [](F& g, Track& track) { visitTrack(g, track); });
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
    f.list({"shots", "Parts of the film that are recorded by themselves: record --shot."}, scene.shots,
           [](F& g, Shot& shot) { visitShot(g, shot); });
    f.object(
        {"poster", "Preview image of the scene, in the gallery and in lists."},
        scene.poster.time || scene.poster.view || scene.poster.fill > 0 ||
            !(scene.poster.size + scene.poster.caseName + scene.poster.camera + scene.poster.color).empty(),
        [&](F& g) { visitPoster(g, scene.poster); });
    f.overrides(
        {"sizes",
         "Named sets of overrides: dotted path → value. Usually ci, demo and paper; demo is the default."},
        scene.sizes, scene.size, nullptr);
    f.overrides({"cases", "Named sets of overrides; `control` names checks that the case must fail."},
                scene.cases, scene.caseName, &scene.control);
    f.table({"expect", "Checks: name of a check → its limits. See docs/scenes.md."}, scene.expect,
            [](F& g, Check& check) { visitCheck(g, check); });
}

}  // namespace coalesce
