// Tearing and cutting of cloth and ropes, between frames.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/mirror.h"
#include "kernels/cloth/tear_search.h"
#include "sim/cloth/cloth_topology.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class Tearing : Stage {
public:
    using Stage::Stage;

    // After the last substep: counts in the status the springs strained beyond the limit of their material.
    void findTears(const StepContext& step);
    // After the frame: cuts along the Cut commands and, where `torn`, tears the springs that findTears() has
    // found: at most solver.tearsPerFrame of them, the most strained first.
    void updateTopology(World& world, bool torn);

private:
    Mirror<float> m_limit{exec};    // by index of a SpringParams
    Buffer<uint32_t> m_torn{exec};  // by spring
};

// Ends [m] of the springs of cloth and ropes that these cuts would separate now. Reads back from the device:
// between frames only.
std::vector<std::array<Vec3, 2>> springsCutBy(World& world, std::span<const Cut> cuts);

}  // namespace coalesce
