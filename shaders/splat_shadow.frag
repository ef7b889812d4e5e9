// Pass 1: depth of solid particles from the sun.
#include "view.glsl"
#include "splat.glsl"

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    gl_FragDepth = windowDepth(hit.eyeZ - lightRange.z);  // bias of one texel
}
