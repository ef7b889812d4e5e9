#include "view/widgets/widgets.h"

#include <algorithm>
#include <cfloat>
#include <imgui.h>
#include <imgui_internal.h>

#include "view/widgets/widget_recorder.h"

namespace coalesce {

namespace {

// The id is independent of the label, which may change while the button is held.
std::string labelAndId(const std::string& label, const std::string& name) {
    return label + "###" + name;
}

const char* resetSymbol() {
    constexpr ImWchar kAnticlockwiseArrow = 0x21ba;
    return ImGui::GetFont()->FindGlyphNoFallback(kAnticlockwiseArrow) ? "\u21ba" : "<";
}

}  // namespace

void nameItem(const std::string& name, const std::string& about) {
    recordItem(name);
    if (!about.empty() && showsTooltip()) wrappedTooltip(about);
}

bool showsTooltip() {
    return !ImGui::IsItemActive() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
}

bool button(const std::string& name, const std::string& label, float width, const std::string& about) {
    const bool pressed = ImGui::Button(labelAndId(label, name).c_str(), {width, 0});
    nameItem(name, about);
    return pressed;
}

bool smallButton(const std::string& name, const std::string& label) {
    const bool pressed = ImGui::SmallButton(labelAndId(label, name).c_str());
    nameItem(name);
    return pressed;
}

bool choiceButton(const std::string& name, const std::string& label, bool chosen, float width,
                  const std::string& about) {
    if (chosen) {
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImGui::GetStyleColorVec4(ImGuiCol_TabHovered));
    }
    const bool pressed = button(name, label, width, about);
    if (chosen) ImGui::PopStyleColor(2);
    return pressed;
}

bool checkbox(const std::string& name, const char* label, bool& value, const std::string& about) {
    const bool edited = ImGui::Checkbox(label, &value);
    nameItem(name, about);
    return edited;
}

bool heading(const std::string& name, const std::string& label, bool openByDefault,
             const std::string& about) {
    const bool open = ImGui::CollapsingHeader(labelAndId(label, name).c_str(),
                                              openByDefault ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    nameItem(name, about);
    return open;
}

void wrappedTooltip(const std::string& text) {
    const float em = ImGui::GetFontSize(), gap = 4;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding, display = ImGui::GetIO().DisplaySize;
    const ImGuiWindow* owner = ImGui::GetCurrentWindowRead()->RootWindow;
    const float beside = owner->Pos.x + owner->Size.x + gap, room = display.x - beside - 2 * padding.x - gap;
    float wrap = 24 * em;
    // placed beside its window, so that it covers none of the window's rows
    if (room > 10 * em) {
        wrap = std::min(wrap, room);
        const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap).y + 2 * padding.y + gap;
        const float lowest = std::max(display.y - height, 0.0f);
        ImGui::SetNextWindowPos({beside, std::clamp(ImGui::GetItemRectMin().y, 0.0f, lowest)});
    }
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(wrap);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void wrappedText(const std::string& text) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
}

bool chooseIndex(const std::string& name, int& chosen, const char* const* labels, int count,
                 const std::string& about) {
    const bool edited = ImGui::Combo(("##" + name).c_str(), &chosen, labels, count);
    nameItem(name, about);
    return edited;
}

bool beginRows(const char* id) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingStretchProp)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.42f);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.58f);
    return true;
}

void row(const char* label) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-FLT_MIN);
}

bool beginValues(const char* id) {
    if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchProp)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.42f);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.58f);
    ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFrameHeight());
    return true;
}

bool resetButton(const std::string& name, const std::string& about) {
    return button("reset." + name, resetSymbol(), ImGui::GetFrameHeight(), about);
}

bool beginFacts(const char* id) {
    if (!ImGui::BeginTable(id, 2)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 8);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void fact(const char* label, const std::string& value, const char* about) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", label);
    if (about && ImGui::IsItemHovered()) wrappedTooltip(about);
    ImGui::TableNextColumn();
    wrappedText(value);
}

}  // namespace coalesce
