// Pass 10: meshes of glass; blended, without depth.
#include "view.glsl"
#include "lighting.glsl"
#include "glass.glsl"
in vec3 place;
in vec3 normal;
flat in vec3 tint;
flat in float opacity;
layout(location = 0) out vec4 color;  // premultiplied

void main() { color = glassColor(tint, opacity, place, normalize(normal)); }
