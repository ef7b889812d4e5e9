#include "view/browser.h"

#include <algorithm>
#include <cfloat>
#include <imgui.h>
#include <set>

#include "view/colors.h"
#include "view/words.h"

namespace coalesce {

namespace {

bool isSame(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code missing;
    return a == b || std::filesystem::equivalent(a, b, missing);
}

void tooltip(const SceneEntry& entry) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 26);
    if (!entry.error.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        ImGui::TextUnformatted(entry.error.c_str());
        ImGui::PopStyleColor();
    } else {
        ImGui::TextUnformatted(entry.about.c_str());
        std::string tags;
        for (const std::string& tag : entry.tags) tags += (tags.empty() ? "" : ", ") + tag;
        ImGui::TextDisabled("%s", tags.c_str());
        if (!entry.cases.empty() || !entry.sizes.empty()) ImGui::TextDisabled("Right click: cases and sizes");
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// The picture, or a plain tile with the scene's name on it.
void drawPicture(const SceneEntry& entry, void* thumbnail, ImVec2 low, ImVec2 high) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float rounding = ImGui::GetStyle().FrameRounding;
    if (thumbnail) {
        list->AddImageRounded(thumbnail, low, high, {0, 0}, {1, 1}, IM_COL32_WHITE, rounding);
        return;
    }
    list->AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), rounding);
    const char* text = entry.error.empty() ? entry.name.c_str() : "has mistakes";
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->PushClipRect(low, high, true);
    list->AddText({std::max(low.x + 4, 0.5f * (low.x + high.x - size.x)), 0.5f * (low.y + high.y - size.y)},
                  ImGui::GetColorU32(entry.error.empty() ? ImVec4(0.6f, 0.6f, 0.6f, 1) : kWarningColor), text);
    list->PopClipRect();
}

}  // namespace

