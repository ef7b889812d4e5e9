#include "view/widgets/widgets.h"

#include <algorithm>
#include <cfloat>
#include <imgui.h>
#include <imgui_internal.h>

#include "view/widgets/colors.h"
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

void navigatePopupsByKeys() {
    ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
        io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
        return;
    }
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    // Dear ImGui maps only Space to it
    if (ImGui::IsKeyDown(ImGui::GetKeyIndex(ImGuiKey_Enter)) && !io.WantTextInput)
        io.NavInputs[ImGuiNavInput_Activate] = 1;
}

bool button(const std::string& name, const std::string& label, float width, const std::string& about) {
    const bool pressed = ImGui::Button(labelAndId(label, name).c_str(), {width, 0});
    nameItem(name, about);
    return pressed;
}

float buttonWidth(const std::string& label) {
    return ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
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

namespace {

// Places the next window beside that of the last item, so that it covers none of its rows; without room there,
// below the item if that is wanted. Returns the width [px] at which the text is to be wrapped.
float placeBeside(const std::string& text, bool belowOtherwise) {
    const float em = ImGui::GetFontSize(), gap = 4;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding, display = ImGui::GetIO().DisplaySize;
    const ImGuiWindow* owner = ImGui::GetCurrentWindowRead()->RootWindow;
    const float beside = owner->Pos.x + owner->Size.x + gap, room = display.x - beside - 2 * padding.x - gap;
    if (room <= 10 * em) {
        if (belowOtherwise)
            ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + gap});
        return belowOtherwise ? 12 * em : 24 * em;
    }
    const float wrap = std::min(24 * em, room);
    const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap).y + 2 * padding.y + gap;
    const float lowest = std::max(display.y - height, 0.0f);
    ImGui::SetNextWindowPos({beside, std::clamp(ImGui::GetItemRectMin().y, 0.0f, lowest)});
    return wrap;
}

void writeWrapped(const std::string& text, float wrap) {
    ImGui::PushTextWrapPos(wrap);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
}

}  // namespace

void wrappedTooltip(const std::string& text) {
    const float wrap = placeBeside(text, false);
    ImGui::BeginTooltip();
    writeWrapped(text, wrap);
    ImGui::EndTooltip();
}

void messageAtItem(const std::string& name, const std::string& text) {
    const float wrap = placeBeside(text, true);
    ImGui::Begin("##message at item", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
    writeWrapped(text, wrap);
    ImGui::PopStyleColor();
    nameItem(name);
    ImGui::End();
}

void wrappedText(const std::string& text) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
}

bool selectable(const char* label, bool selected) {
    const bool chosen = ImGui::Selectable(label, selected);
    if (selected) ImGui::SetItemDefaultFocus();
    nameItem(label);
    return chosen;
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
    wrappedText(label);
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
