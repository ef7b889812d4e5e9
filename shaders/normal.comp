// World-space normals of the surface, 0 where empty; for buffer views and tests.
#include "view.glsl"
#include "fluid_normal.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray surfaces;
layout(binding = 0, rgba32f) uniform writeonly image2D result;
uniform int layer;      // of a liquid, or with several liquids of the nearest surface
uniform int liquids;
uniform float radius;  // draw radius r [m]

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(surfaces, 0).xy))) return;
    float z = texelFetch(surfaces, ivec3(pixel, layer), 0).r;
    vec4 value = vec4(0.0);
    if (z != 0.0) {
        int own = min(layer, liquids - 1);
        for (int k = 0; k < liquids && layer == liquids; ++k)
            if (texelFetch(surfaces, ivec3(pixel, k), 0).r == z) own = k;
        vec3 n = surfaceNormal(surfaces, layer, own, pixel, z, surfacePoint(pixel, z), radius);
        value = vec4(mat3(viewInverse) * n, 1.0);
    }
    imageStore(result, pixel, value);
}
