#include "checks/scene_warnings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "checks/known_limits.h"
#include "checks/shape_distance.h"
#include "core/counted.h"
#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/build/joints.h"
#include "scene/build/overlap_check.h"
#include "scene/format/edits.h"
#include "sim/world/material_kinds.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

// Largest circumradius of the triangles [m]: a particle that touches the cloth only at a shorter distance
// passes through.
double largestHole(const ClothMesh& cloth) {
    double largest = 0;
    for (const Triangle& t : cloth.triangles) {
        const Vec3 a = cloth.points[t[0]], b = cloth.points[t[1]], c = cloth.points[t[2]];
        double side[] = {length(b - c), length(c - a), length(a - b)};
        std::sort(std::begin(side), std::end(side));
        const double area = 0.5 * length(cross(b - a, c - a));
        // obtuse: half the longest side
        const bool obtuse = side[2] * side[2] > side[0] * side[0] + side[1] * side[1];
        largest =
            std::max(largest, obtuse || area == 0 ? 0.5 * side[2] : side[0] * side[1] * side[2] / (4 * area));
    }
    return largest;
}

// Cloth stops particles only if their contact distance exceeds its holes.
void warnOfHoles(const Scene& scene, std::vector<std::string>& out) {
    constexpr double kStretched = 1.1;
    for (const Body& body : scene.bodies) {
        const MaterialProperties& own = scene.materials[body.material].properties;
        if (own.kind != MaterialKind::cloth) continue;
        const double hole = kStretched * largestHole(formOf(scene, body)->cloth);
        double least = hole;  // contact distance
        std::vector<std::string_view> passing;
        for (const Material& other : scene.materials) {
            const bool fluid = isFluid(other.properties);
            const bool used = std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const Body& b) {
                return &scene.materials[b.material] == &other && (&b != &body || b.selfCollide);
            });
            const double contact = 0.5 * (double{own.spacing} + other.properties.spacing) *
                                   (fluid ? scene.parameters.contacts.fluidDistance : 1);
            if (!used || contact >= hole) continue;
            passing.push_back(other.name);
            least = std::min(least, contact);
        }
        if (passing.empty()) continue;
        out.push_back(fmt::format(
            "cloth {}: with 10 % stretch, its holes have a radius of {:.3g} m, but the contact "
            "distance of {} is {:.3g} m{}: particles may pass through. Set the spacing of the body "
            "to {:.3g} m or less, or increase the spacing of the materials",
            body.name, hole, fmt::join(passing, ", "), least, passing.size() > 1 ? " or more" : "",
            spacingOf(scene, body) * least / hole));
    }
}

// Constraints converge the slower, the further masses are apart: cloth that is filled with particles much heavier than
// its own stretches, and lets them pass. Measured with a balloon of water (docs/validation.md): nothing passes while the
// ratio of masses is below kPerSquare n², n substeps of 1/60 s.
void warnOfLightCloth(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kPerSquare = 0.125, kPerSquareProjective = 0.39;
    const bool projective = scene.parameters.solver.method == Method::projective;
    const double n = 1 / (60 * dt), allowed = (projective ? kPerSquareProjective : kPerSquare) * n * n;
    const double ofFrame = 1 / (double{scene.parameters.solver.frameRate} * dt);  // substeps
    const auto contains = [](const Box& skin, const Box& fill) {
        return min(skin.low, fill.low) == skin.low && max(skin.high, fill.high) == skin.high;
    };
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        const Material& cloth = scene.materials[body.material];
        if (cloth.properties.kind != MaterialKind::cloth) continue;
        const double own = double{formOf(scene, body)->particleMass};
        for (size_t f = 0; f < scene.bodies.size(); ++f) {
            const Body& fill = scene.bodies[f];
            const MaterialProperties& load = scene.materials[fill.material].properties;
            if (load.kind != MaterialKind::fluid && load.kind != MaterialKind::grains) continue;
            const double ratio = double{particleMass(load)} / own;
            if (!(ratio > allowed)) continue;
            const std::vector<Box> fills = boxesOf(scene, f);
            const bool isInside = std::ranges::any_of(boxesOf(scene, b), [&](const Box& skin) {
                return std::ranges::any_of(fills, [&](const Box& box) { return contains(skin, box); });
            });
            if (!isInside) continue;
            const auto substeps = [&](double perSquare) {
                return std::ceil(ofFrame * std::sqrt(ratio / (perSquare * n * n)));
            };
            out.push_back(fmt::format(
                "cloth {} cannot hold {}, whose particles are {:.3g} times as heavy as its own: with {:.3g} "
                "substeps per frame it can hold {:.3g} times. Use {}, or an areaDensity of {:.3g} kg/m² for "
                "{}",
                body.name, fill.name, ratio, ofFrame, allowed,
                projective ? fmt::format("{:g} substeps", substeps(kPerSquareProjective))
                           : fmt::format("{:g} substeps, {:g} with solver.method projective",
                                         substeps(kPerSquare), substeps(kPerSquareProjective)),
                double{cloth.properties.areaDensity} * ratio / allowed, cloth.name));
        }
    }
}

