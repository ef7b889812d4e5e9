// Minimum and maximum finite value of the shown quantity. Floats are
// mapped to order-preserving unsigned integers.
#include "quantity.glsl"
layout(local_size_x = 128) in;
layout(std430, binding = 3) buffer Range { uint lowest, highest; };
layout(std430, binding = 4) readonly buffer Velocities { vec4 velocities[]; };
layout(std430, binding = 5) readonly buffer Smoothed { vec4 smoothed[]; };
layout(std430, binding = 6) readonly buffer Scalars { float scalars[]; };
uniform int count;

void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i >= count) return;
    float value = colorBy == 1 ? length(velocities[i].xyz) : colorBy == 3 ? smoothed[i].w : scalars[i];
    if (isnan(value) || isinf(value)) return;
    uint bits = floatBitsToUint(value);
    uint key = (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
    atomicMin(lowest, key);
    atomicMax(highest, key);
}
