// coalesce validate: reads a scene in every size and case, without simulating.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "app/command.h"
#include "app/scene_folder.h"
#include "core/error.h"
#include "core/exec.h"
#include "scene/build/build.h"
#include "scene/build/overlap_check.h"
#include "scene/format/scene.h"
#include "scene/reader.h"

namespace coalesce {

namespace {

struct ValidateOptions {
    std::vector<std::string> files;
    bool all = false;
    std::string size, caseName;
    std::vector<std::string> sets;
};

// A ball between the corners of a triangle is this far from them [m]: the largest hole of a sheet.
double largestHole(const ClothMesh& cloth) {
    double largest = 0;
    for (const Triangle& t : cloth.triangles) {
        const Vec3 a = cloth.points[t[0]], b = cloth.points[t[1]], c = cloth.points[t[2]];
        double side[] = {length(b - c), length(c - a), length(a - b)};
        std::sort(std::begin(side), std::end(side));
        const double area = 0.5 * length(cross(b - a, c - a));
        // of an obtuse triangle half the longest side
        const bool obtuse = side[2] * side[2] > side[0] * side[0] + side[1] * side[1];
        largest =
            std::max(largest, obtuse || area == 0 ? 0.5 * side[2] : side[0] * side[1] * side[2] / (4 * area));
    }
    return largest;
}

// Cloth is as tight as its particles are close: who touches them nearer than the holes are wide slips
// through.
void warnOfHoles(const Scene& scene, std::vector<std::string>& out) {
    constexpr double kStretched = 1.1;
    for (const Body& body : scene.bodies) {
        const MaterialProperties& own = scene.materials[body.material].properties;
        if (own.kind != MaterialKind::cloth) continue;
        const double hole = kStretched * largestHole(formOf(scene, body)->cloth);
        for (const Material& other : scene.materials) {
            const bool fluid = other.properties.kind == MaterialKind::fluid;
            const bool used = std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const Body& b) {
                return &scene.materials[b.material] == &other && (&b != &body || b.selfCollide);
            });
            const double contact = 0.5 * (double{own.spacing} + other.properties.spacing) *
                                   (fluid ? scene.parameters.contacts.fluidDistance : 1);
            if (!used || contact >= hole) continue;
            out.push_back(
                fmt::format("cloth {}: stretched by a tenth, its triangles leave holes {:.3g} m from their "
                            "corners, and {} touches these at {:.3g} m: it may slip through. Give the body a "
                            "spacing of {:.3g} m or less, or its material a larger one",
                            body.name, hole, other.name, contact, spacingOf(scene, body) * contact / hole));
        }
    }
}

// Tension is a force between particles, and as explicit as one: docs/validation.md has the limit.
void warnOfTension(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kLargest = 0.12;  // of σ dt²/(ρ d³)
    for (const Material& material : scene.materials) {
        const MaterialProperties& m = material.properties;
        const double limit = kLargest * particleMass(m) / (dt * dt);
        if (m.kind != MaterialKind::fluid || m.surfaceTension <= limit) continue;
        out.push_back(fmt::format(
            "material {}: a surface tension of {:g} N/m throws its drops apart at this spacing and "
            "time step. Lower it to {:.3g} N/m, or take {:.0f} substeps or more",
            material.name, m.surfaceTension, limit,
            std::ceil(scene.parameters.solver.substeps * std::sqrt(m.surfaceTension / limit))));
    }
}

