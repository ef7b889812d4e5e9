// Clicks on particles, the card of the selected particle, and the display page.
#include <algorithm>
#include <gtest/gtest.h>
#include <imgui.h>

#include "bridge/scene_camera.h"
#include "sim/interaction/pick.h"
#include "support/small_scene.h"
#include "view/overlay/readout_card.h"
#include "view/panel/page_display.h"
#include "view/tools/grab_tool.h"
#include "view/widgets/style.h"
#include "view/widgets/widget_recorder.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 800, kHeight = 600;

class Readouts : public ::testing::Test {
protected:
    std::string value(const ParticleReadout& readout, const std::string& name) {
        for (const auto& line : readout.lines(session.world()))
            if (line.name == name) return line.value;
        return "missing";
    }
    glm::vec2 pixelOf(Vec3 place) const {
        return glm::vec2(project(camera, {place.x, place.y, place.z}, kWidth, kHeight));
    }
    void use(MouseInput input) { tool.use(session, camera, input, kWidth, kHeight); }

    TemporaryFolder folder;
    Session session{smallScene(folder, R"("attributes": { "dye": { "default": 0.5, "unit": "g" } },)"),
                    {},
                    {.backend = "cpu"}};
    Camera camera = cameraOf(session.scene().cameras[0]);
    GrabTool tool;
};

TEST_F(Readouts, AClickSelectsADragDoesNotAndAClickOnEmptySpaceDeselects) {
    const glm::vec2 pixel = pixelOf({0.3f, 0.5f, 0.3f});
    const Ray ray = rayThrough(camera, pixel, kWidth, kHeight);
    const auto under = pick(session.world(), {ray.origin.x, ray.origin.y, ray.origin.z},
                            {ray.direction.x, ray.direction.y, ray.direction.z});
    ASSERT_TRUE(under);
    use({.cursor = pixel, .left = true});
    EXPECT_FALSE(tool.takeClick()) << "not before the button is up";
    use({.cursor = pixel});
    const auto click = tool.takeClick();
    ASSERT_TRUE(click);
    EXPECT_EQ(click->id, under->id);
    EXPECT_FALSE(tool.takeClick()) << "reported once";
    // a drag is not a click, even if it returns
    use({.cursor = pixel, .left = true});
    use({.cursor = pixel + glm::vec2(40, 0), .left = true});
    use({.cursor = pixel, .left = true});
    use({.cursor = pixel});
    EXPECT_FALSE(tool.takeClick());
    // on empty space
    use({.cursor = {5, 5}, .left = true});
    use({.cursor = {5, 5}});
    const auto beside = tool.takeClick();
    ASSERT_TRUE(beside);
    EXPECT_FALSE(beside->id);
}

TEST_F(Readouts, FollowAParticleByItsIdUntilItIsRemoved) {
    World& world = session.world();
    const uint32_t id = world.particles.id.download().back();
    ParticleReadout readout;
    readout.read(world, session.solver());
    EXPECT_TRUE(readout.lines(world).empty()) << "none is selected";
    readout.follow(id);
    for (int k = 0; k < 20; ++k) session.step();
    readout.read(world, session.solver());
    ASSERT_TRUE(readout.facts());
    const auto ids = world.particles.id.download();
    const auto slot = size_t(std::find(ids.begin(), ids.end(), id) - ids.begin());
    EXPECT_EQ(readout.facts()->slot, slot);
    EXPECT_EQ(readout.facts()->x, xyz(world.particles.x.download()[slot]));
    EXPECT_EQ(value(readout, "id"), std::to_string(id));
    EXPECT_EQ(value(readout, "material"), "water");
    EXPECT_EQ(value(readout, "dye"), "0.5 g");
    for (const char* name : {"position", "velocity", "speed", "density", "neighbors", "contacts", "mass",
                             "age", "x", "v", "phase"})
        EXPECT_NE(value(readout, name), "missing") << name;
    EXPECT_GT(readout.facts()->neighbors, 3);
    EXPECT_NEAR(readout.facts()->age, world.time, 1e-9);
    EXPECT_FALSE(readout.isRemoved());

    // the last values stay
    const Vec3 last = readout.facts()->x;
    world.removeParticles(std::vector<uint32_t>{id});
    readout.read(world, session.solver());
    EXPECT_TRUE(readout.isRemoved());
    EXPECT_EQ(readout.facts()->x, last);
    EXPECT_EQ(value(readout, "id"), std::to_string(id));
}

