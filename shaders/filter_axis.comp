// Pass 8: one axis of the narrow-range filter (Truong and Yuksel 2018) on eye depth. A nearer layer within
// reach rejects both samples of a pair; a farther sample is replaced by z + mu.
#include "view.glsl"
const int kGroup = 128;
const int kMostRadius = 192;  // [px]
layout(local_size_x = kGroup) in;
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
uniform int liquid;  // index of the liquid; -1: joint surface
layout(binding = 0) uniform sampler2D source;              // eye z: negative, 0 empty
layout(binding = 1) uniform sampler2D radii;  // [m]
layout(binding = 0, r32f) uniform writeonly image2D result;
uniform ivec2 axis;      // (1,0) or (0,1)
uniform ivec2 origin;    // [px] of the image area that may contain liquid
uniform float commonRadius;  // draw radius r [m]; 0: per pixel
uniform float sigma;     // [r]
uniform float range;         // [r] half width of the accepted range
uniform float mostReach;  // [px] largest filter radius

shared float line[kGroup + 2 * kMostRadius];
const float kEmpty = 1e9;

void main() {
    ivec2 extent = textureSize(source, 0);
    int first = axis.x == 1 ? origin.x : origin.y;
    int along = first + int(gl_GlobalInvocationID.x), local = int(gl_LocalInvocationID.x);
    int across = (axis.x == 1 ? origin.y : origin.x) + int(gl_WorkGroupID.y);
    int length = axis.x == 1 ? extent.x : extent.y;
    // the surface above an eye in the liquid is near and fills the image
    float within = liquid >= 0 && nearEye[max(liquid, 0)] >= kWithin ? 3.0 : 1.0;
    int most = min(int(ceil(within * mostReach)), kMostRadius);
    // loads the line segment of the group and its surroundings, as positive depth
    int start = first + int(gl_WorkGroupID.x) * kGroup - most;
    for (int k = local; k < kGroup + 2 * most; k += kGroup) {
        int at = clamp(start + k, 0, length - 1);
        float eyeZ = texelFetch(source, axis.x == 1 ? ivec2(at, across) : ivec2(across, at), 0).r;
        line[k] = eyeZ == 0.0 ? kEmpty : -eyeZ;
    }
    barrier();
    if (along >= length) return;

    ivec2 pixel = axis.x == 1 ? ivec2(along, across) : ivec2(across, along);
    int middle = local + most;
    float z = line[middle];
    if (z == kEmpty) {
        imageStore(result, pixel, vec4(0.0));
        return;
    }
    float radius = commonRadius > 0.0 ? commonRadius : texelFetch(radii, pixel, 0).r;
    float delta = range * radius;
    float reach = min(float(most), 3.0 * within * 0.5 * size.y * clip.z * sigma * radius / perspective(-z));
    float narrow = max(reach / 3.0, 1e-3);
    float falloff = -0.5 / (narrow * narrow);
    float loA = z - delta, loB = loA, hiA = z + delta, hiB = hiA;
    float sum = z, weights = 1.0;
    for (int k = 1; k <= int(ceil(reach)); ++k) {
        // clamped to the image, not to the group
        float a = line[middle - min(k, along)];
        float b = line[middle + min(k, length - 1 - along)];
        if (a < loA || b < loB) continue;
        if (a > hiA) a = z + radius;
        else { loA = min(loA, a - delta); hiA = max(hiA, a + delta); }
        if (b > hiB) b = z + radius;
        else { loB = min(loB, b - delta); hiB = max(hiB, b + delta); }
        float g = exp(falloff * float(k * k));
        sum += g * (a + b);
        weights += 2.0 * g;
    }
    imageStore(result, pixel, vec4(-sum / weights));
}
