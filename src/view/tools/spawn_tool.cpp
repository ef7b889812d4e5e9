#include "view/tools/spawn_tool.h"

#include <algorithm>
#include <cmath>

#include "checks/shape_distance.h"
#include "sim/interaction/pick.h"
#include "sim/world/ball.h"
#include "view/viewport/vectors.h"

namespace coalesce {

namespace {

constexpr int kSteps = 64;  // samples between camera and target
constexpr float kNozzleHeight =
    0.25f;  // of a jet above the target, as a share of the height that the image shows

// [m] Distance of a point to all shapes, inside for containers, and optionally to all particles, whose radius
// is half their spacing.
class FreeSpace {
public:
    FreeSpace(const World& world, bool withParticles) {
        if (withParticles) {
            m_particles = world.particles.x.download();
            const std::vector<uint32_t> phase = world.particles.phase.download();
            for (size_t i = 0; i < phase.size(); ++i)
                m_particles[i].w = 0.5f * world.materials[materialOf(phase[i])].properties.spacing;
        }
        for (const Shape& shape : world.shapes)
            if (!shape.trigger) m_shapes.emplace_back(shape, world.time);
    }
    double operator()(Vec3 p) const {
        double least = 1e300;
        for (const ShapeDistance& distance : m_shapes) least = std::min(least, distance({p.x, p.y, p.z}));
        for (const Vec4& x : m_particles) least = std::min(least, double{length(xyz(x) - p) - x.w});
        return least;
    }

private:
    std::vector<Vec4> m_particles;  // w: radius
    std::vector<ShapeDistance> m_shapes;
};

// The first point between `from` and `to` with this clearance [m], or one near `to`; nullopt: none.
// In a closed tank, where the way ends at once, it is one above `to`.
std::optional<Vec3> firstFree(const World& world, Vec3 from, Vec3 to, double clearance, bool withParticles) {
    const FreeSpace free(world, withParticles);
    const Vec3 start = to;
    for (int k = 0; k <= kSteps; ++k) {
        const Vec3 p = from + float(k) / kSteps * (to - from);
        if (free(p) >= clearance) return p;
    }
    // gradient steps away from the nearest shape: the cursor points at a wall
    const auto step = float(0.01 * clearance);
    for (int k = 0; k < 16; ++k) {
        const double here = free(to);
        if (here >= clearance) return to;
        const Vec3 away{float(free(to + Vec3{step, 0, 0}) - here), float(free(to + Vec3{0, step, 0}) - here),
                        float(free(to + Vec3{0, 0, step}) - here)};
        to += float(1.01 * (clearance - here)) * normalizeOr(away, {0, 1, 0});
    }
    const Vec3 up = -normalizeOr(world.parameters.world.gravity, {0, -1, 0});
    const float reach = length(to - from);
    for (int k = 0; k <= kSteps; ++k) {
        const Vec3 p = start + float(k) / kSteps * reach * up;
        if (free(p) >= clearance) return p;
    }
    return {};
}

float spacingOf(const World& world, uint32_t material) {
    return world.materials[material].properties.spacing;
}

std::string pourError(const Session& session, uint32_t material) {
    return session.validate(Pour{material, {}, {0, -1, 0}});
}
bool canPour(const Session& session, uint32_t material) {
    return pourError(session, material).empty();
}
// Why no material of the scene can be poured.
std::string nothingToPour(const Session& session) {
    const World& world = session.world();
    for (uint32_t m = 0; m < world.materials.size(); ++m)
        if (isFlowing(world.materials[m].properties))
            return world.materials[m].name + " cannot be poured: " + pourError(session, m) + ".";
    return "This scene has no liquid or granular material to pour.";
}

}  // namespace

float depthUnder(Session& session, const Camera& camera, const Aim& aim) {
    const auto ray = clipped(rayThrough(camera, aim.cursor, aim.width, aim.height), aim.clipPlane);
    const glm::vec3 forward = axes(camera).forward;
    if (const auto picked =
            ray ? pick(session.world(), toVec3(ray->origin), toVec3(ray->direction)) : std::nullopt)
        return glm::dot(ray->origin + picked->distance * ray->direction - camera.eye, forward);
    return glm::dot(camera.look - camera.eye, forward);
}

Vec3 pointUnder(const Camera& camera, const Aim& aim, float depth) {
    return toVec3(unproject(camera, {aim.cursor, depth}, aim.width, aim.height));
}

std::string SpawnTool::throwBall(Session& session, const Camera& camera, const Aim& aim) {
    const World& world = session.world();
    if (const std::string why = session.validate(Throw{}); !why.empty())
        return "No ball can be thrown: " + why + ".";
    const Parameters::MouseConstraint& mouse = world.parameters.hand;
    const float radius = world.spawning.ball.prefab
                             ? reachOf(world, world.prefabs[*world.spawning.ball.prefab])
                             : ballRadius(world);
    const Vec3 target = targetUnder(session, camera, aim);
    const Vec3 eye = toVec3(rayThrough(camera, aim.cursor, aim.width, aim.height).origin);
    const auto from = firstFree(world, eye, target, 1.1 * radius, true);
    if (!from)
        return fmt::format(
            "No ball can be thrown: the way to the cursor is blocked for a radius of {:.3g} m. {} a smaller "
            "hand.ballRadius, or choose another view.",
            radius, world.spawning.ball.prefab ? "Restart with" : "Choose");
    // ballistic: target = from + v t + g t²/2, with t = distance / speed
    const Vec3 offset = target - *from;
    const float time = std::max(length(offset) / std::max(mouse.throwSpeed, 1e-3f), 1e-3f);
    const Vec3 velocity = mouse.throwSpeed > 0
                              ? 1 / time * offset - 0.5f * time * world.parameters.world.gravity
                              : Vec3{0, 0, 0};
    session.beginInteraction("Throw");
    session.send(Throw{*from, velocity});
    return session.paused ? "Ball thrown (moves when resumed)" : "";
}

std::optional<uint32_t> SpawnTool::poured(const Session& session) const {
    if (canPour(session, m_poured)) return m_poured;
    for (uint32_t m = 0; m < session.world().materials.size(); ++m)
        if (canPour(session, m)) return m;
    return {};
}

std::string SpawnTool::nextPoured(const Session& session) {
    const World& world = session.world();
    const auto count = uint32_t(world.materials.size());
    const uint32_t before = poured(session).value_or(0);
    for (uint32_t k = 1; k <= count; ++k)
        if (const uint32_t m = (before + k) % count; canPour(session, m)) {
            m_poured = m;
            return "Pours: " + world.materials[m].name;
        }
    return nothingToPour(session);
}

std::string SpawnTool::hold(Session& session, const Camera& camera, const Aim& aim, bool pour, bool gust) {
    World& world = session.world();
    const Parameters::MouseConstraint& mouse = world.parameters.hand;
    std::vector<UserCommand> commands;
    std::string why;
    if (!pour) m_depth.reset();
    if (const auto material = pour ? poured(session) : std::nullopt) {
        // kept while the key is held, because the cursor would point at the jet itself
        if (!m_depth) m_depth = depthUnder(session, camera, aim);
        const Vec3 target = pointUnder(camera, aim, *m_depth);
        const Vec3 down = normalizeOr(world.parameters.world.gravity, {0, -1, 0});
        const float seen = 2 * halfExtent(camera, *m_depth, float(aim.width) / float(aim.height)).y;
        const Vec3 above = target - kNozzleHeight * seen * down;
        const float radius = mouse.pourRadius > 0 ? mouse.pourRadius : 3 * spacingOf(world, *material);
        if (const auto from = firstFree(world, above, target, radius, false))
            commands.push_back(Pour{*material, *from, mouse.pourSpeed * down});
        else
            why = "The jet is blocked. Choose a smaller hand.pourRadius, or point elsewhere.";
    } else if (pour) {
        why = nothingToPour(session);
    }
    if (gust) {
        const Ray ray = rayThrough(camera, aim.cursor, aim.width, aim.height);
        if (world.parameters.world.airDensity > 0 && mouse.gustSpeed > 0)
            commands.push_back(
                Gust{toVec3(ray.origin), mouse.gustSpeed * toVec3(glm::normalize(ray.direction))});
        else
            why = "Wind needs air and speed: set world.airDensity and hand.gustSpeed above 0.";
    }
    // one interaction from press to release; an undo meanwhile begins another one
    const std::string held = commands.empty()                                 ? ""
                             : std::holds_alternative<Pour>(commands.front()) ? "Pour"
                                                                              : "Gust";
    session.hold(std::move(commands), held);
    return why;
}

}  // namespace coalesce
