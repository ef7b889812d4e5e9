#include "view/overlay/readout_card.h"

#include <imgui.h>

#include "sim/interaction/pick.h"

namespace coalesce {

void ReadoutCard::draw(Session& session, ViewSettings& look, float left, float height) {
    // a world that was built anew has other particles
    if (m_worlds != session.worlds()) {
        if (m_readout.id() && look.picked == m_readout.id()) look.picked.reset();
        m_worlds = session.worlds();
        m_readout.follow({});
    }
    if (look.picked != m_readout.id()) {
        m_readout.follow(look.picked);
        m_step = ~uint64_t{0};
    }
    if (!look.picked) return;
    if (m_step != session.world().step) {
        m_step = session.world().step;
        m_readout.read(session.world(), session.solver());
    }
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({left + 10, height - 10}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({em * 24, 0}, {em * 28, height - 20});
    ImGui::SetNextWindowBgAlpha(0.82f);
    ImGui::Begin("Picked particle", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::TextUnformatted("Picked particle");
    ImGui::SameLine(ImGui::GetWindowWidth() - 5 * em);
    if (ImGui::SmallButton("Let go")) look.picked.reset();
    if (m_readout.isGone()) ImGui::TextDisabled("It is gone; this was the last of it.");
    if (ImGui::BeginTable("facts", 2)) {
        ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, em * 5.5f);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        std::string under;
        for (const ParticleReadout::Line& line : m_readout.lines(session.world())) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            if (line.under != under) {
                under = line.under;
                ImGui::Separator();
                ImGui::TextUnformatted(under.c_str());
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
            }
            ImGui::TextDisabled("%s", line.name.c_str());
            ImGui::TableNextColumn();
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(line.value.c_str());
            ImGui::PopTextWrapPos();
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

bool focusPicked(Session& session, ViewSettings& look) {
    if (!look.picked) return false;
    const auto at = placeOf(session.world(), *look.picked);
    if (!at) return false;
    float spacing = 0.02f;
    for (const Material& m : session.world().materials) spacing = std::max(spacing, m.properties.spacing);
    const glm::vec3 place(at->x, at->y, at->z), back = look.camera.eye - look.camera.look;
    const float distance = std::min(glm::length(back), 14 * spacing);
    look.camera.look = place;
    look.camera.eye = place + distance * glm::normalize(back);
    return true;
}

}  // namespace coalesce
