#include "view/overlay/browser.h"

#include <algorithm>
#include <cfloat>
#include <fmt/format.h>
#include <imgui.h>
#include <set>
#include <utility>

#include "view/widgets/colors.h"
#include "view/widgets/format.h"

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
                  ImGui::GetColorU32(entry.error.empty() ? ImVec4(0.6f, 0.6f, 0.6f, 1) : kWarningColor),
                  text);
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

const SceneEntry* Browser::marked() const {
    return markedOf(found());
}

const SceneEntry* Browser::markedOf(const Entries& found) const {
    for (const SceneEntry* entry : found)
        if (entry->file == m_marked) return entry;
    return found.empty() ? nullptr : found[0];
}

// Arrow keys, row by row and from one to the next.
void Browser::moveMark(const std::vector<const SceneEntry*>& entries, int columns) {
    m_markMoved = false;
    if (entries.empty() || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const auto at =
        static_cast<int>(std::find(entries.begin(), entries.end(), markedOf(entries)) - entries.begin());
    int to = at;
    if (pressed(ImGuiKey_LeftArrow)) --to;
    if (pressed(ImGuiKey_RightArrow)) ++to;
    if (pressed(ImGuiKey_UpArrow) && to >= columns) to -= columns;
    // from the last whole row into the rest
    const int last = static_cast<int>(entries.size()) - 1;
    if (pressed(ImGuiKey_DownArrow) && to / columns < last / columns) to = std::min(to + columns, last);
    to = std::clamp(to, 0, last);
    if (to == at) return;
    m_marked = entries[static_cast<size_t>(to)]->file;
    m_markMoved = true;
}

void Browser::open(Session& session, const SceneEntry& entry) {
    m_marked = entry.file;
    shown = !openEntry(session, entry);
}

Browser::Entries Browser::drawFilters(Session& session) {
    std::set<std::string> tags;
    for (const SceneEntry& e : m_scenes) tags.insert(e.tags.begin(), e.tags.end());
    const float em = ImGui::GetFontSize();
    char text[64];
    const size_t length = search.copy(text, sizeof text - 1);
    text[length] = '\0';
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetNextItemWidth(std::min(14 * em, 0.4f * room));
    if (ImGui::IsWindowAppearing()) {
        search.clear(), text[0] = '\0';
        m_marked = session.scene().file;
        for (const SceneEntry& e : m_scenes)
            if (isSame(e.file, m_marked)) m_marked = e.file;
        m_takesKeys = true;
    }
    if (std::exchange(m_takesKeys, false)) ImGui::SetKeyboardFocusHere();
    if (ImGui::InputTextWithHint("##search", "Search names, abouts and tags", text, sizeof text))
        search = text;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::min(9 * em, 0.28f * room));
    if (ImGui::BeginCombo("##tag", tag.empty() ? "all tags" : tag.c_str(), ImGuiComboFlags_HeightLarge)) {
        if (ImGui::Selectable("all tags", tag.empty())) tag.clear();
        for (const std::string& t : tags)
            if (ImGui::Selectable(t.c_str(), t == tag)) tag = t;
        ImGui::EndCombo();
    }
    ImGui::SameLine();
    Entries entries = found();
    // where there is room
    const std::string count =
        fmt::format("{} of {} scenes; Enter opens the marked one", entries.size(), m_scenes.size());
    const float close = ImGui::GetContentRegionMax().x - 4 * em;
    if (ImGui::GetCursorPosX() + ImGui::CalcTextSize(count.c_str()).x < close) {
        ImGui::TextDisabled("%s", count.c_str());
        ImGui::SameLine();
    }
    ImGui::SetCursorPosX(std::max(close, ImGui::GetCursorPosX()));
    if (ImGui::Button("Close", {4 * em, 0})) shown = false;
    return entries;
}

void Browser::drawTile(Session& session, const SceneEntry& entry, bool isMarked, void* thumbnail,
                       float width) {
    const float pictureHeight = width * 9 / 16;
    ImGui::PushID(entry.file.c_str());
    ImGui::BeginGroup();
    const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + width, low.y + pictureHeight};
    const bool chosen = ImGui::InvisibleButton("tile", {width, pictureHeight});
    m_placed.push_back({entry.name, low.x, low.y, high.x, high.y});
    drawPicture(entry, thumbnail, low, high);
    const bool present = isSame(entry.file, session.scene().file), hovered = ImGui::IsItemHovered();
    if (isMarked) {
        const ImVec2 out{3, 3};
        ImGui::GetWindowDrawList()->AddRect({low.x - out.x, low.y - out.y}, {high.x + out.x, high.y + out.y},
                                            ImGui::GetColorU32(ImGuiCol_Text),
                                            ImGui::GetStyle().FrameRounding + out.x, 0, 2);
        if (m_markMoved) ImGui::SetScrollHereY();
    }
    if (present || hovered)
        ImGui::GetWindowDrawList()->AddRect(
            low, high, ImGui::GetColorU32(present ? ImGuiCol_CheckMark : ImGuiCol_ButtonActive),
            ImGui::GetStyle().FrameRounding, 0, 2);
    if (hovered) tooltip(entry);
    if (chosen) open(session, entry);
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
    const Entries entries = drawFilters(session);
    if (!shown) {
        ImGui::End();
        m_wasShown = false;
        return;
    }
    if (!session.problem().empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        ImGui::TextWrapped("%s", session.problem().c_str());
        ImGui::PopStyleColor();
    }
    ImGui::BeginChild("tiles");
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x - 8;
    const int columns = std::max(1, static_cast<int>((room + gap) / (13 * em + gap)));
    const float tile = (room + gap) / static_cast<float>(columns) - gap;
    if (entries.empty()) ImGui::TextDisabled("No scene has these words and this tag.");
    moveMark(entries, columns);
    const auto entered = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), false); };
    const SceneEntry* mark = markedOf(entries);
    if (mark && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
        (entered(ImGuiKey_Enter) || entered(ImGuiKey_KeyPadEnter))) {
        open(session, *mark);
        m_takesKeys = shown;  // Enter has taken them from the search box
    }
    ImGui::Dummy({0, 0});
    ImGui::Indent(4);  // for the frame of the mark
    for (size_t k = 0; k < entries.size(); ++k) {
        if (k % static_cast<size_t>(columns) != 0) ImGui::SameLine();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const bool visible = ImGui::IsRectVisible(at, {at.x + tile, at.y + tile});
        drawTile(session, *entries[k], entries[k] == mark, visible ? thumbnail(*entries[k]) : nullptr, tile);
        if (!shown) break;
    }
    ImGui::EndChild();
    ImGui::End();
    m_wasShown = shown;
}

}  // namespace coalesce
