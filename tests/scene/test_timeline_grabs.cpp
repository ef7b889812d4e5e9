// Mouse constraints in the timeline: grabbing, dragging, saved states, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/interaction/pick.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

Scene sceneOf(const std::string& timeline) {
    return readSceneText(
        R"({"materials": {"water": {"spacing": 0.1}, "stone": {"kind": "rigid", "spacing": 0.1}},
        "shapes": [{"name": "floor", "plane": {}}],
        "bodies": [
            {"name": "drop", "material": "water", "points": [[3, 0.5, 0]]},
            {"name": "box", "material": "stone", "block": {"size": [0.3, 0.3, 0.3]}, "center": [0, 0.15, 0]},
            {"name": "late", "material": "stone", "block": {"size": [0.3, 0.3, 0.3]}, "center": [0, 2, 0], "at": 1}],
        "timeline": [)" +
            timeline + "]}",
        "t.json");
}
const std::string kLift = R"(
    {"at": 0.1, "grab": "box", "hand": 2, "point": [0.1, 0.3, 0.1]},
    {"at": 0.1, "until": 0.6, "drag": [1.1, 1, 0.1], "hand": 2},
    {"at": 1.5, "letGo": true, "hand": 2},
    {"at": 1.6, "cut": [[0, 2, 0], [1, 0, -1], [1, 0, 1]]})";

struct Played {
    Scene scene;
    Exec exec{{.backend = "cpu", .threads = 1}};
    World world{exec};
    Timeline timeline;
    Solver solver{world};
    explicit Played(const Scene& s) : scene(s), timeline(s) { buildWorld(scene, world); }
    void frames(int count) {
        for (int k = 0; k < count; ++k) {
            timeline.advance(world);
            solver.step();
        }
    }
};

// Between the ids of two copies are those that cloth reserves for tearing.
TEST(TimelineMouse, GrabAParticleOfTheSecondCopyOfACloth) {
    Played p(readSceneText(
        R"({"materials": {"silk": {"kind": "cloth", "spacing": 0.1}},
        "bodies": [{"name": "flag", "grid": {"size": [0.3, 0, 0.2]},
                    "copies": {"count": [2, 1, 1], "step": [1, 0, 0]}}],
        "timeline": [{"at": 0, "grab": "flag", "index": 14}]})",
        "t.json"));
    p.frames(1);
    ASSERT_EQ(p.world.mouseConstraints.size(), 1u);
    EXPECT_EQ(p.world.mouseConstraints[0].id, p.world.groups[p.world.bodies[1].group].first + 2);
}

TEST(TimelineMouse, GrabDragAndRelease) {
    Played p(sceneOf(kLift));
    p.frames(6);
    EXPECT_TRUE(p.world.mouseConstraints.empty());
    p.frames(1);
    ASSERT_EQ(p.world.mouseConstraints.size(), 1u);
    const MouseConstraint hand = p.world.mouseConstraints[0];
    EXPECT_EQ(hand.number, 2u);
    // the corner particle that is nearest to the point
    EXPECT_LT(length(*placeOf(p.world, hand.id) - Vec3{0.1f, 0.25f, 0.1f}), 0.05f);
    p.frames(14);
    // half of the distance in half of the time
    EXPECT_LT(length(p.world.mouseConstraints[0].to - 0.5f * (Vec3{0.1f, 0.25f, 0.1f} + Vec3{1.1f, 1, 0.1f})),
              0.05f);
    p.frames(60);
    EXPECT_EQ(p.world.mouseConstraints[0].to, (Vec3{1.1f, 1, 0.1f}));
    EXPECT_LT(length(*placeOf(p.world, hand.id) - Vec3{1.1f, 1, 0.1f}), 0.03f);
    p.frames(12);
    EXPECT_TRUE(p.world.mouseConstraints.empty());
    p.timeline.advance(p.world);
    for (int k = 0; k < 6 && p.world.commands.empty(); ++k) {
        p.solver.step();
        p.timeline.advance(p.world);
    }
    ASSERT_EQ(p.world.commands.size(), 1u);
    EXPECT_EQ(std::get<Cut>(p.world.commands[0]).b, (Vec3{1, 0, -1}));
    p.frames(60);
    EXPECT_LT(placeOf(p.world, hand.id)->y, 0.5f);
}

