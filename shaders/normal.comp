// For dumps and tests: world-space normals of the surface, 0 where empty.
#include "view.glsl"
#include "fluid_normal.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0, rgba32f) uniform writeonly image2D result;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(eyeZ, 0)))) return;
    float z = texelFetch(eyeZ, pixel, 0).r;
    vec4 value = vec4(0.0);
    if (z != 0.0) value = vec4(mat3(viewInverse) * surfaceNormal(eyeZ, pixel, z, surfacePoint(pixel, z)), 1.0);
    imageStore(result, pixel, value);
}
