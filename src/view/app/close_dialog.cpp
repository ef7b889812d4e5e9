#include "view/app/close_dialog.h"

#include <algorithm>
#include <imgui.h>

#include "view/panel/page_changes.h"
#include "view/widgets/colors.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {
constexpr const char* kTitle = "Unsaved changes";
}

bool CloseDialog::mayClose(Session& session) {
    if (session.playsCache() || !session.isChanged()) return true;
    m_isShown = true;
    m_problem.clear();
    return false;
}

bool CloseDialog::draw(Session& session, float width, float height) {
    if (!m_isShown) return false;
    if (!ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({width / 2, height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    const float wide = std::min(30 * em, 0.95f * width);
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, height});
    if (!ImGui::BeginPopupModal(
            kTitle, nullptr,
            ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings))
        return false;
    const std::filesystem::path& file = session.scene().file;
    wrappedText("The scene " + session.scene().name +
                " has changes that are not saved. The page Changes of the panel lists them.");
    if (!m_problem.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        wrappedText(m_problem);
        ImGui::PopStyleColor();
    }
    ImGui::Spacing();
    bool closes = false;
    const float third = (ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
    if (button("close.save", "Save", third, "Saves them in " + file.string() + ", and closes.")) {
        m_problem = saveScene(session, file);
        closes = !session.isChanged();
    }
    ImGui::SameLine();
    if (button("close.discard", "Discard", third, "Closes without them.")) closes = true;
    ImGui::SameLine();
    const bool escaped = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
    if (button("close.cancel", "Cancel", third, "Esc: the window stays open.") || escaped) m_isShown = false;
    if (closes) m_isShown = false;
    if (!m_isShown) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return closes;
}

}  // namespace coalesce
