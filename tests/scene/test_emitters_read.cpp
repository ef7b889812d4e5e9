// Emitters, prefabs, sinks and regions of markers in scene files: reading, writing, errors, timeline, checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "session/run_scene.h"

namespace coalesce::test {
namespace {

using ::testing::HasSubstr;

const std::string kWorld = R"("materials": {"water": {"spacing": 0.05},
    "stone": {"kind": "rigid", "spacing": 0.05}, "sheet": {"kind": "cloth"}},
    "prefabs": [{"name": "pebble", "material": "stone", "block": {"size": [0.1, 0.1, 0.1]}}],
    "shapes": [{"name": "cart", "box": {"size": [1, 1, 1]}}],)";
const std::string kEmitters = R"("emitters": [
    {"name": "tap", "material": "water", "disc": {"radius": 0.2}, "on": "cart", "position": [0, 1, 0],
     "direction": [0, 1, 0], "speed": 3, "spread": 12, "jitter": 0.25, "start": 1, "end": 2, "life": 0.5},
    {"name": "slot", "material": "water", "rectangle": {"size": [0.4, 0, 0.2]}, "rate": 50},
    {"name": "spring", "material": "water", "volume": {"shape": "cube", "height": 0.2}},
    {"name": "stones", "bodies": ["pebble"], "disc": {"radius": 0.1}, "rate": 2, "maximum": 3, "spin": 90}],
    "sinks": [{"name": "below", "plane": {"normal": [0, 1, 0], "offset": -3}},
              {"name": "room", "outside": true, "box": {"size": [4, 4, 4]}, "position": [0, 1, 0]},
              {"name": "old", "age": 2, "actsOn": ["tap", "stone"]}])";

