// Keys of bodies and of the springs between them.
#pragma once

#include <cmath>
#include <string>

#include "scene/format/shape_fields.h"

namespace coalesce {

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
                     fmt::format("It has {}.", copies.along.size()));
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
            const bool hasLow = g.value(low, {"min", "Lower corner; use with max.", "m", -kFar, kFar}, false);
            const bool hasHigh = g.value(high, {"max", "Upper corner.", "m", -kFar, kFar}, false);
            cornered = hasLow && hasHigh;
            // by the keys that exist: invalid values are reported already
            if constexpr (F::kReading)
                if (g.has("min") != g.has("max") || g.has("size") == g.has("min"))
                    g.report("", "a block needs either size, or min and max",
                             "For example {\"size\": [1, 2, 1]}.");
            if constexpr (F::kReading)
                if (cornered && (low.x > high.x || low.y > high.y || low.z > high.z))
                    g.report("max",
                             fmt::format("is below min on {}", low.x > high.x   ? "x"
                                                               : low.y > high.y ? "y"
                                                                                : "z"),
                             "Exchange the two numbers.");
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

}  // namespace coalesce
