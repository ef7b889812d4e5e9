#include "view/panel/page_changes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <initializer_list>
#include <utility>

#include "core/counted.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"

namespace coalesce {

std::string countsOf(const std::vector<ElementChange>& changes) {
    using Kind = ElementChange::Kind;
    constexpr std::pair<Kind, const char*> kWords[] = {{Kind::Added, "added"},
                                                       {Kind::Removed, "removed"},
                                                       {Kind::Renamed, "renamed"},
                                                       {Kind::Changed, "changed"}};
    std::vector<std::string> counts;
    for (const auto& [kind, word] : kWords)
        if (const auto n = std::ranges::count(changes, kind, &ElementChange::kind); n > 0)
            counts.push_back(counted(size_t(n), std::string(word) + " element"));
    return fmt::format("{}", fmt::join(counts, ", "));
}

std::string saveScene(Session& session, const std::filesystem::path& file) {
    if (file == session.scene().file && !session.isChanged() && session.choice().sets.empty())
        return "No changes to save.";
    try {
        const std::string elements = countsOf(session.elementChanges());
        const size_t values = session.save(file);
        std::string what = values > 0 || elements.empty() ? counted(values, "value") : "";
        if (!elements.empty()) what += (what.empty() ? "" : ", ") + elements;
        return fmt::format("Saved {} to {}.", what, file.filename().string());
    } catch (const Error& error) {
        return error.what();
    }
}

void PageChanges::draw(Session& session, PanelRows& rows) {
    const std::filesystem::path& scene = session.scene().file;
    if (std::exchange(m_scene, scene) != scene) {
        fmt::format_to_n(m_file, sizeof m_file - 1, "{}", scene.filename().string()).out[0] = 0;
        // what was said about another scene
        m_saved.clear(), m_message.clear();
    }
    drawElements(session);
    drawDifferences(session, rows);
    if (isComparing || session.isChanged())
        wantsComparison |= button(
            "compare", isComparing ? "End the comparison" : "Compare with the scene's values", -1,
            "Ctrl+Shift+N: the scene as in the file runs beside the present one, at the same time and with "
            "the same camera. Restart (R) to compare from the beginning.");
    ImGui::Spacing();
    if (!session.playsCache() && heading("heading.sceneFile", "Scene file", true)) drawSceneFile(session);
    if (heading("heading.presets", "Presets", true)) drawPresets(session);
}

namespace {

// "Renamed shapes.gate", and the new name
std::string describe(const ElementChange& change) {
    switch (change.kind) {
        case ElementChange::Kind::Added:
            return "Added " + change.section + "." + change.element;
        case ElementChange::Kind::Removed:
            return "Removed " + change.section + "." + change.before;
        case ElementChange::Kind::Renamed:
            return fmt::format("Renamed {}.{}  \u2192  {}", change.section, change.before, change.element);
        case ElementChange::Kind::Changed:
            return "Changed " + change.section + "." + change.element;
    }
    return "";
}

// A table with the widths of its buttons, which Dear ImGui would know only after a frame.
bool beginChanges(const char* id, std::initializer_list<const char*> buttons) {
    if (!ImGui::BeginTable(id, 1 + int(buttons.size()),
                           ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg))
        return false;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 1);
    for (const char* label : buttons)
        ImGui::TableSetupColumn(label, ImGuiTableColumnFlags_WidthFixed, buttonWidth(label));
    return true;
}

}  // namespace

void PageChanges::drawElements(Session& session) {
    const std::vector<ElementChange> changes = session.elementChanges();
    if (changes.empty()) return;
    wrappedText(countsOf(changes));
    if (!beginChanges("elements", {"Undo"})) return;
    for (const ElementChange& change : changes) {
        const std::string path =
            change.section + "." + (change.element.empty() ? change.before : change.element);
        ImGui::PushID(path.c_str());
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::AlignTextToFramePadding();
        ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
        wrappedText(describe(change));
        ImGui::PopStyleColor();
        ImGui::TableNextColumn();
        if (button("undo." + path, "Undo", 0,
                   "Takes this change back; all but a new name restart the scene."))
            session.undoElementChange(change);
        ImGui::PopID();
    }
    ImGui::EndTable();
}

