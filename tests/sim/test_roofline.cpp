// The least time of a substep, against the sums of the table that it comes from, for two devices.
#include <gtest/gtest.h>

#include "sim/solver/roofline.h"
#include "sim/world/world.h"

namespace coalesce::test {
namespace {

TEST(Rooflines, TotalIsTheSumOfTheStages) {
    // an H200 by its copies and clock, and an RTX 4090: the one lacks instructions, the other bandwidth
    const DeviceLimits h200{4.3e12, 3.09e13}, rtx4090{0.92 * 1008e9, 4.13e13};
    EXPECT_NEAR(minSubstepTime(h200, 1e6, 33, 4), 0.658e-3, 0.005e-3);
    EXPECT_NEAR(minSubstepTime(rtx4090, 1e6, 33, 4), 2.316e-3, 0.02e-3);
    EXPECT_NEAR(minSubstepTime(h200, 2e6, 33, 4), 2 * minSubstepTime(h200, 1e6, 33, 4), 1e-9);
    EXPECT_NEAR(minSubstepTime(h200, 1e6, 33, 8) - minSubstepTime(h200, 1e6, 33, 4), 4 * (42 + 46) * 1e-6,
                8e-6);
}

TEST(Rooflines, NoneOnCpu) {
    Exec exec({.backend = "cpu"});
    const World world(exec);
    EXPECT_FALSE(rooflineOf(world).why.empty());
}

}  // namespace
}  // namespace coalesce::test
