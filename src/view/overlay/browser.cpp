#include "view/overlay/browser.h"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <set>
#include <utility>

#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/widgets.h"

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
        if (!entry.cases.empty() || !entry.sizes.empty())
            ImGui::TextDisabled("Right click: choose case or size");
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// The thumbnail, or a plain tile with the scene's name.
void drawThumbnail(const SceneEntry& entry, void* thumbnail, ImVec2 low, ImVec2 high) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float rounding = ImGui::GetStyle().FrameRounding;
    if (thumbnail) {
        list->AddImageRounded(thumbnail, low, high, {0, 0}, {1, 1}, IM_COL32_WHITE, rounding);
        return;
    }
    list->AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), rounding);
    const char* text = entry.error.empty() ? entry.name.c_str() : "has errors";
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->PushClipRect(low, high, true);
    list->AddText({std::max(low.x + 4, 0.5f * (low.x + high.x - size.x)), 0.5f * (low.y + high.y - size.y)},
                  ImGui::GetColorU32(entry.error.empty() ? ImVec4(0.6f, 0.6f, 0.6f, 1) : kWarningColor),
                  text);
    list->PopClipRect();
}

// Appends what was typed since the last frame, and takes it from ImGui. False: nothing.
template <size_t Size>
bool typeInto(char (&text)[Size]) {
    ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
    const bool any = !typed.empty();
    for (const ImWchar letter : typed) {
        const size_t length = std::strlen(text);
        if (letter < 0x20 || letter > 0x7e || length + 1 >= Size) continue;  // names are ASCII
        text[length] = char(letter), text[length + 1] = '\0';
    }
    typed.resize(0);
    return any;
}

}  // namespace

