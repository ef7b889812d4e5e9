// The panel's page of what the window keeps between two runs.
#pragma once

#include <optional>

#include "view/panel/settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class PageSettings {
public:
    void draw(Settings& settings, PanelRows& rows);

private:
    // while its slider is held: letters that grow under the mouse would move it
    std::optional<float> m_fontScale;
};

}  // namespace coalesce
