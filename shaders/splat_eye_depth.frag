// Pass 4: eye z of the nearest liquid, negative, 0 where empty; and isolated droplets, by their
// radius. With FAR_SIDE: the far boundary of the liquid around the eye. With LONE only isolated
// droplets, beside a surface mesh, with their normals.
#include "view.glsl"
#include "splat.glsl"
layout(location = 0) out float eyeZ;
layout(location = 1) out float droplet;
#ifdef LONE
layout(location = 2) out vec4 eyeNormal;
#endif

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
#ifdef LONE
    eyeNormal = vec4(normalize(hit.unit * toUnit), 0.0);
#endif
    gl_FragDepth = clamp(windowDepth(eyeZ), 0.0, 1.0);
}
