// Panel, bar and numbers together, in windows of all sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "view/overlay/time_bar.h"
#include "view/panel_by_hand.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class Desks : public PanelByHand {
protected:
    void show(float width, float height) {
        ImGui::GetIO().DisplaySize = {width, height};
        for (int k = 0; k < 3; ++k) picture();
    }
    TimeBar::Wish picture() {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        panel.draw(session, look, settings, size.x, size.y, {.frameMs = 20});
        const float left = panel.width();
        const TimeBar::Wish wish = bar.draw(session, {.panel = panel.isOpen()}, left, size.x - left, size.y);
        wanted = overlay.draw(session, {.frameMs = 20}, {.numbers = numbers, .notices = !panel.isOpen()},
                              left, size.x - left, size.y - bar.height());
        if (look.help) Overlay::drawHelp(size.x, size.y);
        ImGui::Render();
        return wish;
    }
    static const WidgetRect* in(const std::vector<WidgetRect>& placed, const std::string& path) {
        const auto found = std::ranges::find(placed, path, &WidgetRect::path);
        return found == placed.end() ? nullptr : &*found;
    }
    TimeBar::Wish clickAt(const WidgetRect& p) {
        ImGui::GetIO().MousePos = {(p.left + p.right) / 2, (p.top + p.bottom) / 2};
        picture();
        ImGui::GetIO().MouseDown[0] = true;
        picture();
        ImGui::GetIO().MouseDown[0] = false;
        return picture();
    }

    TimeBar bar;
    Overlay overlay;
    std::string wanted;
    bool numbers = true;
};

TEST_F(Desks, LeaveThePictureHalfOfTheWindowAndCutNothing) {
    for (const ImVec2 size : {ImVec2(240, 200), ImVec2(500, 400), ImVec2(640, 480), ImVec2(800, 600),
                              ImVec2(1280, 720), ImVec2(2560, 1440)})
        for (const bool asked : {false, true}) {
            show(size.x, size.y);
            if (asked) panel.toggle();
            show(size.x, size.y);
            SCOPED_TRACE(testing::Message() << size.x << " x " << size.y << " panel " << panel.width());
            EXPECT_LE(panel.width(), size.x / 2);
            ASSERT_TRUE(in(bar.placed(), "bar.panel") || (asked && size.x < 300)) << "the way back to it";
            for (const WidgetRect& p : bar.placed()) {
                EXPECT_GE(p.left, panel.width()) << p.path;
                EXPECT_LE(p.right, size.x - 10) << p.path;
                EXPECT_LE(p.bottom, size.y) << p.path;
            }
            for (const WidgetRect& p : overlay.placed()) EXPECT_LE(p.right, size.x) << p.path;
            if (asked) panel.toggle();
        }
}

TEST_F(Desks, HaveTheWholeBarWhereThereIsRoom) {
    for (const float width : {500.0f, 800.0f, 1280.0f}) {
        show(width, 600);
        for (const char* part : {"bar.panel", "bar.pause", "bar.time", "bar.record"})
            EXPECT_TRUE(in(bar.placed(), part)) << part << " " << width;
    }
    for (const char* part : {"bar.scenes", "bar.speed"}) EXPECT_TRUE(in(bar.placed(), part)) << part;
}

TEST_F(Desks, FoldThePanelAwayInANarrowWindowUntilItIsAskedFor) {
    show(1280, 720);
    EXPECT_GT(panel.width(), 0);
    EXPECT_EQ(panel.wishedWidth, 0) << "nobody has dragged its edge";
    panel.wishedWidth = 400;
    show(1280, 720);
    EXPECT_EQ(panel.width(), 400);
    show(500, 400);
    EXPECT_EQ(panel.width(), 0);
    EXPECT_EQ(clickAt(*in(bar.placed(), "bar.panel")), TimeBar::Wish::Panel);
    panel.toggle();
    picture();
    EXPECT_EQ(panel.width(), 250);
    EXPECT_TRUE(shown("solver.substeps"));
    show(1280, 720);
    EXPECT_EQ(panel.width(), 400) << "as it was liked";
    panel.toggle();
    picture();
    EXPECT_EQ(panel.width(), 0);
    EXPECT_TRUE(in(bar.placed(), "bar.panel"));
    panel.search("substeps");
    picture();
    EXPECT_TRUE(shown("solver.substeps")) << "who asks for a value sees it";
}

TEST_F(Desks, ShowAllOfTheHelpAtOnce) {
    look.help = true;
    for (const ImVec2 size : {ImVec2(800, 600), ImVec2(1280, 720)}) {
        show(size.x, size.y);
        const ImGuiWindow* help = ImGui::FindWindowByName("Keys and mouse");
        ASSERT_TRUE(help);
        EXPECT_EQ(help->ScrollMax.y, 0) << size.x;
        EXPECT_GE(help->Pos.x, 0) << size.x;
        EXPECT_LE(help->Pos.x + help->Size.x, size.x);
        EXPECT_LE(help->Pos.y + help->Size.y, size.y);
    }
}

TEST_F(Desks, SayWhatIsWrongOnce) {
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.step();
    session.step();
    ASSERT_FALSE(session.warnings().list().empty());
    show(1280, 720);
    EXPECT_TRUE(shown("advice.solver.maxSpeed"));
    EXPECT_FALSE(in(overlay.placed(), "advice.solver.maxSpeed"));
    show(500, 400);
    EXPECT_FALSE(shown("advice.solver.maxSpeed"));
    const WidgetRect* button = in(overlay.placed(), "advice.solver.maxSpeed");
    ASSERT_TRUE(button);
    clickAt(*button);
    EXPECT_EQ(wanted, "solver.maxSpeed");
    // also where the numbers are not wanted, as over cases side by side
    numbers = false;
    show(500, 400);
    EXPECT_FALSE(in(overlay.placed(), "numbers"));
    EXPECT_TRUE(in(overlay.placed(), "advice.solver.maxSpeed"));
}

TEST_F(Desks, SayHowFastItGoesInOneLine) {
    show(1280, 720);
    EXPECT_THAT(overlay.numbers(session),
                testing::ElementsAre("50.0 fps", "0.00 x real time",
                                     std::to_string(session.world().count()) + " particles"));
    session.paused = true, session.speed = 0.5f;
    EXPECT_THAT(overlay.numbers(session),
                testing::ElementsAre("50.0 fps", "paused", HasSubstr("particles"), "1/2 speed"));
    const WidgetRect* line = in(overlay.placed(), "numbers");
    ASSERT_TRUE(line);
    EXPECT_LT(line->bottom, 40);
}

TEST_F(Desks, ExplainBesideThePanel) {
    show(1280, 3000);
    const WidgetRect p = find("solver.relaxation");
    ImGui::GetIO().MousePos = {(p.left + p.right) / 2, (p.top + p.bottom) / 2};
    picture(), picture();
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    ASSERT_TRUE(tooltip && tooltip->Active);
    EXPECT_GE(tooltip->Pos.x, panel.width());
    EXPECT_LE(tooltip->Pos.x + tooltip->Size.x, 1280);
}

}  // namespace
}  // namespace coalesce::test