// What is allowed, and seldom meant.
std::vector<std::string> warnings(const Scene& scene) {
    std::vector<std::string> out;
    float finest = 1e30f;
    const auto has = [&](uint32_t material) {
        finest = std::min(finest, scene.materials[material].properties.spacing);
    };
    for (const Body& body : scene.bodies) has(body.material);
    for (const Body& prefab : scene.prefabs) has(prefab.material);
    for (const Emitter& emitter : scene.emitters)
        if (emitter.bodies.empty()) has(emitter.material);
    const double dt = 1.0 / (double(scene.parameters.solver.frameRate) * scene.parameters.solver.substeps);
    warnOfTension(scene, dt, out);

    for (const Shape& shape : scene.shapes) {
        const Vec3 h = shape.halfExtents;
        const float thickness = shape.kind == ShapeKind::box     ? 2 * std::min({h.x, h.y, h.z})
                                : shape.kind == ShapeKind::plane ? 1e30f
                                                                 : 2 * shape.radius;
        if (!shape.container && thickness < finest)
            out.push_back(
                fmt::format("shape {} is {:g} m thin, less than one spacing ({:g} m): particles on its two "
                            "sides see each other",
                            shape.name, thickness, finest));
    }
    double fastest = 0;  // way of a body in a substep, in supports
    std::string fastestBody;
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        const float d = spacingOf(scene, body),
                    h = d * scene.materials[body.material].properties.supportRatio;
        const bool isLoose = body.kind != Body::Kind::Points && !isSolid(scene, body);
        const auto [low, high] = boundsOf(scene, body);
        const Vec3 size = high - low;
        const float thin = std::min({size.x, size.y, size.z});
        if (isLoose && thin < 3 * d)
            out.push_back(
                fmt::format("body {} is thinner than three spacings ({:g} m of {:g} m)", body.name, thin, d));
        if (body.kind == Body::Kind::Block)
            for (const float length : {body.size.x, body.size.y, body.size.z})
                if (std::abs(length / d - std::round(length / d)) > 0.25f)
                    out.push_back(fmt::format("body {}: {:g} m are {:.2f} spacings; the lattice takes {:g}",
                                              body.name, length, length / d, std::round(length / d)));
        const double step = double(length(body.velocity)) * dt;
        if (step > 0.5 * h && step / h > fastest) fastest = step / h, fastestBody = body.name;
        for (const Box& box : boxesOf(scene, b)) {
            if (!scene.bounded || (box.low.x >= scene.boundsMin.x && box.low.y >= scene.boundsMin.y &&
                                   box.low.z >= scene.boundsMin.z && box.high.x <= scene.boundsMax.x &&
                                   box.high.y <= scene.boundsMax.y && box.high.z <= scene.boundsMax.z))
                continue;
            out.push_back(fmt::format("body {} reaches out of the bounds", body.name));
            break;
        }
    }
    for (const StartOverlap& pair : startOverlaps(scene)) {
        if (out.size() >= 50) break;
        out.push_back(fmt::format("bodies {} and {} overlap at the start: {} pairs of particles are too near",
                                  pair.other, pair.body, pair.pairs));
    }
    warnOfHoles(scene, out);
    if (fastest > 0)
        out.push_back(
            fmt::format("body {} moves {:.2g} supports per substep: above 0.5 particles may pass each other",
                        fastestBody, fastest));
    for (const Coincidence& c : coincidences(scene))
        out.push_back(fmt::format(
            "body {}: {} of its particles lie exactly where another one of {} does, first at "
            "[{:g}, {:g}, {:g}]: move the points apart, or give the body jitter",
            c.body, c.count, c.other == c.body ? "it" : "body " + c.other, c.first.x, c.first.y, c.first.z));
    return out;
}

// "" and then the names of the file, or the one that was asked for
std::vector<std::string> choices(const std::string& asked, const std::vector<std::string>& offered) {
    if (!asked.empty()) return {asked};
    std::vector<std::string> all{""};
    all.insert(all.end(), offered.begin(), offered.end());
    return all;
}

