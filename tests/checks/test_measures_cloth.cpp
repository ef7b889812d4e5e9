// The checks of cloth.
#include "checks/cloth_state.h"
#include "checks/measure_suite.h"

namespace coalesce::test {
namespace {

// Markers of smoke above a triangle that rises past some of them, and past one beside it; spray does not count.
TEST(Measure, PiercedCountsPassiveParticlesOfTheClass) {
    Cloud start;
    for (const Vec3d& corner : {Vec3d{0, 0, 0}, Vec3d{0, 0, 1}, Vec3d{1, 0, 0}}) start.add(corner, kStone, 0);
    auto cloth = std::make_shared<ClothState>();
    cloth->bodies.push_back({.group = 0, .rows = 3, .triangles = 1});
    cloth->triangles.push_back({0, 1, 2, 0});
    cloth->idOf = {0, 1, 2};
    start.cloth = cloth;
    start.passive = {{0.2, 0.1, 0.2}, {0.2, 0.3, 0.3}, {0.8, 0.1, 0.8}, {0.3, 0.1, 0.2}};
    start.passiveIds = {3, 5, 8, 9};
    for (const PassiveClass kind :
         {PassiveClass::smoke, PassiveClass::smoke, PassiveClass::smoke, PassiveClass::spray})
        start.passiveTags.push_back(makeTag(kind, 0));
    Cloud end = start;
    for (Vec3d& corner : end.x) corner[1] += 0.2;
    // the first one has left: the others are found by their ids
    end.passive.erase(end.passive.begin()), end.passiveIds.erase(end.passiveIds.begin());
    end.passiveTags.erase(end.passiveTags.begin());
    const std::string check = R"("tight": {"check": "pierced", "group": "a", "class": )";
    const auto after = [&](const std::string& kind, const Cloud& last) {
        Watch watch(check + kind + R"(, "max": 0})", start);
        EXPECT_EQ(watch(start), 0);
        return watch(last);
    };
    EXPECT_EQ(after("\"smoke\"", end), 0);
    EXPECT_EQ(after("\"any\"", end), 1) << "the spray";
    for (Vec3d& corner : end.x) corner[1] += 0.2;
    EXPECT_EQ(after("\"smoke\"", end), 1) << "the upper one, but not the one beside the triangle";
}

}  // namespace
}  // namespace coalesce::test
