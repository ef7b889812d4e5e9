// Shapes that commands lead to another place in the course of a frame.
#pragma once

#include <vector>

#include "sim/world/commands.h"

namespace coalesce {

class KinematicMoves {
public:
    // Before anything asks where shapes are: those of MoveShape commands follow two keys, from here to there.
    // Contacts so sweep along the way, as for every shape that moves. Fails (Exit::Simulation) on a command
    // that cannot be done, and forgets all commands then. length: of the frame [s].
    KinematicMoves(World& world, double length);
    // The frame is done, and the shapes are where they went; what moves by itself goes on from there.
    void finish();
    // A frame that failed leaves them where they were.
    ~KinematicMoves();
    KinematicMoves(const KinematicMoves&) = delete;
    KinematicMoves& operator=(const KinematicMoves&) = delete;

private:
    World& m_world;
    std::vector<uint32_t> m_driven;  // indices of shapes
};

}  // namespace coalesce
