#include "view/panel/page_settings.h"

#include <fmt/format.h>
#include <imgui.h>
#include <type_traits>

#include "view/widgets/colors.h"

namespace coalesce {

void PageSettings::draw(Settings& settings, PanelRows& rows) {
    const Settings defaults;
    if (!beginValues("settings")) return;
    forEachSetting(settings, [&]<class T>(const SettingInfo& info, T& value) {
        if (!info.label) return;
        if constexpr (std::is_same_v<T, float>) {
            float standard = 0;
            forEachSetting(defaults, [&](const SettingInfo& other, const auto& number) {
                if (std::string_view(other.key) == info.key) standard = static_cast<float>(number);
            });
            const bool late = &value == &settings.fontScale, changed = value != standard;
            const std::string path = std::string("settings.") + info.key;
            ImGui::PushID(info.key);
            if (changed) ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
            row(info.label);
            float number = late ? m_fontScale.value_or(value) : value;
            const bool edited =
                ImGui::SliderFloat("##value", &number, static_cast<float>(info.least),
                                   static_cast<float>(info.most), fmt::format("%.4g {}", info.unit).c_str(),
                                   ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
            if (changed) ImGui::PopStyleColor();
            const bool held = ImGui::IsItemActive();
            rows.place(path);
            if (ImGui::IsItemHovered() && !held)
                wrappedTooltip(fmt::format("{}\n{:g} to {:g} {}; {:g} where nothing else is said.",
                                           info.about, info.least, info.most, info.unit, standard));
            if (late && held && edited) m_fontScale = number;
            if (!late && edited) value = number;
            if (late && !held && m_fontScale) value = *m_fontScale, m_fontScale.reset();
            ImGui::TableNextColumn();
            if (changed) {
                if (resetButton()) value = standard;
                rows.place("reset." + path);
                if (ImGui::IsItemHovered())
                    wrappedTooltip(fmt::format("Back to {:g} {}.", standard, info.unit));
            }
            ImGui::PopID();
        }
    });
    ImGui::EndTable();
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    wrappedText(
        "Kept when the window closes, with its size, the width of the panel, the last scenes, and quality, "
        "background, ground and exposure of the page Look.");
    if (const std::filesystem::path file = settingsFile(); !file.empty()) wrappedText(file.string());
    ImGui::PopStyleColor();
}

}  // namespace coalesce
