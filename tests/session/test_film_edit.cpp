// The dope sheet's writing: values change in the text of a file, everything else stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/error.h"
#include "scene/format/json_edit.h"
#include "scene/format/json_text.h"
#include "scene/reader.h"
#include "session/film_edit.h"
#include "support/small_scene.h"

namespace coalesce {
namespace {

using testing::HasSubstr;

TEST(JsonEdit, FindsValuesBetweenCommentsAndStrings) {
    const std::string text = R"(// "a": 9
{ "x": "}, \"b\": [", /* ] */ "a": { "list": [1, // two
   [2], {"t": 3}] } })";
    const auto at = [&](const JsonPath& path) {
        const auto span = spanOfValue(text, path);
        return span ? text.substr(span->begin, span->end - span->begin) : "none";
    };
    EXPECT_EQ(at({"a", "list", size_t{0}}), "1");
    EXPECT_EQ(at({"a", "list", size_t{1}}), "[2]");
    EXPECT_EQ(at({"a", "list", size_t{2}, "t"}), "3");
    EXPECT_EQ(at({"x"}), R"("}, \"b\": [")");
    EXPECT_EQ(at({"a", "list", size_t{3}}), "none");
    EXPECT_EQ(at({"b"}), "none");
    EXPECT_EQ(countAt(text, {"a", "list"}), 3u);
    EXPECT_EQ(spanOfValue("{ \"a\": ", {"a"}), std::nullopt);
}

TEST(JsonEdit, KeepsTheLayoutAndTheComments) {
    const std::string lines = "[\n  // first\n  1, // one\n  2  // two\n]";
    EXPECT_EQ(insertElement(lines, {}, 0, "0"), "[\n  // first\n  0,\n  1, // one\n  2  // two\n]");
    EXPECT_EQ(insertElement(lines, {}, 1, "5"), "[\n  // first\n  1, // one\n  5,\n  2  // two\n]");
    EXPECT_EQ(insertElement(lines, {}, 2, "3"), "[\n  // first\n  1, // one\n  2,\n  3  // two\n]");
    EXPECT_EQ(removeElement(lines, {}, 0), "[\n  // first\n  // one\n  2  // two\n]");
    EXPECT_EQ(removeElement("[1, 2, 3]", {}, 0), "[2, 3]");
    EXPECT_EQ(removeElement("[1, 2, 3]", {}, 1), "[1, 3]");
    EXPECT_EQ(removeElement("[1, 2, 3]", {}, 2), "[1, 2]");
    EXPECT_EQ(removeElement("[1]", {}, 0), "[]");
    EXPECT_EQ(removeElement("[\n  1,\n  2,\n  3\n]", {}, 1), "[\n  1,\n  3\n]");
    EXPECT_EQ(removeElement("[\n  1,\n  2,\n  3\n]", {}, 2), "[\n  1,\n  2\n]");
    EXPECT_EQ(insertElement("[]", {}, 0, "1"), "[1]");
    EXPECT_EQ(addKey("{ \"a\": 1 }", {}, "b", "2"), "{ \"a\": 1, \"b\": 2 }");
    EXPECT_EQ(insertElement("{}", {}, 0, "1"), std::nullopt);
}

// Against an independent model: lists of numbers, edited at random.
TEST(JsonEdit, RandomEditsGiveTheListsOfAModel) {
    std::mt19937 random(3);
    const auto below = [&](size_t n) { return size_t(random() % n); };
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<int> model;
        std::string text = trial % 2 ? "{\"k\": [ /* none */ ]}" : "{\n  \"k\": [\n    // none\n  ]\n}";
        for (int step = 0; step < 30; ++step) {
            std::optional<std::string> next;
            const int value = int(random() % 1000);
            if (model.empty() || below(3) > 0) {
                const size_t at = below(model.size() + 1);
                next = insertElement(text, {"k"}, at, std::to_string(value));
                model.insert(model.begin() + std::ptrdiff_t(at), value);
            } else if (below(2)) {
                const size_t at = below(model.size());
                next = removeElement(text, {"k"}, at);
                model.erase(model.begin() + std::ptrdiff_t(at));
            } else {
                const size_t at = below(model.size());
                next = replaceValue(text, {"k", at}, std::to_string(value));
                model[at] = value;
            }
            ASSERT_TRUE(next);
            text = *next;
            Node root;
            std::vector<Diagnostic> errors;
            ASSERT_TRUE(parseJson(text, root, errors)) << text;
            std::vector<int> read;
            for (const Node& child : root.find("k")->children) read.push_back(int(child.number));
            ASSERT_EQ(read, model) << text;
            ASSERT_THAT(text, HasSubstr("none"));
        }
    }
}

