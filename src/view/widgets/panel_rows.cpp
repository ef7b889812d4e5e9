#include "view/widgets/panel_rows.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "view/widgets/colors.h"

namespace coalesce {

namespace {

// "%.4g m/s"; the sign for "no unit" is left out
std::string formatOf(const char* number, const ParameterInfo& info) {
    const std::string unit = info.unit;
    return unit == "-" ? number : std::string(number) + " " + unit;
}

ImGuiSliderFlags flagsOf(const ParameterInfo& info) {
    return ImGuiSliderFlags_AlwaysClamp | (info.scale == Scale::Log ? ImGuiSliderFlags_Logarithmic : 0);
}

// Angles [deg] of turns about x, then y, then z: the inverse of quatFromEuler.
void anglesOf(const std::vector<double>& q, float (&angles)[3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3], degree = std::acos(-1.0) / 180;
    const double s = std::clamp(2 * (w * y - x * z), -1.0, 1.0);
    double ax = std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), az = 0;
    if (std::abs(s) > 1 - 1e-7)
        ax = 2 * std::atan2(x, w);  // z and x turn about one axis: all of it is given to x
    else
        az = std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    angles[0] = static_cast<float>(ax / degree), angles[1] = static_cast<float>(std::asin(s) / degree),
    angles[2] = static_cast<float>(az / degree);
}

const char* resetSign() {
    constexpr ImWchar kTurnBack = 0x21ba;
    return ImGui::GetFont()->FindGlyphNoFallback(kTurnBack) ? "\u21ba" : "<";
}

}  // namespace

std::string wordsOf(const Edit& edit) {
    if (edit.word == "true") return "on";
    if (edit.word == "false") return "off";
    if (!edit.word.empty()) return edit.word;
    std::string text;
    if (edit.numbers.size() == 4) {
        float angles[3];
        anglesOf(edit.numbers, angles);
        // −0 is 0
        for (const float a : angles) text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", a + 0.0f);
        return text + "\u00b0";
    }
    for (const double n : edit.numbers) text += fmt::format("{}{:g}", text.empty() ? "" : ", ", n);
    return text;
}

