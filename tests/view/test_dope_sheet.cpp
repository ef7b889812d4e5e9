// The dope sheet by mouse: what it writes, and what that does to the running simulation.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "scene/reader.h"
#include "support/small_scene.h"
#include "view/overlay/dope_sheet.h"
#include "view/viewport/film_view.h"
#include "view/widgets/style.h"
#include "view/widgets/widget_recorder.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

const std::string kFilm =
    R"({ "duration": 4, "materials": { "sand": { "kind": "grains", "spacing": 0.1 } }, // grains
  "bodies": [{ "points": [[0, 1, 0]] }],
  "tracks": [ { "set": "solver.relaxation", "keys": [ { "t": 0, "value": 1 }, { "t": 2, "value": 1.5 } ] } ],
  "cameras": [ { "name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "keys": [
      { "t": 0, "eye": [1, 1, 1], "look": [0, 0, 0] }, // start
      { "t": 2, "eye": [3, 1, 1], "look": [0, 0, 0] } ] } ],
  "shots": [ { "name": "all of it", "from": 0, "to": 4 } ],
  "timeline": [ { "at": 1, "marker": "now" } ] }
)";

class DopeSheets : public ::testing::Test {
protected:
    DopeSheets() {
        writeText(file, kFilm);
        session.emplace(file, SceneChoice{}, ExecOptions{.backend = "cpu"});
        ImGui::CreateContext();
        recordWidgets(&widgets);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {1280, 720};
        for (int k = 0; k < ImGuiKey_COUNT; ++k) io.KeyMap[k] = k + 1;
        applyStyle(1);
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
        sheet.shown = true;
        frame(), frame();
    }
    ~DopeSheets() override {
        recordWidgets(nullptr);
        ImGui::DestroyContext();
    }
    void frame() {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        widgets.clear();
        if (const std::string said = sheet.draw(*session, view, 0, 1280, 700); !said.empty()) message = said;
        ImGui::Render();
    }
    WidgetRect find(const std::string& name) const {
        for (const WidgetRect& w : widgets)
            if (w.name == name) return w;
        ADD_FAILURE() << name << " is not shown";
        return {};
    }
    void moveTo(float x, float y) {
        ImGui::GetIO().MousePos = {x, y};
        frame();
    }
    void press(bool down) {
        ImGui::GetIO().MouseDown[0] = down;
        frame();
        frame();
    }
    void click(const std::string& name) {
        const WidgetRect w = find(name);
        moveTo((w.left + w.right) / 2, (w.top + w.bottom) / 2);
        press(true), press(false);
    }
    // Types a text into a field instead of what it has.
    void enter(const std::string& field, const std::string& text) {
        ImGuiIO& io = ImGui::GetIO();
        click(field);
        const auto press = [&](ImGuiKey key, bool ctrl) {
            io.KeyCtrl = ctrl, io.KeysDown[io.KeyMap[key]] = true;
            frame();
            io.KeyCtrl = io.KeysDown[io.KeyMap[key]] = false;
            frame();
        };
        press(ImGuiKey_A, true);
        for (const char letter : text) io.AddInputCharacter(unsigned(letter));
        frame();
        press(ImGuiKey_Enter, false);
        frame();
    }
    float middleOf(const std::string& name) const {
        const WidgetRect w = find(name);
        return (w.left + w.right) / 2;
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "film.json";
    std::optional<Session> session;
    ViewSettings view;
    DopeSheet sheet;
    std::vector<WidgetRect> widgets;
    std::string message;
};

TEST_F(DopeSheets, AKeyIsDraggedInTime) {
    // the scale of the axis, from two keys at known times
    const float perSecond = (middleOf("film.camera.0.1") - middleOf("film.camera.0.0")) / 2;
    const WidgetRect key = find("film.track.0.1");
    const float x = (key.left + key.right) / 2, y = (key.top + key.bottom) / 2;
    moveTo(x, y);
    press(true);
    moveTo(x + 20, y);
    moveTo(x + perSecond, y);
    press(false);
    EXPECT_NEAR(session->scene().tracks[0].keys[1].t, 3, 0.02);
    EXPECT_NEAR(session->scene().tracks[0].keys[1].t * 60,
                std::round(session->scene().tracks[0].keys[1].t * 60), 1e-4)
        << "on a frame";
    EXPECT_THAT(session->text(), HasSubstr("// start"));
    EXPECT_EQ(message, "Simulation restarted");
    EXPECT_EQ(readText(file), kFilm) << "written when the scene is saved";
    EXPECT_TRUE(session->isChanged());
    session->save(file);
    EXPECT_EQ(readText(file), session->text());
    EXPECT_NEAR(readScene(file).tracks[0].keys[1].t, 3, 0.02);
    ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->text(), kFilm);
    EXPECT_TRUE(session->isChanged());
}

