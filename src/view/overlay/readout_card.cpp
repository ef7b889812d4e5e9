#include "view/overlay/readout_card.h"

#include <algorithm>
#include <imgui.h>
#include <span>

#include "sim/interaction/pick.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

void drawLines(std::span<const ParticleReadout::Line> lines) {
    if (!ImGui::BeginTable("facts", 2)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 5.5f);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    std::string heading = lines.empty() ? "" : lines.front().heading;
    for (const ParticleReadout::Line& line : lines) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        if (line.heading != heading) {
            heading = line.heading;
            ImGui::Separator();
            ImGui::TextUnformatted(heading.c_str());
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
        }
        ImGui::TextDisabled("%s", line.name.c_str());
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(line.value.c_str());
    }
    ImGui::EndTable();
}

}  // namespace

void ReadoutCard::draw(Session& session, ViewSettings& view, float left, float height) {
    // ids of a rebuilt world are other particles
    if (m_worldGeneration != session.worldGeneration()) {
        if (m_readout.id() && view.picked == m_readout.id()) view.picked.reset();
        m_worldGeneration = session.worldGeneration();
        m_readout.follow({});
    }
    if (view.picked != m_readout.id()) {
        m_readout.follow(view.picked);
        m_step = ~uint64_t{0};
    }
    if (!view.picked) return;
    if (m_step != session.world().step) {
        m_step = session.world().step;
        m_readout.read(session.world(), session.solver());
    }
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({left + 10, height - 10}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({em * 24, 0}, {em * 28, height - 20});
    ImGui::SetNextWindowBgAlpha(0.82f);
    ImGui::Begin("Selected particle", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::TextUnformatted("Selected particle");
    ImGui::SameLine(ImGui::GetWindowWidth() - 6 * em);
    if (smallButton("deselect", "Deselect")) view.picked.reset();
    if (m_readout.isRemoved()) ImGui::TextDisabled("Removed; these are its last values.");
    // the arrays of the solver are for those who debug it
    const std::vector<ParticleReadout::Line> lines = m_readout.lines(session.world());
    const auto arrays = std::ranges::find(lines, "arrays", &ParticleReadout::Line::heading);
    drawLines({lines.begin(), arrays});
    if (arrays != lines.end() && heading("readout.arrays", "Arrays of the solver", false))
        drawLines({arrays, lines.end()});
    ImGui::End();
}

bool focusPicked(Session& session, ViewSettings& view) {
    if (!view.picked) return false;
    const auto at = placeOf(session.world(), *view.picked);
    if (!at) return false;
    float spacing = 0.02f;
    for (const Material& m : session.world().materials) spacing = std::max(spacing, m.properties.spacing);
    Camera& camera = view.camera;
    const glm::vec3 place(at->x, at->y, at->z), back = camera.eye - camera.look;
    const bool orthographic = camera.orthographicHeight > 0;
    const float nearest = 14 * spacing, distance = glm::length(back);
    camera.look = place;
    camera.eye = place + (orthographic ? distance : std::min(distance, nearest)) * glm::normalize(back);
    camera.orthographicHeight = std::min(camera.orthographicHeight, nearest);
    return true;
}

}  // namespace coalesce
