// Pass 13: color bar (along >= 0), text and background (dark grays have 55 % opacity).
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D glyphs;  // coverage of letters
uniform int diverging;
flat in float shade;
in float along;
in vec2 texel;
layout(location = 0) out vec4 color;

void main() {
    float coverage = texel.x < 0.0 ? 1.0 : texelFetch(glyphs, ivec2(texel), 0).r;
    if (along >= 0.0) color = vec4(mapOwnColor(along, vec2(0.0, 1.0), diverging == 1), 1.0);
    else color = vec4(vec3(shade), coverage * (shade < 0.5 ? 0.55 : 1.0));
}