TEST_F(DopeSheets, TheViewBecomesAKeyWhileTheSimulationGoesOn) {
    for (int k = 0; k < 60; ++k) session->step();
    view.camera.eye = {5, 6, 7}, view.camera.look = {1, 0, 0}, view.camera.fov = 33;
    const uint64_t film = session->filmGeneration();
    click("film.camera.0");
    click("film.add");
    EXPECT_EQ(message, "");
    const std::vector<CameraKey>& keys = session->scene().cameras[0].keys;
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_EQ(keys[1].t, 1);
    EXPECT_EQ(keys[1].eye, (Vec3{5, 6, 7}));
    EXPECT_EQ(keys[1].fov, 33);
    EXPECT_EQ(session->world().frame, 60u) << "a camera does not restart the simulation";
    EXPECT_NE(session->filmGeneration(), film);
    EXPECT_FALSE(session->pollFile());
    EXPECT_EQ(readText(file), kFilm);

    frame();
    click("film.camera.0.1");
    click("film.remove");
    EXPECT_EQ(session->text(), kFilm);
    EXPECT_FALSE(session->isChanged());
    EXPECT_EQ(session->scene().cameras[0].keys.size(), 2u);
    ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->scene().cameras[0].keys.size(), 3u);
    ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->text(), kFilm);
    EXPECT_EQ(session->world().frame, 60u);
}

TEST_F(DopeSheets, ACameraAndACutAreAdded) {
    for (int k = 0; k < 60; ++k) session->step();
    view.camera.eye = {5, 6, 7}, view.camera.look = {1, 0, 0}, view.camera.fov = 33;
    click("film.camera");
    ASSERT_EQ(session->scene().cameras.size(), 2u) << message;
    EXPECT_EQ(session->scene().cameras[1].name, "camera");
    EXPECT_EQ(session->scene().cameras[1].eye, (Vec3{5, 6, 7}));
    frame();
    click("film.cutTo");
    ASSERT_EQ(session->scene().timeline.size(), 2u) << message;
    EXPECT_EQ(session->scene().timeline[1].camera, "camera") << "the row of the new camera is selected";
    EXPECT_EQ(session->scene().timeline[1].at, 1);
    EXPECT_EQ(session->world().frame, 60u) << "cameras do not restart the simulation";
    frame();
    // the film shows it
    FilmFollower follower;
    follower.update(*session, view, 0);
    for (int k = 0; k < 30; ++k) session->step();
    view.film = true;
    follower.update(*session, view, 0), follower.update(*session, view, 10);
    EXPECT_EQ(view.camera.eye.x, 5);
    EXPECT_TRUE(find("film.events.film.1").right > find("film.events.film.1").left) << "the cut has a key";
    session->save(file);
    EXPECT_EQ(readScene(file).timeline[1].camera, "camera");
    // undo takes back the cut, then the camera whose row is selected
    ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->scene().timeline.size(), 1u);
    ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->scene().cameras.size(), 1u);
    frame(), frame();
    EXPECT_EQ(session->text(), kFilm);
    EXPECT_EQ(session->world().frame, 90u);
}

TEST_F(DopeSheets, ATrackIsAddedWithThePresentValue) {
    for (int k = 0; k < 60; ++k) session->step();
    ASSERT_EQ(session->edit({"world.gravity", {0, -3, 0}, ""}), "");
    click("film.track");
    const auto listed = [&](const std::string& path) {
        return std::ranges::any_of(widgets, [&](const auto& w) { return w.name == "film.track." + path; });
    };
    EXPECT_TRUE(listed("solver.timeScale"));
    EXPECT_FALSE(listed("solver.relaxation")) << "it has a track";
    EXPECT_FALSE(listed("solver.frameRate")) << "it is the clock";
    EXPECT_FALSE(listed("materials.sand.spacing")) << "it is fixed at the start";
    for (const char letter : std::string("GRAV")) ImGui::GetIO().AddInputCharacter(unsigned(letter));
    frame(), frame();
    EXPECT_FALSE(listed("solver.timeScale"));
    click("film.track.world.gravity");
    ASSERT_EQ(session->scene().tracks.size(), 2u) << message;
    const Track& track = session->scene().tracks[1];
    EXPECT_EQ(track.set, "world.gravity");
    ASSERT_EQ(track.keys.size(), 1u);
    EXPECT_EQ(track.keys[0].t, 1);
    EXPECT_EQ(track.keys[0].value, (std::vector<double>{0, -3, 0}));
    frame();
    find("film.track.1.0");
    // the row of the new track is selected
    for (int k = 0; k < 30; ++k) session->step();
    frame();
    click("film.add");
    EXPECT_EQ(session->scene().tracks[1].keys.size(), 2u) << message;
    EXPECT_EQ(session->world().parameters.world.gravity.y, -3) << "the track gives it";
}

