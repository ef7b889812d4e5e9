// Pass 10: the faces of a glass mesh away from the viewer: normal, and eye z [m].
#include "view.glsl"
in vec3 place;
in vec3 normal;
layout(location = 0) out vec4 face;

void main() { face = vec4(normalize(normal), (view * vec4(place, 1.0)).z); }
