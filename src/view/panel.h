// The panel at the left: scenes, time, and pages of everything that can be changed or read. Dear ImGui only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "view/look.h"
#include "view/page_changes.h"
#include "view/page_materials.h"
#include "view/page_performance.h"
#include "view/panel_rows.h"
#include "view/session.h"

namespace coalesce {

class Panel {
public:
    explicit Panel(std::vector<SceneEntry> scenes, std::filesystem::path presets = presetFolder())
        : m_scenes(std::move(scenes)), m_changes(std::move(presets)) {}

    // Draws within the current ImGui frame. What is changed goes into the session, whose solver reads it at
    // the start of its next frame. passes: what drawing took.
    void draw(Session& session, Look& look, float height, std::span<const PassTime> passes = {});
    float width() const { return m_width; }  // [px] as drawn last
    float startWidth = 0;                    // [px] as drawn first; 0: as it likes

    const std::vector<SceneEntry>& scenes() const { return m_scenes; }

    // Ends a step of the history with the gesture, and acts on the keys of undo and redo. Panel or not, once in
    // a picture; draw() does it.
    static void keepHistory(Session& session);

    // The scene this many places further in the list.
    void openNeighbor(Session& session, int step);
    // Shows only values that have this in their path or description; "": all pages again.
    void search(const std::string& text);

    // Where the widgets of the last frame are.
    using Placed = coalesce::Placed;
    const std::vector<Placed>& placed() const { return m_placed; }

private:
    enum class Page { Parameters, Materials, Objects, Look, Changes, Performance };

    static void open(Session& session, const SceneEntry& entry);
    void drawWarnings(Session& session);
    void drawScenes(Session& session);
    void drawTime(Session& session, Look& look);
    void drawSearch();
    void drawPages();
    void drawFound();
    void drawParameters();

    std::vector<SceneEntry> m_scenes;
    std::vector<Placed> m_placed;
    PanelRows m_rows;
    PageMaterials m_materials;
    PageChanges m_changes;
    PagePerformance m_performance;
    Page m_page = Page::Parameters;
    char m_search[64] = "";
    float m_width = 0;
};

}  // namespace coalesce