const std::string kScene = R"({
  // the ball falls
  "materials": { "sand": { "kind": "grains", "spacing": 0.1 } },
  "bodies": [{ "name": "ball", "points": [[0, 1, 0]] }],
  "tracks": [
    { "set": "solver.relaxation", "keys": [ // slow at first
        { "t": 0, "value": 1 },
        { "t": 1, "value": 1.5, "ease": "smooth" } // then fast
    ] }
  ],
  "cameras": [
    { "name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "keys": [
        { "t": 0, "eye": [1, 1, 1], "look": [0, 0, 0] },
        { "t": 2, "eye": [2, 1, 1], "look": [0, 0, 0] } ] },
    { "name": "still", "eye": [1, 1, 1], "look": [0, 0, 0] }
  ],
  "timeline": [ { "at": 1, "until": 2, "gust": { "from": [0, 0, 0], "velocity": [1, 0, 0] } } ],
  "sizes": { "ci": { "tracks.0.keys.0.value": 1.2, "cameras.fly.keys.1.t": 3 } }
}
)";

class FilmEdit : public testing::Test {
protected:
    FilmEdit() { test::writeText(file, kScene); }
    Scene scene(const std::string& size = "") const {
        return readScene(file, {.size = size, .caseName = "", .sets = {}, .seed = {}});
    }
    std::string text() const { return test::readText(file); }
    // The text with one part replaced.
    static std::string with(const std::string& part, const std::string& by) {
        std::string out = kScene;
        const size_t at = out.find(part);
        EXPECT_NE(at, std::string::npos);
        return out.replace(at, part.size(), by);
    }
    test::TemporaryFolder folder;
    std::filesystem::path file = folder / "scene.json";
    FilmEditor editor;
};
constexpr auto kTrack = FilmKey::Of::Track;
constexpr auto kCamera = FilmKey::Of::Camera;
constexpr auto kEvent = FilmKey::Of::Event;

TEST_F(FilmEdit, MovesAKeyAndNothingElse) {
    EXPECT_EQ(editor.move(scene(), {kTrack, 0, 1}, 1.25), "");
    EXPECT_EQ(text(), with("\"t\": 1,", "\"t\": 1.25,"));
    EXPECT_EQ(scene().tracks[0].keys[1].t, 1.25);
    EXPECT_EQ(editor.undo(), "");
    EXPECT_EQ(text(), kScene);
}

TEST_F(FilmEdit, KeysStayInOrder) {
    EXPECT_EQ(editor.move(scene(), {kTrack, 0, 1}, -5), "");
    EXPECT_NEAR(scene().tracks[0].keys[1].t, 1 / 60.0, 1e-6) << "a frame after the key before";
    EXPECT_EQ(editor.move(scene(), {kTrack, 0, 0}, 5), "");
    EXPECT_NEAR(scene().tracks[0].keys[0].t, 0, 1e-6);
}

TEST_F(FilmEdit, AddsAndRemovesKeys) {
    EXPECT_EQ(editor.addTrackKey(scene(), 0, {0.5, {1.25}, "", Ease::easeIn}), "");
    EXPECT_EQ(text(), with("        { \"t\": 1, \"value\": 1.5",
                           "        { \"t\": 0.5, \"value\": 1.25, \"ease\": \"easeIn\" },\n        { \"t\": "
                           "1, \"value\": 1.5"));
    EXPECT_EQ(editor.addTrackKey(scene(), 0, {0.5, {1.3}, "", Ease::linear}), "")
        << "replaces the key at this time";
    EXPECT_EQ(scene().tracks[0].keys.size(), 3u);
    EXPECT_EQ(editor.remove(scene(), {kTrack, 0, 1}), "");
    EXPECT_EQ(text(), kScene);
    EXPECT_EQ(editor.remove(scene(), {kTrack, 0, 0}), "");
    EXPECT_THAT(editor.remove(scene(), {kTrack, 0, 0}), HasSubstr("the last key of a track stays"));
}

TEST_F(FilmEdit, WritesViewsAsCameraKeys) {
    CameraKey view;
    view.t = 1, view.eye = {1.23456f, -0.5f, 2}, view.look = {0, 0.25f, 0}, view.fov = 40;
    EXPECT_EQ(editor.addCameraKey(scene(), 0, view), "");
    EXPECT_THAT(text(), HasSubstr("        { \"t\": 1, \"eye\": [1.235, -0.5, 2], \"look\": [0, 0.25, 0], "
                                  "\"fov\": 40 },\n        { \"t\": 2"));
    EXPECT_EQ(scene().cameras[0].keys[1].fov, 40);
    EXPECT_EQ(editor.addCameraKey(scene(), 1, view), "") << "the first key of a camera that stood";
    EXPECT_EQ(scene().cameras[1].keys.size(), 1u);
    view.ease = Ease::smooth, view.cut = true, view.roll = 4;
    EXPECT_EQ(editor.setCameraKey(scene(), {kCamera, 0, 1}, view), "");
    EXPECT_TRUE(scene().cameras[0].keys[1].cut);
    EXPECT_EQ(scene().cameras[0].keys[1].roll, 4);
    EXPECT_THAT(text(), HasSubstr("// then fast"));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(editor.undo(), "");
    EXPECT_EQ(text(), kScene);
}

