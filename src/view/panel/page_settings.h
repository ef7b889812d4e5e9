// The panel's page of settings that are kept between two runs.
#pragma once

#include <optional>
#include <string>

#include "view/panel/settings.h"
#include "view/widgets/searched_rows.h"

namespace coalesce {

class PageSettings {
public:
    // wanted: draws only what has this text in its label or description; "": everything. False: nothing has it.
    bool draw(Settings& settings, const std::string& wanted = "");

private:
    void drawSetting(SearchedRows& rows, const SettingInfo& info, float& value, float standard,
                     bool applyOnRelease);

    // The UI scale while its slider is held: applying it would move the slider under the mouse.
    std::optional<float> m_held;
};

}  // namespace coalesce
