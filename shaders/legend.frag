// Pass 13: color bar (along >= 0), text and background (dark grays have 55 % opacity).
#include "color_map.glsl"
uniform int diverging;
flat in float shade;
in float along;
layout(location = 0) out vec4 color;

void main() {
    if (along >= 0.0) color = vec4(mapOwnColor(along, vec2(0.0, 1.0), diverging == 1), 1.0);
    else color = vec4(vec3(shade), shade < 0.5 ? 0.55 : 1.0);
}
