#include "view/widgets/panel_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <numbers>
#include <optional>
#include <utility>

#include "sim/world/method_parameters.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

// "%.4g m/s"; the unit "-" is omitted
std::string formatOf(const char* number, const ParameterInfo& info) {
    const std::string unit = info.unit;
    return unit == "-" ? number : std::string(number) + " " + unit;
}

// Typed values are not clamped: the session refuses what is out of range, and says the range.
ImGuiSliderFlags flagsOf(const ParameterInfo& info) {
    return info.scale == Scale::Log ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
}

std::string rowLabel(const ParameterInfo& info) {
    const std::string label = labelOf(info.name);
    return label == "Viscosity" ? "Viscosity (XSPH)" : label;  // beside "Kinematic viscosity"
}
// Three numbers leave no room for a unit behind each of them.
std::string rowLabel(const Tunable& t) {
    const std::string unit = t.info.unit;
    const bool named = t.type == Tunable::Type::Vector && unit != "-" && unit != "linear RGB";
    return rowLabel(t.info) + (named ? " [" + unit + "]" : "");
}

// Whether text is typed into the last item, whose slider has become a text field.
bool isTypedInto() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    return ImGui::IsItemActive() && g.ActiveId == g.TempInputId;
}

constexpr double kRefusalSeconds = 8;

// Euler angles [deg] about x, then y, then z: the inverse of quatFromEuler.
void anglesOf(const std::vector<double>& q, float (&angles)[3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3], degree = std::numbers::pi / 180;
    const double s = std::clamp(2 * (w * y - x * z), -1.0, 1.0);
    double ax = std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), az = 0;
    if (std::abs(s) > 1 - 1e-7)
        ax = 2 * std::atan2(x, w);  // gimbal lock: the whole rotation is attributed to x
    else
        az = std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    angles[0] = float(ax / degree), angles[1] = float(std::asin(s) / degree), angles[2] = float(az / degree);
}

}  // namespace

std::string textOf(const Edit& edit) {
    if (edit.word == "true") return "on";
    if (edit.word == "false") return "off";
    if (!edit.word.empty()) return edit.word;
    std::string text;
    if (edit.numbers.size() == 4) {
        float angles[3];
        anglesOf(edit.numbers, angles);
        // + 0 turns −0 into 0
        for (const float a : angles) text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", a + 0.0f);
        return text + "\u00b0";
    }
    for (const double n : edit.numbers) text += fmt::format("{}{:g}", text.empty() ? "" : ", ", n);
    return text;
}

void PanelRows::begin(Session& session) {
    m_session = &session;
    m_values.clear();
    std::vector<Tunable> now = session.tunables();
    const std::vector<Tunable> original = listTunables(tunablesOf(session.scene()));
    const Method method = session.world().parameters.solver.method;
    // shapes with keys list fewer values, in both lists
    for (size_t k = 0; k < now.size() && k < original.size(); ++k) {
        const bool fixed = isFixedAtStart(now[k].info.group, now[k].info.name);
        const bool used = isUsedBy(method, now[k].info.group, now[k].info.name);
        m_values.push_back({std::move(now[k]), original[k].value, fixed, used});
    }
}

int PanelRows::count(const Filter& filter) const {
    return int(std::count_if(m_values.begin(), m_values.end(), filter));
}

int PanelRows::changed(const Filter& filter) const {
    return count([&](const Value& v) { return v.changed() && filter(v); });
}

void PanelRows::draw(const char* id, const Filter& filter) {
    if (!beginValues(id)) return;
    for (const Value& value : m_values)
        if (filter(value)) drawRow(value);
    ImGui::EndTable();
}

void PanelRows::drawFolded(const std::string& title, const char* id, bool open, const Filter& filter) {
    if (count(filter) == 0) return;
    const int n = changed(filter);
    const std::string label = title + (n ? fmt::format("  ({} changed)", n) : "");
    if (heading(std::string("heading.") + id, label, open)) draw(id, filter);
}