// Surface tension is an explicit force between particles, stable only below a limit: see docs/validation.md.
void warnOfTension(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kLargest = 0.12;  // of σ dt²/(ρ d³)
    for (const Material& material : scene.materials) {
        const MaterialProperties& m = material.properties;
        const double limit = kLargest * particleMass(m) / (dt * dt);
        if (!isFluid(m) || m.surfaceTension <= limit) continue;
        out.push_back(
            fmt::format("material {}: a surface tension of {:g} N/m is unstable at this spacing and time "
                        "step. Reduce it to {:.3g} N/m, or use at least {:.0f} substeps",
                        material.name, m.surfaceTension, limit,
                        std::ceil(std::sqrt(m.surfaceTension / limit) /
                                  (double(scene.parameters.solver.frameRate) * dt))));
    }
}

// Height [m] of the tallest body of grains, or rigid body, as it is placed.
double tallestSolid(const Scene& scene) {
    double tallest = 0;
    for (const Body& body : scene.bodies) {
        const MaterialKind kind = scene.materials[body.material].properties.kind;
        if (kind != MaterialKind::grains && kind != MaterialKind::rigid) continue;
        const Box box = boundsOf(scene, body);
        tallest = std::max(tallest, double(box.high.y - box.low.y));
    }
    return tallest;
}

// Masses that differ by e^(k height) do not exchange equal momenta. Friction that remembers then pulls a tall
// pile apart: a castle of 3.2 m stands up to k height = 10, and not at 13.
void warnOfStackScaling(const Scene& scene, std::vector<std::string>& out) {
    constexpr double kLargest = 10;  // k height [-]
    const Parameters::Contacts& contacts = scene.parameters.contacts;
    if (contacts.presliding == 0 || contacts.stackScaling == 0) return;
    const double height = tallestSolid(scene);
    if (contacts.stackScaling * height <= kLargest) return;
    out.push_back(fmt::format(
        "contacts.stackScaling {:g}/m with contacts.presliding tears piles of {:.2g} m apart. Reduce it to "
        "{:.2g}/m, or to 0: with presliding they stand without",
        contacts.stackScaling, height, kLargest / height));
}

// Properties that act through the temperature of particles, in a scene without temperatures.
void warnOfTemperature(const Scene& scene, std::vector<std::string>& out) {
    const auto temperature = std::ranges::find(scene.attributes, kTemperature, &AttributeInfo::name);
    if (temperature != scene.attributes.end() && temperature->type == AttributeType::number) return;
    for (const Material& m : scene.materials)
        if (isFluid(m.properties) && (m.properties.thermalExpansion > 0 || m.properties.cooling > 0))
            out.push_back(fmt::format(
                "material {}: {} has no effect without an attribute \"temperature\" of type float, for "
                "example \"attributes\": {{\"temperature\": {{\"default\": 293, \"unit\": \"K\"}}}}",
                m.name, m.properties.thermalExpansion > 0 ? "thermalExpansion" : "cooling"));
}

