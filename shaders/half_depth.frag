// Pass 7: depth test of the thickness map: the farthest scene depth under a texel; and the next surface of
// another liquid behind this liquid's surface.
#include "view.glsl"
layout(binding = 0) uniform sampler2D sceneDepth;
layout(binding = 1) uniform sampler2DArray surfaces;  // eye z, one layer per liquid
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
uniform int divisor;  // 1 or 2
uniform int liquids, own;
layout(location = 0) out float nextSurface;

void main() {
    ivec2 last = textureSize(sceneDepth, 0) - 1;
    ivec2 base = divisor * ivec2(gl_FragCoord.xy);
    float farthest = 0.0;
    for (int k = 0; k < divisor * divisor; ++k) {
        ivec2 at = min(base + ivec2(k % divisor, k / divisor), last);
        farthest = max(farthest, texelFetch(sceneDepth, at, 0).r);
    }
    gl_FragDepth = farthest;

    nextSurface = -1e9;
    if (liquids == 1) return;
    ivec2 at = min(base, last);
    float z = nearEye[own] >= kWithin ? 0.0 : texelFetch(surfaces, ivec3(at, own), 0).r;
    for (int k = 0; k < liquids; ++k) {
        if (k == own) continue;
        float other = texelFetch(surfaces, ivec3(at, k), 0).r;
        if (other < z && other != 0.0) nextSurface = max(nextSurface, other);
    }
}
