// Density error of liquids at the end of a frame, for display: max(0, φ − 1), φ: volume fraction with walls.
#pragma once

#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

struct FindDensityErrors {
    View<const Vec4> v;  // w: φ of liquids
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<double> error, liquid;  // [-] written; liquid: 1 or 0
    View<float> negative;        // [-] written: −error
    HD void operator()(int i) const {
        const bool counts = materials[materialOf(phase[i])].fluid;
        const float e = counts ? max(v[i].w - 1, 0.0f) : 0.0f;
        error[i] = double{e};
        liquid[i] = counts ? 1.0 : 0.0;
        negative[i] = -e;
    }
};

struct NoteDensityError {
    View<const double> error, liquid;  // sums
    View<const float> least;
    StatusBlock* status;
    HD void operator()(int) const {
        status->densityErrorMean = liquid[0] > 0 ? static_cast<float>(error[0] / liquid[0]) : 0.0f;
        status->densityErrorMax = -least[0];
    }
};

}  // namespace coalesce
