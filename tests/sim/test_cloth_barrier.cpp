// Cloth in the way of passive particles.
#include <vector>

#include "sim/make_cloth_meshes.h"
#include "sim/passive_suite.h"

namespace coalesce::test {

namespace {

class ClothBarrier : public PassiveSuite {};

// Spray that flies at a sheet from both sides, while the sheet rises and sinks, stays on its side; without the sheet
// it does not (the control).
TEST_P(ClothBarrier, LetsNothingPass) {
    constexpr float kSpacing = 0.05f;
    constexpr int kPlaces = 200;
    const auto passedBy = [&](float sheetSpeed, bool whole) {
        World world(exec);
        addMaterial(world, water(kSpacing));
        addMaterial(world, cloth(kSpacing));
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.world.airDensity = 0;
        ClothMesh sheet = makeGrid(17, 17, kSpacing);
        if (!whole) sheet.triangles.clear();
        addCloth(world, sheet, 0.3f, 1);
        world.particles.v.upload(std::vector<Vec4>(world.count(), Vec4{0, sheetSpeed, 0, 1}));
        std::vector<Vec3> places;
        std::vector<Vec4> v;
        for (int i = 0; i < kPlaces; ++i) {
            const float side = i % 2 == 0 ? 1.0f : -1.0f;
            const Vec3 random = randomVec3(11, i, -0.2f, 0.2f);
            places.push_back({random.x, side * (0.05f + abs(random.y)), random.z});
            v.push_back({0.3f * random.z, -8 * side, 0.3f * random.x, 100});
        }
        placePassives(world, places, {0, 0, 0}, 100);
        world.passive.v.upload(v);
        Solver solver(world);
        int passed = 0;
        for (int frame = 0; frame < 20; ++frame) {
            solver.step();
            double height = 0;
            for (const Vec4& x : positions(world)) height += double{x.y} / double(world.count());
            EXPECT_NEAR(height, sheetSpeed * (frame + 1) / 60, 1e-4);
            const std::vector<Vec4> at = world.passive.x.download();
            passed = 0;
            for (size_t i = 0; i < at.size(); ++i) passed += (at[i].y > height) != (i % 2 == 0);
            if (whole) {
                EXPECT_EQ(passed, 0) << frame;
            }
        }
        return passed;
    };
    for (const float speed : {0.0f, 3.0f, -5.0f}) {
        EXPECT_EQ(passedBy(speed, true), 0);
        EXPECT_GT(passedBy(speed, false), kPlaces / 3);
    }
}

// From a single state, as of a cache, the start of the frame follows from the velocities.
TEST_P(ClothBarrier, OfASingleStateLetsNothingPass) {
    World world(exec);
    addMaterial(world, water(0.05f));
    addMaterial(world, cloth(0.05f));
    world.parameters.world.gravity = {0, 0, 0};
    addCloth(world, makeGrid(9, 9, 0.05f), 0.3f, 1);
    world.particles.v.upload(std::vector<Vec4>(world.count(), Vec4{0, 3, 0, 1}));
    // a frame ago the sheet was at −0.05: one was above it, one below
    placePassives(world, {{0.01f, -0.03f, 0.02f}, {0.01f, -0.07f, 0.02f}}, {0, 0, 0}, 100);
    world.passive.v.upload(std::vector<Vec4>{{0, -1, 0, 100}, {0, 9, 0, 100}});
    world.frame = 1;
    Solver solver(world);
    solver.advancePassives();
    const std::vector<Vec4> at = world.passive.x.download(), v = world.passive.v.download();
    EXPECT_NEAR(at[0].y, 0.005, 1e-5);
    EXPECT_NEAR(at[1].y, -0.005, 1e-5);
    EXPECT_NEAR(v[0].y, 3, 1e-4);
    EXPECT_NEAR(v[1].y, 3, 1e-4);
}

FOR_EACH_BACKEND(ClothBarrier);

}  // namespace

}  // namespace coalesce::test
