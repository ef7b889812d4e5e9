#include "sim/world/commands.h"

#include <fmt/format.h>

#include "core/overloaded.h"
#include "sim/world/world.h"

namespace coalesce {

std::string malformed(const UserCommand& command) {
    const auto invalidIndex = [](uint32_t constraint) {
        return constraint < kMaxMouseConstraints
                   ? std::string()
                   : fmt::format("there is no mouse constraint {}; they are numbered 0 to {}", constraint,
                                 kMaxMouseConstraints - 1);
    };
    const std::string notFinite = "a point or velocity is not finite";
    return std::visit(
        Overloaded{
            [&](const Grab& g) { return isFinite(g.at) ? invalidIndex(g.constraint) : notFinite; },
            [&](const MoveTarget& m) { return isFinite(m.to) ? invalidIndex(m.constraint) : notFinite; },
            [&](const Release& r) { return invalidIndex(r.constraint); },
            [&](const Brush& b) { return isFinite(b.from) && isFinite(b.to) ? std::string() : notFinite; },
            [&](const Cut& c) -> std::string {
                if (!isFinite(c.a) || !isFinite(c.b) || !isFinite(c.c)) return notFinite;
                if (!(length(cross(c.b - c.a, c.c - c.a)) > 0))
                    return "the three points of a cut lie on a line, so the cut has no area";
                return "";
            },
            [&](const MoveShape& m) {
                const Quat& q = m.rotation;
                const float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
                if (!isFinite(m.to) || !(norm < 2)) return notFinite;
                return norm > 0.5f ? std::string() : "the quaternion of a rotation must have length 1";
            },
            [&](const Gust& g) -> std::string {
                if (!isFinite(g.from) || !isFinite(g.velocity)) return notFinite;
                return length(g.velocity) > 0 ? "" : "the velocity of a gust must not be 0";
            },
            [&](const auto& t) {  // Throw, Pour
                return isFinite(t.from) && isFinite(t.velocity) ? std::string() : notFinite;
            }},
        command);
}

std::optional<Vec3> targetOf(const World& world, uint32_t constraint) {
    std::optional<Vec3> target;
    for (const MouseConstraint& c : world.mouseConstraints)
        if (c.number == constraint) target = c.to;
    for (const UserCommand& command : world.commands) {
        if (const auto* grab = std::get_if<Grab>(&command); grab && grab->constraint == constraint)
            target = grab->at;
        if (const auto* move = std::get_if<MoveTarget>(&command); move && move->constraint == constraint)
            target = move->to;
        if (const auto* release = std::get_if<Release>(&command);
            release && release->constraint == constraint)
            target.reset();
    }
    return target;
}

}  // namespace coalesce
