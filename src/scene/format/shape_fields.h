// Keys of solids and of collision shapes.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "geometry/shapes/solid_shapes.h"
#include "scene/format/key_spec.h"

namespace coalesce {

// The coordinates of a mesh file.
template <class F>
void visitMeshFile(F& f, SolidSpec& solid) {
    const bool scaled = f.value(
        solid.metersPerUnit,
        {"metersPerUnit",
         "Length of a unit of the mesh file, instead of height and size: 0.01 for a file in centimeters.",
         "m", 1e-9, 1e9},
        solid.metersPerUnit > 0);
    static constexpr const char* kAxes[] = {"y", "z", "x"};  // in the order of UpAxis
    std::string up = kAxes[size_t(solid.up)];
    const bool turned =
        f.value(up, {"upAxis", "Axis of the mesh file that points up: y, z or x."}, solid.up != UpAxis::y);
    if (const auto found = std::ranges::find(kAxes, up); found != std::end(kAxes))
        solid.up = UpAxis(found - kAxes);
    else
        f.report("upAxis", "there is no axis \"" + up + "\"", "Choose y, z or x.");
    const bool kept = f.value(
        solid.keepOrigin,
        {"keepOrigin",
         "Keeps the origin of the mesh file, instead of the center of its bounds, as that of the solid."},
        solid.keepOrigin);
    if ((scaled || turned || kept) && solid.mesh.empty())
        f.report(scaled   ? "metersPerUnit"
                 : turned ? "upAxis"
                          : "keepOrigin",
                 "applies to mesh files only", "Name the file as \"mesh\".");
}

// A solid by the name of its shape, or by a mesh file; false without both.
template <class F>
bool visitSolid(F& f, SolidSpec& solid, bool write) {
    const bool named = f.value(solid.shape, {"shape", "A solid by name; docs/scenes.md lists them."},
                               write && !solid.shape.empty());
    if constexpr (F::kReading)
        if (!f.has("shape") && !f.has("mesh")) return false;
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
    if (f.value(
            mesh,
            {"mesh",
             "OBJ, PLY, STL, glTF or OpenVDB file, in place of a shape; beside a shape: replaces it if it "
             "exists."},
            write && !mesh.empty()))
        solid.mesh = mesh;
    visitMeshFile(f, solid);
    const bool byUnit = solid.metersPerUnit > 0 && solid.shape.empty();
    const bool high = f.value(solid.height, {"height", "Height of the bounds.", "m", 1e-6, kFar},
                              write && !byUnit),
               sized = f.value(
                   solid.size,
                   {"size", "Extent of the bounds, instead of height; stretches the shape.", "m", 0, kFar},
                   write && solid.size.x > 0);
    if (byUnit && (high || sized))
        f.report("metersPerUnit", "a mesh has either its own unit, or a height or size",
                 "Remove one of them.");
    f.value(solid.seed, {"seed", "Random seed, for shapes that use one.", "-", 0, 9e15}, write);
    for (const SolidShapeInfo& info : solidShapes())
        for (const SolidNumberInfo& number : info.numbers)
            if (F::kSchema || known == &info || (named && !known))
                f.number(solid.numbers, {number.name, number.about, "-", number.min, number.max});
    return true;
}

template <class F>
void visitShapeKey(F& f, ShapeKey& key) {
    f.value(key.t, {"t", "Time.", "s", 0, 1e6, true});
    f.value(key.position, {"position", "Center at that time.", "m"});
    f.rotation(key.rotation, {"rotation", "Rotation at that time, XYZ.", "deg"});
}

// How the surface of a field deforms.
template <class F>
void visitAnimation(F& f, Shape& shape) {
    SurfaceAnimation& animation = shape.animation;
    const bool files = isPattern(shape.solid.mesh), waves = animation.wave.amplitude > 0,
               walks = animation.walk.period > 0;
    f.object(
        {"animation",
         "How the surface deforms: the files of a mesh whose name has a run of #, a wave that runs "
         "through the solid, or the steps of its legs."},
        files || waves || walks, [&](F& g) {
            g.value(animation.rate, {"rate", "Files per second.", "1/s", 1e-3, 1e5}, files);
            g.value(animation.loop, {"loop", "The first file follows the last one."}, files);
            g.object({"wave", "Runs from the front to the end of a body, like that of a swimming fish."},
                     waves, [&](F& w) {
                         SurfaceWave& wave = animation.wave;
                         w.value(wave.amplitude, {"amplitude", "At the end; a fifth of it at the front.", "m",
                                                  1e-6, kFar, true});
                         w.value(wave.wavelength, {"wavelength", "Length of the wave.", "m", 1e-6, kFar});
                         w.value(wave.period, {"period", "Time of one oscillation.", "s", 1e-4, 1e6});
                         w.value(wave.across, {"across", "Direction of the displacement.", "-"});
                         w.value(wave.along, {"along", "From the end to the front of the body.", "-"});
                         for (Vec3* axis : {&wave.across, &wave.along}) {
                             if (length(*axis) == 0)
                                 w.report(axis == &wave.along ? "along" : "across", "must not have length 0",
                                          "For example [1, 0, 0].");
                             *axis = normalizeOr(*axis, {0, 0, 1});
                         }
                     });
            g.object(
                {"walk",
                 "Steps of a solid with legs. Hooves on the ground stand still where the "
                 "shape moves along its z axis by a stride per period."},
                walks, [&](F& w) {
                    w.value(animation.walk.period,
                            {"period", "Time in which each leg takes a step.", "s", 1e-4, 1e6, true});
                    w.value(animation.walk.stride, {"stride", "Way of the shape in a period.", "m", 0, kFar});
                });
            if constexpr (F::kReading) {
                const bool wave = animation.wave.amplitude > 0, walk = animation.walk.period > 0;
                if (int(files) + int(wave) + int(walk) > 1)
                    g.report(walk ? "walk" : "wave", "a surface deforms by files, by a wave or by walking",
                             "Remove all but one of them.");
                if (!files && !wave && !walk)
                    g.report(
                        "", "needs a mesh whose name has a run of #, a wave or a walk",
                        "For example \"mesh\": \"walk_####.obj\", or \"walk\": {\"period\": 1} of a horse.");
            }
        });
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
        if (kind == ShapeKind::sdf) {
            g.value(shape.cell,
                    {"cell", "Cell size of the grid; 1/80 of the longest extent when 0.", "m", 0, kFar},
                    shape.cell > 0);
            g.value(shape.shell,
                    {"shell",
                     "The surface itself without an inside, for open sheets; as thick as offset on "
                     "either side."},
                    shape.shell);
            g.value(shape.offset,
                    {"offset", "Moves the surface outward; of a shell one cell when 0, and not less.", "m",
                     -kFar, kFar},
                    shape.offset != 0);
            visitAnimation(g, shape);
        }
        if constexpr (F::kReading) {
            if (soup == solid)
                g.report(
                    "",
                    kind == ShapeKind::mesh ? "needs either shape or triangles" : "needs a shape or a mesh",
                    "For example {\"shape\": \"bunny\", \"height\": 1}.");
            if (shape.corners.size() % 3 != 0)
                g.report("triangles", "every triangle needs three corners",
                         fmt::format("There are {}.", shape.corners.size()));
        }
    });
    if (found) shape.kind = kind;
    return found;
}

