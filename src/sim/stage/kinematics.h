// Kinematic shapes: moves the shapes of MoveShape commands to their target poses over one frame.
#pragma once

#include <vector>

#include "sim/world/commands.h"

namespace coalesce {

class KinematicMoves {
public:
    // Gives each shape of a MoveShape command two pose keys, the present pose and the target at the end of
    // the frame, before anything asks for poses. Contacts then sweep along the path, as for every moving
    // shape. Fails (Exit::Simulation) on an invalid command and clears all commands. length: of the frame
    // [s].
    KinematicMoves(World& world, double length);
    // Ends the moves: the shapes stay at their targets; shapes with velocities continue from there.
    void finish();
    // Without finish() (the frame failed) the shapes return to where they were.
    ~KinematicMoves();
    KinematicMoves(const KinematicMoves&) = delete;
    KinematicMoves& operator=(const KinematicMoves&) = delete;

private:
    World& m_world;
    std::vector<uint32_t> m_driven;  // indices of shapes
};

}  // namespace coalesce
