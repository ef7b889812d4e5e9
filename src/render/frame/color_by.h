// Quantities that color particles.
#pragma once

namespace coalesce {

// Quantity shown in Particles mode. Speed is |Vel|, neighbors is PosSmooth.w (needs frame.ellipsoids);
// diverging and scalar read Slot::Scalar, diverging with a color map centered on 0.
enum class ColorBy { Phase, Speed, Diverging, Neighbors, Scalar };

}  // namespace coalesce
