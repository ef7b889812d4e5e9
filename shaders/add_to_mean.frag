// Pass 12: the share of one draw in the mean of several, in linear light; blending
// adds them up. NaN counts as black and does not spread. Alpha: distance along the
// view axis [m], of which blending keeps the smallest.
#include "view.glsl"
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D drawn;
layout(binding = 1) uniform sampler2D depth;
uniform float share;
uniform int displayColors;  // 1: of sRGB, 0: light of the scene
layout(location = 0) out vec4 color;

const float kSkyDistance = 1e10;  // as in src/render/renderer/renderer.h

void main() {
    vec3 x = texelFetch(drawn, ivec2(gl_FragCoord.xy), 0).rgb;
    if (displayColors == 1) x = decodeSrgb(x);
    x = mix(clamp(x, vec3(0.0), vec3(65504.0)), vec3(0.0), isnan(x));
    float d = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
    color = vec4(share * x, d < 1.0 ? -eyeFromDepth(d) : kSkyDistance);
}
