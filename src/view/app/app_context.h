// Everything that key handlers may use.
#pragma once

#include "view/overlay/browser.h"
#include "view/overlay/dope_sheet.h"
#include "view/overlay/overlay.h"
#include "view/panel/panel.h"
#include "view/tools/mouse.h"
#include "view/viewport/case_grid.h"
#include "view/viewport/viewport.h"

namespace coalesce {

enum class RecordToggle { None, Video, Images };  // starts that kind of recording, or stops the running one

struct AppContext {
    Session& session;
    Renderer& renderer;
    Viewport& viewport;
    Panel& panel;
    Overlay& overlay;
    ViewSettings& view;
    Mouse& mouse;
    Browser& browser;
    CaseGrid& cases;
    DopeSheet& dopeSheet;

    // Requests to the window, served at the end of the frame.
    bool screenshotOfWindow = false, screenshotOfViewport = false;
    RecordToggle record = RecordToggle::None;
    bool quit = false;
    double quitUntil = 0;  // [s] ImGui time until which a second Esc quits
};

}  // namespace coalesce
