// Every key of a scene file, declared once and visited three times: by the reader, the writer and the schema.
//
// A visitor F offers
//   - bool value(T&, Field, bool write = true): bool, int, float, double, uint64_t, text, list of texts, a
//     Vec3, optional;
//   - bool choice(Enum&, Field): a choice of choices.def;
//   - bool rotation(Quat&, Field, bool write = true): three angles [deg], XYZ, or a quaternion x y z w;
//   - bool degrees(Vec3&, Field): in the file degrees, in the scene radians;
//   - bool points(std::vector<Vec3>&, Field, bool write);
//   - bool object(Field, bool write, body(F&)): a nested object;
//   - bool list(Field, std::vector<T>&, body(F&, T&));
//   - bool table(Field, std::vector<T>&, body(F&, T&)): an object, name → record;
//   - void reference(uint32_t&, std::vector<T>&, Field): the name of an element;
//   - void mistake(key, what, hint): the reader collects it; the others have none to make.
// They answer whether the key was in the file and right, which only the reader knows. The reader also has
// has(key), whether the key is there at all, and oneForm(), for things that take one of several forms.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "scene/expect.h"
#include "scene/scene.h"

namespace coalesce {

constexpr double kFar = 1e7;           // [m] no coordinate beyond this
constexpr double kMaxParticles = 2e9;  // indices are 32 bits, signed

struct Field {
    const char* name;
    const char* about;
    const char* unit = "-";
    double min = -kFar, max = kFar;
    bool required = false;
};

// A tunable of a manifest, by its own line.
template <class F, class T>
void visitParameter(F& f, T& value, const ParameterInfo& info) {
    const Field field{info.name, info.about, info.unit, info.min, info.max};
    if constexpr (std::is_enum_v<T>)
        f.choice(value, field);
    else
        f.value(value, field);
}

template <class F>
void visitBody(F& f, Body& body, const Scene& scene) {
    f.value(body.name, {"name", "Name of the body; checks and overrides call it by this."});
    f.reference(body.material, scene.materials,
                {"material", "Name of its material; may be left out when there is only one."});
    int forms = 0;
    bool cornered = false;
    if (f.object({"block", "A box filled with a lattice."}, body.kind == Body::Kind::Block, [&](F& g) {
            Vec3 low{}, high{};
            g.value(body.size, {"size", "Edge lengths; use with center.", "m", 0, kFar});
            const bool hasLow = g.value(low, {"min", "Lower corner; use with max.", "m"}, false);
            const bool hasHigh = g.value(high, {"max", "Upper corner.", "m"}, false);
            cornered = hasLow && hasHigh;
            // by what is there, for what is there and wrong has its message already
            if constexpr (F::kReading)
                if (g.has("min") != g.has("max") || g.has("size") == g.has("min"))
                    g.mistake("", "a block needs either size, or min and max",
                              "For example {\"size\": [1, 2, 1]}.");
            if (cornered) body.size = high - low, body.center = low + 0.5f * body.size;
        }))
        body.kind = Body::Kind::Block, ++forms;
    if (f.object({"sphere", "A ball filled with a lattice."}, body.kind == Body::Kind::Sphere, [&](F& g) {
            g.value(body.radius, {"radius", "Radius.", "m", 0, kFar, true});
        }))
        body.kind = Body::Kind::Sphere, ++forms;
    if (f.points(body.points, {"points", "The particles themselves, relative to center.", "m"},
                 body.kind == Body::Kind::Points))
        body.kind = Body::Kind::Points, ++forms;
    if (f.value(body.center, {"center", "Center of the body.", "m"}) && cornered)
        f.mistake("center", "a block given by min and max has its center already",
                  "Take the center away, or give size.");
    f.value(body.velocity, {"velocity", "Velocity at the start.", "m/s", -1e6, 1e6});
    f.value(body.jitter,
            {"jitter", "Start positions are moved by up to this share of the spacing, by the scene's seed.",
             "-", 0, 0.5});
    if constexpr (F::kReading)
        f.oneForm(forms, "body", {"block", "sphere", "points"},
                  "For example \"block\": {\"size\": [1, 2, 1]}.");
}

template <class F>
void visitShapeKey(F& f, ShapeKey& key) {
    f.value(key.t, {"t", "Time.", "s", 0, 1e6, true});
    f.value(key.position, {"position", "Center at that time.", "m"});
    f.rotation(key.rotation, {"rotation", "Rotation at that time, XYZ.", "deg"});
}

template <class F>
void visitShape(F& f, Shape& shape) {
    f.value(shape.name, {"name", "Name of the shape."});
    int forms = 0;
    bool turned = false;
    if (f.object({"plane", "A half space; solid behind it."}, shape.kind == ShapeKind::plane, [&](F& g) {
            Vec3 normal{0, 1, 0};
            float offset = 0;
            turned = g.value(normal, {"normal", "Direction away from the solid.", "-"}, false);
            if (turned && length(normal) == 0)
                g.mistake("normal", "a normal of length 0 has no direction", "For example [0, 1, 0].");
            normal = normalizeOr(normal, {0, 1, 0});
            if (turned) shape.rotation = quatFromNormal(normal);
            if (g.value(offset, {"offset", "Distance of the plane from the origin, along the normal.", "m"},
                        false))
                shape.position = offset * normal;
            g.value(shape.position, {"position", "A point on the plane; instead of offset.", "m"}, false);
        }))
        shape.kind = ShapeKind::plane, ++forms;
    if (f.object({"box", "A box."}, shape.kind == ShapeKind::box, [&](F& g) {
            Vec3 size = 2.0f * shape.halfExtents;
            if (g.value(size, {"size", "Edge lengths.", "m", 1e-6, kFar, true}))
                shape.halfExtents = 0.5f * size;
        }))
        shape.kind = ShapeKind::box, ++forms;
    if (f.object({"sphere", "A ball."}, shape.kind == ShapeKind::sphere, [&](F& g) {
            g.value(shape.radius, {"radius", "Radius.", "m", 1e-6, kFar, true});
        }))
        shape.kind = ShapeKind::sphere, ++forms;
    if (f.object({"capsule", "A cylinder along y with half balls at its ends."},
                 shape.kind == ShapeKind::capsule, [&](F& g) {
                     float between = 2 * shape.halfLength;
                     g.value(shape.radius, {"radius", "Radius.", "m", 1e-6, kFar, true});
                     if (g.value(between, {"length", "Distance between the centers of the two ends.", "m", 0,
                                           kFar, true}))
                         shape.halfLength = 0.5f * between;
                 }))
        shape.kind = ShapeKind::capsule, ++forms;
    f.value(shape.position, {"position", "Center; of a plane: a point on it.", "m"});
    if (f.rotation(shape.rotation, {"rotation", "Rotation, XYZ.", "deg"}) && turned)
        f.mistake("rotation", "a plane with a normal has its rotation already", "Take one of the two away.");
    if (f.value(shape.container, {"container", "Keeps particles inside instead of outside."}) &&
        shape.container && shape.kind == ShapeKind::plane)
        f.mistake("container", "a plane cannot be a container", "Turn its normal round instead.");
    f.value(shape.friction, {"friction", "Multiplies the friction of the materials.", "-", 0, 100});
    f.value(shape.velocity, {"velocity", "Constant motion.", "m/s", -1e4, 1e4});
    f.degrees(shape.angularVelocity,
              {"angularVelocity", "Constant turning about the center, world axes.", "deg/s", -1e6, 1e6});
    f.list({"keys", "Motion by keys; takes the place of position, rotation and velocities."}, shape.keys,
           [](F& g, ShapeKey& key) { visitShapeKey(g, key); });
    f.value(shape.visible, {"visible", "Whether it is drawn."});
    f.value(shape.color, {"color", "Color.", "linear RGB", 0, 1});
    if constexpr (F::kReading)
        f.oneForm(forms, "shape", {"plane", "box", "sphere", "capsule"},
                  "For example \"plane\": {\"normal\": [0, 1, 0]}.");
}

template <class F>
void visitCamera(F& f, CameraView& view) {
    f.value(view.name, {"name", "Name of the view."});
    f.value(view.eye, {"eye", "Where the camera is.", "m", -kFar, kFar, true});
    f.value(view.look, {"look", "What it looks at.", "m", -kFar, kFar, true});
    f.value(view.fov, {"fov", "Vertical field of view.", "deg", 1, 170});
}

// The options of one kind of check. The kinds and their options stand in expect.cpp.
template <class F>
void visitCheck(F& f, Check& check) {
    std::string kind = check.kind;
    const bool named =
        f.value(kind, {"check", "What is measured; the key itself when left out."}, check.kind != check.name);
    if constexpr (F::kReading) check.kind = named ? kind : check.name;
    const CheckKind* known = findCheckKind(check.kind);
    if (F::kReading && !known) {
        f.unknownCheck(check.kind);
        return;
    }
    if (!known || !known->between) {
        f.value(check.group, {"group", "Body or material that is meant; all particles when left out."},
                !check.group.empty());
        f.value(check.at, {"at", "Time of the measurement; the end when left out.", "s", 0, 1e6},
                check.at >= 0);
        f.value(check.always, {"always", "Worst over the whole run instead of one time."}, check.always);
        f.value(check.from, {"from", "Start of a time window; worst (or peak) in it counts.", "s", 0, 1e6},
                check.from >= 0);
        f.value(check.to, {"to", "End of the time window.", "s", 0, 1e6}, check.to >= 0);
        f.value(check.min, {"min", "Least value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.value(check.max, {"max", "Largest value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.number(check.numbers, {"expected", "Value expected; with tolerance.", "-", -1e18, 1e18});
        f.number(check.numbers,
                 {"tolerance", "Share of the expected value by which it may be missed.", "-", 0, 1e6});
    }
    if (!known) return;
    for (const CheckOption& option : known->options) {
        const Field field{option.name, option.about, "-", -1e18, 1e18, option.required};
        switch (option.type) {
            case CheckOption::Type::Number:
                f.number(check.numbers, field);
                break;
            case CheckOption::Type::Word:
                f.word(check.words, field, option.choices);
                break;
            case CheckOption::Type::Words:
                f.words(check.lists, field);
                break;
            case CheckOption::Type::Point:
                f.point(check.points, field);
                break;
        }
    }
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
    f.value(scene.about, {"about", "The idea in a sentence."}, !scene.about.empty());
    f.value(scene.tier, {"tier", "paper, parity or beyond."}, !scene.tier.empty());
    f.value(scene.tags, {"tags", "Words that `coalesce list` filters by."}, !scene.tags.empty());
    f.value(scene.source, {"source", "Where the idea comes from."}, !scene.source.empty());
    f.value(scene.duration, {"duration", "Length of a full run.", "s", 0, 1e6});
    f.value(scene.seed, {"seed", "Of everything random.", "-", 0, 9e15});
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
    f.list({"bodies", "What is made of particles."}, scene.bodies,
           [&](F& g, Body& body) { visitBody(g, body, scene); });
    f.list({"shapes", "What particles collide with."}, scene.shapes,
           [](F& g, Shape& shape) { visitShape(g, shape); });
    if (f.object({"bounds", "Nothing may leave this box: the check `inside`."}, scene.bounded, [&](F& g) {
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
    f.overrides({"sizes", "Named sets of overrides: dotted path → value. Usual are ci, demo, paper."},
                scene.sizes, scene.size, nullptr);
    f.overrides({"cases", "Named sets of overrides; `control` names checks that this case must fail."},
                scene.cases, scene.caseName, &scene.control);
    f.table({"expect", "What must hold: name of a check → its limits. See docs/scenes.md."}, scene.expect,
            [](F& g, Check& check) { visitCheck(g, check); });
}

}  // namespace coalesce
