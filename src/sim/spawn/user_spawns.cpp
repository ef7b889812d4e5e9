#include "sim/spawn/user_spawns.h"

#include "sim/world/ball.h"

namespace coalesce {

namespace {

// The group of loose particles of this material, which poured particles join.
std::optional<uint32_t> looseGroupOf(const World& world, uint32_t material) {
    for (const Emitter& e : world.emitters)
        if (e.prefabs.empty() && e.material == material) return e.group;
    for (uint32_t g = 0; g < world.groups.size(); ++g)
        if (world.groups[g].material == material && world.groups[g].body == Group::kNoBody) return g;
    return {};
}

// The nozzle of a Pour command, without a group.
Emitter jetFrom(const World& world, const Pour& pour) {
    Emitter jet;
    const float wanted = world.parameters.hand.pourRadius;
    jet.radius = wanted > 0 ? wanted : 3 * world.materials[pour.material].properties.spacing;
    jet.material = pour.material;
    jet.properties.position = pour.from;
    jet.properties.direction = normalizeOr(pour.velocity, {0, -1, 0});
    jet.properties.speed = length(pour.velocity);
    return jet;
}

// Every ball is a body with a group.
std::string tooManyBodies(const World& world, size_t balls) {
    if (world.groups.size() + balls <= size_t{kMaxGroups}) return "";
    return fmt::format("there are {} bodies, and there can be at most {}. Restart, or throw less",
                       world.groups.size(), kMaxGroups);
}

std::string validateThrow(const World& world) {
    if (world.parameters.solver.planar)
        return "the scene is planar, and a ball is not. Use a scene with solver.planar off";
    if (world.spawning.bodiesPending)
        return "the timeline of this scene will add bodies, and a ball would take their group. Throw when "
               "all bodies are present";
    if (needsBallMaterial(world) && world.materials.size() >= size_t{kMaxMaterials})
        return fmt::format("the scene has {} materials, the maximum, and none of them is rigid",
                           world.materials.size());
    if (const std::string why = tooManyBodies(world, 1); !why.empty()) return why;
    return validateBall(world, ballRadius(world));
}

std::string validatePour(const World& world, const Pour& pour) {
    if (pour.material >= world.materials.size())
        return fmt::format("there is no material {}; there are {}", pour.material, world.materials.size());
    const Material& m = world.materials[pour.material];
    if (!isFlowing(m.properties))
        return fmt::format("'{}' is neither liquid, gas nor grains, so it cannot be poured", m.name);
    if (!looseGroupOf(world, pour.material))
        return fmt::format("there is no body of '{}' to pour into. Add one to the scene, or an emitter",
                           m.name);
    const Emitter jet = jetFrom(world, pour);
    if (const double n = particlesInLayer(jet, m.properties.spacing); n > kMostInLayer)
        return fmt::format("a layer of the jet would have {:.3g} particles. Choose a smaller hand.pourRadius",
                           n);
    return "";
}

}  // namespace

std::string validateSpawnCommand(const World& world, const UserCommand& command) {
    if (std::holds_alternative<Throw>(command)) return validateThrow(world);
    if (const auto* pour = std::get_if<Pour>(&command)) return validatePour(world, *pour);
    return "";
}

std::vector<SpawnRequest> collectUserSpawns(World& world) {
    size_t balls = 0;
    for (const UserCommand& command : world.commands) {
        const bool throws = std::holds_alternative<Throw>(command);
        if (!throws && !std::holds_alternative<Pour>(command)) continue;
        std::string why = malformed(command);
        if (why.empty()) why = validateSpawnCommand(world, command);
        if (why.empty() && throws) why = tooManyBodies(world, ++balls);
        if (why.empty()) continue;
        world.commands.clear();
        fail(
            Exit::Simulation, fmt::format("frame {}, a command", world.frame), why,
            "The frame was not simulated. Give the command later, or correct the replay that it comes from.");
    }
    std::vector<SpawnRequest> all;
    for (const UserCommand& command : world.commands) {
        const auto* thrown = std::get_if<Throw>(&command);
        const auto* pour = std::get_if<Pour>(&command);
        if (!thrown && !pour) continue;
        if (thrown) {
            makeBall(world, ballRadius(world));
            SpawnRequest due{.bodies = true,
                             .reach = reachOf(world, world.prefabs[*world.spawning.ball.prefab])};
            due.spawned.push_back(
                {.x = thrown->from, .v = thrown->velocity, .prefab = *world.spawning.ball.prefab});
            all.push_back(std::move(due));
            continue;
        }
        Emitter jet = jetFrom(world, *pour);
        jet.group = *looseGroupOf(world, pour->material);
        all.push_back(jetOf(world, jet));
        if (all.back().spawned.empty()) all.pop_back();
    }
    return all;
}

}  // namespace coalesce
