// What the user has chosen for looking at a scene.
#pragma once

#include "bridge/draw_arrays.h"
#include "render/camera.h"
#include "render/renderer.h"
#include "view/selection.h"

namespace coalesce {

struct Look {
    DrawOptions draw;
    Quantity quantity = Quantity::Speed;  // of Particles mode
    Camera camera;
    size_t cameraIndex = 0;                          // the scene's camera that was taken last
    bool contactLines = false, springLines = false;  // drawn over everything
    bool panel = true, help = false;
    Selection selection;  // what has handles in the picture

    // Particles colored by a quantity.
    void showQuantity(Quantity q) {
        quantity = q;
        draw.mode = DrawMode::Particles;
        draw.autoRange = true;
        draw.colorBy = q == Quantity::Material       ? ColorBy::Phase
                       : q == Quantity::Speed        ? ColorBy::Speed
                       : q == Quantity::DensityError ? ColorBy::Diverging
                       : q == Quantity::Strain       ? ColorBy::Diverging
                                                     : ColorBy::Scalar;
    }
    DrawRequest request() const {
        const bool surface = draw.mode == DrawMode::Surface;
        return {.quantity = quantity,
                .ellipsoids = surface && draw.quality >= Quality::Ellipsoids,
                .contactLines = contactLines,
                .springLines = springLines};
    }
};

}  // namespace coalesce
