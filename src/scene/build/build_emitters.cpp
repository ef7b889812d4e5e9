#include "scene/build/build_emitters.h"

#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "scene/build/attribute_values.h"
#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "sim/world/body_clusters.h"

namespace coalesce {

namespace {

constexpr uint64_t kEmitSeed = 0x656d697474657200ull;

Prefab prefabOf(const Scene& scene, const Body& body) {
    const MaterialProperties& properties = scene.materials[body.material].properties;
    const auto form = formOf(scene, body);
    std::vector<Vec3> positions;
    for (const BodySample& sample : form->samples) positions.push_back(sample.x);
    Prefab prefab{.name = body.name,
                  .material = body.material,
                  .samples = form->samples,
                  .clusters = {},
                  .rounds = form->rounds,
                  .particleMass = form->particleMass,
                  .selfCollide = body.selfCollide,
                  .collisionMask = body.collisionMask,
                  .values = attributeValues(scene, body, positions),
                  .skin = nullptr};
    if (properties.kind == MaterialKind::soft) {
        const float d = spacingOf(scene, body);
        prefab.clusters =
            makeClusters(form->samples, properties.clusterSpacing * d, properties.clusterRadius * d);
    }
    if (form->solid)
        prefab.skin = std::make_shared<Skin>(makeSkin(form->solid->mesh(), form->samples, prefab.clusters));
    return prefab;
}

// The smallest age at which a sink removes all particles of a material, whatever their position.
double lifeUnderSinks(const Scene& scene, const std::string& material, const std::string& emitter) {
    double least = 1e300;
    for (const Sink& sink : scene.sinks) {
        const bool all = sink.actsOn.empty() ||
                         std::any_of(sink.actsOn.begin(), sink.actsOn.end(),
                                     [&](const std::string& n) { return n == material || n == emitter; });
        if (sink.properties.enabled && !sink.formed && all)
            least = std::min(least, double{sink.properties.age});
    }
    return least;
}

}  // namespace

std::vector<Vec3> positionsOf(const Scene& scene, const Emitter& emitter) {
    Body body;
    body.name = emitter.name;
    body.kind = Body::Kind::Solid;
    body.solid = emitter.solid;
    body.material = emitter.material;
    std::vector<Vec3> positions;
    for (const auto& p : formOf(scene, body)->points)
        positions.push_back({float(p[0]), float(p[1]), float(p[2])});
    return positions;
}

void addEmitters(const Scene& scene, World& world) {
    for (const Body& body : scene.prefabs) world.prefabs.push_back(prefabOf(scene, body));
    for (size_t k = 0; k < scene.emitters.size(); ++k) {
        Emitter emitter = scene.emitters[k];
        emitter.seed = mixIn(mixIn(scene.seed, k), kEmitSeed);
        if (emitter.nozzle == Emitter::Nozzle::volume) emitter.places = positionsOf(scene, emitter);
        for (const std::string& name : emitter.bodies)
            for (uint32_t p = 0; p < scene.prefabs.size(); ++p)
                if (scene.prefabs[p].name == name) emitter.prefabs.push_back(p);
        addEmitter(world, std::move(emitter));
    }
}

// The largest value of a property in a run, with changes by the timeline.
static float largest(const Scene& scene, const Emitter& emitter, const char* property, float own) {
    double most = own;
    for (const TimedCommand& c : scene.timeline) {
        if (c.set != "emitters." + emitter.name + "." + property) continue;
        if (!c.from.empty()) most = std::max(most, c.from[0]);
        if (!c.to.empty()) most = std::max(most, c.to[0] + (c.swing.empty() ? 0 : std::abs(c.swing[0])));
    }
    for (const Track& track : scene.tracks)
        if (track.set == "emitters." + emitter.name + "." + property)
            for (const TrackKey& key : track.keys) most = std::max(most, key.value[0]);
    return float(most);
}

std::vector<double> mostEmitted(const Scene& scene) {
    std::vector<double> most(scene.materials.size(), 0);
    for (Emitter e : scene.emitters) {
        EmitterProperties& p = e.properties;
        p.speed = largest(scene, e, "speed", p.speed), p.rate = largest(scene, e, "rate", p.rate);
        // bodies are emitted in turn
        std::vector<std::pair<uint32_t, double>> kinds;
        for (const Body& body : scene.prefabs)
            for (const std::string& name : e.bodies)
                if (body.name == name) kinds.emplace_back(body.material, countBody(scene, body));
        if (kinds.empty()) kinds.emplace_back(e.material, 1.0);
        const Material& material = scene.materials[kinds[0].first];
        double life = p.life > 0 ? double{p.life} : 1e300;
        life = std::min({life, lifeUnderSinks(scene, material.name, e.name),
                         std::max(0.0, std::min(scene.duration, double{p.end}) - p.start)});
        // the first particle is removed a frame after the last one is added
        double n =
            rateOf(e, material.properties.spacing) * (life + 1 / double{scene.parameters.solver.frameRate});
        if (e.nozzle == Emitter::Nozzle::volume && p.rate == 0) {
            // the content, plus the flow out of a cube of this size
            const auto inside = double(positionsOf(scene, e).size());
            n = inside * (1 + life * p.speed / (std::cbrt(inside) * material.properties.spacing));
        }
        if (p.maximum > 0) n = std::min(n, double(p.maximum));
        for (const auto& [of, particles] : kinds) most[of] += std::ceil(n / double(kinds.size())) * particles;
    }
    return most;
}

}  // namespace coalesce
