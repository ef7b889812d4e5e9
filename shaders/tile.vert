// A tile of 16 pixels per instance; tiles without liquid are culled to save shading.
#include "view.glsl"
layout(binding = 7) uniform usampler2D covered;
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
out vec2 uv;

void main() {
    ivec2 tiles = textureSize(covered, 0);
    ivec2 tile = ivec2(gl_InstanceID % tiles.x, gl_InstanceID / tiles.x);
    bool shown = texelFetch(covered, tile, 0).r != 0u;
    for (int k = 0; k < kLiquids; ++k) shown = shown || nearEye[k] >= kWithin;  // eye inside: liquid covers the image
    if (!shown) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        uv = vec2(0.0);
        return;
    }
    ivec2 corner = tile + ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    uv = min(vec2(16 * corner) * size.zw, vec2(1.0));
    gl_Position = vec4(2.0 * uv - 1.0, 0.0, 1.0);
}