TEST_F(Readouts, FocusKeepsTheViewDirection) {
    ViewSettings view;
    view.camera = camera;
    EXPECT_FALSE(focusPicked(session, view));
    view.picked = session.world().particles.id.download()[7];
    ASSERT_TRUE(focusPicked(session, view));
    const Vec3 at = *placeOf(session.world(), *view.picked);
    EXPECT_LT(glm::distance(view.camera.look, glm::vec3(at.x, at.y, at.z)), 1e-6f);
    const auto direction = [](const Camera& c) { return glm::normalize(c.look - c.eye); };
    EXPECT_GT(glm::dot(direction(view.camera), direction(camera)), 0.9999f);
    EXPECT_LT(glm::distance(view.camera.eye, view.camera.look),
              glm::distance(camera.eye, camera.look) + 1e-4f);
    view.picked = 123456;
    EXPECT_FALSE(focusPicked(session, view));
}

TEST_F(Readouts, DrawRequestHasSelectionAndPausedOutlines) {
    ViewSettings view;
    EXPECT_TRUE(view.request(false).lines.empty());
    EXPECT_TRUE(view.request(true).lines.has(LineView::Emitters));
    EXPECT_TRUE(view.request(true).lines.has(LineView::Sinks));
    view.gizmos = false;
    EXPECT_TRUE(view.request(true).lines.empty());
    view.picked = 3;
    EXPECT_TRUE(view.request(false).lines.has(LineView::Neighbors));
    EXPECT_EQ(view.request(false).picked, 3u);
}

// The card and the display page, driven by synthetic input.
class Sections : public Readouts {
protected:
    Sections() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {1280, 1600};
        applyStyle(1);
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
        frame();
        frame();
    }
    ~Sections() override { ImGui::DestroyContext(); }
    void frame() {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        places.clear();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 900});
        ImGui::Begin("display");
        std::vector<WidgetRect> widgets;
        recordWidgets(&widgets);
        drawDisplayPage(session, view, {});
        recordWidgets(nullptr);
        for (const WidgetRect& w : widgets)
            places[w.name] = {(w.left + std::min(w.right, w.left + 20)) / 2, (w.top + w.bottom) / 2};
        ImGui::End();
        card.draw(session, view, 420, 1580);
        ImGui::Render();
    }
    void click(const std::string& path) {
        ASSERT_TRUE(places.contains(path)) << path;
        clickAt(places[path]);
    }
    void clickAt(ImVec2 at) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = at;
        frame();
        io.MouseDown[0] = true;
        frame();
        io.MouseDown[0] = false;
        frame();
        frame();
    }

    ViewSettings view;
    ReadoutCard card;
    std::map<std::string, ImVec2> places;
};

TEST_F(Sections, HaveASwitchForEveryKindOfLine) {
    click("display.lines");
    for (const LineViewInfo& info : kLineViews) {
        click(std::string("display.lines.") + info.word);
        EXPECT_TRUE(view.lines.has(info.view)) << info.word;
    }
    click("display.lines.cells");
    EXPECT_FALSE(view.lines.has(LineView::Cells));
    EXPECT_TRUE(view.gizmos);
    click("display.gizmos");
    EXPECT_FALSE(view.gizmos);
}

TEST_F(Sections, OfferASplitOnlyWithABuffer) {
    EXPECT_FALSE(places.contains("display.split"));
    view.draw.buffer = "thickness";
    frame();
    EXPECT_TRUE(places.contains("display.split"));
    for (const char* path : {"display.show", "display.quality", "display.draft", "display.background",
                             "display.ground", "display.sun", "display.buffer"})
        EXPECT_TRUE(places.contains(path)) << path;
}

TEST_F(Sections, OfferAPositionOnlyWithAClipPlane) {
    EXPECT_TRUE(places.contains("display.clip"));
    EXPECT_FALSE(places.contains("display.clip.at"));
    view.draw.clipPlane = {{0, -1, 0}, -0.3f};
    frame();
    EXPECT_TRUE(places.contains("display.clip.at"));
    click("display.clip.at");
    EXPECT_EQ(view.draw.clipPlane.normal.y, -1) << "a click changes nothing";
    EXPECT_FLOAT_EQ(view.draw.clipPlane.distance, -0.3f);
}

TEST_F(Sections, CardFollowsTheSelectionUntilTheWorldIsRebuilt) {
    EXPECT_FALSE(card.readout().id());
    view.picked = session.world().particles.id.download()[0];
    frame();
    ASSERT_TRUE(card.readout().facts());
    EXPECT_EQ(card.readout().facts()->id, *view.picked);
    const Vec3 before = card.readout().facts()->x;
    for (int k = 0; k < 10; ++k) session.step();
    frame();
    EXPECT_NE(card.readout().facts()->x, before) << "it falls, and is read anew";
    session.restart(false);
    frame();
    EXPECT_FALSE(view.picked);
    EXPECT_FALSE(card.readout().id());
}

}  // namespace
}  // namespace coalesce::test