Scene read(const std::string& emitters, std::vector<std::string> sets = {}) {
    return readSceneText("{" + kWorld + emitters + "}", "t.json", {"", "", sets, {}});
}
std::string complaint(const std::string& emitters) {
    try {
        read(emitters);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(EmitterScenes, RoundTripAndOverrides) {
    const Scene first = read(kEmitters, {"emitters.tap.speed=4", "sinks.old.age=1.5"});
    const Scene second = readSceneText(writeScene(first), "t.json");
    EXPECT_EQ(first.text, second.text);
    for (const Scene& scene : {first, second}) {
        ASSERT_EQ(scene.emitters.size(), 4u);
        const Emitter& tap = scene.emitters[0];
        EXPECT_EQ(tap.properties.speed, 4);
        EXPECT_EQ(tap.properties.spread, 12);
        EXPECT_EQ(tap.properties.end, 2);
        EXPECT_EQ(tap.radius, 0.2f);
        EXPECT_EQ(tap.on, "cart");
        EXPECT_EQ(scene.emitters[1].nozzle, Emitter::Nozzle::rectangle);
        EXPECT_EQ(scene.emitters[1].size, (Vec3{0.4f, 0, 0.2f}));
        EXPECT_EQ(scene.emitters[2].solid.shape, "cube");
        EXPECT_EQ(scene.emitters[3].bodies, (std::vector<std::string>{"pebble"}));
        ASSERT_EQ(scene.sinks.size(), 3u);
        EXPECT_EQ(scene.sinks[0].form.kind, ShapeKind::plane);
        EXPECT_FLOAT_EQ(scene.sinks[0].form.position.y, -3);
        EXPECT_TRUE(scene.sinks[1].properties.outside && scene.sinks[1].formed);
        EXPECT_FALSE(scene.sinks[2].formed);
        EXPECT_EQ(scene.sinks[2].properties.age, 1.5f);
    }
}

TEST(EmitterScenes, ErrorsAreExplained) {
    const auto one = [](const std::string& emitter, const std::string& expected) {
        EXPECT_THAT(complaint(R"("emitters": [)" + emitter + "]"), HasSubstr(expected)) << emitter;
    };
    const std::string disc = R"("material": "water", "disc": {"radius": 0.1})";
    one("{" + disc + "}", "none");
    one(R"({"material": "water"})", "emitters.0: an emitter needs one of disc, rectangle, volume");
    one("{" + disc + R"(, "raet": 3})", "Did you mean \"rate\"?");
    one("{" + disc + R"(, "direction": [0, 0, 0]})", "must not have length 0");
    one("{" + disc + R"(, "on": "crat"})",
        "no shape or solid body is called \"crat\". Did you mean \"cart\"?");
    one(R"({"bodies": ["peble"], "disc": {"radius": 1}, "rate": 1})", "Did you mean \"pebble\"?");
    one(R"({"bodies": ["pebble"], "disc": {"radius": 1}})", "an emitter of bodies needs a rate");
    one(R"({"material": "stone", "disc": {"radius": 1}})", "is neither fluid, gas nor grains");
    one(R"({"material": "water", "disc": {"radius": 900}})", "a layer of this nozzle has 9.33e+08 particles");
    one(R"({"material": "water", "disc": {"radius": 900}, "rate": 5})", "none");
    one(R"({"bodies": ["pebble"], "disc": {"radius": 1}, "rate": 1, "values": {"dye": 1}})",
        "Give the values to the prefabs.");
    one("{" + disc + R"(, "start": 3, "end": 2})", "it ends before it starts");
    const auto sink = [&](const std::string& text, const std::string& expected) {
        EXPECT_THAT(
            complaint(kEmitters.substr(0, kEmitters.find("\"sinks\"")) + R"("sinks": [)" + text + "]"),
            HasSubstr(expected))
            << text;
    };
    sink(R"({"age": 3})", "none");
    sink("{}", "a sink needs a form, an age, or both");
    sink(R"({"age": 1, "outside": true})", "outside needs a form");
    sink(R"({"box": {"size": [1, 1, 1]}, "sphere": {"radius": 1}})", "a sink can only be one of");
    sink(R"({"mesh": {"shape": "cube"}})", "so it cannot be a sink");
    sink(R"({"age": 1, "actsOn": ["tpa"]})", "no body or material is called \"tpa\". Did you mean \"tap\"?");
    sink(R"({"age": 1, "actsOn": [""]})", "a name is empty");
    sink(R"({"age": 1, "actsOn": ["stones"]})", "\"stones\" emits bodies, which cannot be selected by");
    EXPECT_THAT(complaint(R"("bodies": [{"material": "water", "block": {"size": [1, 1, 1]}, "at": 1}], )" +
                          kEmitters),
                HasSubstr("cannot emit bodies"));
    EXPECT_THAT(complaint(kEmitters + R"(, "expect": {"emitted": {"emitter": "tapp", "min": 1}})"),
                HasSubstr("no emitter is called \"tapp\". Did you mean \"tap\"?"));
    EXPECT_THAT(complaint(kEmitters + R"(, "timeline": [{"at": 1, "set": "emitters.tap.sped", "to": 1}])"),
                HasSubstr("Did you mean \"speed\"?"));
    EXPECT_THAT(complaint("\"bodies\": []"), HasSubstr("no bodies and no emitters"));
}

// Evenly in their forms, as far as the numbers of two halves tell, and another time elsewhere with another seed.
TEST(MarkerScenes, StartInTheirRegions) {
    const std::string text = kEmitters + R"(, "passive": {"capacity": 5000}, "markers": [
        {"name": "ball", "material": "water", "sphere": {"radius": 0.2}, "position": [3, 1, 0], "count": 2000},
        {"name": "log", "material": "stone", "capsule": {"radius": 0.1, "length": 1}, "rotation": [0, 0, 90], "count": 2000},
        {"name": "slab", "material": "water", "box": {"size": [2, 0.1, 1]}, "position": [0, -4, 0], "count": 1000}])";
    const Scene first = read(text), second = readSceneText(writeScene(first), "t.json");
    EXPECT_EQ(first.text, second.text);
    std::vector<std::vector<Vec4>> places;
    for (Scene scene : {first, second, first}) {
        if (places.size() == 2) scene.seed = 2;
        Exec exec(ExecOptions{.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        EXPECT_EQ(world.passiveCounters.born, 5000u);
        const std::vector<Vec4> x = places.emplace_back(world.passive.x.download()),
                                v = world.passive.v.download();
        const std::vector<uint32_t> tag = world.passive.tag.download(), id = world.passive.id.download();
        ASSERT_EQ(x.size(), 5000u);
        int upper = 0, alongLog = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            EXPECT_EQ(id[i], i);
            EXPECT_EQ(tag[i], makeTag(PassiveClass::smoke, i / 2000 == 1 ? 1u : 0u));
            EXPECT_EQ(xyz(v[i]), (Vec3{0, 0, 0}));
            EXPECT_GE(v[i].w, 2);  // half of smokeLife
            EXPECT_LE(v[i].w, 6);
            const Vec3 p = xyz(x[i]);
            if (i < 2000) {
                ASSERT_LE(length(p - Vec3{3, 1, 0}), 0.2f + 1e-6f);
                upper += p.y > 1;
            } else if (i < 4000) {
                ASSERT_LE(length(p - Vec3{std::clamp(p.x, -0.5f, 0.5f), 0, 0}), 0.1f + 1e-6f);
                alongLog += std::abs(p.x) < 0.25f;
            } else {
                ASSERT_TRUE(std::abs(p.x) <= 1 && std::abs(p.y + 4) <= 0.05f + 1e-6f &&
                            std::abs(p.z) <= 0.5f);
            }
        }
        // four standard deviations of 22
        EXPECT_NEAR(upper, 1000, 90);
        // volume π r² l/2 of π r² l + 4/3 π r³: 0.44
        EXPECT_NEAR(alongLog, 2000 * 0.5 / (1 + 4.0 / 3 * 0.1), 90);
    }
    EXPECT_TRUE(std::ranges::equal(places[0], places[1], [](Vec4 a, Vec4 b) { return xyz(a) == xyz(b); }));
    EXPECT_FALSE(xyz(places[0][0]) == xyz(places[2][0]));
}

TEST(MarkerScenes, FaultsAreNamed) {
    const auto markers = [&](const std::string& text) {
        return complaint(kEmitters + R"(, "markers": [{"material": "water", )" + text + "}]");
    };
    EXPECT_EQ(markers(R"("sphere": {"radius": 1})"), "none");
    EXPECT_THAT(markers(R"("count": 10)"), HasSubstr("region of markers"));
    EXPECT_THAT(markers(R"("box": {"size": [1, 1, 1]}, "sphere": {"radius": 1})"),
                HasSubstr("only be one of"));
    EXPECT_THAT(markers(R"("plane": {})"), HasSubstr("can be a box, a sphere or a capsule"));
    EXPECT_THAT(markers(R"("convex": {"shape": "cube"})"), HasSubstr("can be a box, a sphere or a capsule"));
    EXPECT_THAT(markers(R"("sphere": {"radius": 1}, "count": 100000)"),
                HasSubstr("passive.capacity is 65536"));
    EXPECT_THAT(markers(R"("sphere": {"radius": 1}, "cuont": 5)"), HasSubstr("Did you mean \"count\"?"));
}

TEST(EmitterScenes, TimelineIsValidatedWithEarlierCommands) {
    // the tap flows from 1 to 2 s; the command that is first in time is last in the file
    EXPECT_EQ(complaint(kEmitters + R"(, "timeline": [{"at": 0.3, "set": "emitters.tap.start", "to": 15},
                                                      {"at": 0.2, "set": "emitters.tap.end", "to": 20}])"),
              "none");
    EXPECT_THAT(complaint(kEmitters + R"(, "timeline": [{"at": 0.2, "set": "emitters.tap.start", "to": 1.8},
                                                        {"at": 0.3, "set": "emitters.tap.end", "to": 1.5}])"),
                HasSubstr("ends before it starts"));
}

