#include "sim/stage/kinematics.h"

#include <algorithm>

#include "core/error.h"
#include "sim/world/world.h"

namespace coalesce {

namespace {

// Why the command cannot be executed; empty: valid.
std::string validateCommand(const World& world, const MoveShape& move) {
    if (const std::string issue = malformed(move); !issue.empty()) return issue;
    if (move.shape >= world.shapes.size())
        return fmt::format("there is no shape {}; there are {}", move.shape, world.shapes.size());
    const Shape& shape = world.shapes[move.shape];
    return shape.keys.empty() ? "" : fmt::format("the shape '{}' follows its keys", shape.name);
}

}  // namespace

KinematicMoves::KinematicMoves(World& world, double length) : m_world(world) {
    for (const UserCommand& command : world.commands) {
        const auto* move = std::get_if<MoveShape>(&command);
        if (!move) continue;
        // the last command for a shape wins
        const bool again = std::find(m_driven.begin(), m_driven.end(), move->shape) != m_driven.end();
        if (again) world.shapes[move->shape].keys.clear();
        if (const std::string why = validateCommand(world, *move); !why.empty()) {
            for (const uint32_t shape : m_driven) world.shapes[shape].keys.clear();
            world.commands.clear();
            fail(Exit::Simulation, fmt::format("frame {}, a command", world.frame), why,
                 "Check the replay it comes from.");
        }
        Shape& shape = world.shapes[move->shape];
        const Pose now = poseAt(shape, world.time);
        shape.keys = {{world.time, now.position, now.rotation},
                      {world.time + length, move->to, move->rotation}};
        if (!again) m_driven.push_back(move->shape);
    }
}

void KinematicMoves::finish() {
    for (const uint32_t index : m_driven) {
        Shape& shape = m_world.shapes[index];
        shape.position = shape.keys.back().position, shape.rotation = shape.keys.back().rotation;
        shape.since = m_world.time;
        shape.keys.clear();
    }
    m_driven.clear();
}

KinematicMoves::~KinematicMoves() {
    for (const uint32_t shape : m_driven) m_world.shapes[shape].keys.clear();
}

}  // namespace coalesce
