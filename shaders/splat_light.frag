// Pass 2: liquid between the sun and each texel: optical depth per color
// channel and meters (added), nearest depth (min).
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out vec4 tau;
layout(location = 1) out float nearest;
#ifdef DYED
flat in vec3 dye;  // [1/m]
#else
const vec3 dye = vec3(0.0);
#endif

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    float thickness = 2.0 / inverseRadius * hit.half_ * volumeScale;
    Material m = materials[material];
    tau = vec4((m.absorption.rgb + dye + m.scatter.w) * thickness, thickness);
    nearest = -hit.eyeZ;
}
