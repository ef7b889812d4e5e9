// Drives the panel by synthetic mouse and keyboard input; Dear ImGui needs no window for it.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <imgui.h>
#include <string>

#include "support/every_value.h"
#include "view/app/keys.h"
#include "view/panel/panel.h"
#include "view/widgets/style.h"
#include "view/widgets/widget_recorder.h"

namespace coalesce::test {

class PanelDriver : public ::testing::Test {
    bool m_everything;
    std::string m_clipboard;

protected:
    // everything: with elements of every kind in the scene
    explicit PanelDriver(bool everything = false) : m_everything(everything) {
        ImGui::CreateContext();
        recordWidgets(&widgets);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {1280, 3000};  // tall enough that nothing has to be scrolled to
        for (int k = 0; k < ImGuiKey_COUNT; ++k) io.KeyMap[k] = k + 1;
        io.SetClipboardTextFn = [](void* to, const char* text) { *static_cast<std::string*>(to) = text; };
        io.GetClipboardTextFn = [](void* from) { return static_cast<std::string*>(from)->c_str(); };
        io.ClipboardUserData = &m_clipboard;
        applyStyle(1);
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
        frame();
        frame();
    }
    ~PanelDriver() override {
        recordWidgets(nullptr);
        ImGui::DestroyContext();
    }

    void frame() {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        navigatePopupsByKeys();
        ImGui::NewFrame();
        widgets.clear();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        panel.draw(session, view, settings, size.x, size.y);
        if (view.help) drawHelp(helpSections(), size.x, size.y);
        ImGui::Render();
    }
    // null: not drawn in the last frame
    const WidgetRect* widget(const std::string& name, const std::string& window = "Coalesce") const {
        for (const WidgetRect& w : widgets)
            if (w.name == name && (w.window == window || w.window.starts_with("##"))) return &w;
        return nullptr;
    }
    WidgetRect find(const std::string& name) const {
        if (const WidgetRect* found = widget(name)) return *found;
        ADD_FAILURE() << name << " is not shown";
        return {};
    }
    bool shown(const std::string& name) const { return widget(name) != nullptr; }
    // moves to a share of the widget's width
    void moveTo(const WidgetRect& p, float share = 0.5f) {
        ImGui::GetIO().MousePos = {p.left + share * (p.right - p.left), (p.top + p.bottom) / 2};
        frame();
    }
    void press(int button) {
        ImGui::GetIO().MouseDown[button] = true;
        frame();
    }
    void release(int button) {
        ImGui::GetIO().MouseDown[button] = false;
        frame();
        frame();
    }
    void click(const std::string& path, int button = 0) {
        moveTo(find(path));
        press(button);
        release(button);
    }
    void drag(const std::string& path, float from, float to) {
        moveTo(find(path), from);
        press(0);
        moveTo(find(path), to);
        release(0);
    }
    void key(ImGuiKey key, bool ctrl, bool shift = false) {
        ImGuiIO& io = ImGui::GetIO();
        io.KeyCtrl = ctrl, io.KeyShift = shift;
        io.KeysDown[io.KeyMap[key]] = true;
        frame();
        io.KeyCtrl = io.KeyShift = io.KeysDown[io.KeyMap[key]] = false;
        frame();
    }
    // Turns the slider of a value into a text field.
    void ctrlClick(const std::string& path, float share = 0.5f) {
        moveTo(find(path), share);
        ImGui::GetIO().KeyCtrl = true;
        press(0);
        release(0);
        ImGui::GetIO().KeyCtrl = false;
    }
    void search(const std::string& text) {
        click("search");
        type(text);
    }
    void type(const std::string& text) {
        for (const char c : text) ImGui::GetIO().AddInputCharacter(unsigned(c));
        frame();
        frame();
    }

    std::vector<WidgetRect> widgets;  // of the last frame
    TemporaryFolder folder;
    Session session{m_everything
                        ? sceneOfEverything(folder)
                        : smallScene(folder, R"("cases": { "thick": { "materials.water.viscosity": 1 } },
                                                         "fields": [{ "name": "pull", "strength": 0 }],)"),
                    {},
                    {.backend = "cpu"}};
    ViewSettings view;
    Settings settings;
    Panel panel{listScenes(folder.path()), folder / "presets", folder / "shipped"};
};

// The pages, with elements of every kind in the scene.
class Pages : public PanelDriver {
protected:
    Pages() : PanelDriver(true) {}
};

}  // namespace coalesce::test
