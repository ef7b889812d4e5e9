#include "view/panel/page_materials.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <imgui.h>

#include "kernels/particles/material_constants.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

constexpr uint64_t kCountEvery = 30;  // frames

std::string capital(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string nameOf(MaterialKind kind) {
    return std::string(choiceNames<MaterialKind>()[static_cast<size_t>(kind)]);
}

ImVec4 swatch(Vec3 c) {
    return {c.x, c.y, c.z, 1};
}

}  // namespace

std::vector<MaterialKind> kindsOf(const char* about) {
    const std::string_view sentence(about);
    const size_t colon = sentence.find(": ");
    if (colon == std::string_view::npos) return {};
    std::vector<MaterialKind> kinds;
    std::string_view words = sentence.substr(0, colon);
    while (!words.empty()) {
        const size_t comma = words.find(", ");
        std::string word = lowercase(std::string(words.substr(0, comma)));
        words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 2);
        if (word == "liquid") word = nameOf(MaterialKind::fluid);
        const auto& names = choiceNames<MaterialKind>();
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) return {};
        kinds.push_back(static_cast<MaterialKind>(found - names.begin()));
    }
    return kinds;
}

void PageMaterials::count(const Session& session) {
    const World& world = session.world();
    if (m_generation == session.generation() && world.frame < m_frame + kCountEvery && world.frame >= m_frame)
        return;
    m_generation = session.generation(), m_frame = world.frame;
    m_particles.assign(world.materials.size(), 0);
    for (const uint32_t phase : world.particles.phase.download()) ++m_particles.at(materialOf(phase));
}

void PageMaterials::choose(const Session& session, PanelRows& rows) {
    const std::vector<Material>& materials = session.world().materials;
    const bool known = std::any_of(materials.begin(), materials.end(),
                                   [&](const Material& m) { return m.name == m_chosen; });
    if (!known && !materials.empty()) m_chosen = materials[0].name;
    for (size_t k = 0; k < materials.size(); ++k) {
        const Material& m = materials[k];
        ImGui::PushID(static_cast<int>(k));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float line = ImGui::GetFrameHeight(), size = line * 0.6f,
                    room = ImGui::GetContentRegionAvail().x;
        ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, {0, 0.5f});
        if (ImGui::Selectable(("      " + m.name).c_str(), m.name == m_chosen, 0, {0, line}))
            m_chosen = m.name;
        ImGui::PopStyleVar();
        rows.place("material." + m.name);
        const float x = at.x + 4, y = at.y + (line - size) / 2;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({x, y}, {x + size, y + size}, ImGui::GetColorU32(swatch(m.properties.color)), 3);
        const std::string many = fmt::format("{}, {} particles", nameOf(m.properties.kind),
                                             k < m_particles.size() ? m_particles[k] : 0);
        list->AddText({at.x + room - ImGui::CalcTextSize(many.c_str()).x - 6,
                       at.y + (line - ImGui::GetTextLineHeight()) / 2},
                      ImGui::GetColorU32(ImGuiCol_TextDisabled), many.c_str());
        ImGui::PopID();
    }
}

void PageMaterials::draw(Session& session, PanelRows& rows) {
    count(session);
    choose(session, rows);
    ImGui::Separator();
    const auto& materials = session.world().materials;
    const auto chosen = std::find_if(materials.begin(), materials.end(),
                                     [&](const Material& m) { return m.name == m_chosen; });
    if (chosen == materials.end()) return;
    const MaterialKind kind = chosen->properties.kind;

    // the look stands at the end of the manifest, from its first color on
    std::vector<std::string> look;
    for (const PanelRows::Value& v : rows.values()) {
        if (v.now.section != "materials" || v.now.element != m_chosen) continue;
        if (!look.empty() || std::string_view(v.now.info.unit) == "linear RGB")
            look.emplace_back(v.now.info.name);
    }
    enum Part { Own, General, ViewSettings, Others };
    const auto partOf = [&](const PanelRows::Value& v) {
        const std::vector<MaterialKind> kinds = kindsOf(v.now.info.about);
        const bool fits = kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
        if (!fits) return Others;
        if (std::find(look.begin(), look.end(), v.now.info.name) != look.end()) return ViewSettings;
        return kinds.empty() ? General : Own;
    };
    const auto section = [&](const std::string& heading, Part part, bool open) {
        const std::string id = fmt::format("material.{}.{}", m_chosen, static_cast<int>(part));
        rows.drawFolded(heading, id.c_str(), open, [&](const PanelRows::Value& v) {
            return v.now.section == "materials" && v.now.element == m_chosen && partOf(v) == part;
        });
    };
    section(capital(m_chosen), General, true);
    section("Only of " + std::string(kind == MaterialKind::fluid ? "liquids" : nameOf(kind)), Own, true);
    section("Look", ViewSettings, true);
    section("Of other kinds of material", Others, false);
}

}  // namespace coalesce
