#include "view/panel/page_display.h"

#include <algorithm>
#include <cmath>
#include <glm/trigonometric.hpp>
#include <imgui.h>

#include "scene/format/shots.h"
#include "view/viewport/camera_control.h"
#include "view/widgets/searched_rows.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

void explain(const char* about) {
    if (*about && ImGui::IsItemHovered()) wrappedTooltip(about);
}

void drawColoring(SearchedRows& rows, ViewSettings& view) {
    const bool surface = view.draw.mode == DrawMode::Surface;
    if (rows.row(
            "Color by",
            "Liquids with their rendered surface, or all particles colored by a quantity (keys 0 to 6).")) {
        if (ImGui::BeginCombo("##show", surface ? "liquid surface" : infoOf(view.quantity).label,
                              ImGuiComboFlags_HeightLarge)) {
            if (selectable("liquid surface", surface)) view.draw.mode = DrawMode::Surface;
            for (const QuantityInfo& q : kQuantities) {
                if (selectable(q.label, !surface && q.quantity == view.quantity))
                    view.showQuantity(q.quantity);
                explain(q.about);
            }
            ImGui::EndCombo();
        }
        nameItem("display.show", rows.about());
    }
    if (rows.row(
            "Render quality",
            "How liquids are drawn. points: unshaded. fast: spheres. standard: ellipsoids along the surface. "
            "final: ellipsoids, several samples per pixel, caustics. The names are those of --quality."))
        choose("display.quality", view.draw.quality, kQualityNames, rows.about());
    static constexpr const char* kDrafts[] = {"automatic", "on", "off"};
    if (rows.row(
            "Draft",
            "Half the resolution, no shadows and no ambient occlusion, so that the view follows the mouse. "
            "Automatic: where drawing an image takes more than 0.1 s. Recordings and screenshots are always "
            "full."))
        choose("display.draft", view.draft, kDrafts, rows.about());
    static constexpr const char* kSurfaces[] = {"from particles", "mesh"};
    if (rows.row("Liquid surface",
                 "From particles: smoothed in the image, fast. Mesh: a triangle mesh made in every frame, "
                 "the same "
                 "as that of coalesce mesh; slower, without bumps of single particles."))
        choose("display.surface", view.meshed, kSurfaces, rows.about());
}

void drawMeshing(SearchedRows& rows, SurfaceOptions& mesh) {
    const auto slider = [&](const char* label, const char* name, float& value, float low, float high,
                            const char* format, const char* about) {
        if (!rows.row(label, about)) return;
        ImGui::SliderFloat((std::string("##") + name).c_str(), &value, low, high, format,
                           ImGuiSliderFlags_AlwaysClamp);
        nameItem(std::string("display.mesh.") + name, about);
    };
    slider("Mesh cell", "cell", mesh.cell, 0.25f, 2, "%.2f d",
           "Distance of the grid nodes in particle spacings; smaller is finer and slower.");
    if (rows.row("Mesh smoothing", "Number of smoothing passes over the mesh; its volume stays.")) {
        ImGui::SliderInt("##smoothing", &mesh.smoothing, 0, 50, "%d", ImGuiSliderFlags_AlwaysClamp);
        nameItem("display.mesh.smoothing", rows.about());
    }
    static constexpr const char* kKernels[] = {"round", "anisotropic"};
    if (rows.row(
            "Mesh kernels",
            "Anisotropic: particles are flattened along the surface, so that sheets and edges stay thin; "
            "slower."))
        choose("display.mesh.kernels", mesh.anisotropic, kKernels, rows.about());
    slider("Smallest piece", "minPiece", mesh.minPiece, 0, 50, "%.0f particles",
           "Pieces and cavities with a smaller volume are left out.");
    slider("Merge vertices", "merge", mesh.merge, 0, 0.5f, "%.2f cells",
           "Merges vertices at most this far from the same grid node; removes narrow triangles.");
    slider("Decimation", "decimation", mesh.decimation, 0, 1, "%.2f d",
           "Collapses edges while the surface moves by less than this; slow with many triangles.");
}