// Properties of smoke and gases that have no effect, or that a user will not see.
void warnOfSmoke(const Scene& scene, std::vector<std::string>& out) {
    double markers = 0;
    for (const Material& m : scene.materials) {
        const MaterialProperties& p = m.properties;
        const bool hasRegions = std::ranges::any_of(scene.markers, [&](const MarkerRegion& region) {
            return &scene.materials[region.material] == &m;
        });
        const bool makes = p.smoke > 0 || p.smokeSeeds > 0 || hasRegions, gas = p.kind == MaterialKind::gas;
        if (gas && p.smokelessLife > 0 && !makes)
            out.push_back(
                fmt::format("material {}: smokelessLife removes its particles after {:g} s, because it makes "
                            "no smoke. Set "
                            "smokeSeeds, or smokelessLife to 0",
                            m.name, p.smokelessLife));
        if (gas && p.turbulence == 0 && p.baroclinity != MaterialProperties().baroclinity)
            out.push_back(
                fmt::format("material {}: baroclinity has no effect while turbulence is 0", m.name));
        if (makes && p.smokeOpacity == 0)
            out.push_back(
                fmt::format("material {}: its smoke is invisible, because smokeOpacity is 0", m.name));
        if (p.smokeSeeds > 0)
            for (const Emitter& e : scene.emitters)
                if (e.bodies.empty() && &scene.materials[e.material] == &m && e.properties.rate > 0)
                    markers += e.properties.rate * double{p.smokeSeeds} * double{p.smokeLife};
    }
    const int capacity = scene.parameters.passive.capacity;
    if (markers > capacity)
        out.push_back(
            fmt::format("emitters keep {:.0f} markers of smoke alive, but passive.capacity is {}: the oldest "
                        "vanish early. "
                        "Raise it, or reduce smokeSeeds or smokeLife",
                        markers, capacity));
}

bool isAnalytic(const Shape& shape) {
    return shape.kind == ShapeKind::plane || shape.kind == ShapeKind::box ||
           shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule;
}

// Points that hold a body far from it: the particle nearest to them is taken. Often their unit is wrong.
void warnOfDistantPoints(const Scene& scene, std::vector<std::string>& out) {
    constexpr float kFar = 3;  // spacings
    const auto warn = [&](const std::string& what, Vec3 point, float distance, const Body& body) {
        if (distance > kFar * spacingOf(scene, body))
            out.push_back(fmt::format(
                "{} [{:g}, {:g}, {:g}] is {:.3g} m from the nearest particle of {}, which it takes", what,
                point.x, point.y, point.z, distance, body.name));
    };
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (std::ranges::none_of(body.attach, [](const Attachment& a) { return a.point.has_value(); }))
            continue;
        const auto form = formOf(scene, body);
        for (const Attachment& a : body.attach) {
            if (!a.point) continue;
            float least = std::numeric_limits<float>::max();
            for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
                for (const Vec3& x : positionsOf(scene, b, copy, *form))
                    least = min(least, length(x - *a.point));
            warn("attach.point", *a.point, least, body);
        }
    }
    const GroupNames names(scene);
    for (const Joint& joint : scene.springs)
        for (const Joint::End* end : {&joint.from, &joint.to}) {
            const Body& body = scene.bodies[names.bodyOf(names.find(end->body)->first).body];
            warn(end == &joint.from ? "springs.from.at" : "springs.to.at", end->at,
                 length(nearestAtStart(scene, end->body, end->at).position - end->at), body);
        }
}

