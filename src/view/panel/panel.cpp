#include "view/panel/panel.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <imgui.h>
#include <utility>

#include "view/panel/page_look.h"
#include "view/panel/page_objects.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/notices.h"

namespace coalesce {

namespace {

// What groups of parameters are called in the panel; others by their own name.
struct Heading {
    std::string_view group;
    const char* heading;
    bool open;
};
constexpr float kRoomyWidth = 44, kTallHeight = 36;  // letters, of the window
constexpr Heading kHeadings[] = {
    {"world", "Gravity and air", true}, {"solver", "Solver", true},
    {"fluid", "Liquids", false},        {"contacts", "Contacts", false},
    {"hand", "Hand and brush", false},  {"neighbors", "Lists of neighbors", false},
};

Heading headingOf(std::string_view group) {
    for (const Heading& heading : kHeadings)
        if (heading.group == group) return heading;
    return {group, nullptr, false};
}

// A combo over names; "" is shown as `none`. Returns true when another one was chosen.
bool chooseName(const char* id, std::string& chosen, const std::vector<std::string>& names,
                const char* none) {
    bool changed = false;
    if (!ImGui::BeginCombo(id, chosen.empty() ? none : chosen.c_str())) return false;
    const auto offer = [&](const std::string& name, const char* label) {
        if (ImGui::Selectable(label, chosen == name) && chosen != name) chosen = name, changed = true;
    };
    offer("", none);
    for (const std::string& name : names) offer(name, name.c_str());
    ImGui::EndCombo();
    return changed;
}

}  // namespace

void Panel::draw(Session& session, ViewSettings& look, Settings& settings, float width, float height,
                 const DrawFacts& facts) {
    m_placed.clear();
    // what is changed without letting go of the mouse is one step of undo
    keepHistory(session);
    m_performance.note(session, facts.passes);
    const float em = ImGui::GetFontSize();
    const bool roomy = width >= kRoomyWidth * em;
    if (std::exchange(m_roomy, roomy) != roomy) m_asked.reset();
    m_width = 0;
    if (!isOpen()) return;
    m_rows.begin(session, m_placed);

    // never more than half of the window; what a person likes is kept for when it is larger
    const float most = std::min(44 * em, width / 2), least = std::min(18 * em, most);
    const float now = std::clamp(wishedWidth > 0 ? wishedWidth : 25 * em, least, most);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSizeConstraints({least, height}, {most, height});
    ImGui::SetNextWindowSize({now, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("Coalesce", nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
    ImGui::PopStyleVar();
    m_width = ImGui::GetWindowWidth();
    if (std::abs(m_width - now) >= 1) wishedWidth = m_width;  // its edge is being dragged
    const uint64_t generation = session.generation();
    drawScenes(session);
    drawTime(session, look);
    if (showsNotices)
        if (const std::string wanted = drawNotices(session, facts.shaderErrors, m_placed); !wanted.empty())
            search(wanted);
    // another world has other values
    if (session.generation() != generation) m_rows.begin(session, m_placed);
    drawSearch();
    drawPages();
    // in a low window the page would have no room: all scrolls as one
    const bool tall = height >= kTallHeight * em;
    if (tall) ImGui::BeginChild("page");
    if (m_search[0])
        drawFound();
    else
        drawPage(session, look, settings, facts);
    if (tall) ImGui::EndChild();
    ImGui::End();
}

void Panel::drawPage(Session& session, ViewSettings& look, Settings& settings, const DrawFacts& facts) {
    switch (m_page) {
        case Page::Parameters:
            drawParameters();
            break;
        case Page::Materials:
            m_materials.draw(session, m_rows);
            break;
        case Page::Objects:
            drawObjects(session, look, m_rows);
            break;
        case Page::ViewSettings:
            drawDisplayPage(session, look, m_rows);
            break;
        case Page::Changes:
            m_changes.draw(session, m_rows);
            break;
        case Page::Performance:
            m_performance.draw(session, facts, m_rows);
            break;
        case Page::Settings:
            m_settings.draw(settings, m_rows);
            break;
    }
}

void Panel::open(Session& session, const SceneEntry& entry) {
    openEntry(session, entry);
}

void Panel::openNeighbor(Session& session, int step) {
    if (m_scenes.empty()) return;
    const auto count = static_cast<int>(m_scenes.size());
    int at = 0;
    for (int k = 0; k < count; ++k)
        if (m_scenes[k].name == session.scene().name) at = k;
    open(session, m_scenes[((at + step) % count + count) % count]);
}

void Panel::drawScenes(Session& session) {
    const Scene& scene = session.scene();
    if (!beginRows("scene")) return;
    row("Scene");
    if (ImGui::BeginCombo("##scene", scene.name.c_str(), ImGuiComboFlags_HeightLarge)) {
        for (const SceneEntry& entry : m_scenes) {
            const bool broken = !entry.error.empty();
            if (broken) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
            if (ImGui::Selectable(entry.name.c_str(), entry.name == scene.name)) open(session, entry);
            if (broken) ImGui::PopStyleColor();
            if (ImGui::IsItemHovered()) wrappedTooltip(broken ? entry.error : entry.about);
        }
        ImGui::EndCombo();
    }
    m_rows.place("scene");
    if (!scene.about.empty() && ImGui::IsItemHovered()) wrappedTooltip(scene.about);

    SceneChoice choice = session.choice();
    bool changed = false;
    if (!scene.sizes.empty()) {
        row("Size");
        changed |= chooseName("##size", choice.size, scene.sizes, "as in the file");
        m_rows.place("size");
    }
    if (!scene.cases.empty()) {
        row("Case");
        changed |= chooseName("##case", choice.caseName, scene.cases, "as in the file");
        m_rows.place("case");
    }
    ImGui::EndTable();
    if (changed) session.open(std::filesystem::path(scene.file), choice);
}

void Panel::drawTime(Session& session, ViewSettings& look) {
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
    const float third = (room - 2 * gap) / 3;
    if (ImGui::Button(session.paused ? "Go on" : "Pause", {third, 0})) session.paused = !session.paused;
    m_rows.place("pause");
    ImGui::SameLine();
    if (ImGui::Button("Step", {third, 0})) {
        session.paused = true;
        session.step();
    }
    m_rows.place("step");
    ImGui::SameLine();
    if (ImGui::Button("Reset", {third, 0})) session.reset(!ImGui::GetIO().KeyShift);
    m_rows.place("reset scene");
    if (ImGui::IsItemHovered())
        wrappedTooltip("Starts again with the values as they are now; with Shift, as in the file.");

    const auto change = [&](const char* label, const EditHistory::Step* step, const char* keys) {
        if (!step) ImGui::BeginDisabled();
        const bool pressed = ImGui::Button(label, {third, 0});
        if (!step) ImGui::EndDisabled();
        m_rows.place(lowercase(label));
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            wrappedTooltip(std::string(keys) +
                           (step ? ": " + EditHistory::describe(*step) : "; there is nothing"));
        return pressed;
    };
    if (change("Undo", session.history().undoable(), "Ctrl+Z")) session.undo();
    ImGui::SameLine();
    if (change("Redo", session.history().redoable(), "Ctrl+Shift+Z or Ctrl+Y")) session.redo();
    ImGui::SameLine();
    if (ImGui::Button("Help", {third, 0})) look.help = !look.help;
    m_rows.place("help");
    if (ImGui::IsItemHovered())
        wrappedTooltip("H: keys and mouse. Tab hides everything but the picture, and shows it again.");

    if (session.waitsForReset()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
        wrappedText("Some of what you changed counts from the next start.");
        ImGui::PopStyleColor();
        if (ImGui::Button("Start again", {room, 0})) session.reset(true);
        m_rows.place("start again");
    }
    ImGui::Spacing();
}

void Panel::keepHistory(Session& session) {
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
    if (m_search[0]) m_asked = true;
}

bool Panel::clearSearch() {
    return std::exchange(m_search[0], '\0') != '\0';
}

void Panel::drawSearch() {
    const float button = ImGui::GetFrameHeight();
    ImGui::SetNextItemWidth(m_search[0] ? -button - ImGui::GetStyle().ItemSpacing.x : -FLT_MIN);
    ImGui::InputTextWithHint("##search", "Search all values", m_search, sizeof m_search);
    m_rows.place("search");
    // the field has given the keyboard back, and what it held before
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) clearSearch();
    if (!m_search[0]) return;
    ImGui::SameLine();
    if (ImGui::Button("x", {button, 0})) clearSearch();
    m_rows.place("clear search");
    if (ImGui::IsItemHovered()) wrappedTooltip("Back to the page; also Esc.");
}

void Panel::drawPages() {
    struct Entry {
        Page page;
        std::string label;
        const char* name;
    };
    const int changes = m_rows.changed([](const PanelRows::Value&) { return true; });
    const Entry entries[] = {
        {Page::Parameters, "Parameters", "parameters"},
        {Page::Materials, "Materials", "materials"},
        {Page::Objects, "Objects", "objects"},
        {Page::ViewSettings, "Look", "look"},
        {Page::Changes, changes ? fmt::format("Changes ({})", changes) : "Changes", "changes"},
        {Page::Performance, "Performance", "performance"},
        {Page::Settings, "Settings", "settings"},
    };
    // as many in a line as have room, and all of the line filled
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
    const auto needs = [](const Entry& entry) {
        return ImGui::CalcTextSize(entry.label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    };
    for (size_t first = 0, end = 0; first < std::size(entries); first = end) {
        float taken = needs(entries[end++]);
        while (end < std::size(entries) && taken + gap + needs(entries[end]) <= room)
            taken += gap + needs(entries[end++]);
        const float more = std::max(room - taken, 0.0f) / static_cast<float>(end - first);
        for (size_t k = first; k < end; ++k) {
            if (k > first) ImGui::SameLine();
            const std::string label = entries[k].label + "###" + entries[k].name;
            const bool chosen = !m_search[0] && m_page == entries[k].page;
            if (choiceButton(label.c_str(), chosen, needs(entries[k]) + more))
                m_page = entries[k].page, clearSearch();
            m_rows.place(std::string("page.") + entries[k].name);
        }
    }
    ImGui::Spacing();
}

// Everything that has the word in its path or description, under headings that say what it belongs to.
void Panel::drawFound() {
    const std::string wanted = lowercase(m_search);
    const auto matches = [&](const PanelRows::Value& v) {
        return lowercase(v.path()).find(wanted) != std::string::npos ||
               lowercase(v.now.info.about).find(wanted) != std::string::npos;
    };
    std::vector<std::string> owners;
    const auto ownerOf = [](const PanelRows::Value& v) {
        return v.now.element.empty() ? v.now.section : v.now.section + "." + v.now.element;
    };
    for (const PanelRows::Value& v : m_rows.values())
        if (matches(v) && (owners.empty() || owners.back() != ownerOf(v))) owners.push_back(ownerOf(v));
    for (const std::string& owner : owners) {
        const Heading heading = headingOf(owner);
        ImGui::TextDisabled("%s", heading.heading ? heading.heading : owner.c_str());
        ImGui::Separator();
        m_rows.draw(owner.c_str(),
                    [&](const PanelRows::Value& v) { return ownerOf(v) == owner && matches(v); });
    }
    if (owners.empty()) ImGui::TextDisabled("Nothing has this in its name or description.");
}

void Panel::drawParameters() {
    std::vector<std::string> groups;
    for (const PanelRows::Value& v : m_rows.values())
        if (v.now.element.empty() && (groups.empty() || groups.back() != v.now.section))
            groups.push_back(v.now.section);
    // as headed here, then what has no heading yet
    const auto rank = [](const std::string& group) {
        const auto found = std::find_if(std::begin(kHeadings), std::end(kHeadings),
                                        [&](const Heading& h) { return h.group == group; });
        return found - std::begin(kHeadings);
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    for (const std::string& group : groups) {
        const Heading heading = headingOf(group);
        m_rows.drawFolded(
            heading.heading ? heading.heading : group, group.c_str(), heading.open,
            [&](const PanelRows::Value& v) { return v.now.element.empty() && v.now.section == group; });
    }
}

}  // namespace coalesce
