// Pass 2: glass meshes in the light map.
#include "view.glsl"
#include "glass_light.glsl"
in vec3 place;
in vec3 normal;
flat in vec3 tint;
flat in float opacity;

void main() { passGlass(tint, opacity, place, normalize(normal), 1.0); }
