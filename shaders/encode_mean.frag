// Pass 12: display colors from their mean in linear light.
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D mean;
layout(location = 0) out vec4 color;

void main() { color = vec4(encodeSrgb(texelFetch(mean, ivec2(gl_FragCoord.xy), 0).rgb), 1.0); }
