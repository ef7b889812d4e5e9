#include "scene/build/validation_issue.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/format/json_text.h"

namespace coalesce {

namespace {

std::string textOf(const ValidationIssue& issue) {
    return issue.what + (issue.advice.empty() ? "" : ". " + issue.advice);
}

// First issue of the list element that a path names.
template <class T, class Ask>
std::string ofElement(const std::vector<T>& list, const std::string& path, const char* section, Ask&& ask) {
    for (const T& element : list) {
        if (!path.starts_with(fmt::format("{}.{}.", section, element.name))) continue;
        if (const std::vector<ValidationIssue> all = ask(element); !all.empty()) return textOf(all[0]);
    }
    return "";
}

}  // namespace

std::vector<ValidationIssue> issuesOf(const Sink& sink) {
    std::vector<ValidationIssue> all;
    if (!sink.formed && sink.properties.age == 0)
        all.push_back({"", "a sink needs a form, an age, or both",
                       "For example \"plane\": {\"normal\": [0, 1, 0], \"offset\": -2}, or \"age\": 5."});
    if (!sink.formed && sink.properties.outside)
        all.push_back({"outside", "outside needs a form", "For example a box."});
    return all;
}

std::vector<ValidationIssue> issuesOf(const Emitter& e, const std::vector<Material>& materials) {
    std::vector<ValidationIssue> all;
    if (e.properties.end < e.properties.start) all.push_back({"end", "it ends before it starts", ""});
    if (!e.bodies.empty()) {
        if (e.properties.rate == 0)
            all.push_back({"rate", "an emitter of bodies needs a rate", "For example 2."});
        return all;
    }
    if (e.material >= materials.size()) return all;
    const float d = materials[e.material].properties.spacing;
    if (e.properties.rate == 0 && particlesInLayer(e, d) > kMostInLayer)
        all.push_back({"",
                       fmt::format("a layer of this nozzle has {:.3g} particles; at most {:.3g} are possible",
                                   particlesInLayer(e, d), kMostInLayer),
                       "Make the nozzle smaller, or the material's spacing larger."});
    return all;
}

std::optional<ValidationIssue> planarIssue(const Parameters& parameters,
                                           const std::vector<Emitter>& emitters) {
    if (!parameters.solver.planar || emitters.empty()) return {};
    return ValidationIssue{"planar", "emitters do not work in a planar scene",
                           "Remove the emitters or solver.planar."};
}

std::optional<ValidationIssue> boundaryIssue(const Parameters& parameters) {
    if (!parameters.solver.planar || parameters.fluid.boundary == FluidBoundary::wallTerm) return {};
    return ValidationIssue{"boundary", "boundary particles do not work in a planar scene",
                           "Set fluid.boundary to wallTerm, or remove solver.planar."};
}

// Fluids of very different inertia need fluid.lightIterations, which are position-based.
static const Material* lightBeside(const Parameters& parameters, const std::vector<Material>& materials) {
    float heaviest = 0;
    for (const Material& m : materials)
        if (isFluid(m.properties)) heaviest = std::max(heaviest, m.properties.density);
    for (const Material& m : materials)
        if (isFluid(m.properties) &&
            kEvenInertia * inertialDensity(m.properties, materials, parameters.fluid.massRatio) < heaviest)
            return &m;
    return nullptr;
}

// What not every method can do: only the method position, or all but the method velocity. The others would
// ignore it.
std::optional<ValidationIssue> methodIssue(const Parameters& parameters,
                                           const std::vector<Material>& materials) {
    const Method method = parameters.solver.method;
    if (method == Method::position) return {};
    const auto positionOnly = [](const std::string& what, const std::string& instead) {
        return ValidationIssue{"method", what + " needs solver.method position", instead};
    };
    const auto notVelocity = [](const std::string& what, const std::string& instead) {
        return ValidationIssue{"method", what + " needs solver.method position or projective", instead};
    };
    const auto pathOf = [](const Material& m, const char* property) {
        return "materials." + printable(m.name) + "." + property;
    };

    if (const Material* light = lightBeside(parameters, materials))
        return positionOnly(
            "\"" + printable(light->name) + "\" beside a fluid of more than four times its inertia",
            "Or set fluid.massRatio to 4.");
    if (parameters.fluid.constraint == Density::bilateral)
        return positionOnly("fluid.constraint bilateral", "Or set fluid.constraint to unilateral.");
    if (parameters.fluid.stiffness == Stiffness::regularized)
        return positionOnly("fluid.stiffness regularized", "Or set fluid.stiffness to relaxed.");
    for (const Material& m : materials)
        if (isFluid(m.properties) && m.properties.tension > 0)
            return positionOnly(pathOf(m, "tension"),
                                "Use surfaceTension, or set " + pathOf(m, "tension") + " to 0.");
    if (method != Method::velocity) return {};

    if (parameters.contacts.stackScaling > 0)
        return notVelocity("contacts.stackScaling",
                           "Or set contacts.stackScaling to 0; tall stacks take more solver.iterations.");
    if (parameters.contacts.friction == Friction::velocity)
        return notVelocity("contacts.friction velocity",
                           "Or set contacts.friction to position: the method velocity has Coulomb friction.");
    for (const Material& m : materials)
        if (!isFluid(m.properties) && m.properties.cohesion > 0)
            return notVelocity(pathOf(m, "cohesion"), "Or set " + pathOf(m, "cohesion") + " to 0.");
    return {};
}

std::vector<OutOfPlane> outOfPlane(const Scene& scene) {
    std::vector<OutOfPlane> all;
    std::optional<float> z;
    std::string first;
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        const Body& body = scene.bodies[i];
        const auto form = formOf(scene, body);
        float most = 0;
        for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
            for (const Vec3& p : positionsOf(scene, i, copy, *form)) {
                if (!z) z = p.z, first = body.name;
                if (std::abs(p.z - *z) > std::abs(most)) most = p.z - *z;
            }
        if (std::abs(most) <= 1e-3f * spacingOf(scene, body)) continue;
        all.push_back(
            {i,
             {"",
              fmt::format("particles are {:g} m out of the plane z = {:g} of '{}', and solver.planar is set",
                          most, *z, first),
              "In a planar scene blocks and spheres are a single layer at the z of their center. Rotate "
              "bodies about z only, and give copies no step in z. Or remove solver.planar."}});
    }
    return all;
}

