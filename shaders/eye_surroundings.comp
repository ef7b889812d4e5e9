// Counts liquid particles within 1.5 d of the eye: about 14 inside the liquid, half of that at its surface.
#include "view.glsl"
layout(local_size_x = 128) in;
layout(std430, binding = 3) buffer EyeSurroundings { uint nearEye[kLiquids]; };
layout(std430, binding = 4) readonly buffer Positions { vec4 positions[]; };
layout(std430, binding = 5) readonly buffer Phases { uint phases[]; };
uniform int count;

void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i >= count) return;
    Material m = materials[min(int(phases[i] & 0xffu), materials.length() - 1)];
    float reach = 1.5 * m.absorption.w;
    vec3 to = positions[i].xyz - eye.xyz;
    if (m.kind.x < kLiquids && clipDistance(positions[i].xyz) >= 0.0 && dot(to, to) < reach * reach) atomicAdd(nearEye[m.kind.x], 1u);
}
