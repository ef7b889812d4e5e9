#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "render/frame/legend.h"

namespace coalesce {
namespace {

TEST(Legend, TicksAreRoundAndWithinTheRange) {
    EXPECT_EQ(legendTicks(0, 1, 5), (std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1}));
    EXPECT_EQ(legendTicks(-0.031f, 0.031f, 5),
              (std::vector<float>{-0.03f, -0.02f, -0.01f, 0, 0.01f, 0.02f, 0.03f}));
    for (const auto& [low, high] : {std::pair(3.7f, 912.0f), {1e-6f, 4e-6f}, {-5e7f, 2e3f}}) {
        const auto ticks = legendTicks(low, high, 5);
        EXPECT_GE(ticks.size(), 3u);
        EXPECT_LE(ticks.size(), 12u);
        for (const float tick : ticks) {
            EXPECT_GE(tick, low);
            EXPECT_LE(tick, high);
        }
    }
}

TEST(Legend, DegenerateRangesHaveATick) {
    EXPECT_EQ(legendTicks(2, 2, 5).size(), 1u);
    EXPECT_EQ(legendTicks(3, 1, 5).size(), 1u);
    EXPECT_EQ(legendTicks(NAN, 1, 5).size(), 1u);
}

TEST(Legend, StaysInsideTheImageWithOrderedColors) {
    const auto vertices = legendTriangles(480, 270, 0, 2.5f, "speed [m/s]");
    ASSERT_EQ(vertices.size() % 3, 0u);
    float top = 1e9f, bottom = -1e9f;
    for (const LegendVertex& v : vertices) {
        EXPECT_GE(v.x, 0);
        EXPECT_LE(v.x, 480);
        EXPECT_GE(v.y, 0);
        EXPECT_LE(v.y, 270);
        if (v.z == 1) top = std::min(top, v.y);
        if (v.z == 0) bottom = std::max(bottom, v.y);
    }
    EXPECT_LT(top, bottom);  // the highest value is at the top
}

}  // namespace
}  // namespace coalesce
