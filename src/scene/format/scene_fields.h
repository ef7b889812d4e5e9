// Every key of a scene file, declared once and visited three times: by the reader, the writer and the schema.
//
// A visitor F offers
//   - bool value(T&, Field, bool write = true): bool, int, float, double, uint64_t, text, list of texts, a
//     Vec3, optional;
//   - bool choice(Enum&, Field): a choice of choices.def;
//   - bool rotation(Quat&, Field, bool write = true): three angles [deg], XYZ, or a quaternion x y z w;
//   - bool degrees(Vec3&, Field): in the file degrees, in the scene radians;
//   - bool points(std::vector<Vec3>&, Field, bool write);
//   - bool numbers(std::vector<double>&, Field): one number, or three of a vector;
//   - bool channels(uint32_t& mask, Field): a list of numbers from 0 to 7;
//   - bool namedNumbers(NamedNumbers&, Field): an object, name → one number, or three of a vector;
//   - bool object(Field, bool write, body(F&)): a nested object;
//   - bool list(Field, std::vector<T>&, body(F&, T&));
//   - bool table(Field, std::vector<T>&, body(F&, T&)): an object, name → record;
//   - void reference(uint32_t&, std::vector<T>&, Field): the name of an element;
//   - void number, word, words, point(map, Field, …): an option that may be left out, by its name;
//   - void mistake(key, what, hint): the reader collects it; the others have none to make.
// They answer whether the key was in the file and right, which only the reader knows. The reader also has
// has(key), whether the key is there at all, and oneForm(), for things that take one of several forms.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scene/format/check_kind.h"
#include "scene/format/overrides.h"
#include "scene/format/scene.h"

