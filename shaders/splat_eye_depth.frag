// Pass 4: eye z of the nearest liquid, negative, 0 where empty; and a mask of isolated droplets. With FAR_SIDE: the far
// boundary of the liquid around the eye.
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out float eyeZ;
layout(location = 1) out float droplet;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
#ifdef FAR_SIDE
    eyeZ = hit.eyeZ + hit.t - hit.far;
    droplet = 0.0;
#else
    eyeZ = hit.eyeZ;
    droplet = lone;
#endif
    gl_FragDepth = clamp(windowDepth(eyeZ), 0.0, 1.0);
}
