// Display settings: render options, coloring, camera, lines, selection.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bridge/frame_source.h"
#include "render/frame/camera.h"
#include "render/renderer/renderer.h"
#include "view/viewport/draft_mode.h"
#include "view/viewport/selection.h"

namespace coalesce {

struct ViewSettings {
    DrawOptions draw;
    Draft draft = Draft::Off;
    Quantity quantity = Quantity::Speed;  // colors particles in Particles mode
    Camera camera;
    size_t cameraIndex = 0;          // of the scene's camera that was taken last
    bool alongAxis = false;          // the camera looks along an axis; orbiting brings perspective back
    bool film = false;               // the camera follows the film: film_view.h
    bool meshed = false;             // liquids are drawn as surface meshes
    SurfaceOptions mesh;             // of these
    LineSet lines;                   // drawn over everything
    std::optional<uint32_t> picked;  // id of the selected particle
    bool gizmos = true;              // emitters and sinks, while paused
    bool panel = true, help = false;
    Selection selection;                 // element with a gizmo, or a body with a box
    std::set<std::string> hiddenBodies;  // by name
    // The direction of --sun, with the background it applies to.
    struct GivenSun {
        Background sky;
        glm::vec3 direction;
    };
    std::optional<GivenSun> givenSun;

    // Sets the background with its own sun, or with that of --sun.
    void chooseSky(Background sky) {
        draw.background = sky;
        draw.environment.reset();  // its light would replace that of the background
        draw.sunDirection = givenSun && givenSun->sky == sky ? givenSun->direction : sunOf(sky);
    }

    // Light of a studio, or of the background again.
    void chooseEnvironment(std::shared_ptr<const EnvironmentMap> map) {
        if (!map) return chooseSky(draw.background);
        draw.environment = std::move(map);
        if (draw.environment->sunLight != glm::vec3(0)) draw.sunDirection = draw.environment->sunDirection;
    }

    // Shows particles colored by a quantity.
    void showQuantity(Quantity q) {
        quantity = q;
        draw.mode = DrawMode::Particles;
        draw.autoRange = true;
        draw.colorBy = infoOf(q).map;
    }
    // What the renderer needs. Emitters and sinks are outlined while paused.
    DrawRequest request(bool paused) const {
        DrawRequest request = drawRequest(draw, quantity, lines, meshed ? std::optional(mesh) : std::nullopt);
        request.picked = picked;
        if (picked) request.lines.set(LineView::Neighbors);
        if (paused && gizmos) request.lines.set(LineView::Emitters), request.lines.set(LineView::Sinks);
        return request;
    }
};

}  // namespace coalesce
