#include "view/panel/page_materials.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <imgui.h>

#include "kernels/particles/material_constants.h"
#include "sim/world/material_kinds.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

constexpr uint64_t kCountInterval = 30;  // frames

std::string capital(std::string text) {
    if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string nameOf(MaterialKind kind) {
    return std::string(choiceNames<MaterialKind>()[size_t(kind)]);
}

ImVec4 swatch(Vec3 c) {
    return {c.x, c.y, c.z, 1};
}

}  // namespace

void PageMaterials::count(const Session& session) {
    const World& world = session.world();
    if (m_generation == session.generation() && world.frame < m_frame + kCountInterval &&
        world.frame >= m_frame)
        return;
    m_generation = session.generation(), m_frame = world.frame;
    m_particles.assign(world.materials.size(), 0);
    for (const uint32_t phase : world.particles.phase.download()) ++m_particles.at(materialOf(phase));
}

void PageMaterials::choose(const Session& session) {
    const std::vector<Material>& materials = session.world().materials;
    const bool known = std::any_of(materials.begin(), materials.end(),
                                   [&](const Material& m) { return m.name == m_chosen; });
    if (!known && !materials.empty()) m_chosen = materials[0].name;
    for (size_t k = 0; k < materials.size(); ++k) {
        const Material& m = materials[k];
        ImGui::PushID(int(k));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float line = ImGui::GetFrameHeight(), size = line * 0.6f,
                    room = ImGui::GetContentRegionAvail().x;
        ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, {0, 0.5f});
        if (ImGui::Selectable(("      " + m.name).c_str(), m.name == m_chosen, 0, {0, line}))
            m_chosen = m.name;
        ImGui::PopStyleVar();
        nameItem("material." + m.name);
        const float x = at.x + 4, y = at.y + (line - size) / 2;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({x, y}, {x + size, y + size}, ImGui::GetColorU32(swatch(m.properties.color)), 3);
        const std::string many = fmt::format("{}, {}", nameOf(m.properties.kind),
                                             particleCount(k < m_particles.size() ? m_particles[k] : 0));
        list->AddText({at.x + room - ImGui::CalcTextSize(many.c_str()).x - 6,
                       at.y + (line - ImGui::GetTextLineHeight()) / 2},
                      ImGui::GetColorU32(ImGuiCol_TextDisabled), many.c_str());
        ImGui::PopID();
    }
}

void PageMaterials::draw(Session& session, PanelRows& rows) {
    count(session);
    choose(session);
    ImGui::Separator();
    const auto& materials = session.world().materials;
    const auto chosen = std::find_if(materials.begin(), materials.end(),
                                     [&](const Material& m) { return m.name == m_chosen; });
    if (chosen == materials.end()) return;
    const MaterialKind kind = chosen->properties.kind;

    // the appearance is the end of the manifest, from the first color on
    std::vector<std::string> appearance;
    for (const PanelRows::Value& v : rows.values()) {
        if (v.now.section != "materials" || v.now.element != m_chosen) continue;
        if (!appearance.empty() || std::string_view(v.now.info.unit) == "linear RGB")
            appearance.emplace_back(v.now.info.name);
    }
    enum Section { Own, General, Appearance, Others };
    const auto sectionOf = [&](const PanelRows::Value& v) {
        const std::vector<MaterialKind> kinds = kindsOf(v.now.info.about);
        const bool fits = kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
        if (!fits) return Others;
        if (std::ranges::count(appearance, v.now.info.name)) return Appearance;
        return kinds.empty() ? General : Own;
    };
    const auto section = [&](const std::string& title, Section of, bool open) {
        const std::string id = fmt::format("material.{}.{}", m_chosen, int(of));
        rows.drawFolded(title, id.c_str(), open, [&](const PanelRows::Value& v) {
            return v.now.section == "materials" && v.now.element == m_chosen && v.used && sectionOf(v) == of;
        });
    };
    section(capital(m_chosen), General, true);
    section(capital(kind == MaterialKind::fluid ? "liquid" : nameOf(kind)) + " properties", Own, true);
    section("Appearance", Appearance, true);
    section("Properties of other kinds", Others, false);
}

}  // namespace coalesce
