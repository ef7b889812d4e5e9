// Pass 4: eye z of the nearest liquid, negative inside, 0 where empty; and where lone droplets are.
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out float eyeZ;
layout(location = 1) out float droplet;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    eyeZ = hit.eyeZ;
    droplet = lone;
    gl_FragDepth = windowDepth(hit.eyeZ);
}
