// Pass 3: meshes of bodies and collision shapes, lit on both sides.
#include "view.glsl"
#include "lighting.glsl"
in vec3 place;
in vec3 normal;
flat in vec3 tint;
layout(location = 0) out vec4 color;

void main() {
    vec3 n = normalize(gl_FrontFacing ? normal : -normal);
    color = shadePolished(tint, place, n);
}
