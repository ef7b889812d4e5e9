// Pass 1: depth of solid shapes from the sun.
#include "view.glsl"
#include "shape_ray.glsl"

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    gl_FragDepth = clamp(windowDepth((view * vec4(p, 1.0)).z - lightRange.z), 0.0, 1.0);  // bias of one texel
}
