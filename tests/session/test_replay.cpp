// Replay files: round trip, errors with lines, and files of older versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/reader.h"
#include "session/replay.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class Replays : public ::testing::Test {
protected:
    // the error of this text as a replay of the small scene
    std::string errorOf(const std::string& text) {
        writeText(folder / "r.json", text);
        try {
            const Replay replay = readReplay(folder / "r.json");
            ReplayPlayer(replay, readScene(replay.scene, replay.choice));
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Scene);
            return error.what();
        }
        return "none";
    }
    std::string ofEvent(const std::string& event) {
        return errorOf("{\"scene\": \"small.json\",\n\"events\": [\n" + event +
                       "],\n\"hashes\": [{\"frame\": 0, \"hash\": \"00000000000012ab\"}]}");
    }
    TemporaryFolder folder;
    std::filesystem::path scene = smallScene(folder);
};

TEST_F(Replays, RoundTrip) {
    Replay replay;
    replay.scene = scene;
    replay.choice = {.size = "", .caseName = "", .sets = {"solver.substeps=3"}, .seed = 7};
    const float third = 1.0f / 3;
    replay.events = {{0, UserCommand(Grab{1, 4000000000u, {third, 1e-30f, -5}}), 0},
                     {2, UserCommand(MoveTarget{1, {0.1f, third, 1e6f}}), 0},
                     {2, UserCommand(Release{1}), 0},
                     {3, UserCommand(Brush{{0, third, 0}, {1, 0, 0}}), 0},
                     {4, UserCommand(Cut{{0, 0, third}, {1, 0, 0}, {0, 1, 0}}), 0},
                     {5, Edit{"fluid.relaxation", {third}, ""}, 0},
                     {5, Edit{"world.gravity", {0, third, -1}, ""}, 0},
                     {9, Edit{"fluid.constraint", {}, "bilateral"}, 0}};
    replay.marks = {{0, 1}, {9, 0xfedcba9876543210u}};
    writeReplay(replay, folder / "r.json");
    const Replay read = readReplay(folder / "r.json");
    EXPECT_EQ(read.scene, scene);
    EXPECT_EQ(read.choice.sets, replay.choice.sets);
    EXPECT_EQ(read.choice.seed, replay.choice.seed);
    ASSERT_EQ(read.events.size(), replay.events.size());
    EXPECT_EQ(read.events[5].line, read.events[4].line + 1) << "one event per line";
    const auto command = [&](size_t k) { return std::get<UserCommand>(read.events[k].content); };
    EXPECT_EQ(std::get<Grab>(command(0)).id, 4000000000u);
    EXPECT_EQ(std::get<Grab>(command(0)).at, (Vec3{third, 1e-30f, -5})) << "to the last bit";
    EXPECT_EQ(std::get<MoveTarget>(command(1)).to, (Vec3{0.1f, third, 1e6f}));
    EXPECT_EQ(std::get<Release>(command(2)).constraint, 1u);
    EXPECT_EQ(std::get<Brush>(command(3)).from.y, third);
    EXPECT_EQ(std::get<Cut>(command(4)).a.z, third);
    const auto edit = [&](size_t k) { return std::get<Edit>(read.events[k].content); };
    EXPECT_EQ(edit(5).numbers, (std::vector<double>{third}));
    EXPECT_EQ(edit(6).numbers.size(), 3u);
    EXPECT_EQ(edit(7).word, "bilateral");
    EXPECT_EQ(read.last(), 9u);
    EXPECT_EQ(read.marks[1].hash, 0xfedcba9876543210u);
}

// Older versions called the list of events "letters".
TEST_F(Replays, ReadsFilesOfOlderVersions) {
    writeText(folder / "old.json", R"({
  "scene": "small.json",
  "letters": [
    {"frame":2,"hand":1,"grab":7,"at":[0.25,0.5,1.0]},
    {"frame":3,"set":"solver.substeps","to":3.0}
  ],
  "hashes": [
    {"frame":0,"hash":"00000000000000ab"}
  ]
})");
    const Replay replay = readReplay(folder / "old.json");
    ASSERT_EQ(replay.events.size(), 2u);
    EXPECT_EQ(std::get<Grab>(std::get<UserCommand>(replay.events[0].content)).id, 7u);
    EXPECT_EQ(std::get<Edit>(replay.events[1].content).path, "solver.substeps");
    writeReplay(replay, folder / "new.json");
    EXPECT_THAT(readText(folder / "new.json"), HasSubstr("\"events\": ["));
    EXPECT_EQ(readReplay(folder / "new.json").events.size(), 2u);
    EXPECT_THAT(errorOf(R"({"scene": "small.json", "letters": [], "events": [],
        "hashes": [{"frame": 0, "hash": "0000000000000000"}]})"),
                HasSubstr("events"))
        << "not both";
}

TEST_F(Replays, ErrorsHaveLineAndAdvice) {
    EXPECT_EQ(ofEvent(R"({"frame": 1, "hand": 0, "grab": 3, "at": [0, 1, 0]})"), "none");
    const std::string unknown = ofEvent(R"({"frame": 1, "hand": 0, "mvoe": [0, 1, 0]})");
    EXPECT_THAT(unknown, HasSubstr("r.json:3: events.0.mvoe"));
    EXPECT_THAT(unknown, HasSubstr("Did you mean \"move\"?"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "hand": 9, "letGo": true})"), HasSubstr("events.0.hand"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "grab": 3})"), HasSubstr("events.0.at"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "brush": [[0, 0, 0]]})"), HasSubstr("2 points, not 1"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "cut": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]})"), HasSubstr("on a line"));
    EXPECT_THAT(ofEvent("{\"frame\": 5, \"letGo\": true},\n{\"frame\": 4, \"letGo\": true}"),
                HasSubstr("r.json:4: events.1.frame: frame 4 comes after frame 5"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "set": "fluid.relaxatio", "to": 1})"),
                HasSubstr("Did you mean \"fluid.relaxation\"?"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "set": "fluid.relaxation", "to": 1e9})"), HasSubstr("out of range"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "set": "solver.substeps", "to": 1.5})"), HasSubstr("integer"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "set": "fluid.constraint", "word": "bilatral"})"),
                HasSubstr("Did you mean \"bilateral\"?"));
    EXPECT_THAT(ofEvent(R"({"frame": 1, "set": "world.gravity", "to": 1})"), HasSubstr("it is a vector"));
    EXPECT_THAT(
        errorOf(
            R"({"scene": "smal.json", "events": [], "hashes": [{"frame": 0, "hash": "0000000000000000"}]})"),
        HasSubstr("Did you mean \"small.json\"?"));
    EXPECT_THAT(errorOf(R"({"scene": "small.json", "events": []})"), HasSubstr("hashes"));
    EXPECT_THAT(errorOf(R"({"scene": "small.json", "hashes": [{"frame": 0, "hash": "xyz"}]})"),
                HasSubstr("16 hexadecimal digits"));
    EXPECT_THAT(errorOf(R"({"scene": "small.json", "hashes": [{"frame": 0, "hash": "00000000000000001"}]})"),
                HasSubstr("16 hexadecimal digits"));
    EXPECT_THAT(errorOf("[1]"), HasSubstr("a replay is one JSON object"));
    EXPECT_THAT(errorOf("{\"scene\": "), HasSubstr("r.json:1"));
    EXPECT_THROW(readReplay(folder / "missing.json"), Error);
}

}  // namespace
}  // namespace coalesce::test
