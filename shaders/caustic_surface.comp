// Pass 2: nearest liquid from the sun [m], as an eye z for the depth filter (0: none).
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D nearest;  // 1e9: none
layout(binding = 0, r32f) uniform writeonly image2D surface;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    float depth = texelFetch(nearest, texel, 0).r;
    imageStore(surface, texel, vec4(depth < 1e8 ? -depth : 0.0));
}