// A name of a body and of a material means the body, in checks and where fields act.
void warnOfNames(const Scene& scene, std::vector<std::string>& out) {
    for (const Body& body : scene.bodies)
        for (const Material& material : scene.materials)
            if (body.name == material.name && &scene.materials[body.material] != &material)
                out.push_back(fmt::format(
                    "body {} has the name of a material that it is not of: in checks and fields the "
                    "name means the body",
                    body.name));
}

void warnOfNozzles(const Scene& scene, std::vector<std::string>& out) {
    for (const Emitter& emitter : scene.emitters)
        for (const Shape& shape : scene.shapes)
            if (isAnalytic(shape) && shape.container && !shape.trigger && emitter.on.empty() &&
                ShapeDistance(shape, 0)(toDouble(emitter.properties.position)) <
                    -scene.materials[emitter.material].properties.spacing)
                out.push_back(fmt::format(
                    "emitter {}: its nozzle is outside container {}, which pulls in what it emits: move the "
                    "nozzle, or enlarge the container",
                    emitter.name, shape.name));
}

// Loose particles and solid bodies that start deep in a shape, beyond the layer at a face, are pushed out of it;
// the usual cause is a box or sphere that should be a container. Particles of all kinds that start outside a container
// are pulled in. Shapes of solids, whose geometry is not built yet, are left out.
void warnOfShapes(const Scene& scene, SceneWarnings& found) {
    constexpr std::ptrdiff_t kFew = 20;  // of a sheet or rope, a twentieth outside does not matter
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        const MaterialKind kind = scene.materials[body.material].properties.kind;
        if (body.at > 0 || body.pinned) continue;
        // what is held at some points, and sheets and ropes, may begin in a shape that they hang on, and their edges
        // in a wall
        const bool hangs =
            body.pin || !body.attach.empty() || kind == MaterialKind::cloth || kind == MaterialKind::rope;
        const auto form = formOf(scene, body);
        std::vector<Vec3> points;
        for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
            for (const Vec3& x : positionsOf(scene, b, copy, *form)) points.push_back(x);
        if (points.empty()) continue;
        std::vector<std::string>& out = kind == MaterialKind::gas ? found.hints : found.warnings;
        Vec3 low = points[0], high = points[0];
        for (const Vec3& x : points) low = min(low, x), high = max(high, x);
        const Vec3 center = 0.5f * (low + high);
        const double reach = length(high - center), depth = 0.75 * spacingOf(scene, body);
        for (const Shape& shape : scene.shapes) {
            if (!isAnalytic(shape) || shape.trigger || (shape.collisionMask & body.collisionMask) == 0)
                continue;
            if (hangs && !shape.container) continue;
            const ShapeDistance distance(shape, 0);
            if (distance(toDouble(center)) > reach) continue;
            const auto inside = std::count_if(points.begin(), points.end(),
                                              [&](const Vec3& x) { return distance(toDouble(x)) < -depth; });
            if (inside == 0 || (hangs && inside * kFew < std::ptrdiff_t(points.size()))) continue;
            if (shape.container) {
                out.push_back(fmt::format(
                    "body {}: {} of its {} particles start outside container {}, which pulls them in: "
                    "move the body, enlarge the container, or give both a collisionMask without a common bit",
                    body.name, inside, points.size(), shape.name));
                continue;
            }
            const bool vessel = shape.kind != ShapeKind::plane && 2 * size_t(inside) > points.size();
            out.push_back(fmt::format(
                "body {}: {} of its {} particles start inside shape {}, which pushes them out: move the body "
                "or the shape{}",
                body.name, inside, points.size(), shape.name,
                vessel ? ", or set \"container\": true if the shape should hold them" : ""));
        }
    }
}

