// Pass 4: ambient occlusion of the opaque scene from its depth, at half size: the fraction of the
// cosine-weighted sky that nearby surfaces leave open. Horizons are searched along lines through the pixel,
// and the integral between them is exact: Jimenez, Wu, Pesce and Jarabo, Practical Realtime Strategies for
// Accurate Indirect Occlusion (2016), eq. 6-7. The mean of the open directions, the bent normal, says which
// part of the light from all around arrives.
#include "view.glsl"
#include "lighting.glsl"
layout(binding = 0) uniform sampler2D sceneDepth;
uniform float reach;  // [m] beyond it nothing occludes
uniform int lines;    // searched per pixel
uniform int steps;    // per side of a line
in vec2 uv;
layout(location = 0) out vec4 visibility;  // light that arrives / without occlusion; w: eye z [m], 0: sky

const float kPi = 3.14159265;

vec3 pointAt(vec2 at) {
    vec3 origin, direction;
    eyeRay(2.0 * at - 1.0, origin, direction);
    float z = eyeFromDepth(textureLod(sceneDepth, at, 0.0).r);
    return origin + (origin.z - z) * direction;
}

// In the plane of a line, with angles from the view: the sum of the directions up to a horizon, weighted by the
// cosine to the normal, along the view (x) and along the line (y): the integrals from 0 to h of
// cos(a) cos(a - tilt) sin(a) and sin(a) cos(a - tilt) sin(a).
vec2 openDirections(float h, float tilt) {
    float c = cos(h), s = sin(h), c3 = c * c * c / 3.0, s3 = s * s * s / 3.0;
    return vec2(cos(tilt) * (1.0 / 3.0 - c3) + sin(tilt) * s3, cos(tilt) * s3 + sin(tilt) * (2.0 / 3.0 - c + c3));
}

// The shorter of two differences, which does not cross an edge.
vec3 shorter(vec3 a, vec3 b) { return dot(a, a) < dot(b, b) ? a : b; }

void main() {
    vec2 texel = size.zw;
    vec2 at = (floor(gl_FragCoord.xy) * 2.0 + 0.5) * texel;  // a texel of the full size, not between four
    vec3 p = pointAt(at);
    visibility = vec4(vec3(1.0), p.z);
    if (-p.z > 0.9 * clip.y) {
        visibility.w = 0.0;
        return;
    }
    float pixels = 0.5 * reach * clip.z * size.y / perspective(p.z);
    pixels = min(pixels, 0.15 * size.y);
    vec3 n = normalize(cross(shorter(pointAt(at + vec2(texel.x, 0.0)) - p, p - pointAt(at - vec2(texel.x, 0.0))),
                             shorter(pointAt(at + vec2(0.0, texel.y)) - p, p - pointAt(at - vec2(0.0, texel.y)))));
    vec3 v = toViewer(p);
    // directions and distances that differ within squares of 4 x 4, which occlusion_apply.frag averages
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float turn = (float(((pixel.x + pixel.y) & 3) * 4 + (pixel.x & 3)) + 0.5) / 16.0;
    float shift = (float((pixel.y - pixel.x) & 3) + 0.5) / 4.0;
    float sum = 0.0;
    vec3 hidden = vec3(0.0), whole = vec3(0.0);  // sums of directions
    // (a loop: software rendering skips it where all pixels are far away)
    int searched = pixels < 1.5 ? 0 : lines;
    for (int k = 0; k < searched; ++k) {
        float angle = kPi * (float(k) + turn) / float(lines);
        vec3 along = vec3(cos(angle), sin(angle), 0.0);
        vec3 axis = normalize(cross(along, v));
        vec3 across = normalize(along - dot(along, v) * v), inPlane = n - dot(n, axis) * axis;
        float share = length(inPlane);
        float cosine = clamp(dot(inPlane, v) / max(share, 1e-5), -1.0, 1.0);
        float tilt = sign(dot(inPlane, across)) * acos(cosine);  // of the normal, from v
        for (int side = -1; side <= 1; side += 2) {
            float lowest = cos(tilt + float(side) * 0.5 * kPi), horizon = lowest;  // cosines of angles from v
            for (int s = 0; s < steps; ++s) {
                float t = (float(s) + shift) / float(steps);
                vec2 there = at + float(side) * (1.0 + t * t * pixels) * along.xy * texel;
                vec3 d = pointAt(clamp(there, vec2(0.0), vec2(1.0))) - p;
                float squared = dot(d, d);
                // occluders fade out with distance, so that none pops in
                float weight = clamp(2.0 - 2.0 * squared / (reach * reach), 0.0, 1.0);
                horizon = max(horizon, mix(lowest, dot(d, v) * inversesqrt(max(squared, 1e-12)), weight));
            }
            float h = float(side) * acos(clamp(horizon, -1.0, 1.0));
            h = tilt + clamp(h - tilt, -0.5 * kPi, 0.5 * kPi);
            sum += 0.25 * share * (cosine + 2.0 * h * sin(tilt) - cos(2.0 * h - tilt));
            vec2 free = openDirections(tilt + float(side) * 0.5 * kPi, tilt), left = openDirections(h, tilt);
            whole += share * (free.x * v + free.y * across);
            hidden += share * ((free.x - left.x) * v + (free.y - left.y) * across);
        }
    }
    // (relative to what the same lines see without occluders, so that an open surface keeps its normal)
    for (int k = searched > 0 ? 1 : 0; k > 0; --k) {
        vec3 bent = length(whole) * n - hidden;
        bent = dot(bent, n) > 0.0 ? normalize(bent) : n;
        vec3 arrives = lightAround(mat3(viewInverse) * bent) / max(lightAround(mat3(viewInverse) * n), vec3(1e-4));
        visibility.rgb = clamp(sum / float(lines), 0.0, 1.0) * min(arrives, vec3(2.0));
    }
}
