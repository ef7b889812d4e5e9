// Warnings of a session: what they say, and that their advice helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/scene_warnings.h"
#include "scene/reader.h"
#include "session/session.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SessionWarnings, StayVisibleAndRecommendAValue) {
    TemporaryFolder folder;
    Session session(smallScene(folder), {}, {.backend = "cpu"});
    EXPECT_TRUE(session.warnings().list().empty());
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.step();
    session.step();
    ASSERT_EQ(session.warnings().list().size(), 1u);
    EXPECT_THAT(session.warnings().list()[0].what, HasSubstr("limited to the maximum speed"));
    EXPECT_EQ(session.warnings().list()[0].parameter, "solver.maxSpeed");
    session.edit({"solver.maxSpeed", {100}, ""});
    for (int frame = 0; frame < 100; ++frame) session.step();
    EXPECT_EQ(session.warnings().list().size(), 1u);
    for (int frame = 0; frame < 100; ++frame) session.step();
    EXPECT_TRUE(session.warnings().list().empty());
}

TEST(SessionWarnings, SayWhichParticlesLeftTheBoundsAndWhere) {
    TemporaryFolder folder;
    Session session(smallScene(folder, R"("bounds": { "min": [0, 0.3, 0], "max": [1, 1, 1] },)"), {},
                    {.backend = "cpu"});
    const std::string first = session.warnings().list().at(0).what;
    EXPECT_THAT(first, HasSubstr("extends beyond the bounds")) << "the scene itself";
    for (int frame = 0; frame < 30; ++frame) session.step();
    ASSERT_EQ(session.warnings().list().size(), 2u);
    EXPECT_THAT(session.warnings().list()[0].what,
                AllOf(HasSubstr("outside the bounds"), HasSubstr("water"), HasSubstr("below y = 0.3 m")));
    session.restart(true);
    ASSERT_EQ(session.warnings().list().size(), 1u);
    EXPECT_EQ(session.warnings().list()[0].what, first);
}

// What coalesce validate warns of stays until it is dismissed, also over a restart; a scene without the fault has none.
TEST(SessionWarnings, SayWhatIsWrongWithTheScene) {
    TemporaryFolder folder;
    const auto sceneWith = [&](const std::string& more) {
        const std::filesystem::path file = folder / "tank.json";
        writeText(file, R"({"materials": {"water": {"spacing": 0.1)" + more + R"(}},
            "bodies": [{"name": "pool", "block": {"min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}}]})");
        return file;
    };
    Session session(sceneWith(R"(, "cohesion": 5)"), {}, {.backend = "cpu"});
    ASSERT_EQ(session.warnings().list().size(), 1u);
    EXPECT_THAT(session.warnings().list()[0].what,
                HasSubstr("material water: cohesion has no effect, because its kind is fluid"));
    for (int frame = 0; frame < 3; ++frame) session.step();
    ASSERT_EQ(session.warnings().list().size(), 1u);
    session.dismissWarning(session.warnings().list()[0].id);
    EXPECT_TRUE(session.warnings().list().empty());
    session.restart(true);
    EXPECT_TRUE(session.warnings().list().empty());
    EXPECT_TRUE(Session(sceneWith(""), {}, {.backend = "cpu"}).warnings().list().empty());
}

// How many substeps a fast body needs, where they are given and where they follow from the speed. An emitter of bodies
// makes no smoke of the first material.
TEST(SceneWarnings, CountWhatTheSceneDoes) {
    const auto warnings = [](const std::string& solver, const std::string& more) {
        return testing::PrintToString(
            warningsOf(readSceneText(R"({"solver": {)" + solver + R"(}, "materials": {
            "smoke": {"kind": "gas", "spacing": 0.1, "smokeSeeds": 100, "smokeLife": 100},
            "rock": {"kind": "rigid", "spacing": 0.1}},
            "bodies": [{"name": "fast", "material": "rock", "sphere": {"radius": 0.2}, "velocity": [24, 0, 0]}])" +
                                         more + "}",
                                     "s.json"))
                .warnings);
    };
    // 24 m/s and a support radius of 0.2 m: 120 radii per second, at most half a radius per substep
    for (const char* solver : {R"("substeps": 2)", R"("timeStep": "cfl", "minSubsteps": 1)"})
        EXPECT_THAT(warnings(solver, ""), HasSubstr("; 4 substeps prevent that")) << solver;
    const std::string stones =
        R"(, "prefabs": [{"name": "stone", "material": "rock", "sphere": {"radius": 0.2}}],
           "emitters": [{"name": "quarry", "bodies": ["stone"], "disc": {"radius": 0.2}, "position": [0, 3, 0], "rate": 1000, "life": 1}])";
    const std::string jet =
        R"(, "emitters": [{"name": "tap", "material": "smoke", "disc": {"radius": 0.2}, "position": [0, 3, 0], "rate": 1000, "life": 1}])";
    EXPECT_THAT(warnings("", jet), HasSubstr("markers of smoke"));
    EXPECT_THAT(warnings("", stones), Not(HasSubstr("markers of smoke")));
}