// Properties that are set, but that only other kinds have.
void warnOfKinds(const Scene& scene, std::vector<std::string>& out) {
    const ConstTunables values = tunablesOf(scene);
    std::vector<Material> plain = scene.materials;
    for (Material& material : plain) material.properties = {};
    const std::vector<Edit> set =
        editsBetween({values.parameters, plain, values.forceFields, values.emitters, values.sinks}, values);
    const auto& names = choiceNames<MaterialKind>();
    for (const Tunable& t : listTunables(values)) {
        if (t.section != "materials" || std::ranges::find(set, t.value) == set.end()) continue;
        const auto material = std::ranges::find(scene.materials, t.element, &Material::name);
        const std::vector<MaterialKind> kinds = kindsOf(t.info.about);
        const MaterialKind kind = material->properties.kind;
        if (kinds.empty() || std::ranges::find(kinds, kind) != kinds.end()) continue;
        std::vector<std::string_view> others;
        for (const MaterialKind other : kinds) others.push_back(names[size_t(other)]);
        out.push_back(fmt::format("material {}: {} has no effect, because its kind is {}; it is for {}",
                                  t.element, t.info.name, names[size_t(kind)], fmt::join(others, ", ")));
    }
}

float thicknessOf(const Shape& shape) {
    const Vec3 h = shape.halfExtents;
    return shape.kind == ShapeKind::box     ? 2 * std::min({h.x, h.y, h.z})
           : shape.kind == ShapeKind::plane ? 1e30f
                                            : 2 * shape.radius;
}

float finestSpacing(const Scene& scene) {
    float finest = 1e30f;
    const auto has = [&](uint32_t material) {
        finest = std::min(finest, scene.materials[material].properties.spacing);
    };
    for (const Body& body : scene.bodies) has(body.material);
    for (const Body& prefab : scene.prefabs) has(prefab.material);
    for (const Emitter& emitter : scene.emitters)
        if (emitter.bodies.empty()) has(emitter.material);
    return finest;
}

void hintAtThinShapes(const Scene& scene, std::vector<std::string>& out) {
    const float finest = finestSpacing(scene);
    const auto isMet = [&](const Shape& shape) {
        const auto meets = [&](const Body& body) { return (body.collisionMask & shape.collisionMask) != 0; };
        return std::ranges::any_of(scene.bodies, meets) || std::ranges::any_of(scene.prefabs, meets) ||
               !scene.emitters.empty();
    };
    for (const Shape& shape : scene.shapes)
        if (!shape.container && isMet(shape) && thicknessOf(shape) < finest)
            out.push_back(
                fmt::format("shape {} is {:g} m thick, less than one spacing ({:g} m): particles on opposite "
                            "sides interact",
                            shape.name, thicknessOf(shape), finest));
}

// Bodies whose size the lattice cannot show.
void hintAtLattices(const Scene& scene, std::vector<std::string>& out) {
    for (const Body& body : scene.bodies) {
        const float d = spacingOf(scene, body);
        const bool fills =
            body.kind != Body::Kind::Points && isFlowing(scene.materials[body.material].properties);
        const auto [low, high] = boundsOf(scene, body);
        const Vec3 size = high - low;
        const float thin = std::min({size.x, size.y, size.z});
        if (fills && thin < 3 * d)
            out.push_back(fmt::format("body {} is {:g} m thick, less than three spacings of {:g} m",
                                      body.name, thin, d));
        if (body.kind != Body::Kind::Block) continue;
        for (const float length : {body.size.x, body.size.y, body.size.z})
            if (std::abs(length / d - std::round(length / d)) > 0.25f)
                out.push_back(fmt::format("body {}: {:g} m are {:.2f} spacings; the lattice uses {:g}",
                                          body.name, length, length / d, std::round(length / d)));
    }
}

void warnOfBounds(const Scene& scene, std::vector<std::string>& out) {
    if (!scene.bounded) return;
    const auto within = [&](const Box& box) {
        return max(box.low, scene.boundsMin) == box.low && min(box.high, scene.boundsMax) == box.high;
    };
    for (size_t b = 0; b < scene.bodies.size(); ++b)
        if (!std::ranges::all_of(boxesOf(scene, b), within))
            out.push_back(fmt::format("body {} extends beyond the bounds: move it, or widen them",
                                      scene.bodies[b].name));
}