TEST(EmitterScenes, TimelineSetsThemAndChecksSelectThem) {
    const Scene scene = read(kEmitters + R"(, "timeline": [
        {"at": 0, "set": "emitters.slot.enabled", "to": 0},
        {"at": 0.5, "set": "emitters.tap.speed", "to": 7},
        {"at": 0.5, "set": "sinks.below.position", "to": [0, -1, 0]},
        {"at": 0.5, "set": "sinks.room.enabled", "to": 0}])");
    Exec exec(ExecOptions{.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    Timeline timeline(scene);
    while (world.time < 1.5) {
        timeline.advance(world);
        solver.step();
    }
    EXPECT_EQ(world.emitters[0].properties.speed, 7);
    EXPECT_EQ(world.sinks[0].form.position.y, -1);
    EXPECT_FALSE(world.sinks[1].properties.enabled);
    EXPECT_EQ(world.spawning.emitters[1].emitted, 0u);
    EXPECT_GT(world.spawning.emitters[0].emitted, 0u);
    const GroupNames names(scene);
    const auto tap = names.find("tap");
    ASSERT_TRUE(tap);
    EXPECT_FALSE(names.isOfBody(tap->first));
    size_t mine = 0;
    for (const uint32_t phase : world.particles.phase.download()) mine += tap->has(phase);
    EXPECT_GT(mine, 0u);
    // at most as many as validate reports
    const std::vector<double> most = mostEmitted(scene);
    EXPECT_GE(most[0], double(mine));
    EXPECT_EQ(most[1], 3 * 8);
}

}  // namespace
}  // namespace coalesce::test
