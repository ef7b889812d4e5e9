#include "view/panel/page_settings.h"

#include <fmt/format.h>
#include <imgui.h>
#include <type_traits>

#include "view/widgets/colors.h"
#include "view/widgets/widgets.h"

namespace coalesce {

void PageSettings::drawSetting(SearchedRows& rows, const SettingInfo& info, float& value, float standard,
                               bool applyOnRelease) {
    const bool changed = value != standard;
    const std::string path = std::string("settings.") + info.key;
    if (changed) ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
    const bool found = rows.row(info.label, info.about);
    if (changed) ImGui::PopStyleColor();
    if (!found) return;
    ImGui::PushID(info.key);
    if (changed) ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
    float number = applyOnRelease ? m_held.value_or(value) : value;
    const bool edited = ImGui::SliderFloat("##value", &number, float(info.min), float(info.max),
                                           fmt::format("%.4g {}", info.unit).c_str(),
                                           ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    if (changed) ImGui::PopStyleColor();
    const bool held = ImGui::IsItemActive();
    nameItem(path, fmt::format("{}\nRange: {:g} to {:g} {}\nDefault: {:g} {}", info.about, info.min, info.max,
                               info.unit, standard, info.unit));
    if (applyOnRelease && held && edited) m_held = number;
    if (!applyOnRelease && edited) value = number;
    if (applyOnRelease && !held && m_held) value = *m_held, m_held.reset();
    ImGui::TableNextColumn();
    if (changed && resetButton(path, fmt::format("Reset to the default {:g} {}", standard, info.unit)))
        value = standard;
    ImGui::PopID();
}

bool PageSettings::draw(Settings& settings, const std::string& wanted) {
    const Settings defaults;
    SearchedRows rows("Settings", wanted, true);
    forEachSetting(settings, [&]<class T>(const SettingInfo& info, T& value) {
        if (!info.label) return;
        if constexpr (std::is_same_v<T, float>) {
            float standard = 0;
            forEachSetting(defaults, [&](const SettingInfo& other, const auto& number) {
                if (std::string_view(other.key) == info.key) standard = float(number);
            });
            drawSetting(rows, info, value, standard, &value == &settings.fontScale);
        }
    });
    if (rows.row(
            "Recording size",
            "Size in pixels of the videos and images that F9 records: as the viewport when it starts, or "
            "fixed."))
        choose("settings.recordingSize", settings.recordingSize, kRecordingSizes, rows.about());
    if (rows.isSearch()) return rows.hasAny();
    rows.endTable();
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    wrappedText(
        "Saved when the window closes, together with window size, panel width, recent scenes, and the render "
        "quality, background, ground and exposure of the page Display.");
    if (const std::filesystem::path file = settingsFile(); !file.empty()) wrappedText(file.string());
    ImGui::PopStyleColor();
    return true;
}

}  // namespace coalesce
