#include "view/app/keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <fmt/format.h>
#include <glm/gtc/type_ptr.hpp>
#include <imgui.h>
#include <imgui_internal.h>
#include <tuple>

#include "scene/format/shots.h"
#include "view/overlay/readout_card.h"
#include "view/overlay/time_bar.h"
#include "view/tools/spawn_tool.h"
#include "view/viewport/camera_control.h"

namespace coalesce {

void lookAlongAxis(AppContext& app, glm::vec3 from) {
    const RenderFrame& frame = app.viewport.frame();
    lookAlong(app.view, from, glm::make_vec3(frame.boundsMin.data()), glm::make_vec3(frame.boundsMax.data()));
}

void togglePerspective(AppContext& app) {
    const RenderFrame& frame = app.viewport.frame();
    switchPerspective(app.view, glm::make_vec3(frame.boundsMin.data()),
                      glm::make_vec3(frame.boundsMax.data()));
    app.overlay.say(app.view.camera.orthographicHeight > 0 ? "Orthographic view" : "Perspective view");
}

namespace {

using App = AppContext;

// ---- time ----

void togglePause(App& app) {
    app.session.paused = !app.session.paused;
}

void stepFrame(App& app) {
    app.session.paused = true;
    app.session.step();
}

template <class Seek>
void seekUnlessBlocked(App& app, Seek&& seek) {
    if (app.session.seekBlockedReason.empty())
        seek();
    else
        app.overlay.say(app.session.seekBlockedReason);
}
template <int kFrames>
void scrubFrames(App& app) {
    seekUnlessBlocked(app, [&] { scrub(app.session, kFrames); });
}
template <int kKeyframes>
void scrubKeyframes(App& app) {
    seekUnlessBlocked(app, [&] { scrubSnapshots(app.session, kKeyframes); });
}

// Without a cache there is nothing to repeat.
bool needsCache(App& app) {
    if (!app.session.playsCache())
        app.overlay.say("In and out points apply to a cache only: coalesce view --from-cache DIR");
    return app.session.playsCache();
}
void setInPoint(App& app) {
    if (!needsCache(app)) return;
    app.session.setInPoint(app.session.world().frame);
    app.overlay.say(fmt::format("In point: frame {}", app.session.inPoint()));
}
void setOutPoint(App& app) {
    if (!needsCache(app)) return;
    app.session.setOutPoint(app.session.world().frame);
    app.overlay.say(fmt::format("Out point: frame {}", app.session.outPoint()));
}

template <bool kFaster>
void scaleSpeed(App& app) {
    changeSpeed(app.session, kFaster);
    const std::string text = speedText(app.session.speed);
    app.overlay.say(text.empty() ? "Real time" : "Speed: " + text);
}

void restart(App& app) {
    app.session.restart(true);
}

void revertToFile(App& app) {
    app.session.restart(false);
}

// ---- camera ----

void frameScene(App& app) {
    if (!app.viewport.target()) return;
    const OutputTarget size = app.viewport.target()->output();
    const RenderFrame& frame = app.viewport.frame();
    Camera& camera = app.view.camera;
    camera = frameBounds(camera, glm::make_vec3(frame.boundsMin.data()),
                         glm::make_vec3(frame.boundsMax.data()), float(size.width) / float(size.height));
    if (const auto floor = app.renderer.floorHeight()) camera = aboveFloor(camera, *floor);
}

template <int kAxis, int kSign>
void lookFrom(App& app) {
    glm::vec3 from(0);
    from[kAxis] = float(kSign);
    lookAlongAxis(app, from);
}

void nextCamera(App& app) {
    const Scene& scene = app.session.scene();
    selectCamera(scene, app.view, (app.view.cameraIndex + 1) % scene.cameras.size());
}

void resetCamera(App& app) {
    selectCamera(app.session.scene(), app.view, app.view.cameraIndex);
}

void toggleFilm(App& app) {
    app.view.film = !app.view.film;
    app.overlay.say(app.view.film ? "Film camera" : "Free camera; Z returns to the film");
}

void toggleDopeSheet(App& app) {
    app.dopeSheet.shown = !app.dopeSheet.shown;
}

void focusSelected(App& app) {
    if (!focusPicked(app.session, app.view)) app.overlay.say("Select a particle first: click it");
}

// ---- interaction ----

void throwBall(App& app) {
    const std::string message = SpawnTool::throwBall(app.session, app.view.camera, app.mouse.aim());
    if (!message.empty()) app.overlay.say(message, 8);
}

void nextPoured(App& app) {
    app.overlay.say(app.mouse.nextPoured(app.session));
}

// ---- display ----

template <Quantity kQuantity>
void colorBy(App& app) {
    app.view.showQuantity(kQuantity);
}
template <LineView kLines>
void toggleLines(App& app) {
    app.view.lines.toggle(kLines);
}

void showSurface(App& app) {
    app.view.draw.mode = DrawMode::Surface;
}

void toggleOutlines(App& app) {
    app.view.gizmos = !app.view.gizmos;
}

template <bool DrawOptions::*kOption>
void toggle(App& app) {
    app.view.draw.*kOption = !(app.view.draw.*kOption);
}

// The next value of an enum whose values are numbered from 0 to count − 1.
template <class Enum>
Enum next(Enum value, size_t count) {
    return static_cast<Enum>((size_t(value) + 1) % count);
}

void nextClothStyle(App& app) {
    app.view.draw.cloth = next(app.view.draw.cloth, 3);
}

// Those for the window: Final, which takes a second per frame without a GPU, is chosen on the page Display.
void nextQuality(App& app) {
    Quality& quality = app.view.draw.quality;
    quality = next(std::min(quality, Quality::Standard), size_t(Quality::Final));
    app.overlay.say(std::string("Render quality: ") + kQualityNames[size_t(quality)]);
}

void nextBackground(App& app) {
    const Background background = next(app.view.draw.background, std::size(kBackgroundNames));
    app.view.chooseSky(background);
    app.overlay.say(std::string("Background: ") + kBackgroundNames[size_t(background)]);
}

void nextGround(App& app) {
    Ground& ground = app.view.draw.ground;
    ground = next(ground, std::size(kGroundNames));
    app.overlay.say(std::string("Ground: ") + kGroundNames[size_t(ground)]);
}

// None, then each buffer in turn.
void nextBuffer(App& app) {
    const auto views = bufferViews();
    std::string& shown = app.view.draw.buffer;
    const auto present = std::ranges::find(views, shown, [](const BufferView& v) { return v.name; });
    const auto chosen = shown.empty() ? views.begin() : std::next(present);
    shown = chosen == views.end() ? "" : chosen->name;
    app.overlay.say(chosen == views.end() ? "No buffer" : std::string(chosen->name) + ": " + chosen->about);
}

void toggleColorRange(App& app) {
    DrawOptions& draw = app.view.draw;
    draw.autoRange = !draw.autoRange;
    std::tie(draw.rangeMin, draw.rangeMax) = app.renderer.colorRange();
    app.overlay.say(draw.autoRange ? "Color range: automatic" : "Color range: locked");
}

void toggleInterface(App& app) {
    app.view.panel = !app.view.panel;
    if (!app.view.panel) app.overlay.say("Tab shows the interface again");
}

void toggleHelp(App& app) {
    app.view.help = !app.view.help;
}

// ---- files ----

void toggleBrowser(App& app) {
    app.browser.shown = !app.browser.shown;
}

template <int kStep>
void openNeighborScene(App& app) {
    app.panel.openNeighbor(app.session, kStep);
}
void saveToFile(App& app) {
    app.overlay.say(saveScene(app.session, app.session.scene().file), 8);
}

void saveAs(App& app) {
    app.view.panel = true;
    app.panel.saveAs(app.session);
}

template <bool App::*kRequest>
void takeScreenshot(App& app) {
    app.*kRequest = true;
}
template <RecordToggle kAs>
void toggleRecording(App& app) {
    app.record = kAs;
}

void openNextCaseOrSay(App& app) {
    if (!openNextCase(app.session))
        app.overlay.say("This scene has no cases.");
    else
        app.overlay.say("Case: " +
                        (app.session.choice().caseName.empty() ? "Default" : app.session.choice().caseName));
}

void toggleCaseGrid(App& app) {
    if (app.cases.isShown())
        app.cases.close();
    else if (const std::string error = app.cases.open(app.session); !error.empty())
        app.overlay.say(error);
}

}  // namespace

void toggleComparison(AppContext& app) {
    if (app.cases.showsOriginal())
        app.cases.close();
    else if (const std::string error = app.cases.openOriginal(app.session); !error.empty())
        app.overlay.say(error);
}

namespace {

// Closes one layer per press; quits only on a second press with nothing open.
void closeOrQuit(App& app) {
    constexpr double kConfirmSeconds = 3;
    ViewSettings& view = app.view;
    if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
        ImGui::ClosePopupToLevel(0, true);
    } else if (app.browser.shown) {
        app.browser.shown = false;
    } else if (view.help) {
        view.help = false;
    } else if (ImGui::GetIO().WantTextInput) {
        // the text field handles Esc itself and discards its input
    } else if (view.panel && app.panel.isOpen() && app.panel.clearSearch()) {
        // the search is cleared
    } else if (!view.selection.section.empty()) {
        view.selection = {};
    } else if (view.picked) {
        view.picked.reset();
    } else if (ImGui::GetTime() < app.quitUntil) {
        app.quit = true;
    } else {
        app.quitUntil = ImGui::GetTime() + kConfirmSeconds;
        app.overlay.say("Press Esc again to quit", kConfirmSeconds);
    }
}

// clang-format off
using G = HelpGroup;

constexpr KeyBinding kKeys[] = {
    {GLFW_KEY_SPACE,         false, "Space",     G::Time,     "Pause or resume", togglePause},
    {GLFW_KEY_P,             false, "P",         G::Time,     "Pause or resume", togglePause},
    {GLFW_KEY_O,             false, "O",         G::Time,     "Step frame (hold to repeat)", stepFrame, true},
    {GLFW_KEY_R,             false, "R",         G::Time,     "Restart; keeps camera and edits", restart},
    {GLFW_KEY_R,             true,  "Shift+R",   G::Time,     "Revert to file and restart", revertToFile},
    {GLFW_KEY_COMMA,         false, ",",         G::Time,     "Previous frame (hold to repeat)",
        scrubFrames<-1>, true},
    {GLFW_KEY_PERIOD,        false, ".",         G::Time,     "Next frame (hold to repeat)",
        scrubFrames<1>, true},
    {GLFW_KEY_COMMA,         true,  "Shift+,",   G::Time,     "Previous snapshot", scrubKeyframes<-1>, true},
    {GLFW_KEY_PERIOD,        true,  "Shift+.",   G::Time,     "Next snapshot", scrubKeyframes<1>, true},
    {GLFW_KEY_I,             true,  "Shift+I",   G::Time,     "Cache: in point here", setInPoint},
    {GLFW_KEY_O,             true,  "Shift+O",   G::Time,     "Cache: out point here", setOutPoint},
    {GLFW_KEY_MINUS,         false, "-",         G::Time,     "Half speed (slow motion)", scaleSpeed<false>},
    {GLFW_KEY_EQUAL,         false, "=",         G::Time,     "Double speed", scaleSpeed<true>},

    {GLFW_KEY_C,             false, "C",         G::Camera,   "Next camera of the scene", nextCamera},
    {GLFW_KEY_HOME,          false, "Home",      G::Camera,   "Reset camera", resetCamera},
    {GLFW_KEY_HOME,          true,  "Shift+Home", G::Camera,   "Frame all particles", frameScene},
    {GLFW_KEY_F,             false, "F",         G::Camera,   "Focus on the selected particle",
        focusSelected},

    {GLFW_KEY_KP_1,          false, "Num 1",     G::Camera,   "Look along Z, from the front",
        lookFrom<2, 1>},
    {GLFW_KEY_KP_1,          false, "Ctrl+Num 1", G::Camera,  "Look along Z, from the back",
        lookFrom<2, -1>, false, true},
    {GLFW_KEY_KP_3,          false, "Num 3",     G::Camera,   "Look along X, from the right",
        lookFrom<0, 1>},
    {GLFW_KEY_KP_3,          false, "Ctrl+Num 3", G::Camera,  "Look along X, from the left",
        lookFrom<0, -1>, false, true},
    {GLFW_KEY_KP_7,          false, "Num 7",     G::Camera,   "Look along Y, from above",
        lookFrom<1, 1>},
    {GLFW_KEY_KP_7,          false, "Ctrl+Num 7", G::Camera,  "Look along Y, from below",
        lookFrom<1, -1>, false, true},
    {GLFW_KEY_KP_5,          false, "Num 5",     G::Camera,   "Perspective or orthographic", togglePerspective},

    {GLFW_KEY_Z,             false, "Z",         G::Camera,   "Follow the camera of the film, or not", toggleFilm},
    {GLFW_KEY_F4,            false, "F4",        G::Camera,   "Dope sheet: keys of cameras and tracks",
        toggleDopeSheet},

    {GLFW_KEY_B,             false, "B",         G::Interact, "Throw a ball at the cursor", throwBall},
    {GLFW_KEY_V,             true,  "Shift+V",   G::Interact, "Next material to pour", nextPoured},

    {GLFW_KEY_1,             false, "1",         G::Display,  "Liquid surface", showSurface},
    {GLFW_KEY_2,             false, "2",         G::Display,  "Color by material",
        colorBy<Quantity::Material>},
    {GLFW_KEY_3,             false, "3",         G::Display,  "Color by speed", colorBy<Quantity::Speed>},
    {GLFW_KEY_4,             false, "4",         G::Display,  "Color by density error",
        colorBy<Quantity::DensityError>},
    {GLFW_KEY_5,             false, "5",         G::Display,  "Color by neighbor count",
        colorBy<Quantity::Neighbors>},
    {GLFW_KEY_6,             false, "6",         G::Display,  "Color by id", colorBy<Quantity::Id>},
    {GLFW_KEY_0,             false, "0",         G::Display,  "Color by strain of cloth and ropes",
        colorBy<Quantity::Strain>},
    {GLFW_KEY_M,             false, "M",         G::Display,  "Lock the color range, or not", toggleColorRange},
    {GLFW_KEY_7,             false, "7",         G::Display,  "Outlines of all shapes",
        toggle<&DrawOptions::wire>},
    {GLFW_KEY_8,             false, "8",         G::Display,  "Shadows", toggle<&DrawOptions::shadows>},
    {GLFW_KEY_9,             false, "9",         G::Display,  "Next render quality", nextQuality},
    {GLFW_KEY_T,             false, "T",         G::Display,  "Cloth: solid, outlined or wire",
        nextClothStyle},
    {GLFW_KEY_L,             false, "L",         G::Display,  "Lines along springs, by strain",
        toggleLines<LineView::DistanceConstraints>},
    {GLFW_KEY_K,             false, "K",         G::Display,  "Lines at contacts",
        toggleLines<LineView::Contacts>},
    {GLFW_KEY_U,             false, "U",         G::Display,  "Velocity arrows",
        toggleLines<LineView::Velocities>},
    {GLFW_KEY_Y,             false, "Y",         G::Display,  "Outlines of emitters and sinks, when paused",
        toggleOutlines},
    {GLFW_KEY_I,             false, "I",         G::Display,  "Show next buffer, or none", nextBuffer},
    {GLFW_KEY_G,             false, "G",         G::Display,  "Next background", nextBackground},
    {GLFW_KEY_G,             true,  "Shift+G",   G::Display,  "Next ground", nextGround},
    {GLFW_KEY_TAB,           false, "Tab",       G::Display,  "Show or hide the interface", toggleInterface},
    {GLFW_KEY_H,             false, "H",         G::Display,  "This help", toggleHelp},
    {GLFW_KEY_F1,            false, "F1",        G::Display,  "This help", toggleHelp},

    {GLFW_KEY_F2,            false, "F2",        G::Files,    "Browse scenes", toggleBrowser},
    {GLFW_KEY_LEFT_BRACKET,  false, "Ctrl+[",    G::Files,    "Previous scene", openNeighborScene<-1>, false, true},
    {GLFW_KEY_RIGHT_BRACKET, false, "Ctrl+]",    G::Files,    "Next scene", openNeighborScene<1>, false, true},
    {GLFW_KEY_N,             false, "Ctrl+N",    G::Files,    "Next case of the scene", openNextCaseOrSay, false,
        true},
    {GLFW_KEY_N,             true,  "Shift+N",   G::Files,    "Show all cases side by side", toggleCaseGrid},
    {GLFW_KEY_N,             true,  "Ctrl+Shift+N", G::Files, "Compare the changed values with the scene's",
        toggleComparison, false, true},
    {GLFW_KEY_S,             false, "Ctrl+S",    G::Files,    "Save the changed values in the scene file", saveToFile,
        false, true},
    {GLFW_KEY_S,             true,  "Ctrl+Shift+S", G::Files, "Save the scene under another name", saveAs, false, true},
    {GLFW_KEY_F12,           false, "F12",       G::Files,    "Screenshot of the window",
        takeScreenshot<&App::screenshotOfWindow>},
    {GLFW_KEY_F12,           true,  "Shift+F12", G::Files,    "Screenshot of the viewport",
        takeScreenshot<&App::screenshotOfViewport>},
    {GLFW_KEY_F9,            false, "F9",        G::Files,    "Start or stop recording a video",
        toggleRecording<RecordToggle::Video>},
    {GLFW_KEY_F9,            true,  "Shift+F9",  G::Files,    "Start or stop recording images",
        toggleRecording<RecordToggle::Images>},
    {GLFW_KEY_ESCAPE,        false, "Esc",       G::Files,    "Close what is open; twice: quit", closeOrQuit},
};

constexpr Gesture kGestures[] = {
    {"drag on empty space",      G::Camera,   "Orbit; with Ctrl anywhere"},
    {"middle drag",              G::Camera,   "Pan; also Shift + drag on empty space"},
    {"wheel",                    G::Camera,   "Zoom to cursor"},
    {"click an axis",            G::Camera,   "Look along it; on the center: perspective or not; drag: orbit"},
    {"right drag",               G::Camera,   "Fly (WASD, Q/E); Shift: fast, Ctrl: slow"},
    {"click a particle",         G::Interact, "Inspect particle; click empty space to deselect"},
    {"drag a particle",          G::Interact, "Pull it and its body"},
    {"Shift+drag a particle",    G::Interact, "Brush through liquid and grains"},
    {"X+drag",                   G::Interact, "Cut cloth and ropes"},
    {"V held",                   G::Interact, "Pour liquid or grains at the cursor"},
    {"J held",                   G::Interact, "Blow a gust of wind at the cursor"},
    {"click a shape",            G::Interact, "Show gizmo to move and turn it; hold Ctrl to snap"},
    {"Ctrl+click a value",       G::Interact, "Type a number"},
    {"right click a value",      G::Interact, "Reset it, copy its path, or copy it as --set"},
    {"Ctrl+Z",                   G::Interact, "Undo"},
    {"Ctrl+Shift+Z, Ctrl+Y",     G::Interact, "Redo"},
    {"drop a file",              G::Files,    "Open a scene, or drop a mesh (OBJ, PLY, STL, glTF) into water"},
};
// clang-format on

}  // namespace

std::span<const KeyBinding> keyBindings() {
    return kKeys;
}

const KeyBinding* findBinding(int key, bool shift, bool ctrl) {
    for (const KeyBinding& binding : kKeys)
        if (binding.key == key && binding.shift == shift && binding.ctrl == ctrl) return &binding;
    return nullptr;
}

std::span<const Gesture> gestures() {
    return kGestures;
}

std::vector<HelpSection> helpSections() {
    std::vector<HelpSection> sections = {
        {"Time", {}}, {"Camera", {}}, {"Interact", {}}, {"Display", {}}, {"Files", {}}};
    for (const KeyBinding& binding : kKeys) {
        auto& lines = sections[size_t(binding.group)].lines;
        const auto same = std::ranges::find(lines, binding.help, &HelpLine::help);
        if (same == lines.end())
            lines.push_back({binding.label, binding.help});
        else
            same->keys += std::string(", ") + binding.label;
    }
    for (const Gesture& gesture : kGestures)
        sections[size_t(gesture.group)].lines.push_back({gesture.label, gesture.help});
    return sections;
}

}  // namespace coalesce
