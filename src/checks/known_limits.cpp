#include "checks/known_limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "scene/build/body_form.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

// Bodies of a kind that the scene has, or emits.
std::vector<const Body*> bodiesOfKind(const Scene& scene, MaterialKind kind) {
    std::vector<const Body*> found;
    for (const std::vector<Body>* bodies : {&scene.bodies, &scene.prefabs})
        for (const Body& body : *bodies)
            if (scene.materials[body.material].properties.kind == kind) found.push_back(&body);
    return found;
}

// Whether bodies, or particles that are emitted, are of a material.
bool isUsed(const Scene& scene, const Material& material) {
    const auto ofIt = [&](const auto& source) { return &scene.materials[source.material] == &material; };
    const auto emits = [&](const Emitter& emitter) { return emitter.bodies.empty() && ofIt(emitter); };
    return std::ranges::any_of(scene.bodies, ofIt) || std::ranges::any_of(scene.prefabs, ofIt) ||
           std::ranges::any_of(scene.emitters, emits);
}

std::vector<const Material*> usedOfKind(const Scene& scene, MaterialKind kind) {
    std::vector<const Material*> found;
    for (const Material& material : scene.materials)
        if (material.properties.kind == kind && isUsed(scene, material)) found.push_back(&material);
    return found;
}

// Under projective dynamics a soft body that turns follows the chords of its substeps, which brakes it by
// dω/dt = −ω³ dt: after a time t its spin is ω/√(1 + 2 ω² t dt). The other methods return the loss: soft_spin.h.
void hintAtSpin(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kSmallest = 0.01;  // of the spin in a second; worth a hint
    if (scene.parameters.solver.method != Method::projective) return;
    for (const Body* body : bodiesOfKind(scene, MaterialKind::soft)) {
        if (body->pinned) continue;
        const double speed = length(toDouble(body->angularVelocity));
        const double lost = 1 - 1 / std::sqrt(1 + 2 * speed * speed * dt);
        if (lost < kSmallest) continue;
        out.push_back(fmt::format(
            "body {} turns at {:.3g} rad/s: under solver.method projective a soft body loses {:.2g} % of its "
            "spin in a second with these substeps, and about half of that with twice as many",
            body->name, speed, 100 * lost));
    }
}

// Nearly as heavy as a liquid: such bodies float too deep, or sink; slightly heavier ones stop above the floor.
void hintAtFloating(const Scene& scene, std::vector<std::string>& out) {
    const char* const deepSoft =
        "liquids compress soft bodies, so that they float too deep: with 2 substeps and stiffness 0.5 a "
        "ball of 0.8 by 0.15 of its volume, and one of 0.9 sinks and stays below unless there are 8; a "
        "larger stiffness helps";
    const char* const deepRigid =
        "such bodies float too deep: ice (0.9) by 0.06 of its volume with 2 substeps and 0.05 with 4, by "
        "0.04 and 0.03 with balls of eight spacings; a ball of six spacings that has fallen to the floor "
        "stays there with 2 substeps, one of 13 spacings rises";
    const char* const low =
        "a body one tenth heavier than its liquid stops on the last two layers of particles";
    constexpr double kLight = 0.8, kHeavy = 1.15;                    // of the density of the liquid
    if (scene.parameters.solver.method != Method::position) return;  // the others were not measured
    std::vector<const Material*> solids = usedOfKind(scene, MaterialKind::rigid);
    std::ranges::copy(usedOfKind(scene, MaterialKind::soft), std::back_inserter(solids));
    for (const Material* solid : solids)
        for (const Material* liquid : usedOfKind(scene, MaterialKind::fluid)) {
            const double ratio = double{solid->properties.density} / double{liquid->properties.density};
            if (ratio < kLight || ratio > kHeavy || ratio == 1) continue;
            const char* const deep = solid->properties.kind == MaterialKind::soft ? deepSoft : deepRigid;
            out.push_back(fmt::format("material {} has {:.3g} of the density of {}: {}", solid->name, ratio,
                                      liquid->name, ratio < 1 ? deep : low));
        }
}

// Least number of substeps with which an error that falls with dt² is at most `most`.
int substepsFor(const Parameters::Solver& solver, double error, double most) {
    return int(std::ceil(solver.substeps * std::sqrt(error / most)));
}

// A few iterations spread the weight of N layers only so far. The lowest of a liquid are compressed by about
//     0.7 N g dt²/(k d)                                                    k: iterations, d: spacing
// Measured: docs/validation.md.
void hintAtCompression(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kFactor = 0.7, kSmallest = 0.1;
    const Parameters& p = scene.parameters;
    const double g = length(toDouble(p.world.gravity));
    if (p.solver.method != Method::position || g == 0) return;
    for (const Body* body : bodiesOfKind(scene, MaterialKind::fluid)) {
        if (body->kind != Body::Kind::Block) continue;
        const Vec3 along = p.world.gravity, size = body->size;
        const double depth =  // [m]
            double{std::abs(along.x) * size.x + std::abs(along.y) * size.y + std::abs(along.z) * size.z} / g;
        const double d = double{spacingOf(scene, *body)};
        const double error = kFactor * depth / d * g * dt * dt / (p.solver.iterations * d);
        if (error < kSmallest) continue;
        out.push_back(fmt::format(
            "body {}: while this liquid is {:.3g} m deep, its lowest layers are compressed {} with these "
            "substeps; {} substeps make that 3 %, and larger particles help",
            body->name, depth,
            error > 0.5 ? std::string("to less than two thirds") : fmt::format("by {:.2g} %", 100 * error),
            substepsFor(p.solver, error, 0.03)));
    }
}

