// Pass 8: the nearest surface of several liquids, and its draw radius.
// Filtered as a whole it has no seams between liquids.
#include "view.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray rawSurfaces;  // eye z, one layer per liquid
layout(binding = 1) uniform sampler2DArray droplets;
layout(binding = 0, r32f) uniform writeonly image2D nearest;
layout(binding = 1, r32f) uniform writeonly image2D radii;  // [m]
layout(binding = 2, r8) uniform writeonly image2D nearestDroplets;
uniform int liquids;
uniform int liquidMaterial[kLiquids];

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(rawSurfaces, 0).xy))) return;
    float z = 0.0, radius = 0.0, droplet = 0.0;
    for (int k = 0; k < liquids; ++k) {
        float other = texelFetch(rawSurfaces, ivec3(pixel, k), 0).r;
        if (other == 0.0 || (z != 0.0 && other <= z)) continue;
        z = other;
        radius = materials[liquidMaterial[k]].color.w;
        droplet = texelFetch(droplets, ivec3(pixel, k), 0).r;
    }
    imageStore(nearest, pixel, vec4(z));
    imageStore(radii, pixel, vec4(radius));
    imageStore(nearestDroplets, pixel, vec4(droplet));
}