std::string findIssue(const ConstTunables& values, const std::string& path) {
    if (path == "solver.planar" || path == "fluid.boundary")
        if (const auto boundary = boundaryIssue(values.parameters)) return textOf(*boundary);
    if (path == "solver.planar") {
        const auto plane = planarIssue(values.parameters, values.emitters);
        return plane ? textOf(*plane) : "";
    }
    for (const char* part : {"solver.method", "fluid.", "contacts.", "materials."})
        if (path.starts_with(part))
            if (const auto method = methodIssue(values.parameters, values.materials)) return textOf(*method);
    const std::string sink =
        ofElement(values.sinks, path, "sinks", [](const Sink& s) { return issuesOf(s); });
    if (!sink.empty()) return sink;
    return ofElement(values.emitters, path, "emitters",
                     [&](const Emitter& e) { return issuesOf(e, values.materials); });
}

std::string findIssue(const Scene& scene, const std::string& path) {
    const std::string words = findIssue(tunablesOf(scene), path);
    if (!words.empty() || path != "solver.planar" || !scene.parameters.solver.planar) return words;
    const std::vector<OutOfPlane> bodies = outOfPlane(scene);
    return bodies.empty()
               ? ""
               : "bodies." + printable(scene.bodies[bodies[0].body].name) + ": " + textOf(bodies[0].issue);
}

}  // namespace coalesce
