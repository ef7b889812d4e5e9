#include <gtest/gtest.h>

#include "session/session.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

class Sessions : public ::testing::Test {
protected:
    TemporaryFolder folder;
    std::filesystem::path file =
        smallScene(folder, R"("sizes": { "ci": { "materials.water.spacing": 0.2 } },)");
    Session session{file, {}, {.backend = "cpu"}};
};

TEST_F(Sessions, FollowsTheClockInWholeFrames) {
    EXPECT_EQ(session.advance(0.4 / 60), 0);
    EXPECT_EQ(session.advance(0.7 / 60), 1);
    EXPECT_EQ(session.advance(1.0 / 60), 1);
    EXPECT_EQ(session.world().frame, 2u);
}

TEST_F(Sessions, DropsABacklogOfMoreThanTwoFrames) {
    EXPECT_EQ(session.advance(5), 2);
    EXPECT_EQ(session.advance(0), 0);
    EXPECT_LT(session.realTimeFactor(), 0.1);
}

TEST_F(Sessions, RealTimeFactorTendsToOneAtTheScenesOwnRate) {
    for (int k = 0; k < 300; ++k) session.advance(1.0 / 60);
    EXPECT_NEAR(session.realTimeFactor(), 1, 0.02);
}

TEST_F(Sessions, PausedSimulatesOnlySteps) {
    session.paused = true;
    EXPECT_EQ(session.advance(1), 0);
    EXPECT_EQ(session.world().frame, 0u);
    session.step();
    EXPECT_EQ(session.world().frame, 1u);
    session.paused = false;
    EXPECT_EQ(session.advance(0.5 / 60), 0) << "time spent in the pause does not count";
}

TEST_F(Sessions, RestartsWithOrWithoutEdits) {
    const uint64_t start = stateHash(session.world()), generation = session.generation();
    session.world().parameters.solver.iterations = 7;
    session.world().materials[0].properties.viscosity = 0.25f;
    session.step();
    EXPECT_NE(stateHash(session.world()), start);

    session.restart(true);
    EXPECT_EQ(stateHash(session.world()), start);
    EXPECT_GT(session.generation(), generation);
    EXPECT_EQ(session.world().parameters.solver.iterations, 7);
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 0.25f);
    session.restart(false);
    EXPECT_EQ(session.world().parameters.solver.iterations, session.scene().parameters.solver.iterations);
    EXPECT_EQ(session.world().materials[0].properties.viscosity,
              session.scene().materials[0].properties.viscosity);
}

TEST(Session, RestartKeepsUserEditsButNotValuesSetByTheTimeline) {
    TemporaryFolder folder;
    Session session{smallScene(folder, R"("timeline": [
        { "at": 0, "until": 0.1, "set": "materials.water.viscosity", "from": 0.01, "to": 1 },
        { "at": 0, "set": "world.gravity", "to": [0, -1, 0] }],)"),
                    {},
                    {.backend = "cpu"}};
    MaterialProperties& water = session.world().materials[0].properties;
    for (int frame = 0; frame < 3; ++frame) session.step();
    EXPECT_NEAR(water.viscosity, 0.01 + 0.99 / 3, 1e-4);
    water.damping = 0.5f;
    session.world().parameters.world.gravity = {0, -2, 0};
    for (int frame = 0; frame < 6; ++frame) session.step();
    EXPECT_FLOAT_EQ(water.viscosity, 1);

    for (int again = 0; again < 2; ++again) {
        session.restart(true);
        EXPECT_FLOAT_EQ(session.world().materials[0].properties.viscosity, 0.01f);
        EXPECT_FLOAT_EQ(session.world().materials[0].properties.damping, 0.5f);
        EXPECT_EQ(session.world().parameters.world.gravity, (Vec3{0, -2, 0}));
        session.step();
        EXPECT_EQ(session.world().parameters.world.gravity, (Vec3{0, -1, 0})) << "the timeline still acts";
    }
    session.restart(false);
    EXPECT_EQ(session.world().materials[0].properties.damping, 0);
}

TEST_F(Sessions, OpensSizesAndKeepsTheSceneIfTheNextIsBroken) {
    const size_t before = session.world().count();
    SceneChoice smaller;
    smaller.size = "ci";
    ASSERT_TRUE(session.open(file, smaller));
    EXPECT_EQ(session.world().count(), before / 8);

    writeText(folder / "broken.json", R"({ "materials": { "water": { "viscocity": 1 } } })");
    EXPECT_FALSE(session.open(folder / "broken.json", {}));
    EXPECT_NE(session.problem().find("viscosity"), std::string::npos) << session.problem();
    EXPECT_EQ(session.world().count(), before / 8);
    EXPECT_EQ(session.scene().size, "ci");
    session.step();
    EXPECT_EQ(session.world().frame, 1u);
}

TEST_F(Sessions, AnnouncesASceneBeforeTheOldWorldIsReplaced) {
    std::vector<std::string> told;
    const uint64_t worlds = session.worldGeneration();
    session.announce = [&](const std::string& name) {
        told.push_back(name);
        EXPECT_EQ(session.worldGeneration(), worlds);
    };
    ASSERT_TRUE(session.open(file, {}));
    EXPECT_EQ(told, std::vector<std::string>{"small"});
}

TEST_F(Sessions, ASimulationErrorPausesAndIsReported) {
    session.world().parameters.solver.overflow = Overflow::fail;
    session.restart(true);
    session.world().parameters.neighbors.capacity = 1;
    session.restart(true);
    session.step();
    EXPECT_TRUE(session.paused);
    EXPECT_NE(session.problem().find("neighbors.capacity"), std::string::npos) << session.problem();
}

TEST_F(Sessions, ListsScenesWithDescriptionsAndErrors) {
    writeText(folder / "broken.json", "{");
    writeText(folder / "notes.txt", "no scene");
    const std::vector<SceneEntry> list = listScenes(folder.path());
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].name, "broken");
    EXPECT_FALSE(list[0].error.empty());
    EXPECT_EQ(list[1].name, "small");
    EXPECT_EQ(list[1].about, "A small block of water falls on a floor.");
    EXPECT_TRUE(listScenes(folder / "missing").empty());
}

}  // namespace
}  // namespace coalesce::test