void Browser::setRecent(const std::vector<std::filesystem::path>& recent) {
    m_recent = 0;
    for (const std::filesystem::path& file : recent) {
        std::error_code missing;
        if (!std::filesystem::exists(file, missing)) continue;
        const auto first = m_scenes.begin() + ptrdiff_t(m_recent);
        auto it =
            std::find_if(first, m_scenes.end(), [&](const SceneEntry& e) { return isSame(e.file, file); });
        if (it == m_scenes.end()) it = m_scenes.insert(m_scenes.end(), readEntry(file));
        const auto to = m_scenes.begin() + ptrdiff_t(m_recent);
        std::rotate(to, it, it + 1);
        ++m_recent;
    }
    std::sort(m_scenes.begin() + ptrdiff_t(m_recent), m_scenes.end(),
              [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
}

std::vector<const SceneEntry*> Browser::found() const {
    // by where the words are: names that begin with them, names that contain them, texts
    std::vector<const SceneEntry*> all, inNames, inTexts;
    const std::string wanted = lowercase(search);
    for (const SceneEntry& e : m_scenes) {
        if (!tag.empty() && std::find(e.tags.begin(), e.tags.end(), tag) == e.tags.end()) continue;
        std::string words = e.name + " " + e.about + " " + e.error;
        for (const std::string& t : e.tags) words += " " + t;
        const std::string name = lowercase(e.name);
        if (name.starts_with(wanted))
            all.push_back(&e);
        else if (name.find(wanted) != std::string::npos)
            inNames.push_back(&e);
        else if (lowercase(words).find(wanted) != std::string::npos)
            inTexts.push_back(&e);
    }
    all.insert(all.end(), inNames.begin(), inNames.end());
    all.insert(all.end(), inTexts.begin(), inTexts.end());
    return all;
}

const SceneEntry* Browser::selected() const {
    return selectedOf(found());
}

const SceneEntry* Browser::selectedOf(const Entries& found) const {
    for (const SceneEntry* entry : found)
        if (entry->file == m_selected) return entry;
    return found.empty() ? nullptr : found[0];
}

// Moves the selection with the arrow keys.
void Browser::moveSelection(const std::vector<const SceneEntry*>& entries, int columns) {
    m_selectionMoved = false;
    if (entries.empty() || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const auto at = int(std::find(entries.begin(), entries.end(), selectedOf(entries)) - entries.begin());
    int to = at;
    if (pressed(ImGuiKey_LeftArrow)) --to;
    if (pressed(ImGuiKey_RightArrow)) ++to;
    if (pressed(ImGuiKey_UpArrow) && to >= columns) to -= columns;
    // from the last complete row into an incomplete one
    const int last = int(entries.size()) - 1;
    if (pressed(ImGuiKey_DownArrow) && to / columns < last / columns) to = std::min(to + columns, last);
    to = std::clamp(to, 0, last);
    if (to == at) return;
    m_selected = entries[size_t(to)]->file;
    m_selectionMoved = true;
}

void Browser::open(Session& session, const SceneEntry& entry) {
    m_selected = entry.file;
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
        m_selected = session.scene().file;
        for (const SceneEntry& e : m_scenes)
            if (isSame(e.file, m_selected)) m_selected = e.file;
        m_focusSearch = true, m_searchHasKeyboard = false;
    }
    // on a slow device much is typed before the field has the keyboard
    if (!m_searchHasKeyboard && typeInto(text)) search = text;
    if (std::exchange(m_focusSearch, false)) ImGui::SetKeyboardFocusHere();
    // what follows continues the text, which a field that gets the keyboard selects
    const auto toEnd = [](ImGuiInputTextCallbackData* data) {
        if (bool& hasKeyboard = *static_cast<bool*>(data->UserData); !std::exchange(hasKeyboard, true))
            data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
        return 0;
    };
    if (ImGui::InputTextWithHint("##search", "Search scenes", text, sizeof text,
                                 ImGuiInputTextFlags_CallbackAlways, toEnd, &m_searchHasKeyboard))
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
    // if it fits
    const std::string count =
        fmt::format("{} of {} scenes; Enter: open selected", entries.size(), m_scenes.size());
    const float close = ImGui::GetContentRegionMax().x - 4 * em;
    if (ImGui::GetCursorPosX() + ImGui::CalcTextSize(count.c_str()).x < close) {
        ImGui::TextDisabled("%s", count.c_str());
        ImGui::SameLine();
    }
    ImGui::SetCursorPosX(std::max(close, ImGui::GetCursorPosX()));
    if (button("close browser", "Close", 4 * em)) shown = false;
    return entries;
}

// Cases and sizes of a scene.
void Browser::drawContextMenu(Session& session, const SceneEntry& entry) {
    if (!ImGui::BeginPopupContextItem("choices")) return;
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
    if (entry.cases.empty() && entry.sizes.empty()) ImGui::TextDisabled("No cases or sizes");
    ImGui::EndPopup();
}

void Browser::drawTile(Session& session, const SceneEntry& entry, bool isSelected, void* thumbnail,
                       float width) {
    const float imageHeight = width * 9 / 16;
    ImGui::PushID(entry.file.c_str());
    ImGui::BeginGroup();
    const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + width, low.y + imageHeight};
    const bool chosen = ImGui::InvisibleButton("tile", {width, imageHeight});
    nameItem(entry.name);
    drawThumbnail(entry, thumbnail, low, high);
    const bool present = isSame(entry.file, session.scene().file), hovered = ImGui::IsItemHovered();
    if (isSelected) {
        const ImVec2 out{3, 3};
        ImGui::GetWindowDrawList()->AddRect({low.x - out.x, low.y - out.y}, {high.x + out.x, high.y + out.y},
                                            ImGui::GetColorU32(ImGuiCol_Text),
                                            ImGui::GetStyle().FrameRounding + out.x, 0, 2);
        if (m_selectionMoved) ImGui::SetScrollHereY();
    }
    if (present || hovered)
        ImGui::GetWindowDrawList()->AddRect(
            low, high, ImGui::GetColorU32(present ? ImGuiCol_CheckMark : ImGuiCol_ButtonActive),
            ImGui::GetStyle().FrameRounding, 0, 2);
    if (hovered) tooltip(entry);
    if (chosen) open(session, entry);
    drawContextMenu(session, entry);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    if (!entry.error.empty()) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
    ImGui::TextUnformatted(entry.name.c_str());
    if (!entry.error.empty()) ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    ImGui::PopID();
}

void Browser::draw(Session& session, const Thumbnail& thumbnail, float left, float width, float height) {
    const bool opens = shown && !m_wasShown, closes = m_wasShown && !shown;
    m_wasShown = shown;
    if (closes) ImGui::ClearActiveID();  // the search had the keyboard
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
    const int columns = std::max(1, int((room + gap) / (13 * em + gap)));
    const float tile = (room + gap) / float(columns) - gap;
    if (entries.empty()) ImGui::TextDisabled("No scene matches.");
    moveSelection(entries, columns);
    const auto entered = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), false); };
    const SceneEntry* selected = selectedOf(entries);
    if (selected && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
        (entered(ImGuiKey_Enter) || entered(ImGuiKey_KeyPadEnter))) {
        open(session, *selected);
        m_focusSearch = shown;  // Enter took the focus from the search box
    }
    ImGui::Dummy({0, 0});
    ImGui::Indent(4);  // for the frame around the selected tile
    for (size_t k = 0; k < entries.size(); ++k) {
        if (k % size_t(columns) != 0) ImGui::SameLine();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const bool visible = ImGui::IsRectVisible(at, {at.x + tile, at.y + tile});
        drawTile(session, *entries[k], entries[k] == selected, visible ? thumbnail(*entries[k]) : nullptr,
                 tile);
        if (!shown) break;
    }
    ImGui::EndChild();
    ImGui::End();
    m_wasShown = shown;
}

}  // namespace coalesce
