// What the actions of keys.h do.
#pragma once

#include <optional>

#include "view/overlay/browser.h"
#include "view/overlay/overlay.h"
#include "view/overlay/time_bar.h"
#include "view/panel/panel.h"
#include "view/tools/keys.h"
#include "view/tools/mouse.h"
#include "view/viewport/case_grid.h"
#include "view/viewport/viewport.h"

namespace coalesce {

// All that actions may touch.
struct AppContext {
    Session& session;
    Renderer& renderer;
    Viewport& picture;
    Panel& panel;
    Overlay& overlay;
    ViewSettings& look;
    Mouse& mouse;
    Browser& browser;
    CaseGrid& cases;

    // what only the window can do, once the picture is complete
    std::optional<Action> screenshot = {}, recording = {};
    bool leave = false;
    double leaveUntil = 0;  // ImGui's time [s] until which another Esc closes the window
};

void dispatch(Action action, AppContext& desk);

// The camera of the scene at this place becomes the one that is looked through.
void takeCamera(const Session& session, ViewSettings& look, size_t index);

}  // namespace coalesce
