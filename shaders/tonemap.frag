// Pass 12: exposure, tone curve, sRGB. NaN becomes black and does not spread.
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D sceneColor;
uniform float exposure;
layout(location = 0) out vec4 color;

// Khronos PBR Neutral Tone Mapper (specification of 2024): colors below 0.8 stay what they are, less the 4 %
// that every dielectric surface reflects; brighter ones are compressed to 1, and turn white only slowly.
vec3 neutral(vec3 x) {
    const float start = 0.8 - 0.04, desaturation = 0.15;
    float least = min(x.r, min(x.g, x.b));
    x -= least < 0.08 ? least - 6.25 * least * least : 0.04;
    float peak = max(x.r, max(x.g, x.b));
    if (peak < start) return x;
    float range = 1.0 - start, compressed = 1.0 - range * range / (peak + range - start);
    float white = 1.0 - 1.0 / (desaturation * (peak - compressed) + 1.0);
    return mix(x * (compressed / peak), vec3(compressed), white);
}

void main() {
    vec3 x = exposure * texelFetch(sceneColor, ivec2(gl_FragCoord.xy), 0).rgb;
    x = mix(max(x, vec3(0.0)), vec3(0.0), isnan(x));
    color = vec4(encodeSrgb(neutral(x)), 1.0);
}
