// What the user has chosen for looking at a scene.
#pragma once

#include <optional>

#include "bridge/draw_arrays.h"
#include "render/frame/camera.h"
#include "render/renderer/renderer.h"
#include "view/viewport/selection.h"

namespace coalesce {

struct ViewSettings {
    DrawOptions draw;
    Quantity quantity = Quantity::Speed;  // of Particles mode
    Camera camera;
    size_t cameraIndex = 0;          // the scene's camera that was taken last
    LineSet lines;                   // drawn over everything
    std::optional<uint32_t> picked;  // id of the particle that is looked at
    bool gizmos = true;              // emitters and sinks, while paused
    bool panel = true, help = false;
    Selection selection;  // what has handles in the picture
    // Where the command line wants the sun, under the sky that it begins with.
    struct GivenSun {
        Background sky;
        glm::vec3 direction;
    };
    std::optional<GivenSun> givenSun;

    // Under a sky the sun stands where that has it, or where it was given.
    void chooseSky(Background sky) {
        draw.background = sky;
        draw.sunDirection = givenSun && givenSun->sky == sky ? givenSun->direction : sunOf(sky);
    }

    // Particles colored by a quantity.
    void showQuantity(Quantity q) {
        quantity = q;
        draw.mode = DrawMode::Particles;
        draw.autoRange = true;
        draw.colorBy = infoOf(q).map;
    }
    // While the scene stands still, what acts on it is shown too.
    DrawRequest request(bool paused) const {
        const bool surface = draw.mode == DrawMode::Surface;
        DrawRequest request{.quantity = quantity,
                            .ellipsoids = surface && draw.quality >= Quality::Ellipsoids,
                            .lines = lines,
                            .picked = picked};
        if (picked) request.lines.set(LineView::Neighbors);
        if (paused && gizmos) request.lines.set(LineView::Emitters), request.lines.set(LineView::Sinks);
        return request;
    }
};

}  // namespace coalesce
