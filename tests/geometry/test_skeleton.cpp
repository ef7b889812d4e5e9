// A mesh that walks: what a walk promises, measured on the vertices of the skin.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/shapes/solid.h"
#include "geometry/shapes/surface_animation.h"

namespace coalesce::test {
namespace {

constexpr float kPeriod = 1.2f, kStride = 0.9f, kHeight = 1.6f;
constexpr int kTimes = 48;  // of a period

class Walk : public ::testing::Test {
protected:
    std::shared_ptr<const Solid> horse = makeSolid({.shape = "horse", .height = kHeight});
    AnimatedSurface surface{
        horse->mesh(), horse->skeleton(), {.period = kPeriod, .stride = kStride}, "scene.json"};
    std::vector<Vec3> at(int k) const { return surface.verticesAt(double(kPeriod) * k / kTimes); }

    // The vertices around the lower end of a leg.
    std::vector<uint32_t> hoofOf(const Skeleton::Leg& leg) const {
        const Vec3d tip = horse->skeleton().bones[leg.lower].to;
        std::vector<uint32_t> vertices;
        for (uint32_t i = 0; i < surface.rest().vertices.size(); ++i)
            if (length(toDouble(surface.rest().vertices[i]) - tip) < 0.04 * double(kHeight))
                vertices.push_back(i);
        return vertices;
    }
    static Vec3d meanOf(const std::vector<Vec3>& vertices, const std::vector<uint32_t>& selected) {
        Vec3d sum;
        for (const uint32_t i : selected) sum += toDouble(vertices[i]) / double(selected.size());
        return sum;
    }
};

TEST_F(Walk, AHorseHasFourLegsOnTheGround) {
    ASSERT_EQ(horse->skeleton().legs.size(), 4u);
    EXPECT_TRUE(horse->closed());
    for (const Skeleton::Leg& leg : horse->skeleton().legs) {
        const std::vector<uint32_t> hoof = hoofOf(leg);
        ASSERT_GT(hoof.size(), 10u);
        float lowest = 1;
        for (const uint32_t i : hoof) lowest = std::min(lowest, surface.rest().vertices[i].y);
        EXPECT_NEAR(lowest, horse->bounds().low.y, 0.005f * kHeight);
    }
}

TEST_F(Walk, HoovesOnTheGroundStandStillInTheWorld) {
    const double speed = double(kStride / kPeriod);
    std::vector<int> standing(kTimes, 0);
    for (const Skeleton::Leg& leg : horse->skeleton().legs) {
        const std::vector<uint32_t> hoof = hoofOf(leg);
        const double rest = meanOf(surface.rest().vertices, hoof).y();
        std::vector<double> z;  // [m] in the world, over the longest time on the ground
        double highest = 0, longest = 0, slid = 0;
        for (int k = 0; k < 2 * kTimes; ++k) {
            const Vec3d tip = meanOf(at(k), hoof);
            highest = std::max(highest, tip.y() - rest);
            const bool down = tip.y() - rest < 0.012 * double(kHeight);
            if (k < kTimes) standing[size_t(k)] += down;
            if (!down) z.clear();
            if (down) z.push_back(tip.z() + speed * double(kPeriod) * k / kTimes);
            if (z.size() < 3) continue;
            longest = std::max(longest, double(z.size()) / kTimes);
            const auto [least, most] = std::ranges::minmax(z);
            slid = std::max(slid, most - least);
        }
        EXPECT_GT(longest, 0.6) << "of the period on the ground";
        EXPECT_GT(highest, 0.04 * double(kHeight)) << "the hoof is lifted";
        // it rolls about its tip, as its lower leg turns; the body moves by 0.6 m in this time
        EXPECT_LT(slid, 0.035 * double(kHeight));
    }
    EXPECT_GE(*std::ranges::min_element(standing), 2) << "a walk always has two hooves on the ground";
}

TEST_F(Walk, IsPeriodicAndSmooth) {
    const std::vector<Vec3> first = at(7), again = at(7 + 3 * kTimes);
    for (size_t i = 0; i < first.size(); ++i) EXPECT_LT(length(first[i] - again[i]), 1e-4f);
    // a hoof in the air is the fastest: its way of 0.65 strides back
    // takes 0.35 periods, at most at 2.6 times the mean
    const float most = 2.6f * 0.65f / 0.35f * kStride / kTimes;
    for (int k = 0; k < kTimes; ++k) {
        const std::vector<Vec3> before = at(k), after = at(k + 1);
        for (size_t i = 0; i < before.size(); ++i) ASSERT_LT(length(after[i] - before[i]), most) << k;
    }
}

TEST_F(Walk, BendsTheSkinWithoutCollapse) {
    const double volume = volumeOf(surface.rest());
    TriangleMesh mesh = surface.rest();
    for (int k = 0; k < kTimes; k += 4) {
        mesh.vertices = at(k);
        EXPECT_NEAR(volumeOf(mesh), volume, 0.04 * volume) << k;
    }
}

TEST_F(Walk, LegsThatDoNotReachAreNamed) {
    try {
        AnimatedSurface(horse->mesh(), horse->skeleton(), {.period = 1, .stride = 3},
                        "scene.json: shapes.horse");
        ADD_FAILURE();
    } catch (const Error& error) {
        const std::string said = error.what();
        EXPECT_NE(said.find("scene.json: shapes.horse"), std::string::npos) << said;
        EXPECT_NE(said.find("do not reach as far as a stride of 3 m"), std::string::npos) << said;
        EXPECT_NE(said.find("A stride may measure up to 1."), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace coalesce::test
