#include "sim/world/ball.h"

#include <algorithm>

#include "geometry/shapes/sample.h"
#include "sim/world/body_clusters.h"

namespace coalesce {

namespace {

constexpr double kMostInBall = 1e6;  // cells of its bounding box

bool isRigid(const Material& material) {
    const MaterialProperties& m = material.properties;
    return m.kind == MaterialKind::rigid && isShapeMatched(m) && !isLoose(m);
}

float spacingOfBall(const World& world) {
    if (world.spawning.ball.prefab)
        return world.materials[world.prefabs[*world.spawning.ball.prefab].material].properties.spacing;
    const auto rigid = std::find_if(world.materials.begin(), world.materials.end(), isRigid);
    return (rigid == world.materials.end() ? ballMaterial(world.materials) : *rigid).properties.spacing;
}

}  // namespace

bool needsBallMaterial(const World& world) {
    return !world.spawning.ball.prefab &&
           std::none_of(world.materials.begin(), world.materials.end(), isRigid);
}

std::string validateBall(const World& world, float radius) {
    const double across = 2.0 * radius / spacingOfBall(world);
    return across * across * across > kMostInBall
               ? fmt::format("it would be {:.0f} particles wide. Choose a smaller hand.ballRadius", across)
               : "";
}

Material ballMaterial(const std::vector<Material>& others) {
    Material ball{.name = "ball", .properties = {}};
    const auto taken = [&](const Material& other) { return other.name == ball.name; };
    while (std::any_of(others.begin(), others.end(), taken)) ball.name += "_";
    ball.properties.kind = MaterialKind::rigid;
    ball.properties.density = 600;
    ball.properties.staticFriction = 0.4f, ball.properties.dynamicFriction = 0.3f;
    ball.properties.color = {0.55f, 0.16f, 0.08f};
    if (!others.empty()) ball.properties.spacing = others[0].properties.spacing;
    return ball;
}

float ballRadius(const World& world) {
    if (world.spawning.ball.prefab) return world.spawning.ball.radius;
    const float d = spacingOfBall(world);
    // smaller ones would not be round
    const float wanted = world.parameters.hand.ballRadius;
    return std::max(wanted > 0 ? wanted : 4 * d, 1.5f * d);
}

void makeBall(World& world, float radius) {
    if (world.spawning.ball.prefab) return;
    auto material = std::find_if(world.materials.begin(), world.materials.end(), isRigid);
    if (material == world.materials.end()) {
        material = world.materials.insert(material, ballMaterial(world.materials));
        world.spawning.ball.addedMaterial = true;
    }
    const MaterialProperties m = material->properties;
    const auto solid = makeSolid({.shape = "sphere", .height = 2 * radius, .where = "hand.ballRadius"});
    Prefab ball;
    ball.name = "ball";
    ball.material = uint32_t(material - world.materials.begin());
    for (const Sample& s : sampleSolid(*solid, m.spacing, "hand.ballRadius"))
        ball.samples.push_back({s.x, s.distance, s.normal});
    ball.rounds.push_back({.radius = radius});
    ball.particleMass = float(m.density * solid->volume() / double(ball.samples.size()));
    ball.skin = std::make_shared<Skin>(makeSkin(solid->mesh(), ball.samples, {}));
    world.spawning.ball.prefab = uint32_t(world.prefabs.size());
    world.spawning.ball.radius = radius;
    world.prefabs.push_back(std::move(ball));
}

void removeBall(World& world) {
    if (!world.spawning.ball.prefab) return;
    const uint32_t material = world.prefabs[*world.spawning.ball.prefab].material;
    world.prefabs.resize(*world.spawning.ball.prefab);
    world.spawning.ball.prefab.reset();
    if (world.spawning.ball.addedMaterial) world.materials.resize(material);
    world.spawning.ball.addedMaterial = false;
    world.spawning.ball.radius = 0;
}

}  // namespace coalesce
