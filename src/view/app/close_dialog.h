// Asks what becomes of unsaved changes before the window closes. Dear ImGui only.
#pragma once

#include <string>

#include "session/session.h"

namespace coalesce {

class CloseDialog {
public:
    // True: nothing would be lost, and the window may close. False: draw() asks.
    bool mayClose(Session& session);
    // In the middle of a window of this size [ImGui's units]. True: the changes were saved or given up, and the
    // window may close.
    bool draw(Session& session, float width, float height);
    bool isShown() const { return m_isShown; }

private:
    bool m_isShown = false;
    std::string m_problem;  // why the changes could not be saved
};

}  // namespace coalesce
