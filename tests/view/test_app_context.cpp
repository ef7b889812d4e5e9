// Panel, time bar and numbers together, in windows of all sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "view/overlay/time_bar.h"
#include "view/panel_driver.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class Layouts : public PanelDriver {
protected:
    void show(float width, float height) {
        ImGui::GetIO().DisplaySize = {width, height};
        for (int k = 0; k < 3; ++k) drawFrame();
    }
    TimeBar::Request drawFrame() {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        widgets.clear();
        panel.draw(session, view, settings, size.x, size.y, {.frameMs = 20});
        const float left = panel.width();
        const TimeBar::Request request =
            bar.draw(session, {.panel = panel.isOpen()}, left, size.x - left, size.y);
        wanted = overlay.draw(session, {.frameMs = 20}, {.numbers = numbers, .notices = !panel.isOpen()},
                              left, size.x - left, size.y - bar.height());
        if (view.help) drawHelp(helpSections(), size.x, size.y);
        ImGui::Render();
        return request;
    }
    const WidgetRect* inBar(const std::string& name) const { return widget(name, "Time"); }
    TimeBar::Request clickAt(const WidgetRect& p) {
        ImGui::GetIO().MousePos = {(p.left + p.right) / 2, (p.top + p.bottom) / 2};
        drawFrame();
        ImGui::GetIO().MouseDown[0] = true;
        drawFrame();
        ImGui::GetIO().MouseDown[0] = false;
        return drawFrame();
    }

    TimeBar bar;
    Overlay overlay;
    std::string wanted;
    bool numbers = true;
};

TEST_F(Layouts, ViewportHasAtLeastHalfTheWindowAndNothingIsClipped) {
    for (const ImVec2 size : {ImVec2(240, 200), ImVec2(500, 400), ImVec2(640, 480), ImVec2(800, 600),
                              ImVec2(1280, 720), ImVec2(2560, 1440)})
        for (const bool opened : {false, true}) {
            show(size.x, size.y);
            if (opened) panel.toggle();
            show(size.x, size.y);
            SCOPED_TRACE(testing::Message() << size.x << " x " << size.y << " panel " << panel.width());
            EXPECT_LE(panel.width(), size.x / 2);
            ASSERT_TRUE(inBar("bar.panel") || (opened && size.x < 300)) << "the button that opens it";
            for (const WidgetRect& w : widgets) {
                if (w.window == "Coalesce") continue;
                EXPECT_LE(w.right, w.window == "Time" ? size.x - 10 : size.x) << w.name;
                EXPECT_GE(w.left, panel.width()) << w.name;
                EXPECT_LE(w.bottom, w.window == "Time" ? size.y : 1e9f) << w.name;
            }
            if (opened) panel.toggle();
        }
}

TEST_F(Layouts, TimeBarIsCompleteWhereItFits) {
    for (const float width : {500.0f, 800.0f, 1280.0f}) {
        show(width, 600);
        for (const char* part : {"bar.panel", "bar.pause", "bar.time", "bar.record"})
            EXPECT_TRUE(inBar(part)) << part << " " << width;
    }
    for (const char* part : {"bar.scenes", "bar.speed"}) EXPECT_TRUE(inBar(part)) << part;
}

TEST_F(Layouts, PanelIsClosedInANarrowWindowUntilOpened) {
    show(1280, 720);
    EXPECT_GT(panel.width(), 0);
    EXPECT_EQ(panel.preferredWidth, 0) << "its edge was not dragged";
    panel.preferredWidth = 400;
    show(1280, 720);
    EXPECT_EQ(panel.width(), 400);
    show(500, 400);
    EXPECT_EQ(panel.width(), 0);
    EXPECT_EQ(clickAt(WidgetRect(*inBar("bar.panel"))), TimeBar::Request::Panel);
    panel.toggle();
    drawFrame();
    EXPECT_EQ(panel.width(), 250);
    EXPECT_TRUE(shown("solver.substeps"));
    show(1280, 720);
    EXPECT_EQ(panel.width(), 400) << "the preferred width";
    panel.toggle();
    drawFrame();
    EXPECT_EQ(panel.width(), 0);
    EXPECT_TRUE(inBar("bar.panel"));
    panel.search("substeps");
    drawFrame();
    EXPECT_TRUE(shown("solver.substeps")) << "a search opens the panel";
}

TEST_F(Layouts, HelpFitsWithoutScrolling) {
    view.help = true;
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

TEST_F(Layouts, NoticesAreShownOnce) {
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.step();
    session.step();
    ASSERT_FALSE(session.warnings().list().empty());
    show(1280, 720);
    EXPECT_TRUE(shown("advice.solver.maxSpeed"));
    EXPECT_FALSE(widget("advice.solver.maxSpeed", "Notices"));
    show(500, 400);
    EXPECT_FALSE(shown("advice.solver.maxSpeed"));
    const WidgetRect* notice = widget("advice.solver.maxSpeed", "Notices");
    ASSERT_TRUE(notice);
    clickAt(WidgetRect(*notice));
    EXPECT_EQ(wanted, "solver.maxSpeed");
    // also without the numbers, as over cases side by side
    numbers = false;
    show(500, 400);
    EXPECT_FALSE(widget("numbers", "Numbers"));
    EXPECT_TRUE(widget("advice.solver.maxSpeed", "Notices"));
}

TEST_F(Layouts, NumbersAreOneLine) {
    show(1280, 720);
    EXPECT_THAT(overlay.numbers(session, false),
                testing::ElementsAre("50.0 fps", "0.00x real time",
                                     std::to_string(session.world().count()) + " particles"));
    session.paused = true, session.speed = 0.5f;
    EXPECT_THAT(overlay.numbers(session, true),
                testing::ElementsAre("50.0 fps", "paused", HasSubstr("particles"), "draft", "1/2x"));
    const WidgetRect* line = widget("numbers", "Numbers");
    ASSERT_TRUE(line);
    EXPECT_LT(line->bottom, 40);
}

TEST_F(Layouts, TooltipsAreBesideThePanel) {
    show(1280, 3000);
    const WidgetRect p = find("solver.relaxation");
    ImGui::GetIO().MousePos = {(p.left + p.right) / 2, (p.top + p.bottom) / 2};
    drawFrame(), drawFrame();
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    ASSERT_TRUE(tooltip && tooltip->Active);
    EXPECT_GE(tooltip->Pos.x, panel.width());
    EXPECT_LE(tooltip->Pos.x + tooltip->Size.x, 1280);
}

}  // namespace
}  // namespace coalesce::test
