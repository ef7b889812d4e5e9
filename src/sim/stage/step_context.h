// What the stages of a substep share: their argument, and their base.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

class Neighbors;

// The substep that a stage works on. What a stage needs beyond it, it takes as further arguments, so that the
// substep function shows which stage depends on which.
struct StepContext {
    World& world;
    DeviceWorld& device;
    const Neighbors& neighbors;  // of this substep, once Neighbors::build has run
    int substep;                 // of the frame, from 0
    float dt;                    // [s] of a substep
    int substeps = 1;            // of the frame
};

// Base of the stages: where they run, and where their buffers lie, as in `Buffer<float> m_lambda{exec};`.
struct Stage {
    explicit Stage(Exec& e) : exec(e) {}
    Exec& exec;
};

}  // namespace coalesce