void drawSurroundings(SearchedRows& rows, ViewSettings& view) {
    DrawOptions& draw = view.draw;
    if (rows.row("Background", "The sky and its light; each has its own position of the sun (key G).") &&
        choose("display.background", draw.background, kBackgroundNames, rows.about()))
        view.chooseSky(draw.background);
    if (rows.row("Environment",
                 "Light and reflections: of the background, or of a studio. Image files: view --environment "
                 "FILE.")) {
        if (ImGui::BeginCombo("##environment",
                              draw.environment ? draw.environment->name.c_str() : "of the background")) {
            if (selectable("of the background", !draw.environment)) view.chooseEnvironment(nullptr);
            for (const StudioInfo& studio : studios()) {
                if (selectable(studio.name, draw.environment && draw.environment->name == studio.name))
                    view.chooseEnvironment(std::make_shared<const EnvironmentMap>(*studioMap(studio.name)));
                explain(studio.about);
            }
            ImGui::EndCombo();
        }
        nameItem("display.environment", rows.about());
    }
    if (rows.row("Ground", "What lies below the scene where it has no floor of its own (key Shift+G)."))
        choose("display.ground", draw.ground, kGroundNames, rows.about());
    // azimuth and elevation, as the option --sun
    const glm::vec3 d = glm::normalize(draw.sunDirection);
    float angles[2] = {glm::degrees(std::atan2(d.x, -d.z)),
                       glm::degrees(std::asin(std::clamp(d.y, -1.0f, 1.0f)))};
    if (rows.row("Sun", "Direction of the sun: azimuth from -z towards +x, and elevation.")) {
        if (ImGui::DragFloat2("##sun", angles, 0.5f, -180, 180, "%.0f°"))
            draw.sunDirection = sunDirection(angles[0], std::clamp(angles[1], 2.0f, 89.0f));
        nameItem("display.sun", rows.about());
    }
    if (rows.row("Exposure", "Brightness of the image: a factor of all light before tone mapping.")) {
        ImGui::SliderFloat("##exposure", &draw.exposure, 0.1f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
        nameItem("display.exposure", rows.about());
    }
}

void drawCamera(SearchedRows& rows, const Scene& scene, ViewSettings& view) {
    const std::vector<CameraView>& cameras = scene.cameras;
    const size_t shown = std::min(view.cameraIndex, cameras.size() - 1);
    if (!rows.row("Camera", "The cameras of the scene (key C); Home resets the present one.")) return;
    if (ImGui::BeginCombo("##camera", cameras[shown].name.c_str())) {
        for (size_t k = 0; k < cameras.size(); ++k) {
            ImGui::PushID(int(k));
            if (selectable(cameras[k].name.c_str(), k == shown)) selectCamera(scene, view, k);
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    nameItem("display.camera", rows.about());
}

void drawKinds(SearchedRows& rows, DrawOptions& draw) {
    static constexpr const char* kClothStyles[] = {"solid", "outlined", "wire"};
    if (rows.row("Cloth", "A surface, a surface with the edges of its triangles, or these alone (key T)."))
        choose("display.cloth", draw.cloth, kClothStyles, rows.about());
    if (rows.row("Grains per particle",
                 "Draws each particle of sand and the like as several smaller grains; their motion is the "
                 "same.")) {
        ImGui::SliderInt("##grains", &draw.grains, 1, kMostGrains, "%d", ImGuiSliderFlags_AlwaysClamp);
        nameItem("display.grains", rows.about());
    }
    if (rows.row(
            "Gas",
            "Gases: as the material's property drawAs says, or all of them hidden, as points or as smoke."))
        choose("display.gas", draw.gas, kGasDrawingNames, rows.about());
}

// A plane normal to an axis, at first through the middle of what moves.
void drawClipPlane(SearchedRows& rows, const DrawFacts& facts, ViewSettings& view) {
    static constexpr const char* kSides[] = {"none",           "hides larger x",  "hides smaller x",
                                             "hides larger y", "hides smaller y", "hides larger z",
                                             "hides smaller z"};
    ClipPlane& plane = view.draw.clipPlane;
    int chosen = 0;
    for (int k = 0; k < 3; ++k)
        if (plane.normal[k] != 0) chosen = 1 + 2 * k + (plane.normal[k] < 0 ? 1 : 0);
    if (rows.row(
            "Clip plane",
            "Hides one side of a plane, to look inside. Solid shapes are cut through; liquids and grains "
            "particle by particle. Recordings show it, too.") &&
        chooseIndex("display.clip", chosen, kSides, 7, rows.about())) {
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
    if (!rows.row("Clip at", "Where the plane is, along its axis.")) return;
    if (ImGui::DragFloat("##clip at", &at, speed, 0, 0, "%.4g m")) plane.distance = plane.normal[axis] * at;
    nameItem("display.clip.at", rows.about());
}

// An intermediate image of the renderer beside the final image.
void drawBuffer(SearchedRows& rows, DrawOptions& draw) {
    if (rows.row("Show buffer",
                 "Shows an intermediate image of the renderer (depth, thickness, normals …) right of a split "
                 "line.")) {
        if (ImGui::BeginCombo("##buffer", draw.buffer.empty() ? "none" : draw.buffer.c_str(),
                              ImGuiComboFlags_HeightLarge)) {
            if (selectable("none", draw.buffer.empty())) draw.buffer.clear();
            for (const BufferView& buffer : bufferViews()) {
                if (selectable(buffer.name, draw.buffer == buffer.name)) draw.buffer = buffer.name;
                explain(buffer.about);
            }
            ImGui::EndCombo();
        }
        nameItem("display.buffer", rows.about());
    }
    if (draw.buffer.empty() ||
        !rows.row("Split at", "Position of the split: final image on the left, buffer on the right."))
        return;
    ImGui::SliderFloat("##split", &draw.split, 0, 1, "%.2f", ImGuiSliderFlags_AlwaysClamp);
    nameItem("display.split", rows.about());
}

void drawSwitches(SearchedRows& rows, ViewSettings& view) {
    DrawOptions& draw = view.draw;
    bool isFirst = true;
    const auto oneOf = [&](const char* name, const char* label, bool& value, const char* about,
                           bool newLine) {
        if (!rows.item(label, about)) return;
        if (!isFirst && !newLine) ImGui::SameLine();
        isFirst = false;
        checkbox(name, label, value, about);
    };
    oneOf("display.shapes", "Shapes", draw.shapes, "Floors, walls and other solid shapes.", true);
    oneOf("display.outlines", "Outlines", draw.wire, "Edges of all shapes, also of invisible ones.", false);
    oneOf("display.shadows", "Shadows", draw.shadows,
          "Shadows from the sun; liquid casts tinted shadows. Not with quality points.", false);
    oneOf("display.occlusion", "Ambient occlusion", draw.occlusion,
          "Darkens what nearby solids hide from the sky; not with quality points.", true);
    oneOf("display.gizmos", "Emitters and sinks", view.gizmos,
          "Outlines of emitters and sinks while the scene is paused.", false);
}

void drawLine(const LineViewInfo& info, LineSet& lines) {
    bool on = lines.has(info.view);
    if (checkbox(std::string("display.lines.") + info.word, info.word, on, info.about))
        lines.set(info.view, on);
}

void drawLines(SearchedRows& rows, LineSet& lines) {
    if (rows.isSearch()) {
        for (const LineViewInfo& info : kLineViews)
            if (rows.item(info.word, info.about)) drawLine(info, lines);
        return;
    }
    const bool open = ImGui::TreeNodeEx("Lines", lines.empty() ? 0 : ImGuiTreeNodeFlags_DefaultOpen);
    nameItem("display.lines");
    if (!open) return;
    if (ImGui::BeginTable("lines", 2)) {
        for (const LineViewInfo& info : kLineViews) {
            ImGui::TableNextColumn();
            drawLine(info, lines);
        }
        ImGui::EndTable();
    }
    ImGui::TreePop();
}

}  // namespace

bool drawDisplayPage(Session& session, ViewSettings& view, const DrawFacts& facts,
                     const std::string& wanted) {
    SearchedRows rows("Display", wanted);
    drawColoring(rows, view);
    if (view.meshed) drawMeshing(rows, view.mesh);
    drawSurroundings(rows, view);
    drawCamera(rows, session.scene(), view);
    drawKinds(rows, view.draw);
    drawClipPlane(rows, facts, view);
    drawBuffer(rows, view.draw);
    drawSwitches(rows, view);
    drawLines(rows, view.lines);
    if (rows.hasAny()) ImGui::Spacing();
    return rows.hasAny();
}

}  // namespace coalesce