TEST_F(FilmEdit, AnEventMovesWithItsEnd) {
    EXPECT_EQ(editor.move(scene(), {kEvent, 0, 0}, 1.5), "");
    EXPECT_EQ(scene().timeline[0].at, 1.5);
    EXPECT_EQ(scene().timeline[0].until, 2.5);
    EXPECT_EQ(editor.remove(scene(), {kEvent, 0, 0}), "");
    EXPECT_TRUE(scene().timeline.empty());
}

TEST_F(FilmEdit, AddsCamerasAndCuts) {
    CameraKey view;
    view.eye = {1, 2, 3}, view.look = {0, 0.5f, 0}, view.fov = 40;
    EXPECT_EQ(editor.addCamera(scene(), "wide", view), "");
    EXPECT_EQ(text(),
              with("\"look\": [0, 0, 0] }\n  ],\n  \"timeline\"",
                   "\"look\": [0, 0, 0] },\n    { \"name\": \"wide\", \"eye\": [1, 2, 3], \"look\": [0, "
                   "0.5, 0], \"fov\": 40 }\n  ],\n  \"timeline\""));
    ASSERT_EQ(scene().cameras.size(), 3u);
    EXPECT_EQ(scene().cameras[2].fov, 40);
    EXPECT_EQ(editor.addCut(scene(), "wide", 2.5), "");
    ASSERT_EQ(scene().timeline.size(), 2u);
    EXPECT_EQ(scene().timeline[1].camera, "wide");
    EXPECT_EQ(scene().timeline[1].at, 2.5);

    // lists that the scene does not have; a single camera stays the first
    test::writeText(file, R"({ "materials": { "sand": { "kind": "grains", "spacing": 0.1 } },
  "bodies": [{ "points": [[0, 1, 0]] }], "camera": { "eye": [9, 1, 1], "look": [0, 0, 0] } })");
    EXPECT_EQ(editor.addCamera(scene(), "wide", view), "");
    EXPECT_EQ(editor.addCut(scene(), "wide", 1), "");
    ASSERT_EQ(scene().cameras.size(), 2u);
    EXPECT_EQ(scene().cameras[0].eye.x, 9);
    EXPECT_EQ(scene().timeline.at(0).camera, "wide");
}

TEST_F(FilmEdit, AddsTracksMarkersAndShots) {
    EXPECT_EQ(editor.addTrack(scene(), "world.gravity", {0.5, {0, -3, 0.25}, "", Ease::linear}), "");
    EXPECT_EQ(editor.addTrack(scene(), "solver.method", {0, {}, "velocity", Ease::linear}), "");
    ASSERT_EQ(scene().tracks.size(), 3u);
    EXPECT_EQ(scene().tracks[1].keys[0].value, (std::vector<double>{0, -3, 0.25}));
    EXPECT_EQ(scene().tracks[2].keys[0].word, "velocity");
    EXPECT_EQ(editor.addMarker(scene(), "now", 0.25), "");
    EXPECT_EQ(editor.setMarker(scene(), {kEvent, 1, 0}, "\"then\""), "");
    EXPECT_EQ(scene().timeline.at(1).marker, "\"then\"");
    EXPECT_EQ(scene().timeline[1].at, 0.25);
    EXPECT_EQ(editor.addShot(scene(), "one", 0, 0.5), "");
    EXPECT_EQ(editor.addShot(scene(), "two", 0.5, 1), "");
    Shot shot = scene().shots.at(1);
    shot.name = "second", shot.to = 2;
    EXPECT_EQ(editor.setShot(scene(), {FilmKey::Of::Shot, 1, 0}, shot), "");
    EXPECT_THAT(text(), HasSubstr(R"({ "name": "second", "from": 0.5, "to": 2 })"));
    EXPECT_EQ(editor.remove(scene(), {FilmKey::Of::Shot, 0, 0}), "");
    ASSERT_EQ(scene().shots.size(), 1u);
    EXPECT_EQ(scene().shots[0].name, "second");
    for (int k = 0; k < 8; ++k) EXPECT_EQ(editor.undo(), "");
    EXPECT_EQ(text(), kScene);
    EXPECT_FALSE(editor.canUndo());
}