void PageChanges::drawDifferences(Session& session, PanelRows& rows) {
    const std::vector<Edit> edits = session.differences();
    if (edits.empty()) {
        if (session.elementChanges().empty())
            wrappedText("No changes. Edited values are listed here and can be reset.");
        return;
    }
    const Scene& scene = session.scene();
    if (beginChanges("changes", {"Reset", "Copy"})) {
        for (const Edit& edit : edits) {
            const Edit original = editAt(tunablesOf(scene), edit.path);
            ImGui::PushID(edit.path.c_str());
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::AlignTextToFramePadding();
            ImGui::TextUnformatted(edit.path.c_str());
            ImGui::PushStyleColor(ImGuiCol_Text, kChangedColor);
            wrappedText(textOf(original) + "  \u2192  " + textOf(edit));
            ImGui::PopStyleColor();
            ImGui::TableNextColumn();
            if (button("undo." + edit.path, "Reset")) {
                session.closeStep();
                session.edit(original);
            }
            ImGui::TableNextColumn();
            if (button("copy." + edit.path, "Copy", 0, "Copies it as --set for the command line."))
                rows.copyAsSet({edit});
            ImGui::PopID();
        }
        ImGui::EndTable();
    }
    const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
    if (button("reset all", "Reset all values", half)) {
        std::vector<Edit> back;
        for (const Edit& edit : edits) back.push_back(editAt(tunablesOf(scene), edit.path));
        session.edit(back);
    }
    ImGui::SameLine();
    if (button("copy all", "Copy all as --set", half)) rows.copyAsSet(edits);
}

void PageChanges::saveAs(const Session& session) {
    const std::filesystem::path& scene = session.scene().file;
    std::string stem = scene.stem().string();
    // after dam_break_2 comes dam_break_3
    if (const size_t end = stem.find_last_not_of("0123456789");
        end != std::string::npos && end + 1 < stem.size() && stem[end] == '_')
        stem.resize(end);
    std::error_code ignored;
    int number = 2;
    const auto name = [&] { return fmt::format("{}_{}.json", stem, number); };
    while (std::filesystem::exists(scene.parent_path() / name(), ignored)) ++number;
    fmt::format_to_n(m_file, sizeof m_file - 1, "{}", name()).out[0] = 0;
    m_scene = scene;
    m_saved.clear();
    m_framesToFocus = 3;
}

void PageChanges::drawSceneFile(Session& session) {
    const std::filesystem::path& scene = session.scene().file;
    std::filesystem::path file = scene.parent_path() / m_file;
    if (file.extension() != ".json") file += ".json";
    std::error_code ignored;
    const bool isOther = file != scene, exists = std::filesystem::exists(file, ignored);
    const char* label = isOther && exists ? "Replace" : "Save";
    const float width = buttonWidth("Replace");
    if (m_framesToFocus == 3) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-width - ImGui::GetStyle().ItemSpacing.x);
    const bool entered =
        ImGui::InputText("##scene file", m_file, sizeof m_file, ImGuiInputTextFlags_EnterReturnsTrue);
    nameItem("scene.file", "File name. A relative one is in the folder of the scene.");
    // the page gets its place only after a frame, and Dear ImGui scrolls to what gets the keyboard after another
    if (m_framesToFocus > 0) ImGui::SetScrollHereY(), --m_framesToFocus;
    ImGui::SameLine();
    ImGui::BeginDisabled(m_file[0] == 0);
    const bool pressed =
        button("scene.save", label, width,
               "Writes the changed values into the text of the scene; its comments stay. The "
               "simulation goes on with the saved scene.");
    ImGui::EndDisabled();
    // Enter does not replace another file
    if (pressed || (entered && m_file[0] && !(isOther && exists))) {
        m_saved = saveScene(session, file);
        m_scene = session.scene().file;
        if (m_scene == file)
            fmt::format_to_n(m_file, sizeof m_file - 1, "{}", file.filename().string()).out[0] = 0;
    }
    if (!m_saved.empty()) wrappedText(m_saved);
}

