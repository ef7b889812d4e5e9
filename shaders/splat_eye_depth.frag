// Pass 4: eye z of the nearest liquid, negative inside, 0 where empty; and where lone droplets are. Of the liquid that
// the eye is in (FAR_SIDE) where the farthest of it ends.
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
