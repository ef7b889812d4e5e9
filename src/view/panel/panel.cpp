#include "view/panel/panel.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <imgui.h>
#include <utility>

#include "scene/format/overrides.h"
#include "view/panel/page_display.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/notices.h"

namespace coalesce {

namespace {

constexpr float kWideWindow = 44, kTallWindow = 36;  // [em]

constexpr float kMostForNotices = 0.35f;  // of the room for the page; they scroll

// Titles of the parameter groups; others are shown by their own name.
struct ParameterGroup {
    std::string_view name;
    const char* title;
    bool open;
};
constexpr ParameterGroup kGroups[] = {
    {"world", "Gravity and air", true},
    {"solver", "Solver", true},
    {"projective", "Projective dynamics", true},
    {"velocity", "Velocity level", true},
    {"fluid", "Liquids", false},
    {"contacts", "Contacts", false},
    {"hand", "Mouse interaction", false},
    {"neighbors", "Neighbor lists", false},
};

const ParameterGroup* groupOf(std::string_view name) {
    const auto found = std::ranges::find(kGroups, name, &ParameterGroup::name);
    return found == std::end(kGroups) ? nullptr : found;
}
std::string titleOf(const std::string& name) {
    const ParameterGroup* group = groupOf(name);
    return group ? group->title : name;
}

// A combo over names; none, "", is shown as "Default". True: another one was chosen.
bool chooseName(const std::string& id, std::string& chosen, const std::vector<std::string>& names,
                bool canBeNone = true) {
    const char* const none = "Default";
    const std::string before = chosen;
    if (ImGui::BeginCombo(("##" + id).c_str(), chosen.empty() ? none : chosen.c_str())) {
        if (canBeNone && selectable(none, before.empty())) chosen.clear();
        for (const std::string& name : names)
            if (selectable(name.c_str(), before == name)) chosen = name;
        ImGui::EndCombo();
    }
    nameItem(id);
    return chosen != before;
}

}  // namespace

void Panel::draw(Session& session, ViewSettings& view, Settings& settings, float width, float height,
                 const DrawFacts& facts) {
    updateHistory(session);
    m_performance.record(session, facts.passes);
    const float em = ImGui::GetFontSize();
    const bool wide = width >= kWideWindow * em;
    if (std::exchange(m_isWindowWide, wide) != wide) m_openByUser.reset();
    m_width = 0;
    if (!isOpen()) return;
    m_rows.begin(session);
    if (m_page == Page::Plots) m_plots.record(session);

    // at most half of the window; the preferred width is kept for when the window is larger
    const float most = std::min(44 * em, width / 2), least = std::min(18 * em, most);
    const float now = std::clamp(preferredWidth > 0 ? preferredWidth : 25 * em, least, most);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSizeConstraints({least, height}, {most, height});
    ImGui::SetNextWindowSize({now, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("Coalesce", nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
    ImGui::PopStyleVar();
    m_width = ImGui::GetWindowWidth();
    m_isTall = height >= kTallWindow * em;
    if (std::abs(m_width - now) >= 1) preferredWidth = m_width;  // the user drags the edge
    const uint64_t generation = session.generation();
    drawScene(session);
    drawTime(session, view);
    // a restart or another scene has replaced the values
    if (session.generation() != generation) m_rows.begin(session);
    drawSearch();
    drawTabs(session);
    const float room = ImGui::GetContentRegionAvail().y;
    // in a low window the whole panel scrolls instead of the page
    if (m_isTall) {
        // each page keeps its place
        const std::string page = m_search[0] ? "search results" : fmt::format("page {}", int(m_page));
        ImGui::BeginChild(page.c_str(), {0, -m_noticesHeight});
    }
    if (m_search[0])
        drawSearchResults(session, view, settings, facts);
    else
        drawPage(session, view, settings, facts);
    if (m_isTall) {
        ImGui::EndChild();
        drawNoticesBelow(session, facts.shaderErrors, kMostForNotices * room);
    }
    ImGui::End();
}

// Below the page, so that nothing moves under the pointer when a warning
// comes. Their height is that of the last frame.
void Panel::drawNoticesBelow(Session& session, const std::string& shaderErrors, float most) {
    if (!showsNotices() || !hasNotices(session, shaderErrors)) {
        m_noticesHeight = 0;
        return;
    }
    const float before = m_noticesHeight, gap = ImGui::GetStyle().ItemSpacing.y;
    std::string wanted;
    ImGui::BeginChild("notices", {0, std::max(before - gap, 1.0f)});
    ImGui::Separator();
    wanted = drawNotices(session, shaderErrors);
    m_noticesHeight = std::min(ImGui::GetCursorPosY() + gap, most);
    ImGui::EndChild();
    if (!wanted.empty()) search(wanted);
}

void Panel::drawPage(Session& session, ViewSettings& view, Settings& settings, const DrawFacts& facts) {
    switch (m_page) {
        case Page::Parameters:
            drawParameters();
            break;
        case Page::Materials:
            m_materials.draw(session, m_rows);
            break;
        case Page::Objects:
            m_objects.draw(session, view, m_rows);
            break;
        case Page::Display:
            drawDisplayPage(session, view, facts);
            break;
        case Page::Changes:
            m_changes.draw(session, m_rows);
            break;
        case Page::Plots:
            m_plots.draw(session);
            break;
        case Page::Performance:
            m_performance.draw(session, facts);
            break;
        case Page::Settings:
            m_settings.draw(settings);
            break;
    }
}

void Panel::saveAs(const Session& session) {
    m_openByUser = true;
    m_search[0] = 0;
    m_page = Page::Changes;
    m_changes.saveAs(session);
}

void Panel::openNeighbor(Session& session, int step) {
    if (m_scenes.empty()) return;
    const auto count = int(m_scenes.size());
    int at = 0;
    for (int k = 0; k < count; ++k)
        if (m_scenes[k].name == session.scene().name) at = k;
    openEntry(session, m_scenes[((at + step) % count + count) % count]);
}

void Panel::drawScene(Session& session) {
    const Scene& scene = session.scene();
    if (!beginRows("scene")) return;
    row("Scene");
    if (ImGui::BeginCombo("##scene", scene.name.c_str(), ImGuiComboFlags_HeightLarge)) {
        for (const SceneEntry& entry : m_scenes) {
            const bool broken = !entry.error.empty();
            if (broken) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
            if (selectable(entry.name.c_str(), entry.name == scene.name)) openEntry(session, entry);
            if (broken) ImGui::PopStyleColor();
            if (ImGui::IsItemHovered()) wrappedTooltip(broken ? entry.error : entry.about);
        }
        ImGui::EndCombo();
    }
    nameItem("scene", scene.about);

    SceneChoice choice = session.choice();
    bool changed = false;
    if (!scene.sizes.empty()) {
        row("Size");
        const bool hasDefault = std::ranges::find(scene.sizes, kDefaultSize) != scene.sizes.end();
        choice.size = scene.size;
        changed |= chooseName("size", choice.size, scene.sizes, !hasDefault);
    }
    if (!scene.cases.empty()) {
        row("Case");
        changed |= chooseName("case", choice.caseName, scene.cases);
    }
    ImGui::EndTable();
    if (changed) session.open(std::filesystem::path(scene.file), choice);
}

void Panel::drawTime(Session& session, ViewSettings& view) {
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
    const float third = (room - 2 * gap) / 3;
    if (button("pause", session.paused ? "Resume" : "Pause", third, "Space"))
        session.paused = !session.paused;
    ImGui::SameLine();
    if (button("step", "Step frame", third, "O")) {
        session.paused = true;
        session.step();
    }
    ImGui::SameLine();
    const bool waits = session.needsRestart();
    if (waits) ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
    const bool restart = button(
        "restart", "Restart", third,
        "R: restarts the scene with the present values. With Shift: reverts to the values of the file.");
    if (waits) ImGui::PopStyleColor();
    if (restart) session.restart(!ImGui::GetIO().KeyShift);

    const auto historyButton = [&](const char* name, const char* label, const char* keys,
                                   const std::string& what) {
        ImGui::BeginDisabled(what.empty());
        const bool pressed = button(name, label, third, what.empty() ? keys : keys + (": " + what));
        ImGui::EndDisabled();
        return pressed;
    };
    if (historyButton("undo", "Undo", "Ctrl+Z", session.undoable())) session.undo();
    ImGui::SameLine();
    if (historyButton("redo", "Redo", "Ctrl+Shift+Z or Ctrl+Y", session.redoable())) session.redo();
    ImGui::SameLine();
    if (button("help", "Help", third, "H: keys and mouse. Tab shows or hides the interface."))
        view.help = !view.help;

    // the line is kept free, so that the values below stay where they are when one of them is edited
    if (waits)
        ImGui::TextColored(kChangedColor, "Some changes apply after restart.");
    else
        ImGui::TextUnformatted("");
    nameItem(waits ? "waits for restart" : "nothing waits for restart");
}

void Panel::updateHistory(Session& session) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsAnyItemActive() && !io.MouseDown[0]) session.closeStep();
    if (!io.KeyCtrl || io.WantTextInput) return;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const bool z = pressed(ImGuiKey_Z);
    if (z && !io.KeyShift) session.undo();
    if ((z && io.KeyShift) || pressed(ImGuiKey_Y)) session.redo();
}

void Panel::search(const std::string& text) {
    std::strncpy(m_search, text.c_str(), sizeof m_search - 1);
    if (m_search[0]) m_openByUser = true;
}

bool Panel::clearSearch() {
    return std::exchange(m_search[0], '\0') != '\0';
}

void Panel::drawSearch() {
    const float clearWidth = ImGui::GetFrameHeight();
    ImGui::SetNextItemWidth(m_search[0] ? -clearWidth - ImGui::GetStyle().ItemSpacing.x : -FLT_MIN);
    ImGui::InputTextWithHint("##search", "Search all values", m_search, sizeof m_search);
    nameItem("search");
    // the text field reverts its text on Esc and gives up the keyboard; then the search is cleared as well
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) clearSearch();
    if (!m_search[0]) return;
    ImGui::SameLine();
    if (button("clear search", "x", clearWidth, "Clear search (Esc)")) clearSearch();
}

// The page buttons, as many per line as fit, stretched to fill each line.
void Panel::drawTabs(const Session& session) {
    struct Tab {
        Page page;
        std::string label;
        const char* name;
    };
    const size_t changes = session.elementChanges().size() +
                           size_t(m_rows.changed([](const PanelRows::Value&) { return true; }));
    const Tab tabs[] = {
        {Page::Parameters, "Parameters", "parameters"},
        {Page::Materials, "Materials", "materials"},
        {Page::Objects, "Objects", "objects"},
        {Page::Display, "Display", "display"},
        {Page::Changes, changes ? fmt::format("Changes ({})", changes) : "Changes", "changes"},
        {Page::Plots, "Plots", "plots"},
        {Page::Performance, "Performance", "performance"},
        {Page::Settings, "Settings", "settings"},
    };
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
    for (size_t first = 0, end = 0; first < std::size(tabs); first = end) {
        float taken = buttonWidth(tabs[end++].label);
        while (end < std::size(tabs) && taken + gap + buttonWidth(tabs[end].label) <= room)
            taken += gap + buttonWidth(tabs[end++].label);
        const float extra = std::max(room - taken, 0.0f) / float(end - first);
        for (size_t k = first; k < end; ++k) {
            if (k > first) ImGui::SameLine();
            const bool chosen = !m_search[0] && m_page == tabs[k].page;
            if (choiceButton(std::string("page.") + tabs[k].name, tabs[k].label, chosen,
                             buttonWidth(tabs[k].label) + extra))
                m_page = tabs[k].page, clearSearch();
        }
    }
    ImGui::Spacing();
}

// All values with the text in their path, label or description, grouped by owner; then those of the pages whose
// values are not the scene's.
void Panel::drawSearchResults(Session& session, ViewSettings& view, Settings& settings,
                              const DrawFacts& facts) {
    const std::string wanted = lowercase(m_search);
    const auto matches = [&](const PanelRows::Value& v) {
        for (const std::string& text : {v.path(), labelOf(v.now.info.name), std::string(v.now.info.about)})
            if (lowercase(text).find(wanted) != std::string::npos) return true;
        return false;
    };
    const auto ownerOf = [](const PanelRows::Value& v) {
        return v.now.element.empty() ? v.now.section : v.now.section + "." + v.now.element;
    };
    std::vector<std::string> owners;
    for (const PanelRows::Value& v : m_rows.values())
        if (matches(v) && (owners.empty() || owners.back() != ownerOf(v))) owners.push_back(ownerOf(v));
    for (const std::string& owner : owners) {
        ImGui::TextDisabled("%s", titleOf(owner).c_str());
        ImGui::Separator();
        m_rows.draw(owner.c_str(),
                    [&](const PanelRows::Value& v) { return ownerOf(v) == owner && matches(v); });
    }
    const bool onDisplay = drawDisplayPage(session, view, facts, wanted),
               inSettings = m_settings.draw(settings, wanted);
    if (owners.empty() && !onDisplay && !inSettings) ImGui::TextDisabled("No value matches.");
}

void Panel::drawParameters() {
    std::vector<std::string> groups;
    for (const PanelRows::Value& v : m_rows.values())
        if (v.now.element.empty() && (groups.empty() || groups.back() != v.now.section))
            groups.push_back(v.now.section);
    // in the order of kGroups, then the others
    const auto rank = [](const std::string& name) {
        return std::ranges::find(kGroups, std::string_view(name), &ParameterGroup::name) -
               std::begin(kGroups);
    };
    std::ranges::stable_sort(groups, {}, rank);
    for (const std::string& name : groups) {
        const ParameterGroup* group = groupOf(name);
        m_rows.drawFolded(titleOf(name), name.c_str(), group && group->open, [&](const PanelRows::Value& v) {
            return v.now.element.empty() && v.now.section == name && v.used;
        });
    }
}

}  // namespace coalesce
