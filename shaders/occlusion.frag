// Pass 4: ambient occlusion of the opaque scene from its depth, at half size: the fraction of the
// cosine-weighted sky that nearby surfaces leave open. Along lines through the pixel each point that is seen
// hides the sectors of a half circle between its front and its back, so that light passes behind thin things:
// Therrien, Levesque and Gilet, Screen Space Indirect Lighting with Visibility Bitmask (2023). A sector weighs
// cos(angle to the normal) sin(angle to the view), as in Jimenez, Wu, Pesce and Jarabo, Practical Realtime
// Strategies for Accurate Indirect Occlusion (2016). The mean of the open directions, the bent normal, says which
// part of the light from all around arrives.
#include "view.glsl"
#include "lighting.glsl"
layout(binding = 0) uniform sampler2D sceneDepth;
uniform float reach;      // [m] beyond it nothing occludes
uniform float thickness;  // [m] of what is seen
uniform int lines;        // searched per pixel
uniform int steps;        // per side of a line
in vec2 uv;
layout(location = 0) out vec4 visibility;  // light that arrives / without occlusion; w: eye z [m], 0: sky

const float kPi = 3.14159265;

vec3 pointAt(vec2 at) {
    vec3 origin, direction;
    eyeRay(2.0 * at - 1.0, origin, direction);
    float z = eyeFromDepth(textureLod(sceneDepth, at, 0.0).r);
    return origin + (origin.z - z) * direction;
}

// A half circle has 32 sectors, one bit each.
const int kSectors = 32;
const float kSectorAngle = kPi / float(kSectors);

// Those between two places (0 to 1), rounded up or down by a number (0 to 1) that differs from pixel to pixel.
uint sectorsBetween(float a, float b, float rounding) {
    ivec2 bounds = ivec2(floor(float(kSectors) * clamp(vec2(min(a, b), max(a, b)), 0.0, 1.0) + rounding));
    return bitfieldInsert(0u, ~0u, bounds.x, bounds.y - bounds.x);
}

vec2 directionAt(float angle) { return vec2(cos(angle), sin(angle)); }

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
    vec3 open = vec3(0.0), whole = vec3(0.0);  // sums of directions, weighted
    float openShare = 0.0, wholeShare = 0.0;   // sums of weights
    // (a loop: software rendering skips it where all pixels are far away)
    int searched = pixels < 1.5 ? 0 : lines;
    for (int k = 0; k < searched; ++k) {
        float angle = kPi * (float(k) + turn) / float(lines);
        vec3 along = vec3(cos(angle), sin(angle), 0.0);
        vec3 axis = normalize(cross(along, v));
        vec3 across = normalize(along - dot(along, v) * v), inPlane = n - dot(n, axis) * axis;
        float share = length(inPlane);
        vec2 normal = share > 1e-5 ? vec2(dot(inPlane, v), dot(inPlane, across)) / share : vec2(1.0, 0.0);
        float tilt = sign(normal.y) * acos(clamp(normal.x, -1.0, 1.0));  // of the normal, from v
        uint hidden = 0u;
        for (int side = -1; side <= 1; side += 2) {
            vec2 next = float(side) * along.xy * texel;  // texel along the line
            vec3 before = p;
            float wayBefore = 0.0;  // [texels]
            float placeBefore = 0.5 + 0.5 * float(side);  // the surface itself is the edge of the half circle
            for (int s = 0; s < steps; ++s) {
                float t = (float(s) + shift) / float(steps);
                float way = 1.0 + t * t * pixels;
                vec2 there = clamp(at + way * next, vec2(0.0), vec2(1.0));
                vec3 q = pointAt(there), front = q - p;
                // what is far away gets thinner, so that nothing pops in
                float fading = clamp(2.0 - 2.0 * dot(front, front) / (reach * reach), 0.0, 1.0);
                vec3 back = front - fading * thickness * v;
                vec2 cosines = vec2(dot(front, v), dot(back, v)) /
                               max(vec2(length(front), length(back)), vec2(1e-6));
                vec2 places = 0.5 + (float(side) * acos(clamp(cosines, -1.0, 1.0)) - tilt) / kPi;
                hidden |= sectorsBetween(places.x, places.y, turn);
                // points next to each other are one surface, unless that were steeper than the surface is there, and thicker
                vec3 apart = q - before;
                float most = max(thickness, 1.5 * length(apart.xy));
                if (abs(apart.z) >= most) {
                    float slope = min(abs(pointAt(there + next).z - q.z), abs(pointAt(there - next).z - q.z));
                    most = max(most, 2.5 * slope * (way - wayBefore));
                }
                if (abs(apart.z) < most)
                    hidden |= sectorsBetween(places.x, mix(places.x, placeBefore, fading), turn);
                before = q;
                wayBefore = way;
                placeBefore = clamp(places.x, 0.0, 1.0);
            }
        }
        // the middle of each sector, as components along v and across
        vec2 middle = directionAt(tilt - 0.5 * kPi + 0.5 * kSectorAngle), turned = directionAt(kSectorAngle);
        mat2 rotation = mat2(turned.x, turned.y, -turned.y, turned.x);
        for (int sector = 0; sector < kSectors; ++sector, middle = rotation * middle) {
            float weight = share * dot(middle, normal) * abs(middle.y);
            float isOpen = 1.0 - float((hidden >> sector) & 1u);
            vec3 direction = weight * (middle.x * v + middle.y * across);
            wholeShare += weight;
            whole += direction;
            openShare += isOpen * weight;
            open += isOpen * direction;
        }
    }
    // (relative to what the same lines see without occluders, so that an open surface keeps its normal)
    for (int k = searched > 0 ? 1 : 0; k > 0; --k) {
        vec3 bent = length(whole) * n - (whole - open);
        bent = dot(bent, n) > 0.0 ? normalize(bent) : n;
        vec3 arrives = lightAround(mat3(viewInverse) * bent) / max(lightAround(mat3(viewInverse) * n), vec3(1e-4));
        visibility.rgb = openShare / max(wholeShare, 1e-6) * min(arrives, vec3(2.0));
    }
}
