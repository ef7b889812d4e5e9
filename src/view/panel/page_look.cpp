#include "view/panel/page_look.h"

#include <algorithm>
#include <cmath>
#include <glm/trigonometric.hpp>
#include <imgui.h>

#include "bridge/scene_camera.h"

namespace coalesce {

namespace {

void explain(const char* about) {
    if (*about && ImGui::IsItemHovered()) wrappedTooltip(about);
}

// A choice of an enum by its names, in their order; true when another one was taken.
template <class Enum, size_t N>
bool choose(const char* id, Enum& value, const char* const (&names)[N]) {
    int chosen = static_cast<int>(value);
    if (!ImGui::Combo(id, &chosen, names, static_cast<int>(N))) return false;
    value = static_cast<Enum>(chosen);
    return true;
}

class DisplayPage {
public:
    DisplayPage(Session& session, ViewSettings& look, PanelRows& rows)
        : m_session(session), m_look(look), m_rows(rows) {}

    void draw() {
        if (!beginRows("look")) return;
        drawShown();
        drawSurroundings();
        drawCamera();
        drawBuffer();
        ImGui::EndTable();
        drawSwitches();
        drawLines();
        ImGui::Spacing();
    }

private:
    void drawShown() {
        static constexpr const char* kQualities[] = {"points", "spheres", "ellipsoids", "record"};
        row("Draw as");
        const bool surface = m_look.draw.mode == DrawMode::Surface;
        if (ImGui::BeginCombo("##show", surface ? "surface" : infoOf(m_look.quantity).label,
                              ImGuiComboFlags_HeightLarge)) {
            if (ImGui::Selectable("surface", surface)) m_look.draw.mode = DrawMode::Surface;
            for (const QuantityInfo& q : kQuantities) {
                if (ImGui::Selectable(q.label, !surface && q.quantity == m_look.quantity))
                    m_look.showQuantity(q.quantity);
                explain(q.about);
            }
            ImGui::EndCombo();
        }
        explain(
            "What the picture shows: liquids with their surface, or all particles in the colors of a value "
            "(also keys 1 to 6 and 0).");
        m_rows.place("look.show");
        row("Quality");
        choose("##quality", m_look.draw.quality, kQualities);
        explain(
            "How liquids are drawn, from the fastest to the best: points, spheres, ellipsoids (particles "
            "drawn "
            "out along the surface), record (the same with several samples in a pixel).");
        m_rows.place("look.quality");
    }

    void drawSurroundings() {
        DrawOptions& draw = m_look.draw;
        row("Background");
        if (choose("##background", draw.background, kBackgroundNames)) m_look.chooseSky(draw.background);
        m_rows.place("look.background");
        row("Ground");
        choose("##ground", draw.ground, kGroundNames);
        m_rows.place("look.ground");
        // as --sun takes it
        row("Sun");
        const glm::vec3 d = glm::normalize(draw.sunDirection);
        float angles[2] = {glm::degrees(std::atan2(d.x, -d.z)),
                           glm::degrees(std::asin(std::clamp(d.y, -1.0f, 1.0f)))};
        if (ImGui::DragFloat2("##sun", angles, 0.5f, -180, 180, "%.0f deg"))
            draw.sunDirection = sunDirection(angles[0], std::clamp(angles[1], 2.0f, 89.0f));
        explain("Where the sun stands: from -z towards +x, and above the horizon.");
        m_rows.place("look.sun");
        row("Exposure");
        ImGui::SliderFloat("##exposure", &draw.exposure, 0.1f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
        m_rows.place("look.exposure");
    }

    void drawCamera() {
        static constexpr const char* kClothWays[] = {"solid", "outlined", "wire"};
        const std::vector<CameraView>& cameras = m_session.scene().cameras;
        row("Camera");
        const size_t shown = std::min(m_look.cameraIndex, cameras.size() - 1);
        if (ImGui::BeginCombo("##camera", cameras[shown].name.c_str())) {
            for (size_t k = 0; k < cameras.size(); ++k) {
                ImGui::PushID(static_cast<int>(k));
                if (ImGui::Selectable(cameras[k].name.c_str(), k == shown)) {
                    m_look.cameraIndex = k;
                    m_look.camera = cameraOf(cameras[k]);
                }
                ImGui::PopID();
            }
            ImGui::EndCombo();
        }
        row("Cloth");
        choose("##cloth", m_look.draw.cloth, kClothWays);
    }

    // An intermediate map of the drawing, beside the picture.
    void drawBuffer() {
        DrawOptions& draw = m_look.draw;
        row("Compare with");
        if (ImGui::BeginCombo("##buffer", draw.buffer.empty() ? "none" : draw.buffer.c_str(),
                              ImGuiComboFlags_HeightLarge)) {
            if (ImGui::Selectable("none", draw.buffer.empty())) draw.buffer.clear();
            for (const BufferView& view : bufferViews()) {
                if (ImGui::Selectable(view.name, draw.buffer == view.name)) draw.buffer = view.name;
                explain(view.about);
            }
            ImGui::EndCombo();
        }
        explain(
            "Right of a line, the picture makes way for one of the images (buffers) that it is made of: "
            "depth, "
            "thickness, normals …");
        m_rows.place("look.buffer");
        if (draw.buffer.empty()) return;
        row("Line at");
        ImGui::SliderFloat("##split", &draw.split, 0, 1, "%.2f", ImGuiSliderFlags_AlwaysClamp);
        explain("Where the split stands: the picture is left of it, the buffer right.");
        m_rows.place("look.split");
    }

    void drawSwitches() {
        DrawOptions& draw = m_look.draw;
        ImGui::Checkbox("Shapes", &draw.shapes);
        explain("Floors, walls, and whatever else particles cannot enter.");
        ImGui::SameLine();
        ImGui::Checkbox("Outlines", &draw.wire);
        explain("The edges of all shapes, also of those that are not drawn.");
        ImGui::SameLine();
        ImGui::Checkbox("Shadows", &draw.shadows);
        explain("Of the sun, those of water in its color.");
        ImGui::Checkbox("Emitters and sinks", &m_look.gizmos);
        explain("Outlines (gizmos) of where particles come from and go to, while the scene is paused.");
        m_rows.place("look.gizmos");
    }

    void drawLines() {
        if (!ImGui::TreeNodeEx("Lines", m_look.lines.empty() ? 0 : ImGuiTreeNodeFlags_DefaultOpen)) {
            m_rows.place("look.lines");
            return;
        }
        m_rows.place("look.lines");
        if (ImGui::BeginTable("lines", 2)) {
            for (const LineViewInfo& info : kLineViews) {
                ImGui::TableNextColumn();
                bool on = m_look.lines.has(info.view);
                if (ImGui::Checkbox(info.word, &on)) m_look.lines.set(info.view, on);
                explain(info.about);
                m_rows.place(std::string("look.lines.") + info.word);
            }
            ImGui::EndTable();
        }
        ImGui::TreePop();
    }

    Session& m_session;
    ViewSettings& m_look;
    PanelRows& m_rows;
};

}  // namespace

void drawDisplayPage(Session& session, ViewSettings& look, PanelRows& rows) {
    DisplayPage(session, look, rows).draw();
}

}  // namespace coalesce
