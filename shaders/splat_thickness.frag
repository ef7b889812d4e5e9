// Pass 7: summed over all particles, the length of the ray inside liquid in meters: every sphere spreads its
// particle's volume d^3 over its disc, 2 r sqrt(1 - rho^2) d^3 / (4/3 pi r^3).
#include "view.glsl"
#include "splat.glsl"
layout(binding = 0) uniform sampler2D nextSurface;  // eye z of the next surface of another liquid, -1e9: none
uniform int several;                                // 1: there are other liquids
layout(location = 0) out vec2 thickness;            // [m] in total, and up to the next surface
#ifdef DYED
flat in vec3 dye;                    // [1/m]
layout(location = 1) out vec4 dyes;  // optical depth of the dye
#endif

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    float length = 2.0 / inverseRadius * hit.half_ * volumeScale;
    float before = several == 0 || center.z > texelFetch(nextSurface, ivec2(gl_FragCoord.xy), 0).r ? length : 0.0;
    thickness = vec2(length, before);
#ifdef DYED
    dyes = vec4(dye * length, 0.0);
#endif
}
