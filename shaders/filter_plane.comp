// Pass 8: the small two-dimensional part of the narrow-range
// filter; removes the streaks of the separable part.
#include "view.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
uniform int liquid;  // index of the liquid; -1: joint surface
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) uniform sampler2D radii;     // [m]
layout(binding = 2) uniform sampler2D raw;       // eye z before the filter
layout(binding = 3) uniform sampler2D droplets;  // above 0 where an isolated droplet is nearest
layout(binding = 0, r32f) uniform writeonly image2D result;
layout(binding = 1, r8ui) uniform writeonly uimage2D covered;  // tiles of 16 pixels that contain liquid
uniform int unfiltered;      // 1: only copies, and marks the tiles
uniform ivec2 origin;        // [px] of the image area that may contain liquid
uniform float commonRadius;  // draw radius r [m]; 0: per pixel
uniform float sigma;         // [r]
uniform float range;         // [r] half width of the accepted range
uniform float mostReach;     // [px]

float depthAt(ivec2 at) {
    float eyeZ = texelFetch(source, clamp(at, ivec2(0), textureSize(source, 0) - 1), 0).r;
    return eyeZ == 0.0 ? 1e9 : -eyeZ;
}

void main() {
    ivec2 pixel = origin + ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(source, 0)))) return;
    float z = depthAt(pixel);
    if (z == 1e9) {
        imageStore(result, pixel, vec4(0.0));
        return;
    }
    imageStore(covered, pixel / 16, uvec4(1u));
    // isolated droplets stay unfiltered spheres: the filter would flatten them
    if (unfiltered == 1 || texelFetch(droplets, pixel, 0).r > 0.0) {
        imageStore(result, pixel, texelFetch(raw, pixel, 0));
        return;
    }
    float radius = commonRadius > 0.0 ? commonRadius : texelFetch(radii, pixel, 0).r;
    float delta = range * radius;
    float within = liquid >= 0 && nearEye[max(liquid, 0)] >= kWithin ? 3.0 : 1.0;
    float reach = min(within * mostReach, 3.0 * 0.5 * size.y * clip.z * sigma * radius / perspective(-z));
    float narrow = max(reach / 3.0, 1e-3);
    float falloff = -0.5 / (narrow * narrow);
    int r = min(int(ceil(reach)), 4);
    float lo = z - delta, hi = z + delta;
    float sum = z, weights = 1.0;
    // offsets come in opposite pairs, each evaluated once
    for (int y = 0; y <= r; ++y) {
        for (int x = -r; x <= r; ++x) {
            if (y == 0 && x <= 0) continue;
            float a = depthAt(pixel + ivec2(x, y)), b = depthAt(pixel - ivec2(x, y));
            if (a < lo || b < lo) continue;
            if (a > hi) a = z + radius;
            if (b > hi) b = z + radius;
            float g = exp(falloff * float(x * x + y * y));
            sum += g * (a + b);
            weights += 2.0 * g;
        }
    }
    imageStore(result, pixel, vec4(-sum / weights));
}
