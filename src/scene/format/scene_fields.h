// Every key of a scene file, declared once, for all visitors: reader, writer, schema, renamed keys, edits.
//
// A visitor F offers
//   - bool value(T&, KeySpec, bool write = true): bool, int, float, double, uint64_t, text, list of texts, a
//     Vec3, optional;
//   - bool choice(Enum&, KeySpec): a choice of choices.def;
//   - bool rotation(Quat&, KeySpec, bool write = true): three angles [deg], XYZ, or a quaternion x y z w;
//   - bool degrees(Vec3&, KeySpec): in the file degrees, in the scene radians;
//   - bool points(std::vector<Vec3>&, KeySpec, bool write);
//   - bool numbers(std::vector<double>&, KeySpec): one number, or three of a vector;
//   - bool collisionMask(uint32_t& mask, KeySpec): a list of numbers from 0 to 7;
//   - bool namedNumbers(NamedNumbers&, KeySpec): an object, name → one number, or three of a vector;
//   - bool object(KeySpec, bool write, body(F&)): a nested object;
//   - bool list(KeySpec, std::vector<T>&, body(F&, T&));
//   - bool table(KeySpec, std::vector<T>&, body(F&, T&)): an object, name → record;
//   - void reference(uint32_t&, std::vector<T>&, KeySpec): the name of an element;
//   - void number, word, words, point(map, KeySpec, …): an optional value, stored by its name;
//   - void report(key, what, hint): an error, collected by the reader and ignored by the others.
// The functions return whether the key was in the file and valid; false in all visitors but the reader. The
// reader also has has(key), whether the key is in the file, and oneForm(), for objects with one of several
// forms.
//
// To rename a key, change its name here and list the old one in KeySpec::formerNames; of a parameter, add a
// row to former_names.def.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "geometry/shapes/solid_shapes.h"
#include "scene/format/check_kind.h"
#include "scene/format/overrides.h"
#include "scene/format/scene.h"

