// Pass 2: liquid between the sun and each texel: optical depth per channel and meters (added), nearest depth (min).
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out vec4 tau;
layout(location = 1) out float nearest;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    float thickness = 2.0 / inverseRadius * hit.half_ * volumeScale;
    tau = vec4(materials[material].absorption.rgb * thickness, thickness);
    nearest = -hit.eyeZ;
}