TEST(SessionWarnings, ShowFewOfAScene) {
    Warnings warnings;
    const std::vector<std::string> found = {"a is wrong", "b is wrong", "c is wrong", "d is wrong"};
    warnings.begin("one.json", found);
    ASSERT_EQ(warnings.list().size(), 2u);
    EXPECT_THAT(warnings.list()[1].what, HasSubstr("b is wrong"));
    EXPECT_THAT(warnings.list()[1].advice, HasSubstr("2 warnings more"));
    warnings.dismiss(warnings.list()[0].id);
    EXPECT_THAT(warnings.list()[0].what, HasSubstr("b is wrong"));
    EXPECT_THAT(warnings.list()[1].advice, HasSubstr("1 warning more"));
    warnings.begin("one.json", found);
    EXPECT_THAT(warnings.list()[0].what, HasSubstr("b is wrong")) << "also after a restart";
    warnings.begin("other.json", found);
    EXPECT_THAT(warnings.list()[0].what, HasSubstr("a is wrong")) << "but not in another scene";
}

TEST(SceneWarnings, OfCopiesAreKeptOnceAndThoseOfOtherNamesToo) {
    std::vector<std::string> texts;
    for (const char* text :
         {"bodies bunny.1 and bunny.2 overlap: 12 pairs", "bodies bunny.1 and bunny.3 overlap: 9 pairs",
          "shape wall1 is 0.1 m thick", "shape wall2 is 0.1 m thick", "shape wall2 is 0.25 m thick"})
        addOnce(texts, text);
    EXPECT_THAT(texts, testing::ElementsAre(HasSubstr("bunny.2"), HasSubstr("wall1"), HasSubstr("wall2")));
}

TEST(SessionWarnings, KeepFrozenParticles) {
    TemporaryFolder folder;
    Session session(smallScene(folder), {}, {.backend = "cpu"});
    Warnings warnings;
    Status status;
    status.worst.nonFinite = 2, status.worst.firstBadId = 7;
    session.world().frame = 1;
    warnings.update(status, session.world(), session.scene());
    status.worst.firstBadId = 3;
    session.world().frame = 2;
    warnings.update(status, session.world(), session.scene());
    session.world().frame = 100000;
    warnings.update({}, session.world(), session.scene());
    ASSERT_EQ(warnings.list().size(), 1u);
    EXPECT_THAT(warnings.list()[0].what, HasSubstr("4 particles"));
    EXPECT_THAT(warnings.list()[0].what, HasSubstr("id 7"));
}

// Each advice, followed, ends its warning.
class WarningAdvice : public ::testing::Test {
protected:
    void open(const std::string& more) {
        session =
            std::make_unique<Session>(smallScene(folder, more), SceneChoice{}, ExecOptions{.backend = "cpu"});
    }
    void frames(int count) {
        for (int k = 0; k < count; ++k) session->step();
        ASSERT_EQ(session->problem(), "");
    }
    // Lifts the block of water by this height [m].
    void lift(float height) {
        World& world = session->world();
        std::vector<Vec4> x = world.particles.x.download();
        for (Vec4& p : x) p.y += height;
        world.particles.x.upload(x);
    }
    std::vector<Warning> warnings() const { return session->warnings().list(); }
    std::string advice() const { return warnings().empty() ? "" : warnings()[0].advice; }
    // For longer than a warning stays.
    void afterwards() {
        frames(200);
        EXPECT_TRUE(warnings().empty()) << warnings()[0].what;
    }