void wrappedTooltip(const std::string& text) {
    const float em = ImGui::GetFontSize(), gap = 4;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding, display = ImGui::GetIO().DisplaySize;
    const ImGuiWindow* owner = ImGui::GetCurrentWindowRead()->RootWindow;
    const float beside = owner->Pos.x + owner->Size.x + gap, room = display.x - beside - 2 * padding.x - gap;
    float wrap = 24 * em;
    // beside the window it belongs to it covers none of its rows
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

bool choiceButton(const char* label, bool chosen, float width) {
    if (chosen) {
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImGui::GetStyleColorVec4(ImGuiCol_TabHovered));
    }
    const bool pressed = ImGui::Button(label, {width, 0});
    if (chosen) ImGui::PopStyleColor(2);
    return pressed;
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

bool resetButton() {
    return ImGui::Button(resetSign(), {ImGui::GetFrameHeight(), 0});
}

bool beginFacts(const char* id) {
    if (!ImGui::BeginTable(id, 2)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 8);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void fact(const char* name, const std::string& value, const char* about) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", name);
    if (about && ImGui::IsItemHovered()) wrappedTooltip(about);
    ImGui::TableNextColumn();
    wrappedText(value);
}

void PanelRows::begin(Session& session, std::vector<WidgetRect>& placed) {
    m_session = &session;
    m_placed = &placed;
    m_values.clear();
    std::vector<Tunable> now = session.tunables();
    const std::vector<Tunable> original = listTunables(tunablesOf(session.scene()));
    // shapes with keys have fewer values, but the same ones in both
    for (size_t k = 0; k < now.size() && k < original.size(); ++k) {
        const bool fixed = isFixedAtBirth(now[k].info.group, now[k].info.name);
        m_values.push_back({std::move(now[k]), original[k].value, fixed});
    }
}

int PanelRows::count(const Wanted& wanted) const {
    return static_cast<int>(std::count_if(m_values.begin(), m_values.end(), wanted));
}

int PanelRows::changed(const Wanted& wanted) const {
    return count([&](const Value& v) { return v.changed() && wanted(v); });
}

void PanelRows::draw(const char* id, const Wanted& wanted) {
    if (!beginValues(id)) return;
    for (const Value& value : m_values)
        if (wanted(value)) drawRow(value);
    ImGui::EndTable();
}

void PanelRows::drawFolded(const std::string& heading, const char* id, bool open, const Wanted& wanted) {
    if (count(wanted) == 0) return;
    const int n = changed(wanted);
    const std::string label = heading + (n ? fmt::format("  ({} changed)", n) : "") + "###" + id;
    const bool shown = ImGui::CollapsingHeader(label.c_str(), open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    place(std::string("heading.") + id);
    if (shown) draw(id, wanted);
}

void PanelRows::drawRow(const Value& value) {
    ImGui::PushID(value.path().c_str());
    const bool changed = value.changed();
    if (changed) ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
    row(value.now.info.name);
    Edit edit = value.now.value;
    // one choice alone cannot be changed
    const bool given = value.now.choices && value.now.choices->size() == 1;
    if (given) ImGui::BeginDisabled();
    const bool edited = widget(value.now, edit);
    if (given) ImGui::EndDisabled();
    if (changed) ImGui::PopStyleColor();
    place(value.path());
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !ImGui::IsItemActive())
        wrappedTooltip(describe(value));
    drawMenu(value);
    ImGui::TableNextColumn();
    if (changed && resetButton()) m_session->edit(value.original);
    if (changed) {
        place("reset." + value.path());
        if (ImGui::IsItemHovered())
            wrappedTooltip("Back to " + wordsOf(value.original) + ", as in the scene.");
    }
    if (edited) m_session->edit(edit);
    ImGui::PopID();
}

std::string PanelRows::describe(const Value& value) const {
    const ParameterInfo& info = value.now.info;
    std::string text = info.about;
    const bool ranged = value.now.type != Tunable::Type::Switch && value.now.type != Tunable::Type::Rotation;
    if (info.max > info.min && ranged)
        text += fmt::format("\n{:g} to {:g}{}", info.min, info.max,
                            std::string_view(info.unit) == "-" ? "" : fmt::format(" {}", info.unit));
    text += "\nIn the scene: " + wordsOf(value.original);
    if (value.now.choices && value.now.choices->size() == 1)
        text += "\nThere is no other choice yet.";
    else if (value.fixed)
        text += "\nCounts from the next start: press Reset.";
    for (const TimedCommand& command : m_session->scene().timeline)
        if (command.set == value.path()) {
            text += "\nThe timeline of the scene sets it too: what is changed here holds until it does.";
            break;
        }
    return text;
}

void PanelRows::drawMenu(const Value& value) {
    if (!ImGui::BeginPopupContextItem("menu")) return;
    const std::string reset = "Reset to " + wordsOf(value.original);
    if (ImGui::MenuItem(reset.c_str(), nullptr, false, value.changed())) m_session->edit(value.original);
    place("reset");
    if (ImGui::MenuItem("Copy path")) ImGui::SetClipboardText(value.path().c_str());
    if (ImGui::MenuItem("Copy as --set")) copyAsSet({value.now.value});
    place("copy");
    ImGui::EndPopup();
}

void PanelRows::copyAsSet(const std::vector<Edit>& edits) const {
    ImGui::SetClipboardText(asOptions(asSets(m_session->edited(), edits)).c_str());
}

bool PanelRows::widget(const Tunable& t, Edit& edit) {
    const ParameterInfo& info = t.info;
    const auto low = static_cast<float>(info.min), high = static_cast<float>(info.max);
    switch (t.type) {
        case Tunable::Type::Number: {
            auto number = static_cast<float>(edit.numbers[0]);
            // coordinates have no end that a slider could be of use for
            const bool endless = info.max - info.min > 1e4 && info.scale == Scale::Linear;
            const float speed = std::max(0.01f * std::abs(number), 0.01f);
            const bool edited =
                endless ? ImGui::DragFloat("##value", &number, speed, low, high,
                                           formatOf("%.4g", info).c_str(), ImGuiSliderFlags_AlwaysClamp)
                        : ImGui::SliderFloat("##value", &number, low, high, formatOf("%.4g", info).c_str(),
                                             flagsOf(info));
            if (edited) edit.numbers = {number};
            return edited;
        }
        case Tunable::Type::Whole: {
            int number = static_cast<int>(edit.numbers[0]);
            const int least = static_cast<int>(info.min), most = static_cast<int>(info.max);
            // sliders of Dear ImGui reach half as far as an int
            const bool edited =
                info.max > 1e9
                    ? ImGui::DragInt("##value", &number,
                                     std::max(1.0f, 0.01f * std::abs(static_cast<float>(number))), least,
                                     most, formatOf("%d", info).c_str(), ImGuiSliderFlags_AlwaysClamp)
                    : ImGui::SliderInt("##value", &number, least, most, formatOf("%d", info).c_str(),
                                       flagsOf(info));
            if (edited) edit.numbers = {static_cast<double>(number)};
            return edited;
        }
        case Tunable::Type::Switch: {
            bool on = edit.word == "true";
            const bool edited = ImGui::Checkbox("##value", &on);
            if (edited) edit.word = on ? "true" : "false";
            return edited;
        }
        case Tunable::Type::Choice: {
            if (!ImGui::BeginCombo("##value", edit.word.c_str())) return false;
            const std::string now = edit.word;
            for (const std::string_view& choice : *t.choices) {
                const std::string name(choice);
                if (ImGui::Selectable(name.c_str(), name == now)) edit.word = name;
            }
            ImGui::EndCombo();
            return edit.word != now;
        }
        case Tunable::Type::Vector: {
            float components[3];
            for (int k = 0; k < 3; ++k) components[k] = static_cast<float>(edit.numbers[k]);
            bool edited = false;
            if (std::string_view(info.unit) == "linear RGB") {
                edited = ImGui::ColorEdit3("##value", components, ImGuiColorEditFlags_Float);
            } else {
                // drags, because a slider of a third of the width is too coarse; a hundredth of the value per
                // pixel
                const float size = std::max(
                    {std::abs(components[0]), std::abs(components[1]), std::abs(components[2]), 0.1f});
                edited = ImGui::DragFloat3("##value", components, 0.01f * size, low, high, "%.4g",
                                           ImGuiSliderFlags_AlwaysClamp);
            }
            if (edited) edit.numbers.assign(components, components + 3);
            return edited;
        }
        case Tunable::Type::Rotation:
            return turnWidget(t, edit);
    }
    return false;
}

bool PanelRows::turnWidget(const Tunable& t, Edit& edit) {
    float angles[3];
    anglesOf(edit.numbers, angles);
    if (m_turned == t.value.path) std::copy(m_angles, m_angles + 3, angles);
    const bool edited = ImGui::DragFloat3("##value", angles, 0.5f, -360, 360, "%.4g\u00b0");
    if (ImGui::IsItemActive()) {
        m_turned = t.value.path;
        std::copy(angles, angles + 3, m_angles);
    } else if (m_turned == t.value.path) {
        m_turned.clear();
    }
    if (!edited) return false;
    const double degree = std::acos(-1.0) / 180;
    const Quat q = quatFromEuler(angles[0] * degree, angles[1] * degree, angles[2] * degree);
    edit.numbers = {q.x, q.y, q.z, q.w};
    return true;
}

void PanelRows::place(const std::string& path) {
    m_placed->push_back(placedItem(path));
}

}  // namespace coalesce
