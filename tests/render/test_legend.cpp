#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "render/frame/engineering.h"
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

TEST(Legend, UnitsTakeThePrefixOfTheLargestValue) {
    EXPECT_EQ(engineering(12500, "Pa"), "12.5 kPa");
    EXPECT_EQ(engineering(-2.5e6, "J"), "-2.5 MJ");
    EXPECT_EQ(engineering(0.00325, "m"), "3.25 mm");
    EXPECT_EQ(engineering(4e-6, "m/s"), "4 µm/s");
    EXPECT_EQ(engineering(0.05, "m"), "0.05 m");
    EXPECT_EQ(engineering(1e6, "J"), "1 MJ") << "a whole power";
    EXPECT_EQ(engineering(0, "m"), "0 m");
    EXPECT_EQ(engineering(12500, "kg/m^3"), "1.25e+04 kg/m^3") << "no second prefix";
    EXPECT_EQ(engineering(0.001, "%"), "0.001 %");
    EXPECT_EQ(engineering(3, "-"), "3");
    // the legend of a range in Pa is that of the range in kPa
    const auto same = [](const std::vector<LegendVertex>& a, const std::vector<LegendVertex>& b) {
        return a.size() == b.size() &&
               std::ranges::equal(a, b, [](const LegendVertex& p, const LegendVertex& q) {
                   return std::abs(p.x - q.x) + std::abs(p.y - q.y) < 1e-3f;
               });
    };
    EXPECT_TRUE(same(legendTriangles(480, 270, 0, 25000, "pressure [Pa]"),
                     legendTriangles(480, 270, 0, 25, "pressure [kPa]")));
    EXPECT_FALSE(same(legendTriangles(480, 270, 0, 25000, "density [kg/m^3]"),
                      legendTriangles(480, 270, 0, 25, "density [kg/m^3]")));
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
