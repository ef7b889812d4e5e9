// World-space normals of the surface, 0 where empty; for buffer views and tests.
#include "view.glsl"
#include "fluid_normal.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray surfaces;
layout(binding = 0, rgba32f) uniform writeonly image2D result;
uniform int layer;
uniform float radius;  // draw radius r [m]

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(surfaces, 0).xy))) return;
    float z = texelFetch(surfaces, ivec3(pixel, layer), 0).r;
    vec4 value = vec4(0.0);
    if (z != 0.0) {
        vec3 n = surfaceNormal(surfaces, layer, pixel, z, surfacePoint(pixel, z), radius);
        value = vec4(mat3(viewInverse) * n, 1.0);
    }
    imageStore(result, pixel, value);
}
