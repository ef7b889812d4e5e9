// What the actions of keys.h do.
#pragma once

#include <optional>

#include "view/browser.h"
#include "view/case_grid.h"
#include "view/keys.h"
#include "view/mouse.h"
#include "view/overlay.h"
#include "view/panel.h"
#include "view/picture.h"
#include "view/time_bar.h"

namespace coalesce {

// All that actions may touch.
struct Desk {
    Session& session;
    Renderer& renderer;
    Picture& picture;
    Panel& panel;
    Overlay& overlay;
    Look& look;
    Mouse& mouse;
    Browser& browser;
    CaseGrid& cases;

    // what only the window can do, once the picture is complete
    std::optional<Action> screenshot = {}, recording = {};
    bool leave = false;
    double leaveUntil = 0;  // ImGui's time [s] until which another Esc closes the window
};

void act(Action action, Desk& desk);

// The camera of the scene at this place becomes the one that is looked through.
void takeCamera(const Session& session, Look& look, size_t index);

}  // namespace coalesce
