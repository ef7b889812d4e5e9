// What becomes of unsaved changes when the window is closed.
#include <gtest/gtest.h>

#include "scene/reader.h"
#include "view/app/close_dialog.h"
#include "view/panel_driver.h"

namespace coalesce::test {
namespace {

class CloseDialogs : public PanelDriver {
protected:
    // Twice, since Dear ImGui measures a window before it shows it.
    void ask() {
        ASSERT_FALSE(dialog.mayClose(session));
        drawFrame(), drawFrame();
        ASSERT_TRUE(inDialog("close.save"));
    }
    const WidgetRect* inDialog(const std::string& name) const { return widget(name, "Unsaved changes"); }
    bool drawFrame() {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        widgets.clear();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        panel.draw(session, view, settings, size.x, size.y);
        const bool closes = dialog.draw(session, size.x, size.y);
        ImGui::Render();
        return closes;
    }
    // True: the window closes.
    bool clickInDialog(const std::string& name) {
        drawFrame(), drawFrame();  // until it has its size
        const WidgetRect at = *inDialog(name);
        ImGui::GetIO().MousePos = {(at.left + at.right) / 2, (at.top + at.bottom) / 2};
        bool closes = drawFrame();
        for (const bool down : {true, false}) {
            ImGui::GetIO().MouseDown[0] = down;
            closes = drawFrame() || closes;
        }
        return closes;
    }

    CloseDialog dialog;
    const std::filesystem::path file = session.scene().file;
    const std::string before = readText(file);
};

TEST_F(CloseDialogs, DoNotAskWhereNothingHasChanged) {
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_TRUE(dialog.mayClose(session));
    EXPECT_FALSE(dialog.isShown());
}

TEST_F(CloseDialogs, SaveWritesTheFile) {
    ASSERT_EQ(session.edit({"materials.water.viscosity", {0.5}, ""}), "");
    ask();
    EXPECT_EQ(readText(file), before) << "not before the answer";
    EXPECT_TRUE(clickInDialog("close.save"));
    EXPECT_EQ(readScene(file).materials[0].properties.viscosity, 0.5f);
    EXPECT_FALSE(dialog.isShown());
}

TEST_F(CloseDialogs, DiscardLeavesTheFile) {
    ASSERT_EQ(session.addElement("shapes",
                                 R"({ "name": "box", "box": { "size": [1, 1, 1] }, "position": [4, 1, 0] })"),
              "");
    ask();
    EXPECT_TRUE(clickInDialog("close.discard"));
    EXPECT_EQ(readText(file), before);
}

TEST_F(CloseDialogs, CancelAndEscKeepTheWindow) {
    ASSERT_EQ(session.edit({"materials.water.viscosity", {0.5}, ""}), "");
    ask();
    EXPECT_FALSE(clickInDialog("close.cancel"));
    EXPECT_FALSE(dialog.isShown());
    EXPECT_EQ(session.differences().size(), 1u);
    ask();
    ImGuiIO& io = ImGui::GetIO();
    io.KeysDown[io.KeyMap[ImGuiKey_Escape]] = true;
    EXPECT_FALSE(drawFrame());
    io.KeysDown[io.KeyMap[ImGuiKey_Escape]] = false;
    EXPECT_FALSE(drawFrame());
    EXPECT_FALSE(dialog.isShown());
    EXPECT_FALSE(inDialog("close.save"));
}

TEST_F(CloseDialogs, ASaveThatFailsKeepsTheWindow) {
    ASSERT_EQ(session.edit({"materials.water.viscosity", {0.5}, ""}), "");
    writeText(file, before + "\n");  // by somebody else
    ask();
    EXPECT_FALSE(clickInDialog("close.save"));
    EXPECT_TRUE(dialog.isShown());
    EXPECT_EQ(readText(file), before + "\n");
    EXPECT_TRUE(clickInDialog("close.discard"));
}

}  // namespace
}  // namespace coalesce::test
