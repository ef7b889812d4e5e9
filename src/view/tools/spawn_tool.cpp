#include "view/tools/spawn_tool.h"

#include <algorithm>
#include <cmath>

#include "checks/shape_distance.h"
#include "sim/interaction/pick.h"
#include "sim/spawn/user_spawns.h"
#include "view/viewport/vectors.h"

namespace coalesce {

namespace {

constexpr int kSteps = 64;          // on the way from the eye
constexpr float kTapHeight = 0.2f;  // of a jet above what the cursor points at, as a share of the distance

// How far a point is outside of all shapes, inside all containers, and, if asked for, from the middles of all
// particles [m].
class FreeSpace {
public:
    FreeSpace(const World& world, bool particlesToo) {
        if (particlesToo) m_particles = world.particles.x.download();
        for (const Shape& shape : world.shapes)
            if (!shape.trigger) m_shapes.emplace_back(shape, world.time);
    }
    double operator()(Vec3 p) const {
        double least = 1e300;
        for (const ShapeDistance& distance : m_shapes) least = std::min(least, distance({p.x, p.y, p.z}));
        for (const Vec4& x : m_particles) least = std::min(least, double{length(xyz(x) - p)});
        return least;
    }

private:
    std::vector<Vec4> m_particles;
    std::vector<ShapeDistance> m_shapes;
};

// The first point on the way with so much room about it [m], or one beside its end; nullopt: there is none.
std::optional<Vec3> firstFree(const World& world, Vec3 from, Vec3 to, double room, bool ofParticles) {
    const FreeSpace free(world, ofParticles);
    for (int k = 0; k <= kSteps; ++k) {
        const Vec3 p = from + static_cast<float>(k) / kSteps * (to - from);
        if (free(p) >= room) return p;
    }
    // away from what is nearest: the cursor points at a wall
    const auto step = static_cast<float>(0.01 * room);
    for (int k = 0; k < 16; ++k) {
        const double here = free(to);
        if (here >= room) return to;
        const Vec3 away{static_cast<float>(free(to + Vec3{step, 0, 0}) - here),
                        static_cast<float>(free(to + Vec3{0, step, 0}) - here),
                        static_cast<float>(free(to + Vec3{0, 0, step}) - here)};
        to += static_cast<float>(1.01 * (room - here)) * normalizeOr(away, {0, 1, 0});
    }
    return {};
}

float spacingOf(const World& world, uint32_t material) {
    return world.materials[material].properties.spacing;
}

std::string obstacleToPour(const World& world, uint32_t material) {
    return validateCommand(world, Pour{material, {}, {0, -1, 0}});
}
bool canPour(const World& world, uint32_t material) {
    return obstacleToPour(world, material).empty();
}
// Of a scene in which no material can be poured.
std::string whyNothingPours(const World& world) {
    for (uint32_t m = 0; m < world.materials.size(); ++m)
        if (const MaterialKind kind = world.materials[m].properties.kind;
            kind == MaterialKind::fluid || kind == MaterialKind::grains)
            return world.materials[m].name + " cannot be poured: " + obstacleToPour(world, m) + ".";
    return "This scene has no liquid or grains that could be poured.";
}

}  // namespace

float depthUnder(Session& session, const Camera& camera, const Aim& aim) {
    const Ray ray = rayThrough(camera, aim.cursor, aim.width, aim.height);
    const glm::vec3 forward = axes(camera).forward;
    if (const auto picked = pick(session.world(), toVec3(ray.origin), toVec3(ray.direction)))
        return picked->distance * glm::dot(glm::normalize(ray.direction), forward);
    return glm::dot(camera.look - camera.eye, forward);
}

Vec3 pointUnder(const Camera& camera, const Aim& aim, float depth) {
    return toVec3(unproject(camera, {aim.cursor, depth}, aim.width, aim.height));
}

std::string SpawnTool::throwBall(Session& session, const Camera& camera, const Aim& aim) {
    World& world = session.world();
    if (const std::string why = validateCommand(world, Throw{}); !why.empty())
        return "No ball can be thrown: " + why + ".";
    const Parameters::MouseConstraint& hand = world.parameters.hand;
    const float radius = world.ball ? reachOf(world, world.prefabs[*world.ball]) : ballRadius(world);
    const Vec3 target = targetUnder(session, camera, aim);
    const auto from = firstFree(world, toVec3(camera.eye), target, 1.1 * radius, true);
    if (!from)
        return fmt::format(
            "No ball can be thrown: on the way there is no room for one of radius {:.3g} m. Choose a "
            "smaller hand.ballRadius, or another view.",
            radius);
    // x = from + v t + g t²/2 is the target when the ball has gone so far at its speed
    const Vec3 way = target - *from;
    const float time = std::max(length(way) / std::max(hand.throwSpeed, 1e-3f), 1e-3f);
    const Vec3 velocity =
        hand.throwSpeed > 0 ? 1 / time * way - 0.5f * time * world.parameters.world.gravity : Vec3{0, 0, 0};
    session.send(Throw{*from, velocity});
    return session.paused ? "The ball flies when the scene goes on." : "";
}

std::optional<uint32_t> SpawnTool::poured(Session& session) const {
    const World& world = session.world();
    if (canPour(world, m_poured)) return m_poured;
    for (uint32_t m = 0; m < world.materials.size(); ++m)
        if (canPour(world, m)) return m;
    return {};
}

std::string SpawnTool::nextPoured(Session& session) {
    const World& world = session.world();
    const auto count = static_cast<uint32_t>(world.materials.size());
    const uint32_t before = poured(session).value_or(0);
    for (uint32_t k = 1; k <= count; ++k)
        if (const uint32_t m = (before + k) % count; canPour(world, m)) {
            m_poured = m;
            return "Pours " + world.materials[m].name;
        }
    return whyNothingPours(world);
}

std::string SpawnTool::hold(Session& session, const Camera& camera, const Aim& aim, bool pour, bool gust) {
    World& world = session.world();
    const Parameters::MouseConstraint& hand = world.parameters.hand;
    std::vector<UserCommand> commands;
    std::string why;
    if (!pour) m_depth.reset();
    if (const auto material = pour ? poured(session) : std::nullopt) {
        // kept while the key is held: the jet itself would be pointed at
        if (!m_depth) m_depth = depthUnder(session, camera, aim);
        const Vec3 target = pointUnder(camera, aim, *m_depth);
        const Vec3 down = normalizeOr(world.parameters.world.gravity, {0, -1, 0});
        const Vec3 above = target - kTapHeight * length(target - toVec3(camera.eye)) * down;
        const float radius = hand.pourRadius > 0 ? hand.pourRadius : 3 * spacingOf(world, *material);
        if (const auto from = firstFree(world, above, target, radius, false))
            commands.push_back(Pour{*material, *from, hand.pourSpeed * down});
        else
            why = "There is no room for a jet. Choose a smaller hand.pourRadius, or point elsewhere.";
    } else if (pour) {
        why = whyNothingPours(world);
    }
    if (gust) {
        const Ray ray = rayThrough(camera, aim.cursor, aim.width, aim.height);
        if (world.parameters.world.airDensity > 0 && hand.gustSpeed > 0)
            commands.push_back(
                Gust{toVec3(ray.origin), hand.gustSpeed * toVec3(glm::normalize(ray.direction))});
        else
            why = "There is no wind without air and speed: see world.airDensity and hand.gustSpeed.";
    }
    session.hold(std::move(commands));
    return why;
}

}  // namespace coalesce
