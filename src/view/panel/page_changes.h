// The panel's page of the user's edits and of presets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/format/presets.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class PageChanges {
public:
    explicit PageChanges(std::filesystem::path folder = presetFolder()) : m_folder(std::move(folder)) {}

    void draw(Session& session, PanelRows& rows);
    // Result of the last action, for display.
    const std::string& message() const { return m_message; }

private:
    void drawDifferences(Session& session, PanelRows& rows);
    void drawPresets(Session& session);
    void save(Session& session);
    void load(Session& session, const PresetEntry& entry);

    std::filesystem::path m_folder;
    std::vector<PresetEntry> m_presets;
    bool m_listed = false;
    char m_name[64] = "";
    bool m_fromDefaults = false;
    std::string m_message;
    bool m_failed = false;
};

}  // namespace coalesce
