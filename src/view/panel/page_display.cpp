#include "view/panel/page_display.h"

#include <algorithm>
#include <cmath>
#include <glm/trigonometric.hpp>
#include <imgui.h>

#include "view/viewport/camera_control.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

void explain(const char* about) {
    if (*about && ImGui::IsItemHovered()) wrappedTooltip(about);
}

void drawColoring(ViewSettings& view) {
    row("Color by");
    const bool surface = view.draw.mode == DrawMode::Surface;
    if (ImGui::BeginCombo("##show", surface ? "liquid surface" : infoOf(view.quantity).label,
                          ImGuiComboFlags_HeightLarge)) {
        if (ImGui::Selectable("liquid surface", surface)) view.draw.mode = DrawMode::Surface;
        for (const QuantityInfo& q : kQuantities) {
            if (ImGui::Selectable(q.label, !surface && q.quantity == view.quantity))
                view.showQuantity(q.quantity);
            explain(q.about);
        }
        ImGui::EndCombo();
    }
    nameItem("display.show",
             "Liquids with their rendered surface, or all particles colored by a quantity (keys 0 to 6).");
    row("Render quality");
    choose("display.quality", view.draw.quality, kQualityLabels,
           "How liquids are drawn. Points: unshaded. Fast: spheres. Standard: ellipsoids along the surface. "
           "Final: ellipsoids, several samples per pixel.");
    row("Draft");
    static constexpr const char* kDrafts[] = {"automatic", "on", "off"};
    choose("display.draft", view.draft, kDrafts,
           "Half the resolution, no shadows and no ambient occlusion, so that the view follows the mouse. "
           "Automatic: where drawing an image takes more than 0.1 s. Recordings and screenshots are always "
           "full.");
    row("Liquid surface");
    static constexpr const char* kSurfaces[] = {"from particles", "mesh"};
    choose("display.surface", view.meshed, kSurfaces,
           "From particles: smoothed in the image, fast. Mesh: a triangle mesh made in every frame, the same "
           "as that "
           "of coalesce mesh; slower, without bumps of single particles.");
    if (!view.meshed) return;
    row("Mesh cell");
    ImGui::SliderFloat("##cell", &view.mesh.cell, 0.25f, 2, "%.2f d", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.mesh.cell",
             "Distance of the grid nodes in particle spacings; smaller is finer and slower.");
    row("Mesh smoothing");
    ImGui::SliderInt("##smoothing", &view.mesh.smoothing, 0, 50, "%d", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.mesh.smoothing", "Number of smoothing passes over the mesh; its volume stays.");
    row("Mesh kernels");
    static constexpr const char* kKernels[] = {"round", "anisotropic"};
    choose("display.mesh.kernels", view.mesh.anisotropic, kKernels,
           "Anisotropic: particles are flattened along the surface, so that sheets and edges stay thin; "
           "slower.");
    row("Smallest piece");
    ImGui::SliderFloat("##minPiece", &view.mesh.minPiece, 0, 50, "%.0f particles",
                       ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.mesh.minPiece", "Pieces and cavities with a smaller volume are left out.");
    row("Merge vertices");
    ImGui::SliderFloat("##merge", &view.mesh.merge, 0, 0.5f, "%.2f cells", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.mesh.merge",
             "Merges vertices at most this far from the same grid node; removes narrow triangles.");
    row("Decimation");
    ImGui::SliderFloat("##decimation", &view.mesh.decimation, 0, 1, "%.2f d", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.mesh.decimation",
             "Collapses edges while the surface moves by less than this; slow with many triangles.");
}

void drawSurroundings(ViewSettings& view) {
    DrawOptions& draw = view.draw;
    row("Background");
    if (choose("display.background", draw.background, kBackgroundNames)) view.chooseSky(draw.background);
    row("Environment");
    if (ImGui::BeginCombo("##environment",
                          draw.environment ? draw.environment->name.c_str() : "of the background")) {
        if (ImGui::Selectable("of the background", !draw.environment)) view.chooseEnvironment(nullptr);
        for (const StudioInfo& studio : studios()) {
            if (ImGui::Selectable(studio.name, draw.environment && draw.environment->name == studio.name))
                view.chooseEnvironment(std::make_shared<const EnvironmentMap>(*studioMap(studio.name)));
            explain(studio.about);
        }
        ImGui::EndCombo();
    }
    nameItem(
        "display.environment",
        "Light and reflections: of the background, or of a studio. Image files: view --environment FILE.");
    row("Ground");
    choose("display.ground", draw.ground, kGroundNames);
    // azimuth and elevation, as the option --sun
    row("Sun");
    const glm::vec3 d = glm::normalize(draw.sunDirection);
    float angles[2] = {glm::degrees(std::atan2(d.x, -d.z)),
                       glm::degrees(std::asin(std::clamp(d.y, -1.0f, 1.0f)))};
    if (ImGui::DragFloat2("##sun", angles, 0.5f, -180, 180, "%.0f°"))
        draw.sunDirection = sunDirection(angles[0], std::clamp(angles[1], 2.0f, 89.0f));
    nameItem("display.sun", "Direction of the sun: azimuth from -z towards +x, and elevation.");
    row("Exposure");
    ImGui::SliderFloat("##exposure", &draw.exposure, 0.1f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
    nameItem("display.exposure");
}

void drawCamera(const Scene& scene, ViewSettings& view) {
    const std::vector<CameraView>& cameras = scene.cameras;
    row("Camera");
    const size_t shown = std::min(view.cameraIndex, cameras.size() - 1);
    if (ImGui::BeginCombo("##camera", cameras[shown].name.c_str())) {
        for (size_t k = 0; k < cameras.size(); ++k) {
            ImGui::PushID(int(k));
            if (ImGui::Selectable(cameras[k].name.c_str(), k == shown)) selectCamera(scene, view, k);
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    nameItem("display.camera");
}

// A plane normal to an axis, at first through the middle of what moves.
void drawClipPlane(const DrawFacts& facts, ViewSettings& view) {
    static constexpr const char* kSides[] = {"none",           "hides larger x",  "hides smaller x",
                                             "hides larger y", "hides smaller y", "hides larger z",
                                             "hides smaller z"};
    ClipPlane& plane = view.draw.clipPlane;
    int chosen = 0;
    for (int k = 0; k < 3; ++k)
        if (plane.normal[k] != 0) chosen = 1 + 2 * k + (plane.normal[k] < 0 ? 1 : 0);
    row("Clip plane");
    if (chooseIndex(
            "display.clip", chosen, kSides, 7,
            "Hides one side of a plane, to look inside. Solid shapes are cut through; liquids and grains "
            "particle by particle. Recordings show it, too.")) {
        plane = {};
        if (chosen > 0) {
            const int axis = (chosen - 1) / 2;
            plane.normal[axis] = chosen % 2 == 1 ? 1.0f : -1.0f;
            plane.distance = plane.normal[axis] * (facts.lower[axis] + facts.upper[axis]) / 2;
        }
    }
    if (chosen == 0) return;
    const int axis = (chosen - 1) / 2;
    const float speed = 0.002f * std::max(facts.upper[axis] - facts.lower[axis], 0.01f);  // [m] per pixel
    float at = plane.normal[axis] * plane.distance;
    row("Clip at");
    if (ImGui::DragFloat("##clip at", &at, speed, 0, 0, "%.4g m")) plane.distance = plane.normal[axis] * at;
    nameItem("display.clip.at");
}

// An intermediate image of the renderer beside the final image.
void drawBuffer(DrawOptions& draw) {
    row("Show buffer");
    if (ImGui::BeginCombo("##buffer", draw.buffer.empty() ? "none" : draw.buffer.c_str(),
                          ImGuiComboFlags_HeightLarge)) {
        if (ImGui::Selectable("none", draw.buffer.empty())) draw.buffer.clear();
        for (const BufferView& buffer : bufferViews()) {
            if (ImGui::Selectable(buffer.name, draw.buffer == buffer.name)) draw.buffer = buffer.name;
            explain(buffer.about);
        }
        ImGui::EndCombo();
    }
    nameItem(
        "display.buffer",
        "Shows an intermediate image of the renderer (depth, thickness, normals …) right of a split line.");
    if (draw.buffer.empty()) return;
    row("Split at");
    ImGui::SliderFloat("##split", &draw.split, 0, 1, "%.2f", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.split", "Position of the split: final image on the left, buffer on the right.");
}

void drawSwitches(ViewSettings& view) {
    DrawOptions& draw = view.draw;
    checkbox("display.shapes", "Shapes", draw.shapes, "Floors, walls and other solid shapes.");
    ImGui::SameLine();
    checkbox("display.outlines", "Outlines", draw.wire, "Edges of all shapes, also of invisible ones.");
    ImGui::SameLine();
    checkbox("display.shadows", "Shadows", draw.shadows,
             "Shadows from the sun; liquid casts tinted shadows. Not with quality points.");
    checkbox("display.occlusion", "Ambient occlusion", draw.occlusion,
             "Darkens what nearby solids hide from the sky; not with quality points.");
    ImGui::SameLine();
    checkbox("display.gizmos", "Emitters and sinks", view.gizmos,
             "Outlines of emitters and sinks while the scene is paused.");
}

void drawLines(LineSet& lines) {
    const bool open = ImGui::TreeNodeEx("Lines", lines.empty() ? 0 : ImGuiTreeNodeFlags_DefaultOpen);
    nameItem("display.lines");
    if (!open) return;
    if (ImGui::BeginTable("lines", 2)) {
        for (const LineViewInfo& info : kLineViews) {
            ImGui::TableNextColumn();
            bool on = lines.has(info.view);
            if (checkbox(std::string("display.lines.") + info.word, info.word, on, info.about))
                lines.set(info.view, on);
        }
        ImGui::EndTable();
    }
    ImGui::TreePop();
}

}  // namespace

void drawDisplayPage(Session& session, ViewSettings& view, const DrawFacts& facts) {
    static constexpr const char* kClothStyles[] = {"solid", "outlined", "wire"};
    if (!beginRows("display")) return;
    drawColoring(view);
    drawSurroundings(view);
    drawCamera(session.scene(), view);
    row("Cloth");
    choose("display.cloth", view.draw.cloth, kClothStyles);
    row("Grains per particle");
    ImGui::SliderInt("##grains", &view.draw.grains, 1, kMostGrains, "%d", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.grains",
             "Draws each particle of sand and the like as several smaller grains; their motion is the same.");
    row("Gas");
    choose("display.gas", view.draw.gas, kGasDrawingNames,
           "Gases: as the material's property drawAs says, or all of them hidden, as points or as smoke.");
    drawClipPlane(facts, view);
    drawBuffer(view.draw);
    ImGui::EndTable();
    drawSwitches(view);
    drawLines(view.lines);
    ImGui::Spacing();
}

}  // namespace coalesce