void PanelRows::drawRow(const Value& value) {
    ImGui::PushID(value.path().c_str());
    const bool changed = value.changed();
    const bool unused = isUnused(value);
    if (unused)
        ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    else if (changed)
        ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
    row(rowLabel(value.now).c_str());
    Edit edit = value.now.value;
    const bool hasOneChoice = value.now.choices && value.now.choices->size() == 1;
    ImGui::BeginDisabled(hasOneChoice);
    const bool edited = widget(value.now, edit);
    const bool typing = isTypedInto(), left = ImGui::IsItemDeactivated();
    ImGui::EndDisabled();
    if (unused || changed) ImGui::PopStyleColor();
    nameItem(value.path());
    const bool refused = m_refusal.path == value.path() && ImGui::GetTime() < m_refusal.until;
    if (refused)
        messageAtItem("refused." + value.path(), m_refusal.why);
    else if (showsTooltip())
        wrappedTooltip(describe(value));
    drawMenu(value);
    ImGui::TableNextColumn();
    if (changed && resetButton(value.path(), "Reset to the scene value " + textOf(value.original)))
        apply(value.original);
    if (left && m_typed && m_typed->path == edit.path) {
        const Edit typed = *std::exchange(m_typed, {});
        if (!ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
            apply(edited && !typing ? edit : typed);
    } else if (edited && !typing) {
        apply(edit);
    }
    if (typing) m_typed = edited ? std::optional(edit) : std::nullopt;
    ImGui::PopID();
}

void PanelRows::apply(const Edit& edit) {
    m_refusal = {edit.path, m_session->tryEdit(edit), ImGui::GetTime() + kRefusalSeconds};
    if (m_refusal.why.empty()) m_refusal = {};
}

// Other methods read it; or the number of substeps is chosen in the other way; or no liquid has strainViscosity; or
// it is the unused one of the two XSPH viscosities of a material: the kinematic one is used if it is not 0.
bool PanelRows::isUnused(const Value& value) const {
    if (!value.used) return true;
    const std::string name = value.now.info.name;
    if (value.now.section == "solver") {
        const bool fixed = m_session->world().parameters.solver.timeStep == TimeStep::fixed;
        return fixed ? name == "cfl" || name == "minSubsteps" || name == "maxSubsteps" : name == "substeps";
    }
    if (value.now.section == "fluid" && name.starts_with("strain"))
        return std::ranges::none_of(m_session->world().materials, [](const Material& m) {
            return isFluid(m.properties) && m.properties.strainViscosity > 0;
        });
    if (value.now.section != "materials" || (name != "viscosity" && name != "kinematicViscosity"))
        return false;
    const std::string kinematic = "materials." + value.now.element + ".kinematicViscosity";
    const auto found = std::ranges::find(m_values, kinematic, [](const Value& v) { return v.path(); });
    return found != m_values.end() && (found->now.value.numbers[0] > 0) == (name == "viscosity");
}

std::string PanelRows::describe(const Value& value) const {
    const ParameterInfo& info = value.now.info;
    std::string text = value.path() + "\n" + info.about;
    const bool ranged = value.now.type != Tunable::Type::Switch && value.now.type != Tunable::Type::Rotation;
    if (info.max > info.min && ranged)
        text += fmt::format("\nRange: {:g} to {:g}{}", info.min, info.max,
                            std::string_view(info.unit) == "-" ? "" : fmt::format(" {}", info.unit));
    text += "\nScene value: " + textOf(value.original);
    if (value.now.choices && value.now.choices->size() == 1)
        text += "\nNo other choice is available.";
    else if (value.fixed)
        text += "\nTakes effect after restart.";
    const std::vector<TimedCommand>& timeline = m_session->scene().timeline;
    if (std::ranges::any_of(timeline, [&](const TimedCommand& c) { return c.set == value.path(); }))
        text += "\nThe scene's timeline also sets this value and will overwrite an edit.";
    const std::vector<Track>& tracks = m_session->scene().tracks;
    if (std::ranges::any_of(tracks, [&](const Track& t) { return t.set == value.path(); }))
        text += "\nA track of the scene sets this value in every frame (F4: dope sheet).";
    if (!value.used)
        text += "\nNot used by this solver.method.";
    else if (isUnused(value))
        text += value.now.section == "solver"                ? "\nNot used with this solver.timeStep."
                : value.now.section == "fluid"               ? "\nNot used: no liquid has strainViscosity."
                : std::string_view(info.name) == "viscosity" ? "\nNot used: see kinematicViscosity."
                                                             : "\nNot used: see viscosity.";
    return text;
}

void PanelRows::drawMenu(const Value& value) {
    if (!ImGui::BeginPopupContextItem("menu")) return;
    const std::string reset = "Reset to " + textOf(value.original);
    if (ImGui::MenuItem(reset.c_str(), nullptr, false, value.changed())) apply(value.original);
    nameItem("reset");
    if (ImGui::MenuItem("Copy path")) ImGui::SetClipboardText(value.path().c_str());
    if (ImGui::MenuItem("Copy as --set")) copyAsSet({value.now.value});
    nameItem("copy");
    ImGui::EndPopup();
}

void PanelRows::copyAsSet(const std::vector<Edit>& edits) const {
    ImGui::SetClipboardText(asOptions(asSets(m_session->edited(), edits)).c_str());
}

namespace {

bool numberWidget(const ParameterInfo& info, Edit& edit) {
    const auto low = float(info.min), high = float(info.max);
    auto number = float(edit.numbers[0]);
    // a range of coordinates is too wide for a slider
    const bool endless = info.max - info.min > 1e4 && info.scale == Scale::Linear;
    const float speed = std::max(0.01f * std::abs(number), 0.01f);
    const std::string format = formatOf("%.4g", info);
    const bool edited =
        endless ? ImGui::DragFloat("##value", &number, speed, low, high, format.c_str())
                : ImGui::SliderFloat("##value", &number, low, high, format.c_str(), flagsOf(info));
    if (edited) edit.numbers = {number};
    return edited;
}

bool integerWidget(const ParameterInfo& info, Edit& edit) {
    int number = int(edit.numbers[0]);
    const int low = int(info.min), high = int(info.max);
    const std::string format = formatOf("%d", info);
    // a slider of Dear ImGui covers at most half the range of an int
    const bool edited =
        info.max > 1e9 ? ImGui::DragInt("##value", &number, std::max(1.0f, 0.01f * std::abs(float(number))),
                                        low, high, format.c_str())
                       : ImGui::SliderInt("##value", &number, low, high, format.c_str(), flagsOf(info));
    if (edited) edit.numbers = {double(number)};
    return edited;
}

bool switchWidget(Edit& edit) {
    bool on = edit.word == "true";
    const bool edited = ImGui::Checkbox("##value", &on);
    if (edited) edit.word = on ? "true" : "false";
    return edited;
}

template <class Choices>
bool choiceWidget(const Choices& choices, Edit& edit) {
    if (!ImGui::BeginCombo("##value", edit.word.c_str())) return false;
    const std::string now = edit.word;
    for (const std::string_view& choice : choices) {
        const std::string name(choice);
        if (selectable(name.c_str(), name == now)) edit.word = name;
    }
    ImGui::EndCombo();
    return edit.word != now;
}

bool vectorWidget(const ParameterInfo& info, Edit& edit) {
    float v[3];
    for (int k = 0; k < 3; ++k) v[k] = float(edit.numbers[k]);
    // drags: a slider of a third of the width is too coarse. One percent of the value per pixel.
    const float speed = 0.01f * std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2]), 0.1f});
    const bool edited =
        std::string_view(info.unit) == "linear RGB"
            ? ImGui::ColorEdit3("##value", v, ImGuiColorEditFlags_Float)
            : ImGui::DragFloat3("##value", v, speed, float(info.min), float(info.max), "%.4g");
    if (edited) edit.numbers.assign(v, v + 3);
    return edited;
}

}  // namespace

