// Pass 7: added over all particles this is the depth of liquid along the ray in meters: every sphere spreads
// the volume d^3 that its particle stands for over its own disc, 2 r sqrt(1 - rho^2) d^3 / (4/3 pi r^3).
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out float thickness;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    thickness = 2.0 / inverseRadius * hit.half_ * volumeScale;
}
