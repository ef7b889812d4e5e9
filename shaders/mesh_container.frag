// Pass 3: the inside of a container mesh, faint; blended, without depth.
#include "view.glsl"
in vec3 place;
in vec3 normal;
flat in vec3 tint;
layout(location = 0) out vec4 color;  // premultiplied

void main() {
    float facing = abs(dot(normalize(normal), toViewerInWorld(place)));
    float alpha = 0.06 + 0.5 * pow(1.0 - facing, 3.0);  // smooth meshes have no visible edges
    color = vec4(0.5 * alpha * tint, alpha);
}