void warnOfOverlaps(const Scene& scene, SceneWarnings& found) {
    constexpr size_t kMost = 50;  // of a kind
    constexpr size_t kFew = 8;    // pairs, which part without harm
    const auto isGas = [&](size_t body) {
        return scene.materials[scene.bodies[body].material].properties.kind == MaterialKind::gas;
    };
    // a gas that fills a room gives way to what stands in it
    const auto listOf = [&](size_t body, size_t other, size_t pairs) -> std::vector<std::string>& {
        return pairs < kFew || isGas(body) != isGas(other) ? found.hints : found.warnings;
    };
    size_t harmless = 0, severe = 0;
    for (const StartOverlap& pair : startOverlaps(scene)) {
        std::vector<std::string>& out = listOf(pair.body, pair.other, pair.pairs);
        if ((&out == &found.hints ? harmless : severe)++ >= kMost) continue;
        out.push_back(
            fmt::format("bodies {} and {} overlap at the start: {} of particles too close; move them apart",
                        pair.otherName, pair.name, counted(pair.pairs, "pair")));
    }
    for (const Coincidence& c : coincidences(scene))
        listOf(c.body, c.other, kFew)
            .push_back(
                fmt::format("body {}: {} of its particles coincide with particles of {}, the first at [{:g}, "
                            "{:g}, {:g}]: move the points apart, or set jitter",
                            scene.bodies[c.body].name, c.count,
                            c.other == c.body ? "the same body" : "body " + scene.bodies[c.other].name,
                            c.first.x, c.first.y, c.first.z));
}

void warnOfFastBodies(const Scene& scene, double dt, std::vector<std::string>& out) {
    constexpr double kLargest = 0.5;  // support radii per substep
    double fastest = 0;
    std::string name;
    for (const Body& body : scene.bodies) {
        const double h =
            double{spacingOf(scene, body)} * scene.materials[body.material].properties.supportRatio;
        const double step = double{length(body.velocity)} * dt / h;
        if (step > fastest) fastest = step, name = body.name;
    }
    if (fastest > kLargest)
        out.push_back(
            fmt::format("body {} moves {:.2g} support radii per substep: above {:g}, particles may pass "
                        "through each other; {} substeps prevent that",
                        name, fastest, kLargest,
                        std::ceil(fastest / kLargest / (double(scene.parameters.solver.frameRate) * dt))));
}

void warnOfOpacity(const Scene& scene, std::vector<std::string>& out) {
    for (const Shape& shape : scene.shapes)
        if (shape.container && shape.opacity < 1)
            out.push_back(fmt::format(
                "shape {}: opacity has no effect on a container, of which only edges are drawn; for walls of "
                "glass add boxes with \"collisionMask\": []",
                shape.name));
}

// Loose bodies in a scene without shapes.
void hintAtNothingBelow(const Scene& scene, std::vector<std::string>& out) {
    const Parameters& p = scene.parameters;
    if (!scene.shapes.empty() || length(p.world.gravity) == 0) return;
    const auto falls = [](const Body& body) { return !body.pinned && !body.pin && body.attach.empty(); };
    const auto loose = std::ranges::find_if(scene.bodies, falls);
    // another body may hold it
    if (loose == scene.bodies.end() || !std::ranges::all_of(scene.bodies, falls)) return;
    const Box box = boundsOf(scene, *loose);
    const double fall = 0.5 * double{length(p.world.gravity)} * scene.duration * scene.duration;
    if (fall > double{length(box.high - box.low)})
        out.push_back(fmt::format(
            "nothing holds body {}: the scene has no shapes, so it falls out of view. Add a floor, "
            "{{\"name\": \"floor\", \"plane\": {{}}}}, or a container to \"shapes\"",
            loose->name));
}

