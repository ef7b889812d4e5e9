// The panel's page of settings that are kept between two runs.
#pragma once

#include <optional>

#include "view/panel/settings.h"

namespace coalesce {

class PageSettings {
public:
    void draw(Settings& settings);

private:
    void drawSetting(const SettingInfo& info, float& value, float standard, bool applyOnRelease);

    // The UI scale while its slider is held: applying it would move the slider under the mouse.
    std::optional<float> m_held;
};

}  // namespace coalesce