namespace coalesce {

constexpr double kFar = 1e7;           // [m] limit of coordinates
constexpr double kLargest = 1e30;      // limit of attribute values
constexpr double kMaxParticles = 2e9;  // indices are 32 bits, signed

// One key: its name, meaning, unit and range.
struct KeySpec {
    const char* name;
    const char* about;
    const char* unit = "-";
    double min = -kFar, max = kFar;
    bool required = false;
    // Names of the key in earlier versions. They still work: former_keys.h.
    std::vector<const char*> formerNames = {};
    bool isPath = false;  // the text is the path of a value, in which former names are replaced too
};

// A parameter of a manifest.
template <class F, class T>
void visitParameter(F& f, T& value, const ParameterInfo& info) {
    KeySpec spec{info.name, info.about, info.unit, info.min, info.max};
    for (const RenamedParameter& renamed : renamedParameters())
        if (std::string_view(renamed.group) == info.group && std::string_view(renamed.current) == info.name)
            spec.formerNames.push_back(renamed.former);
    if constexpr (std::is_enum_v<T>)
        f.choice(value, spec);
    else
        f.value(value, spec);
}

// A named value of every particle.
template <class F>
void visitAttribute(F& f, AttributeInfo& attribute) {
    const std::vector<std::string>& types = attributeTypeNames();
    std::string type = types[size_t(attribute.type)];
    if (f.value(type, {"type", "float, vec3 or int; float when omitted."}, type != types[0])) {
        const auto found = std::find(types.begin(), types.end(), type);
        if (found == types.end())
            f.report("type",
                     fmt::format("\"{}\" is not a type of attributes.{}", printable(type),
                                 didYouMean(type, types)),
                     "Choose one of " + listOf(types) + ".");
        else
            attribute.type = static_cast<AttributeType>(found - types.begin());
    }
    const bool vector = attribute.type == AttributeType::vector;
    std::vector<double> initial(attribute.initial.begin(), attribute.initial.begin() + (vector ? 3 : 1));
    if (attribute.initial == AttributeValue{} && !F::kSchema) initial.clear();
    if (f.numbers(initial, {"default", "Of particles without an initial value; 0 when omitted.", "-",
                            -kLargest, kLargest})) {
        if ((initial.size() == 3) != vector)
            f.report("default",
                     fmt::format("an attribute of type {} takes {}", types[size_t(attribute.type)],
                                 vector ? "three numbers" : "one number"),
                     vector ? "For example [0, 0, 0]." : "For example 0.");
        std::copy(initial.begin(), initial.end(), attribute.initial.begin());
        if (!fits(attribute.type, attribute.initial))
            f.report("default", "does not fit the type", "int is a 32-bit integer.");
    }
    f.value(attribute.unit, {"unit", "For legends and exports."}, !attribute.unit.empty());
    f.value(attribute.diffusivity,
            {"diffusivity", "Diffusion coefficient D within liquids; 0: only advected.", "m^2/s", 0, 10},
            attribute.diffusivity > 0);
    f.value(attribute.materials, {"materials", "Liquids in which it diffuses; all when omitted."},
            !attribute.materials.empty());
    f.value(attribute.low, {"low", "Value of the first color.", "-", -1e30, 1e30});
    f.value(attribute.high, {"high", "Value of the last color.", "-", -1e30, 1e30});
    f.points(attribute.colors,
             {"colors", "Two to eight colors from low to high; the default color map when omitted.",
              "linear RGB", 0, 1},
             !attribute.colors.empty());
    if constexpr (F::kReading) {
        if (!(attribute.low < attribute.high))
            f.report("high", "must be greater than low", fmt::format("low is {:g}.", attribute.low));
        if (attribute.colors.size() == 1 || attribute.colors.size() > kMaxAttributeColors)
            f.report("colors", fmt::format("needs two to {} colors", kMaxAttributeColors),
                     fmt::format("There are {}.", attribute.colors.size()));
        if (attribute.type == AttributeType::whole && attribute.diffusivity > 0)
            f.report("diffusivity", "integers cannot diffuse", "Use type float.");
    }
}

template <class F>
void visitCopies(F& f, Copies& copies) {
    f.value(copies.count, {"count", "Along x, y and z.", "-", 1, kMaxGroups - 1, true});
    if constexpr (F::kReading)
        for (const float n : {copies.count.x, copies.count.y, copies.count.z})
            if (n != std::floor(n)) {
                f.report("count", "the numbers of copies must be integers", "For example [10, 10, 10].");
                copies.count = {1, 1, 1};
            }
    f.value(copies.step, {"step", "Distance between neighbors.", "m", 0, kFar}, copies.along.empty());
    const bool isCurve = f.points(
        copies.along,
        {"along",
         "Instead of step: a curve through these points, relative to center. The copies are evenly spaced "
         "on it and rotated about the vertical so that their z axis follows it.",
         "m"},
        !copies.along.empty());
    if constexpr (F::kReading) {
        if (f.has("step") == f.has("along"))
            f.report("", "copies need either step or along", "For example \"step\": [0.8, 0.8, 0.8].");
        if (isCurve && copies.along.size() < 2)
            f.report("along", "a curve needs two points or more",
                     fmt::format("There is {}.", copies.along.size()));
        if (isCurve && (copies.count.y != 1 || copies.count.z != 1))
            f.report("count", "along a curve only the first number may exceed 1", "For example [100, 1, 1].");
    }
    f.value(copies.jitter,
            {"jitter", "Random displacement of each copy, as a share of the step; by the scene's seed.", "-",
             0, 0.5});
    f.value(copies.turn,
            {"turn", "Random rotation of each copy up to this angle; 180: uniform over all orientations.",
             "deg", 0, 180});
}

// A solid by the name of its shape; false without a shape.
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
        f.report("shape", "there is no such shape." + didYouMean(solid.shape, names),
                 "There are: " + listOf(names) + ".");
    std::string mesh = solid.mesh.string();
    if (f.value(mesh, {"mesh", "OBJ or PLY file that replaces the shape if it exists."},
                write && !mesh.empty()))
        solid.mesh = mesh;
    f.value(solid.height, {"height", "Height of the bounds.", "m", 1e-6, kFar}, write);
    f.value(solid.size,
            {"size", "Extent of the bounds, instead of height; stretches the shape.", "m", 0, kFar},
            write && solid.size.x > 0);
    f.value(solid.seed, {"seed", "Random seed, for shapes that use one.", "-", 0, 9e15}, write);
    for (const SolidShapeInfo& info : solidShapes())
        for (const SolidNumberInfo& number : info.numbers)
            if (F::kSchema || !known || known == &info)
                f.number(solid.numbers, {number.name, number.about, "-", number.min, number.max});
    return true;
}

