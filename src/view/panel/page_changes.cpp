#include "view/panel/page_changes.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "view/widgets/colors.h"

namespace coalesce {

void PageChanges::draw(Session& session, PanelRows& rows) {
    drawDifferences(session, rows);
    ImGui::Spacing();
    if (ImGui::CollapsingHeader("Presets", ImGuiTreeNodeFlags_DefaultOpen)) drawPresets(session, rows);
}

void PageChanges::drawDifferences(Session& session, PanelRows& rows) {
    const std::vector<Edit> edits = session.differences();
    if (edits.empty()) {
        wrappedText("Everything is as in the scene file. What you change shows up here, with a way back.");
        return;
    }
    const Scene& scene = session.scene();
    if (ImGui::BeginTable("changes", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg)) {
        ImGui::TableSetupColumn("path", ImGuiTableColumnFlags_WidthStretch);
        ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed);
        ImGui::TableSetupColumn("copy", ImGuiTableColumnFlags_WidthFixed);
        for (const Edit& edit : edits) {
            const Edit original = editAt(tunablesOf(scene), edit.path);
            ImGui::PushID(edit.path.c_str());
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::AlignTextToFramePadding();
            ImGui::TextUnformatted(edit.path.c_str());
            ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
            wrappedText(wordsOf(original) + "  \u2192  " + wordsOf(edit));
            ImGui::PopStyleColor();
            ImGui::TableNextColumn();
            if (ImGui::Button("Reset")) {
                session.closeStep();
                session.edit(original);
            }
            rows.place("undo." + edit.path);
            ImGui::TableNextColumn();
            if (ImGui::Button("Copy")) rows.copyAsSet({edit});
            rows.place("copy." + edit.path);
            if (ImGui::IsItemHovered()) wrappedTooltip("As --set for the command line.");
            ImGui::PopID();
        }
        ImGui::EndTable();
    }
    const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
    if (ImGui::Button("Reset all", {half, 0})) {
        std::vector<Edit> back;
        for (const Edit& edit : edits) back.push_back(editAt(tunablesOf(scene), edit.path));
        session.edit(back);
    }
    rows.place("reset all");
    ImGui::SameLine();
    if (ImGui::Button("Copy all as --set", {half, 0})) rows.copyAsSet(edits);
    rows.place("copy all");
}

void PageChanges::drawPresets(Session& session, PanelRows& rows) {
    if (!m_listed) m_presets = listPresets(m_folder), m_listed = true;
    const float button = ImGui::CalcTextSize("Save").x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SetNextItemWidth(-button - ImGui::GetStyle().ItemSpacing.x);
    const bool entered = ImGui::InputTextWithHint("##preset", "Name of a new preset", m_name, sizeof m_name,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    rows.place("preset.name");
    ImGui::SameLine();
    if (ImGui::Button("Save") || entered) save(session);
    rows.place("preset.save");
    if (ImGui::RadioButton("what differs from the scene", !m_fromDefaults)) m_fromDefaults = false;
    if (ImGui::RadioButton("what differs from the defaults", m_fromDefaults)) m_fromDefaults = true;
    rows.place("preset.defaults");

    if (!m_message.empty()) {
        if (m_failed) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        wrappedText(m_message);
        if (m_failed) ImGui::PopStyleColor();
    }
    if (m_presets.empty()) ImGui::TextDisabled("None saved yet.");
    for (const PresetEntry& preset : std::vector<PresetEntry>(m_presets)) {
        ImGui::PushID(preset.name.c_str());
        const bool broken = !preset.error.empty();
        if (broken) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        if (ImGui::Button(preset.name.c_str(), {-1, 0})) load(session, preset);
        if (broken) ImGui::PopStyleColor();
        rows.place("preset." + preset.name);
        if (ImGui::IsItemHovered())
            wrappedTooltip(broken ? preset.error
                                  : "Sets its values, as one step of undo." +
                                        (preset.scene.empty() ? "" : "\nMade with " + preset.scene + ".") +
                                        (preset.about.empty() ? "" : "\n" + preset.about));
        ImGui::PopID();
    }
    ImGui::TextDisabled("Folder");
    if (ImGui::IsItemHovered()) wrappedTooltip(m_folder.string());
}

void PageChanges::save(Session& session) {
    try {
        const Scene& scene = session.edited();
        const std::vector<Edit> values =
            m_fromDefaults ? differencesFromDefaults(scene) : session.differences();
        const std::filesystem::path file = presetFile(m_folder, m_name);
        if (values.empty()) fail(Exit::Usage, m_name, "nothing differs, so there is nothing to save");
        std::error_code ignored;
        std::filesystem::create_directories(m_folder, ignored);
        writePreset({file, "", scene.name, values, {}}, file);
        m_message = fmt::format("Saved {} values as \"{}\".", values.size(), m_name);
        m_failed = false, m_name[0] = 0;
    } catch (const Error& error) {
        m_message = error.what(), m_failed = true;
    }
    m_listed = false;
}

void PageChanges::load(Session& session, const PresetEntry& entry) {
    try {
        const std::vector<Edit> values = valuesFor(session.edited(), readPreset(entry.file));
        const std::string trouble = session.edit(values);
        if (!trouble.empty()) fail(Exit::Scene, entry.file.string(), trouble);
        m_message = fmt::format("Set {} values of \"{}\".", values.size(), entry.name);
        m_failed = false;
    } catch (const Error& error) {
        m_message = std::string(error.what()) + "\nNothing was changed.", m_failed = true;
    }
    m_listed = false;
}

}  // namespace coalesce
