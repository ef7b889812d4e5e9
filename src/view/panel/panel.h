// The panel at the left: scene, time, and pages of everything that can be edited or read. Dear ImGui only.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/session.h"
#include "view/panel/page_changes.h"
#include "view/panel/page_materials.h"
#include "view/panel/page_objects.h"
#include "view/panel/page_performance.h"
#include "view/panel/page_plots.h"
#include "view/panel/page_settings.h"
#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class Panel {
public:
    // presets, shipped: folders, see PageChanges
    explicit Panel(std::vector<SceneEntry> scenes, std::filesystem::path presets = presetFolder(),
                   std::filesystem::path shipped = {})
        : m_scenes(std::move(scenes)), m_changes(std::move(presets), std::move(shipped)) {}

    // Draws within the current ImGui frame, in a window of this size [px]. Edits go into the session, whose
    // solver reads them at the start of its next frame.
    void draw(Session& session, ViewSettings& view, Settings& settings, float width, float height,
              const DrawFacts& facts = {});
    float width() const { return m_width; }  // [px] as drawn last; 0: closed
    float preferredWidth = 0;                // [px] as the user has dragged it; 0: default

    // In a window too narrow for it the panel is closed until the user opens it.
    bool isOpen() const { return m_openByUser.value_or(m_isWindowWide); }
    void toggle() { m_openByUser = !isOpen(); }
    bool showsPerformance() const { return isOpen() && m_page == Page::Performance; }
    bool showsConvergence() const { return showsPerformance() && m_performance.showsConvergence(); }
    // Whether it shows errors and warnings; else they are to be shown over the viewport.
    bool showsNotices() const { return isOpen() && m_isTall && !hidesNotices; }
    bool hidesNotices = false;  // others show them

    const std::vector<SceneEntry>& scenes() const { return m_scenes; }

    // Closes the undo step when the mouse is released, and handles the keys of undo and redo. Once per frame,
    // also without the panel; draw() calls it.
    static void updateHistory(Session& session);

    // Opens the scene `step` places further in the list, cyclically.
    void openNeighbor(Session& session, int step);
    // Opens the page of the changes with a proposed file name.
    void saveAs(const Session& session);
    // Whether the user asked, since the last call, to show the scene as in the file beside the present one; or
    // not any more, if it is shown.
    bool takeComparisonRequest(bool isShown) {
        m_changes.isComparing = isShown;
        return std::exchange(m_changes.wantsComparison, false);
    }
    // The preset that the user asked, since the last call, to show beside the scene, or not any more, if it is among
    // those shown.
    std::optional<PresetEntry> takePresetRequest(std::vector<std::filesystem::path> shown) {
        m_changes.beside = std::move(shown);
        return std::exchange(m_changes.wantsBeside, std::nullopt);
    }
    // Shows only values with this text in their path, label or description; "": the page again. Opens the
    // panel.
    void search(const std::string& text);
    // False: there was no search.
    bool clearSearch();

private:
    enum class Page { Parameters, Materials, Objects, Display, Changes, Plots, Performance, Settings };

    void drawScene(Session& session);
    void drawTime(Session& session, ViewSettings& view);
    void drawNoticesBelow(Session& session, const std::string& shaderErrors, float most);
    void drawSearch();
    void drawTabs(const Session& session);
    void drawPage(Session& session, ViewSettings& view, Settings& settings, const DrawFacts& facts);
    void drawSearchResults(Session& session, ViewSettings& view, Settings& settings, const DrawFacts& facts);
    void drawParameters();

    std::vector<SceneEntry> m_scenes;
    PanelRows m_rows;
    PageMaterials m_materials;
    PageObjects m_objects;
    PageChanges m_changes;
    PagePlots m_plots;
    PagePerformance m_performance;
    PageSettings m_settings;
    Page m_page = Page::Parameters;
    char m_search[64] = "";
    bool m_isTall = false;      // the page scrolls, and not the whole panel
    float m_noticesHeight = 0;  // [px] as drawn last
    float m_width = 0;
    bool m_isWindowWide = true;
    std::optional<bool> m_openByUser;  // nullopt: as the window has room
};

}  // namespace coalesce
