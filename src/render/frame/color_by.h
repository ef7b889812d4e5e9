// How the colors of particles come about.
#pragma once

namespace coalesce {

// What Particles mode shows. Speed is |Vel|, neighbors is PosSmooth.w (needs frame.ellipsoids); diverging and
// scalar both read Slot::Scalar, diverging with a map centered on 0.
enum class ColorBy { Phase, Speed, Diverging, Neighbors, Scalar };

}  // namespace coalesce
