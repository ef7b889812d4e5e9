// Pass 12: exposure, filmic curve, sRGB. NaN becomes black and does not spread.
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D sceneColor;
uniform float exposure;
layout(location = 0) out vec4 color;

void main() {
    vec3 x = exposure * texelFetch(sceneColor, ivec2(gl_FragCoord.xy), 0).rgb;
    x = mix(max(x, vec3(0.0)), vec3(0.0), isnan(x));
    x = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
    color = vec4(encodeSrgb(x), 1.0);
}
