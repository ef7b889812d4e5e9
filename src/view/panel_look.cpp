#include "view/panel_look.h"

#include <algorithm>
#include <imgui.h>

#include "bridge/scene_camera.h"

namespace coalesce {

void drawLook(const Session& session, Look& look, PanelRows& rows) {
    if (!beginRows("look")) return;
    row("Show");
    const bool surface = look.draw.mode == DrawMode::Surface;
    if (ImGui::BeginCombo("##show", surface ? "surface" : infoOf(look.quantity).label)) {
        if (ImGui::Selectable("surface", surface)) look.draw.mode = DrawMode::Surface;
        for (const QuantityInfo& q : kQuantities)
            if (ImGui::Selectable(q.label, !surface && q.quantity == look.quantity))
                look.showQuantity(q.quantity);
        ImGui::EndCombo();
    }
    rows.place("look.show");
    row("Quality");
    int quality = static_cast<int>(look.draw.quality);
    if (ImGui::Combo("##quality", &quality, "points\0spheres\0ellipsoids\0record\0"))
        look.draw.quality = static_cast<Quality>(quality);
    row("Background");
    int background = static_cast<int>(look.draw.background);
    if (ImGui::Combo("##background", &background, "studio\0sky\0plain\0"))
        look.draw.background = static_cast<Background>(background);
    row("Exposure");
    ImGui::SliderFloat("##exposure", &look.draw.exposure, 0.1f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
    const std::vector<CameraView>& cameras = session.scene().cameras;
    row("Camera");
    const size_t shown = std::min(look.cameraIndex, cameras.size() - 1);
    if (ImGui::BeginCombo("##camera", cameras[shown].name.c_str())) {
        for (size_t k = 0; k < cameras.size(); ++k) {
            ImGui::PushID(static_cast<int>(k));
            if (ImGui::Selectable(cameras[k].name.c_str(), k == shown)) {
                look.cameraIndex = k;
                look.camera = cameraOf(cameras[k]);
            }
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    row("Cloth");
    int cloth = static_cast<int>(look.draw.cloth);
    if (ImGui::Combo("##cloth", &cloth, "solid\0outlined\0wire\0"))
        look.draw.cloth = static_cast<ClothWay>(cloth);
    ImGui::EndTable();
    ImGui::Checkbox("Shapes", &look.draw.shapes);
    ImGui::SameLine();
    ImGui::Checkbox("Outlines", &look.draw.wire);
    ImGui::SameLine();
    ImGui::Checkbox("Shadows", &look.draw.shadows);
    ImGui::SameLine();
    ImGui::Checkbox("Contacts", &look.contactLines);
    ImGui::SameLine();
    ImGui::Checkbox("Springs", &look.springLines);
    ImGui::Spacing();
}

}  // namespace coalesce
