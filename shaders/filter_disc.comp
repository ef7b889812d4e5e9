// Pass 8: the narrow-range filter (Truong and Yuksel 2018) over a disc, for quality record. The range follows
// the surface outwards along lines through the pixel, a nearer layer rejects both samples of a pair, a
// farther sample is replaced by z + mu, as along the axes of filter_axis.comp; but the lines lie in all
// directions, so that edges leave no steps along rows and columns.
#include "view.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
uniform int liquid;  // index of the liquid; -1: joint surface
layout(binding = 0) uniform sampler2D source;  // eye z: negative, 0 empty
layout(binding = 1) uniform sampler2D radii;   // [m]
layout(binding = 0, r32f) uniform writeonly image2D result;
uniform ivec2 origin;        // [px] of the image area that may contain liquid
uniform float commonRadius;  // draw radius r [m]; 0: per pixel
uniform float sigma;         // [r]
uniform float range;         // [r] half width of the accepted range
uniform float mostReach;     // [px] largest filter radius
uniform float turn;          // [-] angle of the first line / the angle between two
const int kLines = 8;
const int kSteps = 12;  // from the middle to the rim

float depthAt(ivec2 at) {
    float eyeZ = texelFetch(source, clamp(at, ivec2(0), textureSize(source, 0) - 1), 0).r;
    return eyeZ == 0.0 ? 1e9 : -eyeZ;
}

void main() {
    ivec2 pixel = origin + ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, textureSize(source, 0)))) return;
    float z = depthAt(pixel);
    if (z == 1e9) {
        imageStore(result, pixel, vec4(0.0));
        return;
    }
    float radius = commonRadius > 0.0 ? commonRadius : texelFetch(radii, pixel, 0).r;
    // the surface above an eye in the liquid is near and fills the image
    float within = liquid >= 0 && nearEye[max(liquid, 0)] >= kWithin ? 3.0 : 1.0;
    float delta = range * radius;
    float reach = min(within * mostReach, 3.0 * within * 0.5 * size.y * clip.z * sigma * radius / perspective(-z));
    int steps = clamp(int(ceil(reach)), 1, kSteps);
    // a sample stands for its part of a ring, which grows with its
    // distance; the middle for a disc of half a step
    float sum = 2.0 * z, weights = 2.0;
    for (int d = 0; d < kLines; ++d) {
        float angle = 3.14159265 / float(kLines) * (float(d) + turn);
        vec2 along = reach / float(steps) * vec2(cos(angle), sin(angle));
        float loA = z - delta, loB = loA, hiA = z + delta, hiB = hiA;
        for (int k = 1; k <= steps; ++k) {
            ivec2 offset = ivec2(round(float(k) * along));
            float a = depthAt(pixel + offset), b = depthAt(pixel - offset);
            if (a < loA || b < loB) continue;
            if (a > hiA) a = z + radius;
            else { loA = min(loA, a - delta); hiA = max(hiA, a + delta); }
            if (b > hiB) b = z + radius;
            else { loB = min(loB, b - delta); hiB = max(hiB, b + delta); }
            float t = 3.0 * float(k) / float(steps);  // [standard deviations]
            float g = float(k) * exp(-0.5 * t * t);
            sum += g * (a + b);
            weights += 2.0 * g;
        }
    }
    imageStore(result, pixel, vec4(-sum / weights));
}