bool PanelRows::widget(const Tunable& t, Edit& edit) {
    switch (t.type) {
        case Tunable::Type::Number:
            return numberWidget(t.info, edit);
        case Tunable::Type::Whole:
            return integerWidget(t.info, edit);
        case Tunable::Type::Switch:
            return switchWidget(edit);
        case Tunable::Type::Choice:
            return choiceWidget(*t.choices, edit);
        case Tunable::Type::Vector:
            return vectorWidget(t.info, edit);
        case Tunable::Type::Rotation:
            return rotationWidget(t, edit);
    }
    return false;
}

bool PanelRows::rotationWidget(const Tunable& t, Edit& edit) {
    float angles[3];
    anglesOf(edit.numbers, angles);
    if (m_draggedRotation == t.value.path) std::copy(m_angles, m_angles + 3, angles);
    const bool edited = ImGui::DragFloat3("##value", angles, 0.5f, -360, 360, "%.4g\u00b0");
    if (ImGui::IsItemActive()) {
        m_draggedRotation = t.value.path;
        std::copy(angles, angles + 3, m_angles);
    } else if (m_draggedRotation == t.value.path) {
        m_draggedRotation.clear();
    }
    if (!edited) return false;
    const double degree = std::numbers::pi / 180;
    const Quat q = quatFromEuler(angles[0] * degree, angles[1] * degree, angles[2] * degree);
    edit.numbers = {q.x, q.y, q.z, q.w};
    return true;
}

}  // namespace coalesce
