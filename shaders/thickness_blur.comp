// Pass 7: one axis of a Gaussian blur of the thickness, wide enough to hide single particles
// (0.6 d in the image). Only texels of the same layer count, so that silhouettes do not fade
// and splashes are not mixed with the pool behind.
#include "view.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;  // [m]
layout(binding = 1) uniform sampler2D eyeZ;     // full size
layout(binding = 2) uniform sampler2D dyes;
layout(binding = 0) uniform writeonly image2D result;
layout(binding = 1) uniform writeonly image2D dyesResult;
uniform ivec2 axis;
uniform ivec2 origin;   // [texels] of the image area that may contain liquid
uniform int divisor;    // full size / size of the thickness map
uniform float spacing;  // d [m]
uniform float radius;   // r [m]
uniform int dyed;       // 1: there is a dye

float eyeAt(ivec2 texel) {
    return texelFetch(eyeZ, min(divisor * texel, textureSize(eyeZ, 0) - 1), 0).r;
}

void main() {
    ivec2 texel = origin + ivec2(gl_GlobalInvocationID.xy), extent = textureSize(source, 0);
    if (any(greaterThanEqual(texel, extent))) return;
    float z = eyeAt(texel);
    if (z == 0.0) {
        imageStore(result, texel, texelFetch(source, texel, 0));
        if (dyed == 1) imageStore(dyesResult, texel, texelFetch(dyes, texel, 0));
        return;
    }
    float narrow = clamp(0.6 * spacing * 0.5 * float(extent.y) * clip.z / perspective(z), 2.0, 12.0);
    int reach = int(ceil(2.3 * narrow));
    vec2 sum = vec2(0.0);
    vec3 dyeSum = vec3(0.0);
    float weights = 0.0;
    for (int k = -reach; k <= reach; ++k) {
        ivec2 at = clamp(texel + k * axis, ivec2(0), extent - 1);
        float other = eyeAt(at);
        if (other == 0.0) continue;
        float step = (other - z) / (8.0 * radius);
        float g = exp(-0.5 * float(k * k) / (narrow * narrow) - step * step);
        sum += g * texelFetch(source, at, 0).rg;
        if (dyed == 1) dyeSum += g * texelFetch(dyes, at, 0).rgb;
        weights += g;
    }
    imageStore(result, texel, vec4(sum / weights, 0.0, 0.0));
    if (dyed == 1) imageStore(dyesResult, texel, vec4(dyeSum / weights, 0.0));
}