// The same of cloth that hangs: its worst springs are stretched by about
//     N² g dt²/(k d)                                                       N: cells of its longer side
void hintAtStretch(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kSmallest = 0.1;
    const Parameters& p = scene.parameters;
    const double g = length(toDouble(p.world.gravity));
    if (p.solver.method != Method::position) return;
    for (const Body* body : bodiesOfKind(scene, MaterialKind::cloth)) {
        const MaterialProperties& cloth = scene.materials[body->material].properties;
        if (body->pinned || (!body->pin && body->attach.empty())) continue;
        if (cloth.compliance > 0 || cloth.stiffness < 1 || cloth.tetherStiffness > 0) continue;
        const Box box = boundsOf(scene, *body);
        const Vec3 size = box.high - box.low;
        const double d = double{spacingOf(scene, *body)};
        const double cells = double{std::max({size.x, size.y, size.z})} / d;
        const double error = cells * cells * g * dt * dt / (p.solver.iterations * d);
        if (error < kSmallest) continue;
        out.push_back(fmt::format(
            "body {} is held, and {:.0f} cells long: with these substeps its worst springs "
            "stretch by about {}. Use {} substeps for 10 %, tetherStiffness 1, or solver.method projective",
            body->name, cells,
            error > 1 ? fmt::format("{:.2g} times their length", error)
                      : fmt::format("{:.2g} %", 100 * error),
            substepsFor(p.solver, error, kSmallest)));
    }
}

// Heaps creep from substep to substep, unless contacts remember where they began to hold.
void hintAtHeaps(const Scene& scene, std::vector<std::string>& out) {
    constexpr double kLong = 5;  // [s] after which it is seen
    const Parameters& p = scene.parameters;
    if (p.contacts.presliding > 0 || p.solver.method == Method::velocity || scene.duration < kLong) return;
    for (const Material* material : usedOfKind(scene, MaterialKind::grains))
        if (material->properties.staticFriction > 0)
            out.push_back(
                fmt::format("material {}: its heaps flatten slowly (from 34° to 22° in 12 s) unless "
                            "contacts.presliding is set: 0.1, or 1 where they must not move at all. Give "
                            "blocks a jitter of 0.3 with it; an exact lattice stands as a cube",
                            material->name));
}

// Balls and discs roll on shapes with their true surfaces. Other bodies feel their particles.
void hintAtRolling(const Scene& scene, std::vector<std::string>& out) {
    constexpr float kPlate = 4;  // radii that a body measures on which a ball is likely to roll
    const std::vector<const Body*> bodies = bodiesOfKind(scene, MaterialKind::rigid);
    for (const Body* ball : bodies) {
        const auto form = formOf(scene, *ball);
        if (form->rounds.empty() || scene.materials[ball->material].properties.staticFriction == 0) continue;
        const float radius = form->rounds[0].radius;
        const auto isPlate = [&](const Body* body) {
            const Box box = boundsOf(scene, *body);
            const Vec3 size = box.high - box.low;
            return std::max({size.x, size.y, size.z}) > kPlate * radius &&
                   formOf(scene, *body)->rounds.empty();
        };
        const auto plate = std::ranges::find_if(bodies, isPlate);
        if (plate == bodies.end()) continue;
        out.push_back(fmt::format(
            "body {} rolls on shapes with its true round surface; on bodies such as {} the facets of its "
            "particles "
            "hold it back: on a plate of particles of a quarter of its radius it does not move at 10°, "
            "and at 20° accelerates at a third of the rate of rolling",
            ball->name, (*plate)->name));
        return;
    }
}

// A loose bed is compacted below what falls into it, and rises nowhere.
void hintAtCraters(const Scene& scene, std::vector<std::string>& out) {
    const std::vector<const Material*> grains = usedOfKind(scene, MaterialKind::grains);
    const std::vector<const Body*> bodies = bodiesOfKind(scene, MaterialKind::rigid);
    const auto falls = [](const Body* body) { return !body->pinned && body->attach.empty(); };
    if (grains.empty() || std::ranges::none_of(bodies, falls)) return;
    out.push_back(fmt::format(
        "material {}: craters of what falls into it have no rim, and deepen with the height of the fall to "
        "the power 0.26 (sand: 0.33)",
        grains[0]->name));
}

// Layers of plane liquids crystallize at a short reach of the kernel.
void hintAtPlaneLiquids(const Scene& scene, std::vector<std::string>& out) {
    constexpr double kShort = 2.5;  // support ratio
    if (!scene.parameters.solver.planar) return;
    std::vector<const Material*> liquids = usedOfKind(scene, MaterialKind::fluid);
    std::erase_if(liquids, [](const Material* m) { return double{m->properties.supportRatio} >= kShort; });
    if (liquids.size() < 2) return;
    out.push_back(fmt::format(
        "materials {} and {}: with solver.planar and supportRatio 2, layers of liquids crystallize; "
        "waves between them grow at a fifth to a quarter of their rate, with supportRatio 3 at "
        "half of it, with 4 at 0.8",
        liquids[0]->name, liquids[1]->name));
}

}  // namespace

std::vector<std::string> knownLimits(const Scene& scene) {
    std::vector<std::string> out;
    const double dt = longestSubstep(scene.parameters.solver);
    hintAtSpin(scene, dt, out);
    hintAtCompression(scene, dt, out);
    hintAtStretch(scene, dt, out);
    hintAtFloating(scene, out);
    hintAtRolling(scene, out);
    hintAtHeaps(scene, out);
    hintAtCraters(scene, out);
    hintAtPlaneLiquids(scene, out);
    return out;
}

}  // namespace coalesce