// What a form and pose are of: sinks need an inside, regions of markers are simple. The schema has only what
// each may be; the reader takes all, and says what is wrong.
enum class FormOf { shape, sink, markers };

// Form and pose. Returns the number of forms found.
template <class F>
int visitGeometry(F& f, Shape& shape, FormOf of = FormOf::shape) {
    const bool all = !F::kSchema || of != FormOf::markers;
    int forms = 0;
    bool hasNormal = false;
    if (all && f.object({"plane", "A solid half space."}, shape.kind == ShapeKind::plane, [&](F& g) {
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
    if (all) {
        forms += visitForm(f, shape, {"convex", "The convex hull of a solid."}, ShapeKind::convex);
        forms += visitForm(
            f, shape,
            {.name = "sdf", .about = "A solid as signed distances on a grid.", .formerNames = {"field"}},
            ShapeKind::sdf);
    }
    if (!F::kSchema || of == FormOf::shape)
        forms += visitForm(
            f, shape,
            {"mesh", "The triangles of a solid's surface; two-sided: particles stay on their side."},
            ShapeKind::mesh);
    if (all &&
        f.value(shape.scale, {"scale", "Of a convex, sdf or mesh, along its axes.", "-", 1e-4, 1e4},
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
    if (shape.container && shape.shell)
        f.report("container", "a shell has no inside, so it cannot be a container",
                 "It keeps particles that start inside anyway.");
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
                 "Use an sdf or a convex of the same shape.");
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

}  // namespace coalesce