void Browser::setRecent(const std::vector<std::filesystem::path>& recent) {
    m_recent = 0;
    for (const std::filesystem::path& file : recent) {
        std::error_code missing;
        if (!std::filesystem::exists(file, missing)) continue;
        const auto first = m_scenes.begin() + static_cast<ptrdiff_t>(m_recent);
        auto it =
            std::find_if(first, m_scenes.end(), [&](const SceneEntry& e) { return isSame(e.file, file); });
        if (it == m_scenes.end()) it = m_scenes.insert(m_scenes.end(), readEntry(file));
        const auto to = m_scenes.begin() + static_cast<ptrdiff_t>(m_recent);
        std::rotate(to, it, it + 1);
        ++m_recent;
    }
    std::sort(m_scenes.begin() + static_cast<ptrdiff_t>(m_recent), m_scenes.end(),
              [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
}

std::vector<const SceneEntry*> Browser::found() const {
    std::vector<const SceneEntry*> all;
    const std::string wanted = lowercase(search);
    for (const SceneEntry& e : m_scenes) {
        if (!tag.empty() && std::find(e.tags.begin(), e.tags.end(), tag) == e.tags.end()) continue;
        std::string words = e.name + " " + e.about + " " + e.error;
        for (const std::string& t : e.tags) words += " " + t;
        if (wanted.empty() || lowercase(words).find(wanted) != std::string::npos) all.push_back(&e);
    }
    return all;
}

void Browser::drawFilters() {
    std::set<std::string> tags;
    for (const SceneEntry& e : m_scenes) tags.insert(e.tags.begin(), e.tags.end());
    const float em = ImGui::GetFontSize();
    char text[64];
    const size_t length = search.copy(text, sizeof text - 1);
    text[length] = '\0';
    ImGui::SetNextItemWidth(14 * em);
    if (ImGui::IsWindowAppearing()) {
        search.clear(), text[0] = '\0';
        ImGui::SetKeyboardFocusHere();
    }
    if (ImGui::InputTextWithHint("##search", "Search names, abouts and tags", text, sizeof text))
        search = text;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(9 * em);
    if (ImGui::BeginCombo("##tag", tag.empty() ? "all tags" : tag.c_str(), ImGuiComboFlags_HeightLarge)) {
        if (ImGui::Selectable("all tags", tag.empty())) tag.clear();
        for (const std::string& t : tags)
            if (ImGui::Selectable(t.c_str(), t == tag)) tag = t;
        ImGui::EndCombo();
    }
    ImGui::SameLine();
    ImGui::TextDisabled("%d of %d scenes", static_cast<int>(found().size()),
                        static_cast<int>(m_scenes.size()));
    ImGui::SameLine(ImGui::GetContentRegionMax().x - 4 * em);
    if (ImGui::Button("Close", {4 * em, 0})) shown = false;
}

void Browser::drawTile(Session& session, const SceneEntry& entry, void* thumbnail, float width) {
    const float pictureHeight = width * 9 / 16;
    ImGui::PushID(entry.file.c_str());
    ImGui::BeginGroup();
    const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + width, low.y + pictureHeight};
    const bool chosen = ImGui::InvisibleButton("tile", {width, pictureHeight});
    m_placed.push_back({entry.name, low.x, low.y, high.x, high.y});
    drawPicture(entry, thumbnail, low, high);
    const bool present = isSame(entry.file, session.scene().file), hovered = ImGui::IsItemHovered();
    if (present || hovered)
        ImGui::GetWindowDrawList()->AddRect(
            low, high, ImGui::GetColorU32(present ? ImGuiCol_CheckMark : ImGuiCol_ButtonActive),
            ImGui::GetStyle().FrameRounding, 0, 2);
    if (hovered) tooltip(entry);
    if (chosen && openEntry(session, entry)) shown = false;
    if (ImGui::BeginPopupContextItem("choices")) {
        const auto offer = [&](const char* title, const std::vector<std::string>& names,
                               std::string SceneChoice::*member) {
            if (!names.empty()) ImGui::TextDisabled("%s", title);
            for (const std::string& name : names) {
                if (!ImGui::MenuItem(name.c_str())) continue;
                SceneChoice choice;
                choice.*member = name;
                if (session.open(entry.file, choice)) shown = false;
            }
        };
        offer("Cases", entry.cases, &SceneChoice::caseName);
        offer("Sizes", entry.sizes, &SceneChoice::size);
        if (entry.cases.empty() && entry.sizes.empty()) ImGui::TextDisabled("No cases, no sizes");
        ImGui::EndPopup();
    }
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    if (!entry.error.empty()) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
    ImGui::TextUnformatted(entry.name.c_str());
    if (!entry.error.empty()) ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    ImGui::PopID();
}

void Browser::draw(Session& session, const Thumbnail& thumbnail, float left, float width, float height) {
    m_placed.clear();
    const bool opens = shown && !m_wasShown;
    m_wasShown = shown;
    if (!shown) return;
    const float em = ImGui::GetFontSize(), margin = std::min(2 * em, 0.04f * width);
    ImGui::SetNextWindowPos({left + margin, margin});
    ImGui::SetNextWindowSize({std::max(width - 2 * margin, 10 * em), std::max(height - 2 * margin, 10 * em)});
    if (opens) ImGui::SetNextWindowFocus();
    ImGui::Begin("Scenes", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    drawFilters();
    if (!session.problem().empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        ImGui::TextWrapped("%s", session.problem().c_str());
        ImGui::PopStyleColor();
    }
    ImGui::BeginChild("tiles");
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
    const int columns = std::max(1, static_cast<int>((room + gap) / (13 * em + gap)));
    const float tile = (room + gap) / static_cast<float>(columns) - gap;
    const std::vector<const SceneEntry*> entries = found();
    if (entries.empty()) ImGui::TextDisabled("No scene has these words and this tag.");
    for (size_t k = 0; k < entries.size(); ++k) {
        if (k % static_cast<size_t>(columns) != 0) ImGui::SameLine();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const bool visible = ImGui::IsRectVisible(at, {at.x + tile, at.y + tile});
        drawTile(session, *entries[k], visible ? thumbnail(*entries[k]) : nullptr, tile);
        if (!shown) break;
    }
    ImGui::EndChild();
    ImGui::End();
    m_wasShown = shown;
}

}  // namespace coalesce
