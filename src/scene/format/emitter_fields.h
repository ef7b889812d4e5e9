// Keys of emitters, sinks and regions of markers.
#pragma once

#include <string>

#include "scene/format/shape_fields.h"

namespace coalesce {

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
        const int forms = visitGeometry(f, sink.form, FormOf::sink);
        if constexpr (F::kReading) {
            sink.formed = forms > 0;
            if (forms > 1)
                f.oneForm(forms, "sink", {"plane", "box", "sphere", "capsule", "convex", "sdf"},
                          "For example \"plane\": {\"normal\": [0, 1, 0]}.");
            if (sink.form.kind == ShapeKind::mesh)
                f.report("mesh", "a mesh has no inside, so it cannot be a sink",
                         "Use an sdf or a convex of the same shape.");
        }
    }
    f.value(sink.form.velocity, {"velocity", "Constant velocity of its form.", "m/s", -1e4, 1e4},
            !(sink.form.velocity == Vec3{0, 0, 0}));
}

template <class F>
void visitMarkers(F& f, MarkerRegion& region, const Scene& scene) {
    f.value(region.name, {"name", "Name of the region."});
    f.reference(region.material, scene.materials,
                {"material",
                 "Name of the material whose smokeLife and look they have; optional if there is only one."});
    f.value(region.count, {"count", "Number of markers.", "-", 1, 1e8});
    const int forms = visitGeometry(f, region.form, FormOf::markers);
    if constexpr (F::kReading) {
        f.oneForm(forms, "region of markers", {"box", "sphere", "capsule"},
                  "For example \"sphere\": {\"radius\": 0.1}.");
        if (forms == 1 && (region.form.kind == ShapeKind::plane || region.form.kind >= ShapeKind::convex))
            f.report("", "is a region of markers, which can be a box, a sphere or a capsule",
                     "Cover the form by several of them.");
    }
}

}  // namespace coalesce