TEST_F(DopeSheets, AMarkerIsAddedAndNamed) {
    for (int k = 0; k < 30; ++k) session->step();
    click("film.marker");
    ASSERT_EQ(session->scene().timeline.size(), 2u) << message;
    EXPECT_EQ(session->scene().timeline[1].marker, "marker");
    EXPECT_EQ(session->scene().timeline[1].at, 0.5);
    EXPECT_EQ(session->world().frame, 30u) << "a marker does not restart the simulation";
    frame();
    enter("film.markerText", "it \"falls\"");
    EXPECT_EQ(session->scene().timeline[1].marker, "it \"falls\"");
    EXPECT_EQ(session->scene().timeline[0].marker, "now");
    EXPECT_EQ(session->world().frame, 30u);
    session->save(file);
    EXPECT_EQ(readScene(file).timeline[1].marker, "it \"falls\"");
    click("film.remove");
    EXPECT_EQ(session->scene().timeline.size(), 1u);
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(session->undo());
    EXPECT_EQ(session->text(), kFilm);
}

TEST_F(DopeSheets, ShotsAreAddedAndChanged) {
    const auto shotIs = [&](size_t k, const std::string& name, double from, double to) {
        ASSERT_LT(k, session->scene().shots.size()) << message;
        const Shot& shot = session->scene().shots[k];
        EXPECT_EQ(shot.name, name);
        EXPECT_EQ(shot.from, from);
        EXPECT_EQ(shot.to, to);
    };
    for (int k = 0; k < 30; ++k) session->step();
    click("film.shot");
    shotIs(1, "shot", 0, 0.5);
    frame();
    click("film.shot");
    shotIs(2, "shot_2", 0.5, 4);
    frame();
    for (int k = 0; k < 15; ++k) session->step();
    click("film.shot");
    shotIs(3, "shot_3", 0.5, 0.75);
    frame();
    EXPECT_GT(find("film.shot.1").top, find("film.shot.0").bottom) << "beside the one that it overlaps";
    EXPECT_EQ(find("film.shot.2").top, find("film.shot.1").top);
    EXPECT_GT(find("film.shot.3").top, find("film.shot.2").bottom);
    click("film.shot.2");
    enter("film.shotName", "late");
    enter("film.shotFrom", "0.75");
    enter("film.shotTo", "3.5");
    shotIs(2, "late", 0.75, 3.5);
    shotIs(0, "all of it", 0, 4);
    EXPECT_EQ(session->world().frame, 45u) << "shots do not restart the simulation";
    enter("film.shotTo", "0.5");
    shotIs(2, "late", 0.75, 3.5);
    EXPECT_NE(message, "") << "a shot that ends before it begins";
    session->save(file);
    EXPECT_EQ(readScene(file).shots[2].name, "late");
    click("film.remove");
    ASSERT_EQ(session->scene().shots.size(), 3u);
    shotIs(2, "shot_3", 0.5, 0.75);
}

TEST_F(DopeSheets, ATrackGetsAKeyWithItsValue) {
    for (int k = 0; k < 60; ++k) session->step();
    click("film.track.0");
    click("film.add");
    ASSERT_EQ(session->scene().tracks[0].keys.size(), 3u);
    EXPECT_NEAR(session->scene().tracks[0].keys[1].value[0], 1.25, 1e-6);
    EXPECT_EQ(session->world().frame, 0u);
}

TEST_F(DopeSheets, TheViewFollowsTheFilmUntilTheUserMovesIt) {
    FilmFollower follower;
    follower.update(*session, view, 0);
    EXPECT_TRUE(view.film);
    EXPECT_EQ(view.camera.eye.x, 1);
    for (int k = 0; k < 60; ++k) session->step();
    follower.update(*session, view, 0.1);
    EXPECT_NEAR(view.camera.eye.x, 2, 1e-5);
    view.camera.eye.y += 1;
    follower.update(*session, view, 0.1);
    EXPECT_FALSE(view.film);
    EXPECT_EQ(view.camera.eye.y, 2);
    view.film = true;
    follower.update(*session, view, 0.3);
    EXPECT_NEAR(view.camera.eye.y, 1.5, 1e-5) << "half way back";
    follower.update(*session, view, 1);
    EXPECT_EQ(view.camera.eye.y, 1);
    EXPECT_TRUE(view.film);
}

}  // namespace
}  // namespace coalesce::test