void PageChanges::drawPresets(Session& session) {
    if (!m_listed) {
        m_presets = listPresets(m_folder), m_shipped = listPresets(m_shippedFolder);
        m_listed = true;
    }
    ImGui::SetNextItemWidth(-buttonWidth("Save") - ImGui::GetStyle().ItemSpacing.x);
    const bool entered = ImGui::InputTextWithHint("##preset", "Name of a new preset", m_name, sizeof m_name,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    nameItem("preset.name");
    ImGui::SameLine();
    if (button("preset.save", "Save") || entered) save(session);
    if (ImGui::RadioButton("Changes only", !m_fromDefaults)) m_fromDefaults = false;
    nameItem("preset.changes", "Saves the values that differ from the scene file.");
    ImGui::SameLine();
    if (ImGui::RadioButton("All non-default values", m_fromDefaults)) m_fromDefaults = true;
    nameItem("preset.defaults", "Saves the values that differ from the defaults of the program.");

    if (!m_message.empty()) {
        if (m_failed) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        wrappedText(m_message);
        if (m_failed) ImGui::PopStyleColor();
    }
    if (m_presets.empty()) ImGui::TextDisabled("No presets saved.");
    for (const PresetEntry& preset : std::vector<PresetEntry>(m_presets)) drawPreset(session, preset);
    wrappedText("Folder: " + m_folder.string());
    if (m_shipped.empty()) return;
    ImGui::TextDisabled("Solving methods");
    for (const PresetEntry& preset : std::vector<PresetEntry>(m_shipped)) drawPreset(session, preset);
}

void PageChanges::drawPreset(Session& session, const PresetEntry& preset) {
    ImGui::PushID(preset.file.c_str());
    const bool broken = !preset.error.empty();
    if (broken) ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
    const std::string about =
        broken ? preset.error
               : "Sets the values of the preset, as one undo step." +
                     (preset.scene.empty() ? "" : "\nMade with the scene " + preset.scene + ".") +
                     (preset.about.empty() ? "" : "\n" + preset.about);
    const bool isBeside = std::ranges::find(beside, preset.file) != beside.end();
    const char* label = isBeside ? "Close" : "Beside";
    if (button("preset." + preset.name, preset.name, -buttonWidth("Beside") - ImGui::GetStyle().ItemSpacing.x,
               about))
        load(session, preset);
    if (broken) ImGui::PopStyleColor();
    ImGui::SameLine();
    ImGui::BeginDisabled((broken && !isBeside) || session.playsCache());
    if (button("beside." + preset.name, label, buttonWidth("Beside"),
               "The scene as in the file with this preset runs beside the present one: at the same time, "
               "with the "
               "same camera, up to three. Restart (R) to compare from the beginning."))
        wantsBeside = preset;
    ImGui::EndDisabled();
    ImGui::PopID();
}

void PageChanges::save(Session& session) {
    try {
        const Scene& scene = session.edited();
        const std::vector<Edit> values =
            m_fromDefaults ? differencesFromDefaults(scene) : session.differences();
        const std::filesystem::path file = presetFile(m_folder, m_name);
        if (values.empty()) fail(Exit::Usage, m_name, "there are no changes to save");
        std::error_code ignored;
        std::filesystem::create_directories(m_folder, ignored);
        writePreset({file, "", scene.name, values, {}}, file);
        m_message = fmt::format("Saved {} as \"{}\".", counted(values.size(), "value"), m_name);
        m_failed = false, m_name[0] = 0;
    } catch (const Error& error) {
        m_message = error.what(), m_failed = true;
    }
    m_listed = false;
}

void PageChanges::load(Session& session, const PresetEntry& entry) {
    try {
        const std::vector<Edit> values = valuesFor(session.edited(), readPreset(entry.file));
        const std::string error = session.edit(values);
        if (!error.empty()) fail(Exit::Scene, entry.file.string(), error);
        m_message = fmt::format("Set {} of \"{}\".", counted(values.size(), "value"), entry.name);
        m_failed = false;
    } catch (const Error& error) {
        m_message = std::string(error.what()) + "\nNo value was changed.", m_failed = true;
    }
    m_listed = false;
}

}  // namespace coalesce