template <class F>
void visitBody(F& f, Body& body, const Scene& scene) {
    f.value(body.name, {"name", "Name of the body, for checks and overrides."});
    f.reference(body.material, scene.materials,
                {"material", "Name of its material; optional if there is only one."});
    int forms = 0;
    bool cornered = false;
    if (f.object({"block", "A box filled with a lattice."}, body.kind == Body::Kind::Block, [&](F& g) {
            Vec3 low{}, high{};
            g.value(body.size, {"size", "Edge lengths; use with center.", "m", 0, kFar});
            const bool hasLow = g.value(low, {"min", "Lower corner; use with max.", "m"}, false);
            const bool hasHigh = g.value(high, {"max", "Upper corner.", "m"}, false);
            cornered = hasLow && hasHigh;
            // by the keys that exist: invalid values are reported already
            if constexpr (F::kReading)
                if (g.has("min") != g.has("max") || g.has("size") == g.has("min"))
                    g.report("", "a block needs either size, or min and max",
                             "For example {\"size\": [1, 2, 1]}.");
            if (cornered) body.size = high - low, body.center = low + 0.5f * body.size;
        }))
        body.kind = Body::Kind::Block, ++forms;
    if (f.object({"sphere", "A sphere filled with a lattice."}, body.kind == Body::Kind::Sphere, [&](F& g) {
            g.value(body.radius, {"radius", "Radius.", "m", 0, kFar, true});
        }))
        body.kind = Body::Kind::Sphere, ++forms;
    if (f.points(body.points, {"points", "The particles themselves, relative to center.", "m"},
                 body.kind == Body::Kind::Points))
        body.kind = Body::Kind::Points, ++forms;
    if (f.object({"grid", "A cloth in the x-z plane, with one particle per spacing."},
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
    if (f.value(body.center, {"center", "Center of the body, or of the lattice of its copies.", "m"}) &&
        cornered)
        f.report("center", "excludes min and max of the block",
                 "Remove center, or give size instead of min and max.");
    f.rotation(body.rotation, {"rotation", "Rotation at the start, XYZ.", "deg"});
    f.value(body.spacing,
            {"spacing", "Initial distance of its particles; 0: that of the material.", "m", 0, 10});
    f.value(body.velocity, {"velocity", "Initial velocity.", "m/s", -1e6, 1e6});
    f.degrees(body.angularVelocity, {"angularVelocity",
                                     "Initial angular velocity, world axes: solid bodies about their center "
                                     "of mass, loose particles about "
                                     "the body's center.",
                                     "deg/s", -1e6, 1e6});
    f.value(
        body.jitter,
        {"jitter", "Random displacement of start positions, as a share of the spacing; by the scene's seed.",
         "-", 0, 0.5});
    f.value(body.deform,
            {"deform", "Scales start positions about the center; does not change the rest shape.", "-", -100,
             100});
    f.collisionMask(body.collisionMask,
                    {.name = "collisionMask",
                     .about = "Collides only with shapes that share a bit; all of 0 to 7 when omitted.",
                     .formerNames = {"channels"}});
    f.value(body.at, {"at", "Time at which it is added.", "s", 0, 1e6}, body.at > 0);
    f.value(body.pinned, {"pinned", "Does not move until the timeline releases it."});
    f.object({"pin", "Pins particles that start in this box until the timeline releases them."},
             body.pin.has_value(), [&](F& g) {
                 Box box = body.pin.value_or(Box{});
                 g.value(box.low, {"min", "Lower corner.", "m", -kFar, kFar, true});
                 g.value(box.high, {"max", "Upper corner.", "m", -kFar, kFar, true});
                 body.pin = box;
             });
    f.list(
        {"attach", "Particles that are pinned, or attached to a shape, until the body is released."},
        body.attach, [](F& g, Attachment& a) {
            Vec3 point = a.point.value_or(Vec3{});
            const bool one = g.value(point, {"point", "The particle that starts nearest to this point.", "m"},
                                     a.point.has_value());
            if (one) a.point = point;
            const bool low = g.value(a.box.low, {"min", "Instead: lower corner of a box.", "m"}, !a.point);
            const bool high = g.value(a.box.high, {"max", "Upper corner.", "m"}, !a.point);
            if constexpr (F::kReading)
                if (one == low || low != high)
                    g.report("", "needs either point, or min and max", "For example {\"point\": [0, 1, 0]}.");
            g.value(a.shape, {"shape", "Name of the shape that they are attached to; pinned when omitted."},
                    !a.shape.empty());
        });
    f.value(body.selfCollide,
            {"selfCollide",
             "Solid, cloth, rope: its particles collide with each other, except those in contact at rest; in "
             "cloth and ropes except those within 1.5 spacings at rest."});
    f.namedNumbers(
        body.values,
        {"values", "Initial values of attributes: name → value; the default of the attribute when omitted."});
    f.object(
        {"gradient", "Its values change linearly along a world axis, from `values` at the lowest particle."},
        !body.gradient.values.empty(), [&](F& g) {
            g.value(body.gradient.axis, {"axis", "x, y or z; y when omitted."}, !body.gradient.axis.empty());
            if (F::kReading && !body.gradient.axis.empty() && body.gradient.axis != "x" &&
                body.gradient.axis != "y" && body.gradient.axis != "z") {
                g.report("axis", "no such axis", "Choose one of x, y, z.");
                body.gradient.axis.clear();
            }
            g.namedNumbers(body.gradient.values,
                           {"values", "At the highest particle: name of an attribute → value.", "-",
                            -kLargest, kLargest, true});
        });
    f.object(
        {"copies",
         "Copies on a lattice about the center or along a curve, each a separate body: name.0, name.1, …"},
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

// A shape made of a solid: its convex hull, its signed distances on a grid, or its triangles.
template <class F>
bool visitForm(F& f, Shape& shape, const KeySpec& spec, ShapeKind kind) {
    const bool found = f.object(spec, shape.kind == kind, [&](F& g) {
        const bool soup =
            kind == ShapeKind::mesh &&
            g.points(shape.corners,
                     {"triangles", "Instead of a shape: corners, three for each triangle.", "m"},
                     !shape.corners.empty());
        const bool solid = visitSolid(g, shape.solid, shape.corners.empty());
        if (kind == ShapeKind::sdf)
            g.value(shape.cell,
                    {"cell", "Cell size of the grid; 1/80 of the longest extent when 0.", "m", 0, kFar},
                    shape.cell > 0);
        if constexpr (F::kReading) {
            if (soup == solid)
                g.report("", kind == ShapeKind::mesh ? "needs either shape or triangles" : "needs a shape",
                         "For example {\"shape\": \"bunny\", \"height\": 1}.");
            if (shape.corners.size() % 3 != 0)
                g.report("triangles", "every triangle needs three corners",
                         fmt::format("There are {}.", shape.corners.size()));
        }
    });
    if (found) shape.kind = kind;
    return found;
}

// Form and pose of a shape, or of the region of a sink. Returns the number of forms found.
template <class F>
int visitGeometry(F& f, Shape& shape) {
    int forms = 0;
    bool hasNormal = false;
    if (f.object({"plane", "A solid half space."}, shape.kind == ShapeKind::plane, [&](F& g) {
            Vec3 normal{0, 1, 0};
            float offset = 0;
            hasNormal = g.value(normal, {"normal", "Direction away from the solid.", "-"}, false);
            if (hasNormal && length(normal) == 0)
                g.report("normal", "must not have length 0", "For example [0, 1, 0].");
            normal = normalizeOr(normal, {0, 1, 0});
            if (hasNormal) shape.rotation = quatFromNormal(normal);
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
    if (f.object({"sphere", "A sphere."}, shape.kind == ShapeKind::sphere, [&](F& g) {
            g.value(shape.radius, {"radius", "Radius.", "m", 1e-6, kFar, true});
        }))
        shape.kind = ShapeKind::sphere, ++forms;
    if (f.object({"capsule", "A cylinder along y with hemispherical ends."}, shape.kind == ShapeKind::capsule,
                 [&](F& g) {
                     float between = 2 * shape.halfLength;
                     g.value(shape.radius, {"radius", "Radius.", "m", 1e-6, kFar, true});
                     if (g.value(between, {"length", "Distance between the centers of the two ends.", "m", 0,
                                           kFar, true}))
                         shape.halfLength = 0.5f * between;
                 }))
        shape.kind = ShapeKind::capsule, ++forms;
    forms += visitForm(f, shape, {"convex", "The convex hull of a solid."}, ShapeKind::convex);
    forms += visitForm(
        f, shape,
        {.name = "sdf", .about = "A solid as signed distances on a grid.", .formerNames = {"field"}},
        ShapeKind::sdf);
    forms += visitForm(
        f, shape, {"mesh", "The triangles of a solid's surface; two-sided: particles stay on their side."},
        ShapeKind::mesh);
    if (f.value(shape.scale, {"scale", "Of a convex, sdf or mesh, along its axes.", "-", 1e-4, 1e4},
                !(shape.scale == Vec3{1, 1, 1})) &&
        shape.kind < ShapeKind::convex)
        f.report("scale", "only a convex, sdf or mesh can be scaled", "Change its size instead.");
    f.value(shape.position, {"position", "Center; of a plane: a point on it.", "m"});
    if (f.rotation(shape.rotation, {"rotation", "Rotation, XYZ.", "deg"}) && hasNormal)
        f.report("rotation", "excludes the normal of the plane", "Remove one of the two.");
    return forms;
}

template <class F>
void visitShape(F& f, Shape& shape) {
    f.value(shape.name, {"name", "Name of the shape."});
    const int forms = visitGeometry(f, shape);
    if (f.value(shape.container, {"container", "Keeps particles inside instead of outside."}) &&
        shape.container && shape.kind == ShapeKind::plane)
        f.report("container", "a plane cannot be a container", "Invert its normal instead.");
    if (shape.container && shape.kind == ShapeKind::mesh)
        f.report("container", "a mesh has no inside, so it cannot be a container",
                 "It keeps particles that start inside anyway. An sdf can be a container.");
    f.collisionMask(
        shape.collisionMask,
        {.name = "collisionMask",
         .about = "Collides only with particles of bodies that share a bit; all of 0 to 7 when omitted.",
         .formerNames = {"channels"}});
    if (f.value(shape.trigger, {"trigger", "Does not collide, but counts the particles that enter it."},
                shape.trigger) &&
        shape.trigger && shape.kind == ShapeKind::mesh)
        f.report("trigger", "a mesh has no inside, so it cannot be a trigger",
                 "Use a field or convex of the same shape.");
    SendTo target = shape.sendTo.value_or(SendTo{});
    if (f.object({"sendTo", "Where a trigger moves the particles inside it, at rest."},
                 shape.sendTo.has_value(), [&](F& g) {
                     g.value(target.position, {"position", "Center of the target.", "m", -kFar, kFar, true});
                     g.value(
                         target.spread,
                         {"spread", "Half size of the box over which they are distributed.", "m", 0, kFar});
                 })) {
        shape.sendTo = target;
        if (!shape.trigger) f.report("sendTo", "needs a trigger", "Add \"trigger\": true.");
    }
    f.value(shape.friction, {"friction", "Multiplies the friction of the materials.", "-", 0, 100});
    f.value(shape.velocity, {"velocity", "Constant velocity.", "m/s", -1e4, 1e4});
    f.degrees(shape.angularVelocity,
              {"angularVelocity", "Constant angular velocity about the shape's position, world axes.",
               "deg/s", -1e6, 1e6});
    f.list({"keys", "Motion by keyframes; replaces position, rotation and velocities."}, shape.keys,
           [](F& g, ShapeKey& key) { visitShapeKey(g, key); });
    f.value(shape.visible, {"visible", "Whether it is drawn."});
    f.value(shape.color, {"color", "Color.", "linear RGB", 0, 1});
    f.value(shape.opacity, {"opacity", "Opacity seen face on; drawn as glass below 1.", "-", 0, 1},
            shape.opacity < 1);
    if constexpr (F::kReading)
        f.oneForm(forms, "shape", {"plane", "box", "sphere", "capsule", "convex", "sdf", "mesh"},
                  "For example \"plane\": {\"normal\": [0, 1, 0]}.");
}

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

// All properties of a manifest.
template <class F, class Properties>
void visitProperties(F& f, Properties& properties) {
    forEachParameter(properties,
                     [&](auto& value, const ParameterInfo& info) { visitParameter(f, value, info); });
}

template <class F>
void visitEmitter(F& f, Emitter& emitter, const Scene& scene) {
    f.value(emitter.name, {"name", "Name of the emitter, and of its particles in checks."});
    int forms = 0;
    if (f.object({"disc", "A round nozzle."}, emitter.nozzle == Emitter::Nozzle::disc, [&](F& g) {
            g.value(emitter.radius, {"radius", "Radius.", "m", 0, kFar, true});
        }))
        emitter.nozzle = Emitter::Nozzle::disc, ++forms;
    if (f.object({"rectangle", "A rectangular nozzle."}, emitter.nozzle == Emitter::Nozzle::rectangle,
                 [&](F& g) {
                     g.value(emitter.size, {"size",
                                            "Lengths along x and z of a plane whose normal is the direction; "
                                            "the middle number is 0.",
                                            "m", 0, kFar, true});
                 }))
        emitter.nozzle = Emitter::Nozzle::rectangle, ++forms;
    if (f.object({"volume", "The inside of a solid."}, emitter.nozzle == Emitter::Nozzle::volume, [&](F& g) {
            if (!visitSolid(g, emitter.solid, true) && F::kReading)
                g.report("", "needs a shape", "For example {\"shape\": \"cube\", \"height\": 1}.");
        }))
        emitter.nozzle = Emitter::Nozzle::volume, ++forms;
    f.value(emitter.on, {"on", "Name of a shape or solid body that the nozzle moves with."},
            !emitter.on.empty());
    f.value(emitter.bodies, {"bodies", "Names of prefabs that are emitted in turn, instead of particles."},
            !emitter.bodies.empty());
    bool particles = emitter.bodies.empty();
    if constexpr (F::kReading) particles = !f.has("bodies") || f.has("material");
    if (particles || F::kSchema)
        f.reference(emitter.material, scene.materials,
                    {"material", "Name of the particles' material; optional if there is only one."});
    f.namedNumbers(
        emitter.values,
        {"values", "Initial values of attributes: name → value; the default of the attribute when omitted."});
    visitProperties(f, emitter.properties);
    if constexpr (F::kReading) {
        f.oneForm(forms, "emitter", {"disc", "rectangle", "volume"},
                  "For example \"disc\": {\"radius\": 0.1}.");
        if (length(emitter.properties.direction) == 0)
            f.report("direction", "must not have length 0", "For example [0, -1, 0].");
        if (!emitter.bodies.empty() && f.has("material"))
            f.report("material", "excludes bodies, which have the materials of their prefabs",
                     "Remove one of the two.");
        if (!emitter.bodies.empty() && !emitter.values.empty())
            f.report("values", "excludes bodies, which have the values of their prefabs",
                     "Give the values to the prefabs.");
    }
}

template <class F>
void visitSink(F& f, Sink& sink) {
    f.value(sink.name, {"name", "Name of the sink."});
    visitProperties(f, sink.properties);
    f.value(sink.actsOn,
            {"actsOn", "Materials, bodies and emitters whose particles it removes; everything when omitted."},
            !sink.actsOn.empty());
    if (F::kReading || F::kSchema || sink.formed) {
        const int forms = visitGeometry(f, sink.form);
        if constexpr (F::kReading) {
            sink.formed = forms > 0;
            if (forms > 1)
                f.oneForm(forms, "sink", {"plane", "box", "sphere", "capsule", "convex", "sdf"},
                          "For example \"plane\": {\"normal\": [0, 1, 0]}.");
            if (sink.form.kind == ShapeKind::mesh)
                f.report("mesh", "a mesh has no inside, so it cannot be a sink",
                         "Use a field or convex of the same form.");
        }
    }
    f.value(sink.form.velocity, {"velocity", "Constant velocity of its form.", "m/s", -1e4, 1e4},
            !(sink.form.velocity == Vec3{0, 0, 0}));
}

template <class F>
void visitJoint(F& f, Joint& joint) {
    f.value(joint.name, {"name", "Name of the spring."});
    const auto end = [&](const KeySpec& spec, Joint::End& e) {
        f.object(spec, true, [&](F& g) {
            g.value(e.body,
                    {"body", "Name of a solid body, cloth or rope, or of one copy.", "-", 0, 0, true});
            g.value(e.at, {"at", "The particle that starts nearest to this point.", "m", -kFar, kFar, true});
        });
    };
    end({"from", "One end.", "-", 0, 0, true}, joint.from);
    end({"to", "The other end.", "-", 0, 0, true}, joint.to);
    f.value(joint.material,
            {"material",
             "Cloth or rope that defines its stretch; when omitted the first cloth or rope at its ends."},
            !joint.material.empty());
    f.value(joint.length, {"length", "Rest length; the distance at the start when omitted.", "m", 0, kFar});
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

template <class F>
void visitOptions(F& f, Check& check, const CheckKind& kind) {
    for (const CheckOption& option : kind.options) {
        const KeySpec spec{option.name,
                           option.about,
                           "-",
                           -1e18,
                           1e18,
                           option.required,
                           option.formerName ? std::vector{option.formerName} : std::vector<const char*>()};
        switch (option.type) {
            case CheckOption::Type::Number:
                f.number(check.numbers, spec);
                break;
            case CheckOption::Type::Word:
                f.word(check.words, spec, option.choices);
                break;
            case CheckOption::Type::Words:
                f.words(check.lists, spec);
                break;
            case CheckOption::Type::Point:
                f.point(check.points, spec);
                break;
        }
    }
}

// One check of `expect`; for kinds and options see check_kind.h.
template <class F>
void visitCheck(F& f, Check& check) {
    std::string kind = check.kind;
    const bool named =
        f.value(kind, {"check", "Kind of the check; the key itself when omitted."}, check.kind != check.name);
    if constexpr (F::kReading) check.kind = named ? kind : check.name;
    const CheckKind* known = findCheckKind(check.kind);
    if (F::kReading && !known) {
        f.unknownCheck(check.kind);
        return;
    }
    if (F::kReading) check.kind = known->name;  // it may have been written by its former name
    if (!known || !known->relatesCases()) {
        f.value(check.group, {"group", "Body or material; all particles when omitted."},
                !check.group.empty());
        f.value(check.at, {"at", "Time of the measurement; the end when omitted.", "s", 0, 1e6},
                check.at >= 0);
        f.value(check.always, {"always", "Worst value of the whole run instead of one time."}, check.always);
        f.value(check.from,
                {"from", "Start of a time window; its worst value (or peak) counts.", "s", 0, 1e6},
                check.from >= 0);
        f.value(check.to, {"to", "End of the time window.", "s", 0, 1e6}, check.to >= 0);
        f.value(check.min, {"min", "Least value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.value(check.max, {"max", "Largest value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.number(check.numbers, {"expected", "Expected value; with tolerance.", "-", -1e18, 1e18});
        f.number(check.numbers,
                 {"tolerance", "Largest relative deviation from the expected value.", "-", 0, 1e6});
    }
    if (!known) return;
    visitOptions(f, check, *known);
    // `order` also takes the options of its measure
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
