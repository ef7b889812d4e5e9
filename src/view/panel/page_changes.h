// The panel's page of the user's edits, of saving them in the scene file, and of presets.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scene/format/presets.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

// Saves the scene with the user's edits. Returns what was done, or the error, for display.
std::string saveScene(Session& session, const std::filesystem::path& file);

class PageChanges {
public:
    // Folders of the user's presets, and of those that come with the scenes.
    explicit PageChanges(std::filesystem::path folder = presetFolder(), std::filesystem::path shipped = {})
        : m_folder(std::move(folder)), m_shippedFolder(std::move(shipped)) {}

    void draw(Session& session, PanelRows& rows);
    // Proposes an unused file name beside the scene, ready to be changed and saved.
    void saveAs(const Session& session);
    bool isComparing = false;      // the scene as in the file is shown beside it
    bool wantsComparison = false;  // the user asked for that, or for its end; whoever shows it resets this
    std::vector<std::filesystem::path> beside;  // files of the presets that are shown beside it
    std::optional<PresetEntry> wantsBeside;     // the user asked for this one, or for its end; as above
    // Result of the last action, for display.
    const std::string& message() const { return m_message; }

private:
    void drawElements(Session& session);
    void drawDifferences(Session& session, PanelRows& rows);
    void drawSceneFile(Session& session);
    void drawPresets(Session& session);
    void drawPreset(Session& session, const PresetEntry& preset);
    void save(Session& session);
    void load(Session& session, const PresetEntry& entry);

    std::filesystem::path m_folder, m_shippedFolder;
    std::vector<PresetEntry> m_presets, m_shipped;
    bool m_listed = false;
    char m_name[64] = "";
    std::filesystem::path m_scene;  // that m_file was proposed for
    char m_file[1024] = "";         // to save the scene in; relative to the folder of the scene
    int m_framesToFocus = 0;        // until the file name is in sight, with the keyboard
    std::string m_saved;            // result of the last time
    bool m_fromDefaults = false;
    std::string m_message;
    bool m_failed = false;
};

}  // namespace coalesce
