// Pass 4: darkens the part of the light that comes from all around by the ambient occlusion: mean of 4 x 4
// texels of half size on the same surface.
#include "view.glsl"
layout(binding = 0) uniform sampler2D occlusion;
layout(binding = 1) uniform sampler2D unoccluded;  // scene; a: the fraction of its light that comes from all around
layout(binding = 2) uniform sampler2D sceneDepth;
uniform float reach;  // [m]
layout(location = 0) out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(occlusion, 0) - 1;
    color = texelFetch(unoccluded, pixel, 0);
    float z = eyeFromDepth(texelFetch(sceneDepth, pixel, 0).r), weights = 0.0;
    vec3 open = vec3(0.0);
    // (a loop: software rendering skips it for the sky)
    for (int k = color.a > 0.0 ? 0 : 16; k < 16; ++k) {
        ivec2 texel = clamp(pixel / 2 + ivec2(k & 3, k >> 2) - 1 - (1 - (pixel & 1)), ivec2(0), last);
        vec4 found = texelFetch(occlusion, texel, 0);
        float apart = (found.w - z) / (0.1 * reach);
        float weight = exp(-apart * apart) + 1e-5;
        open += weight * found.rgb;
        weights += weight;
    }
    if (weights > 0.0) color.rgb *= 1.0 - color.a * (1.0 - open / weights);
}