// What other units or another axis upwards would look like.
void hintAtUnits(const Scene& scene, std::vector<std::string>& out) {
    constexpr float kStrongest = 100;  // [m/s²]
    constexpr float kLightest = 10;    // [kg/m³]
    const Vec3 g = scene.parameters.world.gravity;
    const float strength = length(g);
    if (strength > kStrongest)
        out.push_back(fmt::format("gravity is {:g} m/s2: lengths are in meters", strength));
    if (strength > 0 && g.y > -0.5f * strength)
        out.push_back(
            fmt::format("gravity [{:g}, {:g}, {:g}] does not point downwards, along -y", g.x, g.y, g.z));
    for (const Material& material : scene.materials) {
        const MaterialProperties& p = material.properties;
        const bool heavy =
            p.kind == MaterialKind::rigid || p.kind == MaterialKind::grains || p.kind == MaterialKind::fluid;
        if (heavy && p.density < kLightest)
            out.push_back(
                fmt::format("material {} has a density of {:g}: the unit is kg/m3, that of water 1000",
                            material.name, p.density));
    }
}

}  // namespace

SceneWarnings warningsOf(const Scene& scene, size_t mostCompared) {
    SceneWarnings found;
    const double dt = longestSubstep(scene.parameters.solver);
    warnOfKinds(scene, found.warnings);
    warnOfTension(scene, dt, found.warnings);
    warnOfStackScaling(scene, found.warnings);
    warnOfTemperature(scene, found.warnings);
    warnOfSmoke(scene, found.warnings);
    warnOfBounds(scene, found.warnings);
    warnOfHoles(scene, found.warnings);
    warnOfLightCloth(scene, dt, found.warnings);
    warnOfFastBodies(scene, dt, found.warnings);
    warnOfOpacity(scene, found.warnings);
    warnOfNozzles(scene, found.warnings);
    warnOfDistantPoints(scene, found.warnings);
    warnOfNames(scene, found.warnings);
    if (countParticles(scene) <= mostCompared) {
        warnOfOverlaps(scene, found);
        warnOfShapes(scene, found);
    }
    hintAtThinShapes(scene, found.hints);
    hintAtLattices(scene, found.hints);
    hintAtUnits(scene, found.hints);
    hintAtNothingBelow(scene, found.hints);
    for (std::string& limit : knownLimits(scene)) found.hints.push_back(std::move(limit));
    return found;
}

std::vector<SceneTime> timesOf(const Scene& scene) {
    std::vector<SceneTime> times;
    const auto add = [&](const std::string& what, double at) {
        times.push_back({fmt::format("{} at {:g} s", what, at), at > scene.duration + 1e-6});
    };
    for (const Check& check : scene.expect)
        if (const double at = std::max({check.at, check.from, check.to}); at > 0)
            add(fmt::format("the check {} is judged", check.name), at);
    for (const TimedCommand& command : scene.timeline)
        if (command.clock == Clock::simulation) add("an event of the timeline happens", command.at);
    return times;
}

std::vector<std::string> briefWarningsOf(const Scene& scene) {
    constexpr size_t kMostCompared = size_t{1} << 18;
    std::vector<std::string> brief;
    for (const std::string& warning : warningsOf(scene, kMostCompared).warnings) addOnce(brief, warning);
    return brief;
}

void addOnce(std::vector<std::string>& texts, const std::string& text) {
    constexpr size_t kMost = 20;
    // a digit after a letter belongs to a name, as in "wall2"
    const auto withoutNumbers = [](const std::string& from) {
        std::string to;
        for (const char c : from) {
            const bool digit = c >= '0' && c <= '9';
            if (!digit || (!to.empty() && (std::isalnum(uint8_t(to.back())) || to.back() == '_'))) to += c;
        }
        return to;
    };
    const std::string plain = withoutNumbers(text);
    const auto repeats = [&](const std::string& other) { return withoutNumbers(other) == plain; };
    if (!plain.empty() && texts.size() < kMost && std::ranges::none_of(texts, repeats)) texts.push_back(text);
}

}  // namespace coalesce
