// The panel at the left: scenes, time, and pages of everything that can be changed or read. Dear ImGui only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "view/panel/page_changes.h"
#include "view/panel/page_materials.h"
#include "view/panel/page_performance.h"
#include "view/panel/page_settings.h"
#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class Panel {
public:
    explicit Panel(std::vector<SceneEntry> scenes, std::filesystem::path presets = presetFolder())
        : m_scenes(std::move(scenes)), m_changes(std::move(presets)) {}

    // Draws within the current ImGui frame, in a window of this size [px]. What is changed goes into the
    // session, whose solver reads it at the start of its next frame.
    void draw(Session& session, ViewSettings& look, Settings& settings, float width, float height,
              const DrawFacts& facts = {});
    float width() const { return m_width; }  // [px] as drawn last; 0: folded away
    float wishedWidth = 0;  // [px] as a person likes it, where the window has room; 0: as it comes

    // Folded away where the window has no room for it, until it is asked for.
    bool isOpen() const { return m_asked.value_or(m_roomy); }
    void toggle() { m_asked = !isOpen(); }
    bool showsNotices = true;  // of what is wrong; else others do

    const std::vector<SceneEntry>& scenes() const { return m_scenes; }

    // Ends a step of the history with the gesture, and acts on the keys of undo and redo. Panel or not, once
    // in a picture; draw() does it.
    static void keepHistory(Session& session);

    // The scene this many places further in the list.
    void openNeighbor(Session& session, int step);
    // Shows only values that have this in their path or description; "": the page again. Unfolds the panel.
    void search(const std::string& text);
    // False: there was nothing.
    bool clearSearch();

    // Where the widgets of the last frame are.
    using WidgetRect = coalesce::WidgetRect;
    const std::vector<WidgetRect>& placed() const { return m_placed; }

private:
    enum class Page { Parameters, Materials, Objects, ViewSettings, Changes, Performance, Settings };

    static void open(Session& session, const SceneEntry& entry);
    void drawScenes(Session& session);
    void drawTime(Session& session, ViewSettings& look);
    void drawSearch();
    void drawPages();
    void drawPage(Session& session, ViewSettings& look, Settings& settings, const DrawFacts& facts);
    void drawFound();
    void drawParameters();

    std::vector<SceneEntry> m_scenes;
    std::vector<WidgetRect> m_placed;
    PanelRows m_rows;
    PageMaterials m_materials;
    PageChanges m_changes;
    PagePerformance m_performance;
    PageSettings m_settings;
    Page m_page = Page::Parameters;
    char m_search[64] = "";
    float m_width = 0;
    bool m_roomy = true;
    std::optional<bool> m_asked;  // to be open or not; nothing: as the window has room
};

}  // namespace coalesce
