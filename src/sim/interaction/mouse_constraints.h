// Forces of user commands: mouse grabs, brush strokes, gusts.
#pragma once

#include "kernels/motion/mouse_spring.h"
#include "sim/stage/step_context.h"
#include "sim/world/commands.h"

namespace coalesce {

class ShapeMatching;

class MouseConstraints : Stage {
public:
    using Stage::Stage;

    // At the start of a frame: grabs, moves and releases as World::commands say, and collects strokes and
    // gusts. Fails (Exit::Simulation) on an invalid command.
    void beginFrame(World& world);
    // Before prediction: velocities of what is grabbed, brushed and blown at.
    void applyForces(const StepContext& step, ShapeMatching& bodies);
    // After prediction: masses of what is grabbed.
    void applyMass(const StepContext& step);
    // At the end of a frame: clears its commands; the mouse constraints start the next frame at their
    // targets.
    static void endFrame(World& world);

private:
    void applyGrabs(const StepContext& step, ShapeMatching& bodies);

    Buffer<GrabbedSet> m_grabs{exec};
    Buffer<GrabImpulse> m_impulses{exec};
    Buffer<Stroke> m_strokes{exec};
    Buffer<GustRay> m_gusts{exec};
};

}  // namespace coalesce
