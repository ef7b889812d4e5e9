// Pass 1: depth of meshes from the sun.
#include "view.glsl"
in vec3 place;

void main() {
    gl_FragDepth = clamp(windowDepth((view * vec4(place, 1.0)).z - lightRange.z), 0.0, 1.0);  // bias of one texel
}