TEST(TimelineMouse, AnIndexSelectsAParticleOfTheBody) {
    Played p(sceneOf(R"({"at": 0, "grab": "box", "index": 7})"));
    p.frames(1);
    EXPECT_EQ(p.world.mouseConstraints.at(0).id, 8u) << "the drop has the first id";
}

// Also during a drag, which continues from the current position.
TEST(TimelineMouse, ALoadedStateContinuesToTheSameEnd) {
    TemporaryFolder folder;
    for (const int middle : {3, 20, 55}) {
        Played whole(sceneOf(kLift)), resumed(sceneOf(kLift));
        whole.frames(middle);
        saveState(whole.world, folder / "s");
        // saved before the later body was added
        loadState(resumed.world, folder / "s");
        resumed.timeline.catchUp(resumed.world);
        whole.frames(70 - middle), resumed.frames(70 - middle);
        EXPECT_EQ(stateHash(whole.world), stateHash(resumed.world)) << "from frame " << middle;
    }
}

TEST(TimelineMouse, ErrorsAreExplained) {
    const auto complaint = [](const std::string& commands) {
        try {
            sceneOf(commands);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(complaint(kLift), "none");
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "bx", "index": 0})"), HasSubstr("Did you mean \"box\"?"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "stone", "index": 0})"), HasSubstr("\"stone\" is a material"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "box"})"), HasSubstr("either index or point"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "box", "index": 1, "point": [0, 0, 0]})"),
                HasSubstr("either index or point"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "box", "index": 27})"),
                HasSubstr("27 is out of range: \"box\" has 27 particles"));
    EXPECT_THAT(complaint(R"({"at": 0.5, "grab": "late", "index": 2})"),
                HasSubstr("is added at 1 s, after it is grabbed at 0.5 s"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "box", "index": 1, "hand": 8})"), HasSubstr("0 to 7"));
    EXPECT_THAT(complaint(R"({"at": 1, "drag": [0, 1, 0]})"),
                HasSubstr("mouse constraint 0 holds no particle at that time"));
    EXPECT_THAT(complaint(R"({"at": 1, "letGo": true, "hand": 3})"),
                HasSubstr("mouse constraint 3 holds no particle"));
    EXPECT_THAT(
        complaint(R"({"at": 1, "grab": "box", "index": 1}, {"at": 2, "until": 1, "drag": [0, 1, 0]})"),
        HasSubstr("later than `at`"));
    EXPECT_THAT(complaint(R"({"at": 1, "cut": [[0, 0, 0], [1, 0, 0]]})"), HasSubstr("three corners, not 2"));
    EXPECT_THAT(complaint(R"({"at": 1, "cut": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]})"), HasSubstr("on a line"));
    EXPECT_THAT(complaint(R"({"at": 1, "grab": "box", "index": 1, "letGo": true})"),
                HasSubstr("exactly one of set, release, grab, drag, letGo and cut"));
}

TEST(TimelineMouse, RoundTripThroughAFile) {
    const Scene scene = sceneOf(kLift);
    const Scene again = readSceneText(writeScene(scene), "t.json");
    EXPECT_EQ(writeScene(again), writeScene(scene));
    ASSERT_EQ(again.timeline.size(), 4u);
    EXPECT_EQ(again.timeline[0].constraint, 2);
    EXPECT_EQ(again.timeline[0].point, (Vec3{0.1f, 0.3f, 0.1f}));
    EXPECT_EQ(again.timeline[1].drag, (Vec3{1.1f, 1, 0.1f}));
    EXPECT_TRUE(again.timeline[2].letGo);
    EXPECT_EQ(again.timeline[3].cut.size(), 3u);
}

}  // namespace
}  // namespace coalesce::test