// Shots of a film come after those of the scene; their other keys stay, and one that is missing is added.
TEST_F(FilmEdit, ShotsOfAFilmAreWrittenToItsFile) {
    const std::filesystem::path film = folder / "film.json";
    test::writeText(film, R"({ "shots": [{ "name": "a", "to": 1, "fps": 30 }] })");
    SceneChoice choice;
    choice.film = film;
    const auto both = [&] { return readScene(file, choice); };
    Shot shot = both().shots.at(0);
    shot.from = 0.5;
    EXPECT_EQ(editor.setShot(both(), {FilmKey::Of::Shot, 0, 0}, shot), "");
    EXPECT_EQ(editor.addShot(both(), "b", 1, 2), "");
    EXPECT_EQ(
        test::readText(film),
        R"({ "shots": [{ "name": "a", "to": 1, "fps": 30, "from": 0.5 }, { "name": "b", "from": 1, "to": 2 }] })");
    EXPECT_EQ(text(), kScene);
}

TEST_F(FilmEdit, NamesMayHaveQuotationMarks) {
    const std::string name = R"(the "wide" one \o/)";
    CameraKey key;
    key.eye = {1, 2, 3};
    EXPECT_EQ(editor.addCamera(scene(), name, key), "");
    EXPECT_EQ(editor.addCut(scene(), name, 2.5), "");
    EXPECT_EQ(scene().cameras.at(2).name, name);
    EXPECT_EQ(scene().timeline.at(1).camera, name);
}

// The text of the scene where it is held by somebody else.
TEST_F(FilmEdit, LeavesTheFileAloneWhereTheTextIsHeld) {
    std::string held = kScene;
    const auto take = [&](const std::string& changed) {
        held = changed;
        return std::string();
    };
    editor.setScene({held, take});
    EXPECT_EQ(editor.move(scene(), {kTrack, 0, 1}, 1.25), "");
    EXPECT_EQ(held, with("\"t\": 1,", "\"t\": 1.25,"));
    EXPECT_EQ(text(), kScene);
    EXPECT_FALSE(editor.canUndo());
    EXPECT_FALSE(editor.takeWritten());
    editor.setScene({held, [](const std::string&) { return std::string("no"); }});
    EXPECT_EQ(editor.remove(scene(), {kTrack, 0, 1}), "no");
}

TEST_F(FilmEdit, RefusesWhatASizeHasChanged) {
    EXPECT_THAT(editor.move(scene("ci"), {kCamera, 0, 1}, 2),
                HasSubstr("comes from a size, a case or --set"));
    EXPECT_EQ(text(), kScene);
    test::writeText(file, "{}");
    EXPECT_THAT(editor.move(readSceneText(kScene, file, {}), {kTrack, 0, 1}, 2),
                HasSubstr("is not in scene.json"));
}

TEST_F(FilmEdit, DoesNotUndoOverOtherChanges) {
    EXPECT_EQ(editor.move(scene(), {kTrack, 0, 1}, 1.25), "");
    test::writeText(file, kScene + "\n");
    EXPECT_THAT(editor.undo(), HasSubstr("has changed since"));
    EXPECT_EQ(text(), kScene + "\n");
}

TEST_F(FilmEdit, KeysOfAFilmAreWrittenToItsFile) {
    const std::filesystem::path film = folder / "film.json";
    test::writeText(film,
                    R"({ "tracks": [ { "set": "world.airDensity", "keys": [ { "t": 0, "value": 1 } ] } ],
  "camera": { "eye": [3, 3, 3], "look": [0, 0, 0], "keys": [ { "t": 0, "eye": [3, 3, 3], "look": [0, 0, 0] } ] } })");
    SceneChoice choice;
    choice.film = film;
    const auto both = [&] { return readScene(file, choice); };
    EXPECT_EQ(both().cameras.size(), 1u) << "its cameras replace those of the scene";
    EXPECT_EQ(both().tracks.size(), 2u);
    EXPECT_EQ(editor.addTrackKey(both(), 1, {1, {0.5}, "", Ease::linear}), "");
    EXPECT_EQ(both().tracks[1].keys.size(), 2u);
    EXPECT_EQ(editor.move(both(), {kCamera, 0, 0}, 0.5), "");
    EXPECT_EQ(both().cameras[0].keys[0].t, 0.5);
    EXPECT_EQ(text(), kScene) << "the scene file is as it was";
    EXPECT_EQ(editor.move(both(), {kTrack, 0, 1}, 2), "");
    EXPECT_EQ(both().tracks[0].keys[1].t, 2);
    EXPECT_THAT(text(), testing::Not(testing::Eq(kScene)));
    test::writeText(film, "{\n\"bodies\": []}");
    try {
        both();
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("film.json:2: bodies: this key is not one of a film."));
    }
    test::writeText(film, "{\n\"tracks\": [\n{\"set\": \"solver.relaxation\", \"expr\": [\"1\"]}]}");
    try {
        both();
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("film.json:3: tracks.1.set: solver.relaxation has a track already"));
    }
}

}  // namespace
}  // namespace coalesce
