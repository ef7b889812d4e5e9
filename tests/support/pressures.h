// Pressures of liquids, computed on the host from what a Solver sums up.
#pragma once

#include <vector>

#include "core/error.h"
#include "sim/solver/solver.h"

namespace coalesce::test {

// p [Pa] of each particle at the end of the last substep, in storage order; 0 for what is not liquid. The
// mean over a frame or more is steadier. Needs Solver::watchPressure before the frame.
inline std::vector<double> pressures(const Solver& solver, World& world) {
    const View<const float> lambda = solver.lambdaSums();
    CHECK_EQ(lambda.size, world.count());
    const std::vector<float> scale = solver.pressureScales();
    std::vector<float> sums(world.count());
    world.exec.copyToHost(sums.data(), lambda.data, sums.size() * sizeof(float));
    const std::vector<uint32_t> phase = world.particles.phase.download();
    std::vector<double> pressure;
    for (size_t i = 0; i < sums.size(); ++i)
        pressure.push_back(-double{sums[i]} * scale[materialOf(phase[i])]);
    return pressure;
}

}  // namespace coalesce::test