    TemporaryFolder folder;
    std::unique_ptr<Session> session;
    static constexpr const char* kBounds = R"("bounds": { "min": [0, 0.15, 0], "max": [0.6, 1, 0.6] },)";
    static constexpr const char* kBelow =
        R"("sinks": [{ "name": "drain", "position": [0.3, 0, 0.3], "box": { "size": [4, 0.6, 4] } }],)";
};

TEST_F(WarningAdvice, OutsideTheBounds) {
    open(kBounds);
    frames(30);
    EXPECT_THAT(advice(), AllOf(HasSubstr("sink"), HasSubstr("enlarge the bounds")));
    open(std::string(kBounds) + kBelow);
    frames(60);
    EXPECT_TRUE(warnings().empty()) << "a sink";
    open(R"("bounds": { "min": [-3, 0, -3], "max": [3, 1, 3] },)");
    frames(60);
    EXPECT_TRUE(warnings().empty()) << "larger bounds";
}

TEST_F(WarningAdvice, BallsMayComeFromOutsideTheBounds) {
    open(R"("bounds": { "min": [-3, 0, -3], "max": [3, 1, 3] },)");
    session->send(Throw{{0.3f, 0.5f, 5}, {0, 1, -8}});
    session->send(Throw{{0.3f, 0.5f, -5}, {0, 3, -8}});
    const size_t water = session->world().count();
    frames(30);
    ASSERT_GT(session->world().count(), water + 100);
    EXPECT_TRUE(warnings().empty()) << warnings()[0].what;
    // what the scene has itself is counted without them
    lift(20);
    frames(30);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, AllOf(HasSubstr(std::to_string(water) + " particles"), HasSubstr("water"),
                                          Not(HasSubstr("ball"))));
}

TEST_F(WarningAdvice, OutOfTheGrid) {
    const float far = 3e5f;  // [m] beyond 2^20 cells of two spacings of 0.1 m
    open("");
    lift(far);
    frames(1);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, AllOf(HasSubstr("2^20"), HasSubstr("water"), HasSubstr("above y")));
    EXPECT_THAT(advice(), HasSubstr("a sink that removes them"));
    open(R"("sinks": [{ "name": "room", "outside": true, "box": { "size": [20, 20, 20] } }],)");
    lift(far);
    frames(2);
    EXPECT_TRUE(warnings().empty());
    EXPECT_EQ(session->world().count(), 0u);

    open("");
    session->send(Throw{{0, far, 0}, {}});
    frames(1);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("A thrown ball"));
    EXPECT_THAT(advice(), HasSubstr("Restart"));
    session->restart(true);
    afterwards();
}

TEST_F(WarningAdvice, TruncatedLists) {
    open(R"("solver": { "overflow": "clamp" }, "neighbors": { "capacity": 8 },)");
    frames(10);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_EQ(warnings()[0].parameter, "solver.overflow");
    session->edit({"solver.overflow", {}, "grow"});
    afterwards();
}

TEST_F(WarningAdvice, TooFewSubsteps) {
    open(R"("solver": { "timeStep": "cfl", "maxSubsteps": 2, "cfl": 0.2 },)");
    frames(20);  // the falling block reaches 3 m/s, half a spacing per frame
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("2 were allowed"));
    EXPECT_EQ(warnings()[0].parameter, "solver.maxSubsteps");
    open(R"("solver": { "timeStep": "cfl", "maxSubsteps": 20, "cfl": 0.2 },)");
    frames(20);
    EXPECT_TRUE(warnings().empty()) << "more substeps";
    open(R"("solver": { "timeStep": "cfl", "maxSubsteps": 2, "cfl": 1 },)");
    frames(20);
    EXPECT_TRUE(warnings().empty()) << "a larger CFL number";
}