namespace coalesce {

constexpr double kFar = 1e7;           // [m] no coordinate beyond this
constexpr double kLargest = 1e30;      // value of a channel
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

// A named value of every particle.
template <class F>
void visitAttribute(F& f, AttributeInfo& attribute) {
    const std::vector<std::string>& types = attributeTypeNames();
    std::string type = types[static_cast<size_t>(attribute.type)];
    if (f.value(type, {"type", "float, vec3 or int; float when left out."}, type != types[0])) {
        const auto found = std::find(types.begin(), types.end(), type);
        if (found == types.end())
            f.report(
                "type",
                fmt::format("\"{}\" is no type of a channel.{}", printable(type), didYouMean(type, types)),
                "Choose one of " + listOf(types) + ".");
        else
            attribute.type = static_cast<AttributeType>(found - types.begin());
    }
    const bool vector = attribute.type == AttributeType::vector;
    std::vector<double> initial(attribute.initial.begin(), attribute.initial.begin() + (vector ? 3 : 1));
    if (attribute.initial == AttributeValue{} && !F::kSchema) initial.clear();
    if (f.numbers(initial, {"default", "Of particles that are born without a value; 0 when left out.", "-",
                            -kLargest, kLargest})) {
        if ((initial.size() == 3) != vector)
            f.report("default",
                     fmt::format("a channel of type {} takes {}", types[static_cast<size_t>(attribute.type)],
                                 vector ? "three numbers" : "one number"),
                     vector ? "For example [0, 0, 0]." : "For example 0.");
        std::copy(initial.begin(), initial.end(), attribute.initial.begin());
        if (!fits(attribute.type, attribute.initial))
            f.report("default", "does not fit the type", "An int is a whole number of 32 bits.");
    }
    f.value(attribute.unit, {"unit", "For legends and exports."}, !attribute.unit.empty());
    f.value(attribute.diffusivity,
            {"diffusivity", "D: how fast it spreads within liquids; 0: it is only carried along.", "m^2/s", 0,
             10},
            attribute.diffusivity > 0);
    f.value(attribute.materials, {"materials", "Liquids in which it diffuses; all of them when left out."},
            !attribute.materials.empty());
    f.value(attribute.low, {"low", "Value of the first color.", "-", -1e30, 1e30});
    f.value(attribute.high, {"high", "Value of the last color.", "-", -1e30, 1e30});
    f.points(attribute.colors,
             {"colors", "Two to eight colors from low to high; those of all quantities when left out.",
              "linear RGB", 0, 1},
             !attribute.colors.empty());
    if constexpr (F::kReading) {
        if (!(attribute.low < attribute.high))
            f.report("high", "must be more than low", fmt::format("low is {:g}.", attribute.low));
        if (attribute.colors.size() == 1 || attribute.colors.size() > kMaxAttributeColors)
            f.report("colors", fmt::format("two to {} colors are possible", kMaxAttributeColors),
                     fmt::format("There are {}.", attribute.colors.size()));
        if (attribute.type == AttributeType::whole && attribute.diffusivity > 0)
            f.report("diffusivity", "whole numbers cannot diffuse", "Make its type float.");
    }
}

template <class F>
void visitCopies(F& f, Copies& copies) {
    f.value(copies.count, {"count", "Along x, y and z.", "-", 1, kMaxGroups - 1, true});
    if constexpr (F::kReading)
        for (const float n : {copies.count.x, copies.count.y, copies.count.z})
            if (n != std::floor(n)) {
                f.report("count", "copies are counted in whole numbers", "For example [10, 10, 10].");
                copies.count = {1, 1, 1};
            }
    f.value(copies.step, {"step", "From one to the next.", "m", 0, kFar}, copies.along.empty());
    const bool led =
        f.points(copies.along,
                 {"along",
                  "Instead of step: a curve through these points, relative to center. The copies stand "
                  "on it evenly, turned about the vertical so that their z axis looks along it.",
                  "m"},
                 !copies.along.empty());
    if constexpr (F::kReading) {
        if (f.has("step") == f.has("along"))
            f.report("", "copies need either step or along", "For example \"step\": [0.8, 0.8, 0.8].");
        if (led && copies.along.size() < 2)
            f.report("along", "a curve needs two points or more",
                     fmt::format("There is {}.", copies.along.size()));
        if (led && (copies.count.y != 1 || copies.count.z != 1))
            f.report("count", "copies along a curve are counted by the first number",
                     "For example [100, 1, 1].");
    }
    f.value(copies.jitter,
            {"jitter", "Each is moved by up to this share of the step, by the scene's seed.", "-", 0, 0.5});
    f.value(copies.turn,
            {"turn", "Each is turned at random by up to this; 180: every orientation alike.", "deg", 0, 180});
}

// A solid by the name of its shape; false when the file has none here.
template <class F>
bool visitSolid(F& f, SolidSpec& solid, bool write) {
    const bool named = f.value(solid.shape, {"shape", "A solid by name; docs/scenes.md lists them."}, write);
    if constexpr (F::kReading)
        if (!f.has("shape")) return false;
    const SolidShapeInfo* known = nullptr;
    std::vector<std::string> names;
    for (const SolidShapeInfo& info : solidShapes()) {
        names.emplace_back(info.name);
        if (info.name == solid.shape) known = &info;
    }
    if (named && !known)
        f.report("shape", "no shape is called that." + didYouMean(solid.shape, names),
                 "There are: " + listOf(names) + ".");
    std::string mesh = solid.mesh.string();
    if (f.value(mesh, {"mesh", "OBJ or PLY that takes the shape's place if the file exists."},
                write && !mesh.empty()))
        solid.mesh = mesh;
    f.value(solid.height, {"height", "Of its bounds.", "m", 1e-6, kFar}, write);
    f.value(solid.size, {"size", "Of its bounds, instead of height; the proportions follow.", "m", 0, kFar},
            write && solid.size.x > 0);
    f.value(solid.seed, {"seed", "Of shapes with chance in them.", "-", 0, 9e15}, write);
    for (const SolidShapeInfo& info : solidShapes())
        for (const SolidNumberInfo& number : info.numbers)
            if (F::kSchema || !known || known == &info)
                f.number(solid.numbers, {number.name, number.about, "-", number.min, number.max});
    return true;
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
                    g.report("", "a block needs either size, or min and max",
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
    if (f.object({"grid", "A sheet of cloth in the x-z plane, a particle at every spacing."},
                 body.kind == Body::Kind::Grid, [&](F& g) {
                     g.value(body.size,
                             {"size", "Lengths along x and z; the middle number is 0.", "m", 0, kFar, true});
                 }))
        body.kind = Body::Kind::Grid, ++forms;
    if (f.object({"rope", "A chain of particles along a curve."}, body.kind == Body::Kind::Rope, [&](F& g) {
            g.points(body.points, {"points", "The curve goes through these, relative to center.", "m"}, true);
            if constexpr (F::kReading)
                if (body.points.size() < 2)
                    g.report("points", "a rope needs two points or more",
                             "For example [[0, 0, 0], [1, 0, 0]].");
        }))
        body.kind = Body::Kind::Rope, ++forms;
    const bool solid = body.kind == Body::Kind::Solid;
    if (visitSolid(f, body.solid, solid)) {
        f.value(body.surface, {"surface", "Particles on the surface only."}, solid);
        body.kind = Body::Kind::Solid, ++forms;
    }
    if (f.value(body.center, {"center", "Center of the body; of copies, of their lattice.", "m"}) && cornered)
        f.report("center", "a block given by min and max has its center already",
                 "Take the center away, or give size.");
    f.rotation(body.rotation, {"rotation", "Rotation at the start, XYZ.", "deg"});
    f.value(body.spacing,
            {"spacing", "Distance of its particles at the start; 0: that of the material.", "m", 0, 10});
    f.value(body.velocity, {"velocity", "Velocity at the start.", "m/s", -1e6, 1e6});
    f.degrees(body.angularVelocity,
              {"angularVelocity",
               "Turning at the start, world axes: of solid bodies about their center of mass, of loose "
               "particles about the body's center.",
               "deg/s", -1e6, 1e6});
    f.value(body.jitter,
            {"jitter", "Start positions are moved by up to this share of the spacing, by the scene's seed.",
             "-", 0, 0.5});
    f.value(
        body.deform,
        {"deform", "Start positions are scaled by this about the center; the form at rest stays as it is.",
         "-", -100, 100});
    f.attributes(body.attributes,
                 {"channels", "Meets only shapes that share a channel; all of 0 to 7 when left out."});
    f.value(body.at, {"at", "Time at which it is born.", "s", 0, 1e6}, body.at > 0);
    f.value(body.pinned, {"pinned", "Stays where it is until the timeline releases it."});
    f.object({"pin", "What starts in this box stays where it is until the timeline releases it."},
             body.pin.has_value(), [&](F& g) {
                 Box box = body.pin.value_or(Box{});
                 g.value(box.low, {"min", "Lower corner.", "m", -kFar, kFar, true});
                 g.value(box.high, {"max", "Upper corner.", "m", -kFar, kFar, true});
                 body.pin = box;
             });
    f.list({"attach", "Particles that stay where they are, or go with a shape, until the body is released."},
           body.attach, [](F& g, Attachment& a) {
               Vec3 point = a.point.value_or(Vec3{});
               const bool one = g.value(point, {"point", "The particle that starts nearest to this.", "m"},
                                        a.point.has_value());
               if (one) a.point = point;
               const bool low = g.value(a.box.low, {"min", "Instead: lower corner of a box.", "m"}, !a.point);
               const bool high = g.value(a.box.high, {"max", "Upper corner.", "m"}, !a.point);
               if constexpr (F::kReading)
                   if (one == low || low != high)
                       g.report("", "it needs either a point, or min and max",
                                "For example {\"point\": [0, 1, 0]}.");
               g.value(a.shape, {"shape", "Name of the shape that they go with; none: they stay."},
                       !a.shape.empty());
           });
    f.value(body.selfCollide,
            {"selfCollide",
             "Solid, cloth, rope: its particles touch each other, but for those that do so at rest, in cloth "
             "and ropes for those within 1.5 spacings at rest."});
    // "channels" of a body is the older key that says which shapes it meets
    f.namedNumbers(body.values,
                   {"values",
                    "What its particles carry in the scene's channels: name → value; the default of "
                    "the channel when left out."});
    f.object(
        {"gradient",
         "Its values change linearly along an axis of the world, from `values` at its lowest particle."},
        !body.gradient.values.empty(), [&](F& g) {
            g.value(body.gradient.axis, {"axis", "x, y or z; y when left out."}, !body.gradient.axis.empty());
            if (F::kReading && !body.gradient.axis.empty() && body.gradient.axis != "x" &&
                body.gradient.axis != "y" && body.gradient.axis != "z") {
                g.report("axis", "no such axis", "Choose one of x, y, z.");
                body.gradient.axis.clear();
            }
            g.namedNumbers(body.gradient.values,
                           {"values", "At its highest particle: name of a channel → value.", "-", -kLargest,
                            kLargest, true});
        });
    f.object(
        {"copies",
         "Copies on a lattice about the center or along a curve, each a body of its own: name.0, name.1, …"},
        !(body.copies.count == Vec3{1, 1, 1}), [&](F& g) { visitCopies(g, body.copies); });
    if constexpr (F::kReading)
        f.oneForm(forms, "body", {"block", "sphere", "points", "shape", "grid", "rope"},
                  "For example \"block\": {\"size\": [1, 2, 1]}.");
}

template <class F>
void visitShapeKey(F& f, ShapeKey& key) {
    f.value(key.t, {"t", "Time.", "s", 0, 1e6, true});
    f.value(key.position, {"position", "Center at that time.", "m"});
    f.rotation(key.rotation, {"rotation", "Rotation at that time, XYZ.", "deg"});
}

// A shape made of a solid: its hull, its distances on a grid, or its triangles.
template <class F>
bool visitForm(F& f, Shape& shape, const Field& field, ShapeKind kind) {
    const bool found = f.object(field, shape.kind == kind, [&](F& g) {
        const bool soup =
            kind == ShapeKind::mesh &&
            g.points(shape.corners,
                     {"triangles", "Instead of a shape: corners, three for each triangle.", "m"},
                     !shape.corners.empty());
        const bool solid = visitSolid(g, shape.solid, shape.corners.empty());
        if (kind == ShapeKind::field)
            g.value(shape.cell,
                    {"cell", "Of the grid; an eightieth of the longest extent when 0.", "m", 0, kFar},
                    shape.cell > 0);
        if constexpr (F::kReading) {
            if (soup == solid)
                g.report("",
                         kind == ShapeKind::mesh ? "it needs either shape or triangles" : "it needs a shape",
                         "For example {\"shape\": \"bunny\", \"height\": 1}.");
            if (shape.corners.size() % 3 != 0)
                g.report("triangles", "every triangle needs three corners",
                         fmt::format("There are {}.", shape.corners.size()));
        }
    });
    if (found) shape.kind = kind;
    return found;
}

// What a shape, or the region of a sink, is and where; gives the number of forms found.
template <class F>
int visitGeometry(F& f, Shape& shape) {
    int forms = 0;
    bool turned = false;
    if (f.object({"plane", "A half space; solid behind it."}, shape.kind == ShapeKind::plane, [&](F& g) {
            Vec3 normal{0, 1, 0};
            float offset = 0;
            turned = g.value(normal, {"normal", "Direction away from the solid.", "-"}, false);
            if (turned && length(normal) == 0)
                g.report("normal", "a normal of length 0 has no direction", "For example [0, 1, 0].");
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
    forms += visitForm(f, shape, {"convex", "The convex hull of a solid."}, ShapeKind::convex);
    forms += visitForm(f, shape, {"field", "A solid as signed distances on a grid."}, ShapeKind::field);
    forms += visitForm(
        f, shape,
        {"mesh", "The triangles of a solid's surface; thin: particles stay on the side they are on."},
        ShapeKind::mesh);
    if (f.value(shape.scale, {"scale", "Of a convex, field or mesh, along its axes.", "-", 1e-4, 1e4},
                !(shape.scale == Vec3{1, 1, 1})) &&
        shape.kind < ShapeKind::convex)
        f.report("scale", "only a convex, a field or a mesh can be scaled", "Give the size itself.");
    f.value(shape.position, {"position", "Center; of a plane: a point on it.", "m"});
    if (f.rotation(shape.rotation, {"rotation", "Rotation, XYZ.", "deg"}) && turned)
        f.report("rotation", "a plane with a normal has its rotation already", "Take one of the two away.");
    return forms;
}

template <class F>
void visitShape(F& f, Shape& shape) {
    f.value(shape.name, {"name", "Name of the shape."});
    const int forms = visitGeometry(f, shape);
    if (f.value(shape.container, {"container", "Keeps particles inside instead of outside."}) &&
        shape.container && shape.kind == ShapeKind::plane)
        f.report("container", "a plane cannot be a container", "Turn its normal round instead.");
    if (shape.container && shape.kind == ShapeKind::mesh)
        f.report("container", "a mesh has no inside, so it cannot be a container",
                 "It holds what starts within it anyway. A field can be a container.");
    f.attributes(
        shape.attributes,
        {"channels", "Meets only particles of bodies that share a channel; all of 0 to 7 when left out."});
    if (f.value(shape.trigger, {"trigger", "Does not push, but counts who comes in."}, shape.trigger) &&
        shape.trigger && shape.kind == ShapeKind::mesh)
        f.report("trigger", "a mesh has no inside to come into",
                 "Take a field or a convex of the same shape.");
    SendTo target = shape.sendTo.value_or(SendTo{});
    if (f.object({"sendTo", "Where a trigger sends who is in it, to rest there."}, shape.sendTo.has_value(),
                 [&](F& g) {
                     g.value(target.position, {"position", "Center of the place.", "m", -kFar, kFar, true});
                     g.value(target.spread,
                             {"spread", "Half size of the box over which they are spread.", "m", 0, kFar});
                 })) {
        shape.sendTo = target;
        if (!shape.trigger)
            f.report("sendTo", "only a trigger can send particles away", "Add \"trigger\": true.");
    }
    f.value(shape.friction, {"friction", "Multiplies the friction of the materials.", "-", 0, 100});
    f.value(shape.velocity, {"velocity", "Constant motion.", "m/s", -1e4, 1e4});
    f.degrees(
        shape.angularVelocity,
        {"angularVelocity", "Constant turning about the shape's position, world axes.", "deg/s", -1e6, 1e6});
    f.list({"keys", "Motion by keys; takes the place of position, rotation and velocities."}, shape.keys,
           [](F& g, ShapeKey& key) { visitShapeKey(g, key); });
    f.value(shape.visible, {"visible", "Whether it is drawn."});
    f.value(shape.color, {"color", "Color.", "linear RGB", 0, 1});
    f.value(shape.opacity,
            {"opacity", "Share of the light that it stops, seen face on; below 1 it is drawn as glass.", "-",
             0, 1},
            shape.opacity < 1);
    if constexpr (F::kReading)
        f.oneForm(forms, "shape", {"plane", "box", "sphere", "capsule", "convex", "field", "mesh"},
                  "For example \"plane\": {\"normal\": [0, 1, 0]}.");
}

template <class F>
void visitForceField(F& f, ForceField& field) {
    f.value(field.name, {"name", "Name of the field."});
    forEachParameter(field.properties,
                     [&](auto& value, const ParameterInfo& info) { visitParameter(f, value, info); });
    f.value(field.actsOn, {"actsOn", "Materials and bodies on which it acts; everything when left out."},
            !field.actsOn.empty());
    if constexpr (F::kReading)
        if (length(field.properties.direction) == 0)
            f.report("direction", "a direction of length 0 leads nowhere", "For example [0, 1, 0].");
}

// Everything of a struct that has a manifest and a direction.
template <class F, class Properties>
void visitProperties(F& f, Properties& properties) {
    forEachParameter(properties,
                     [&](auto& value, const ParameterInfo& info) { visitParameter(f, value, info); });
}

template <class F>
void visitEmitter(F& f, Emitter& emitter, const Scene& scene) {
    f.value(emitter.name, {"name", "Name of the emitter; checks call what it emits by this."});
    int forms = 0;
    if (f.object({"disc", "A round mouth."}, emitter.nozzle == Emitter::Nozzle::disc, [&](F& g) {
            g.value(emitter.radius, {"radius", "Radius.", "m", 0, kFar, true});
        }))
        emitter.nozzle = Emitter::Nozzle::disc, ++forms;
    if (f.object({"rectangle", "A mouth with corners."}, emitter.nozzle == Emitter::Nozzle::rectangle,
                 [&](F& g) {
                     g.value(emitter.size, {"size",
                                            "Lengths along x and z of a plane whose normal is the direction; "
                                            "the middle number is 0.",
                                            "m", 0, kFar, true});
                 }))
        emitter.nozzle = Emitter::Nozzle::rectangle, ++forms;
    if (f.object({"volume", "The inside of a solid."}, emitter.nozzle == Emitter::Nozzle::volume, [&](F& g) {
            if (!visitSolid(g, emitter.solid, true) && F::kReading)
                g.report("", "it needs a shape", "For example {\"shape\": \"cube\", \"height\": 1}.");
        }))
        emitter.nozzle = Emitter::Nozzle::volume, ++forms;
    f.value(emitter.on, {"on", "Name of a shape or solid body that the mouth rides on."},
            !emitter.on.empty());
    f.value(emitter.bodies, {"bodies", "Names of prefabs that leave in turn, instead of particles."},
            !emitter.bodies.empty());
    bool particles = emitter.bodies.empty();
    if constexpr (F::kReading) particles = !f.has("bodies") || f.has("material");
    if (particles || F::kSchema)
        f.reference(emitter.material, scene.materials,
                    {"material", "Name of the particles' material; may be left out when there is only one."});
    f.namedNumbers(emitter.values,
                   {"values",
                    "What its particles carry in the scene's channels: name → value; the default of "
                    "the channel when left out."});
    visitProperties(f, emitter.properties);
    if constexpr (F::kReading) {
        f.oneForm(forms, "emitter", {"disc", "rectangle", "volume"},
                  "For example \"disc\": {\"radius\": 0.1}.");
        if (length(emitter.properties.direction) == 0)
            f.report("direction", "a direction of length 0 leads nowhere", "For example [0, -1, 0].");
        if (!emitter.bodies.empty() && f.has("material"))
            f.report("material", "bodies have their prefabs' materials", "Take one of the two away.");
        if (!emitter.bodies.empty() && !emitter.values.empty())
            f.report("values", "bodies carry what their prefabs say", "Give the values to the prefabs.");
    }
}

template <class F>
void visitSink(F& f, Sink& sink) {
    f.value(sink.name, {"name", "Name of the sink."});
    visitProperties(f, sink.properties);
    f.value(sink.actsOn,
            {"actsOn", "Materials, bodies and emitters of which it takes; everything when left out."},
            !sink.actsOn.empty());
    if (F::kReading || F::kSchema || sink.formed) {
        const int forms = visitGeometry(f, sink.form);
        if constexpr (F::kReading) {
            sink.formed = forms > 0;
            if (forms > 1)
                f.oneForm(forms, "sink", {"plane", "box", "sphere", "capsule", "convex", "field"},
                          "For example \"plane\": {\"normal\": [0, 1, 0]}.");
            if (sink.form.kind == ShapeKind::mesh)
                f.report("mesh", "a mesh has no inside to take from",
                         "Take a field or a convex of the same form.");
        }
    }
    f.value(sink.form.velocity, {"velocity", "Constant motion of its form.", "m/s", -1e4, 1e4},
            !(sink.form.velocity == Vec3{0, 0, 0}));
}

template <class F>
void visitJoint(F& f, Joint& joint) {
    f.value(joint.name, {"name", "Name of the spring."});
    const auto end = [&](const Field& field, Joint::End& e) {
        f.object(field, true, [&](F& g) {
            g.value(e.body,
                    {"body", "Name of a body that is held together, or of one copy.", "-", 0, 0, true});
            g.value(e.at, {"at", "The particle that starts nearest to this.", "m", -kFar, kFar, true});
        });
    };
    end({"from", "One end.", "-", 0, 0, true}, joint.from);
    end({"to", "The other end.", "-", 0, 0, true}, joint.to);
    f.value(joint.material,
            {"material",
             "Cloth or rope whose stretch it has; when left out that of its first end which has "
             "one."},
            !joint.material.empty());
    f.value(joint.length, {"length", "At rest; the distance at the start when left out.", "m", 0, kFar});
}

template <class F>
void visitCommand(F& f, TimedCommand& command) {
    f.value(command.at, {"at", "Time.", "s", 0, 1e6, true});
    f.value(command.until,
            {"until", "Time at which `to` is reached, at once when left out; end of a swing.", "s", 0, 1e6},
            command.until > command.at);
    f.value(command.set,
            {"set",
             "What changes: a parameter, a property of a material, force field, emitter or sink, the place "
             "or motion "
             "of a shape or sink; by its path."},
            !command.set.empty());
    f.numbers(command.from, {"from", "Value at the beginning; with until."});
    f.numbers(command.to, {"to", "Value at the end; middle of a swing."});
    f.numbers(command.swing,
              {"swing", "Instead of from: amplitude of a sine about `to`, 0 at first; with period."});
    f.value(command.period, {"period", "Of the swing.", "s", 1e-3, 1e6}, !command.swing.empty());
    f.value(command.release, {"release", "Name of a pinned body that may move from now on."},
            !command.release.empty());
    const bool handed = !command.grab.empty() || command.drag || command.letGo;
    f.value(command.hand, {"hand", "Which hand grabs, drags or lets go.", "-", 0, kMaxMouseConstraints - 1},
            handed);
    f.value(command.grab, {"grab", "Name of a body of which the hand takes hold, by one of its particles."},
            !command.grab.empty());
    f.value(command.index,
            {"index", "Of grab: which of the body's particles, from 0.", "-", 0, kMaxParticles},
            command.index >= 0);
    Vec3 point = command.point.value_or(Vec3{}), drag = command.drag.value_or(Vec3{});
    if (f.value(point, {"point", "Of grab: instead of index, the particle nearest to here.", "m"},
                command.point.has_value()))
        command.point = point;
    if (f.value(drag, {"drag", "The hand goes there in a straight line, to arrive at `until`.", "m"},
                command.drag.has_value()))
        command.drag = drag;
    f.value(command.letGo, {"letGo", "The hand lets go."}, command.letGo);
    f.points(command.cut, {"cut", "What crosses the triangle of these three corners is cut.", "m"},
             !command.cut.empty());
}

template <class F>
void visitView(F& f, CameraView& view) {
    f.value(view.eye, {"eye", "Where the camera is.", "m", -kFar, kFar, true});
    f.value(view.look, {"look", "What it looks at.", "m", -kFar, kFar, true});
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
    if (f.value(time, {"time", "When; two thirds of the duration when left out.", "s", 0, 1e6},
                poster.time.has_value()))
        poster.time = time;
    f.value(poster.size, {"size", "At which of the sizes; ci when left out."}, !poster.size.empty());
    f.value(poster.caseName, {"case", "Which of the cases; the scene as it stands when left out."},
            !poster.caseName.empty());
    f.value(poster.camera, {"camera", "Through which of the cameras; the first when left out."},
            !poster.camera.empty());
    CameraView view = poster.view.value_or(CameraView{});
    if (f.object({"view", "A view of its own instead of a camera."}, poster.view.has_value(),
                 [&](F& g) { visitView(g, view); }))
        poster.view = view;
    f.value(poster.color, {"color", "What particles are colored by: a word of --color."},
            !poster.color.empty());
}

template <class F>
void visitOptions(F& f, Check& check, const CheckKind& kind) {
    for (const CheckOption& option : kind.options) {
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

// One check of `expect`. The kinds and their options stand in check_kinds.cpp.
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
    if (!known || !known->between()) {
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
    visitOptions(f, check, *known);
    // an order takes the options of what it measures as well
    const auto measure = check.words.find("measure");
    if (check.kind != "order" || measure == check.words.end()) return;
    if (const CheckKind* measured = findCheckKind(measure->second)) visitOptions(f, check, *measured);
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
    // bodies bring values for them
    f.table({"channels", "Values that every particle carries, by name."}, scene.attributes,
            [](F& g, AttributeInfo& attribute) { visitAttribute(g, attribute); });
    f.value(scene.colorBy,
            {"colorBy",
             "Name of the channel that colors particles with --color channel; the first when left out."},
            !scene.colorBy.empty());
    f.list({"bodies", "What is made of particles."}, scene.bodies,
           [&](F& g, Body& body) { visitBody(g, body, scene); });
    f.list({"shapes", "What particles collide with."}, scene.shapes,
           [](F& g, Shape& shape) { visitShape(g, shape); });
    f.list({"springs", "What joins particles of bodies that are held together."}, scene.springs,
           [](F& g, Joint& joint) { visitJoint(g, joint); });
    f.list({"fields", "Force fields and wind."}, scene.fields,
           [](F& g, ForceField& field) { visitForceField(g, field); });
    f.list({"prefabs", "Bodies that emitters make copies of; they are not there at the start."},
           scene.prefabs, [&](F& g, Body& body) { visitBody(g, body, scene); });
    f.list({"emitters", "What brings particles and bodies into the world."}, scene.emitters,
           [&](F& g, Emitter& emitter) { visitEmitter(g, emitter, scene); });
    f.list({"sinks", "What takes them out of it."}, scene.sinks,
           [](F& g, Sink& sink) { visitSink(g, sink); });
    f.list({"timeline", "What happens at given times."}, scene.timeline,
           [](F& g, TimedCommand& command) { visitCommand(g, command); });
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
    f.object(
        {"poster", "The picture that stands for the scene, in the gallery and in lists."},
        scene.poster.time || scene.poster.view ||
            !(scene.poster.size + scene.poster.caseName + scene.poster.camera + scene.poster.color).empty(),
        [&](F& g) { visitPoster(g, scene.poster); });
    f.overrides({"sizes", "Named sets of overrides: dotted path → value. Usual are ci, demo, paper."},
                scene.sizes, scene.size, nullptr);
    f.overrides({"cases", "Named sets of overrides; `control` names checks that this case must fail."},
                scene.cases, scene.caseName, &scene.control);
    f.table({"expect", "What must hold: name of a check → its limits. See docs/scenes.md."}, scene.expect,
            [](F& g, Check& check) { visitCheck(g, check); });
}

}  // namespace coalesce