// Says what a scene is in every size and case. Mistakes of the file are collected by line: the same one shows
// once.
std::vector<SceneError::Entry> validateFile(const std::filesystem::path& file, const ValidateOptions& options,
                                            const Exec& device) {
    std::vector<SceneError::Entry> diagnostics;
    const auto note = [&](const SceneError::Entry& entry) {
        const auto after = std::upper_bound(diagnostics.begin(), diagnostics.end(), entry,
                                            [](const auto& a, const auto& b) { return a.line < b.line; });
        if (std::none_of(diagnostics.begin(), after, [&](const auto& m) { return m.text == entry.text; }))
            diagnostics.insert(after, entry);
    };
    const auto read = [&](const std::string& size, const std::string& caseName, Scene& scene) {
        try {
            scene = readScene(file, {size, caseName, options.sets, {}});
            return true;
        } catch (const SceneError& error) {
            for (const SceneError::Entry& entry : error.entries) note(entry);
            return false;
        } catch (const Error& error) {
            note({0, error.what()});
            return false;
        }
    };
    Scene plain;
    if (!read("", "", plain)) return diagnostics;
    fmt::print("{}: {}\n", file.string(), plain.about);
    std::set<std::string> said;
    const size_t available = device.availableBytes();
    for (const std::string& size : choices(options.size, plain.sizes))
        for (const std::string& caseName : choices(options.caseName, plain.cases)) {
            Scene scene;
            if (!read(size, caseName, scene)) continue;
            const size_t particles = countParticles(scene);
            const SolverMemory memory = estimateMemory(scene);
            fmt::print(
                "    {:8} {:16} {:>10} particles, about {:.1f} MB ({:.1f} state, {:.1f} lists, {:.1f} "
                "scratch), {:g} s = {:.0f} frames of {} x {}{}\n",
                size.empty() ? "-" : size, caseName.empty() ? "-" : caseName, particles, memory.total() / 1e6,
                memory.state / 1e6, memory.lists / 1e6, memory.scratch / 1e6, scene.duration,
                scene.duration * scene.parameters.solver.frameRate, scene.parameters.solver.substeps,
                scene.parameters.solver.iterations, scene.control.empty() ? "" : ", control");
            if (available > 0 && memory.total() > available)
                fmt::print(
                    "        warning: this does not fit, {} has {:.1f} MB; the scene would be refused\n",
                    device.description(), static_cast<double>(available) / 1e6);
            const std::vector<double> emitted = mostEmitted(scene);
            if (!scene.emitters.empty())
                fmt::print(
                    "        and up to {:.0f} emitted at once, sinks left aside: then about {:.1f} MB\n",
                    std::accumulate(emitted.begin(), emitted.end(), 0.0),
                    estimateMemoryWithEmitted(scene).total() / 1e6);
            for (const std::string& note : scene.notes)
                if (said.insert(note).second) fmt::print("        note: {}\n", note);
            for (const std::string& warning : warnings(scene))
                if (said.insert(warning).second) fmt::print("        warning: {}\n", warning);
        }
    return diagnostics;
}

int runValidate(const ValidateOptions& options) {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : options.files) files.push_back(sceneFile(name));
    if (options.all) files = sceneFiles();
    if (files.empty())
        fail(Exit::Usage, "validate", "no scene file given",
             "For example: coalesce validate dam_break, or --all.");
    std::vector<SceneError::Entry> diagnostics;
    const Exec device{ExecOptions{}};
    for (const auto& file : files)
        for (SceneError::Entry& entry : validateFile(file, options, device))
            diagnostics.push_back(std::move(entry));
    if (!diagnostics.empty()) throw SceneError(std::move(diagnostics));
    return 0;
}

}  // namespace

void addValidateCommand(CLI::App& app, Command& result) {
    auto options = std::make_shared<ValidateOptions>();
    CLI::App* command =
        app.add_subcommand("validate", "Reads scenes in every size and case, without simulating");
    command->add_option("scene", options->files, "Scene files, or names of those in scenes/");
    command->add_flag("--all", options->all, "All files of scenes/");
    command->add_option("--size", options->size, "Only this size");
    command->add_option("--case", options->caseName, "Only this case");
    command->add_option("--set", options->sets, "path=value; may be repeated")->allow_extra_args(false);
    command->callback([options, &result] { result.run = [options] { return runValidate(*options); }; });
}

}  // namespace coalesce