TEST_F(WarningAdvice, TooFewIterationsOfStrainViscosity) {
    open(R"("fluid": { "strainIterations": 1 },)");
    session->edit({"materials.water.strainViscosity", {1}, ""});
    frames(30);  // it has met the floor
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("% of the viscous forces are not solved"));
    EXPECT_EQ(warnings()[0].parameter, "fluid.strainIterations");
    session->edit({"fluid.strainIterations", {200}, ""});
    afterwards();
}

TEST_F(WarningAdvice, FrozenParticles) {
    open("");
    std::vector<Vec4> v = session->world().particles.v.download();
    v[5].y = std::numeric_limits<float>::quiet_NaN();
    session->world().particles.v.upload(v);
    frames(200);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("1 particle had non-finite values and was frozen"));
    EXPECT_EQ(warnings()[0].parameter, "solver.substeps");
    session->edit({"solver.substeps", {8}, ""});
    session->restart(true);
    EXPECT_EQ(session->world().parameters.solver.substeps, 8);
    afterwards();
}

TEST_F(WarningAdvice, BlockedBall) {
    open(R"("solver": { "substeps": 1 }, "world": { "gravity": [0, 0, 0] },)");
    const Throw near{{0.3f, 1.15f, 0.3f}, {}};  // 0.35 m above the water
    session->send(near);
    frames(1);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_EQ(warnings()[0].parameter, "hand.ballRadius");
    const size_t before = session->world().count();
    session->send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(1);
    EXPECT_GT(session->world().count(), before) << "from elsewhere";
    session->edit({"hand.ballRadius", {0.2}, ""});
    session->restart(true);
    session->send(near);
    frames(1);
    EXPECT_GT(session->world().count(), before) << "a smaller one, after a restart";
    EXPECT_TRUE(warnings().empty());
}

// Control: what does not answer a click stays while the scene is paused.
TEST_F(WarningAdvice, AnswersToAClickGoAlsoWhilePaused) {
    open(std::string(kBounds) + R"("world": { "gravity": [0, 0, 0] },)");
    lift(20);
    session->send(Throw{{0.3f, 20.5f, 0.3f}, {}});
    frames(30);
    ASSERT_EQ(warnings().size(), 2u);
    session->paused = true;
    for (int k = 0; k < 30; ++k) session->advance(0.1);
    EXPECT_EQ(warnings().size(), 2u) << "3 s are too few to read it";
    for (int k = 0; k < 40; ++k) session->advance(0.1);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("outside the bounds"));
}

TEST_F(WarningAdvice, IsHiddenUntilTheWarningComesAgain) {
    open(R"("world": { "gravity": [0, 0, 0] },)");
    session->edit({"solver.maxSpeed", {0.1}, ""});
    const auto push = [&](float speed) {
        std::vector<Vec4> v = session->world().particles.v.download();
        for (Vec4& w : v) w.y = speed;
        session->world().particles.v.upload(v);
    };
    push(5);
    frames(1);
    ASSERT_EQ(warnings().size(), 1u);
    session->dismissWarning(warnings()[0].id);
    EXPECT_TRUE(warnings().empty());
    push(5);
    frames(1);
    EXPECT_TRUE(warnings().empty()) << "it goes on";
    push(0);  // at the limit some would be slowed down in every frame
    frames(200);
    push(5);
    frames(1);
    EXPECT_EQ(warnings().size(), 1u) << "it has come again";
}

TEST_F(WarningAdvice, BlockedJet) {
    open(R"("world": { "gravity": [0, 0, 0] },)");
    session->edit({"hand.pourRadius", {0.01}, ""});
    for (int k = 0; k < 20; ++k) {  // not every frame has a layer of the jet
        session->send(Pour{0, {0.25f, 0.5f, 0.25f}, {0, -2, 0}});
        frames(1);
    }
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_THAT(warnings()[0].what, HasSubstr("Nothing was poured"));
    const size_t before = session->world().count();
    for (int k = 0; k < 20; ++k) {
        session->send(Pour{0, {2, 2, 2}, {0, -2, 0}});
        frames(1);
    }
    EXPECT_GT(session->world().count(), before) << "elsewhere";
    afterwards();
}

}  // namespace
}  // namespace coalesce::test
