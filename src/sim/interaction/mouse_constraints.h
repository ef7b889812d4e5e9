// What commands do to particles: hands pull, brushes sweep, gusts blow.
#pragma once

#include "kernels/motion/mouse_spring.h"
#include "sim/stage/device_world.h"
#include "sim/world/commands.h"

namespace coalesce {

class ShapeMatching;

class MouseConstraints {
public:
    explicit MouseConstraints(Exec& exec) : m_grips(exec), m_pulls(exec), m_strokes(exec), m_blasts(exec) {}

    // At the start of a frame: hands take hold, move and let go as World::commands say. Fails
    // (Exit::Simulation) on a command that cannot be done. Strokes and gusts stay in the list until the frame
    // is over.
    void open(World& world);
    // Before prediction: velocities of what is held, brushed and blown at.
    void act(World& world, DeviceWorld& device, ShapeMatching& bodies, int substep, float dt);
    // After prediction: the masses of what is held.
    void weigh(World& world, DeviceWorld& device);
    // The frame is done: its commands are over, and the hands are where they went.
    static void close(World& world);

private:
    void pull(World& world, DeviceWorld& device, ShapeMatching& bodies, int substep, float dt);

    Buffer<GrabbedSet> m_grips;
    Buffer<Pull> m_pulls;
    Buffer<Stroke> m_strokes;
    Buffer<Blast> m_blasts;
};

}  // namespace coalesce
