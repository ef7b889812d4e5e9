// Pass 2: where sunlight lands that enters a liquid at a corner of a grid in the light map, in its clip
// space. Light that is refracted at the smoothed surface moves sideways over the length of liquid below. The
// shift is relative to that below a level surface, which shifts all light alike; outside of liquids it is 0.
#include "view.glsl"
#include "walls.glsl"
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D surface;   // eye z [m] from the sun, smoothed; 0: no liquid
layout(binding = 1) uniform sampler2D lightTau;  // a: length of liquid [m]
layout(binding = 0, rg32f) uniform writeonly image2D landing;
uniform float radius;  // [m] draw radius
uniform float index;   // refractive

// Slope of the surface along an axis from its neighbors on both sides, without those of another layer.
float slope(ivec2 texel, ivec2 axis, float z, float pitch) {
    float sum = 0.0, number = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        float there = texelFetch(surface, clamp(texel + side * axis, ivec2(0), textureSize(surface, 0) - 1), 0).r;
        if (there == 0.0 || abs(there - z) > 4.0 * radius) continue;
        sum += (there - z) / (float(side) * pitch);
        number += 1.0;
    }
    return number > 0.0 ? sum / number : 0.0;
}

// 0 at the side walls of a tank. Liquid is flat there, and level up to its edge, while particles are neither.
float awayFromWalls(vec3 x) {
    float away = 1e9;
    for (int c = 0; c < regions.length(); ++c) {
        if (distanceWithin(regions[c], x) < -radius) continue;
        for (int k = 0; k < 6; ++k) {
            vec4 plane = regions[c].planes[k];
            if (abs(plane.y) < 0.7) away = min(away, dot(plane.xyz, x) + plane.w);
        }
    }
    return smoothstep(3.0 * radius, 7.0 * radius, away);
}

// Lateral displacement of the refracted ray per length along the sun ray.
vec2 deflection(vec3 n) {
    vec3 bent = refract(vec3(0.0, 0.0, -1.0), n, 1.0 / index);
    return bent.xy / max(-bent.z, 0.1);
}

void main() {
    ivec2 corner = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(corner, imageSize(landing)))) return;
    vec2 place = 2.0 * vec2(corner) / vec2(imageSize(landing) - 1) - 1.0;
    ivec2 map = textureSize(surface, 0), texel = min(ivec2((0.5 * place + 0.5) * vec2(map)), map - 1);
    float z = texelFetch(surface, texel, 0).r;
    if (z != 0.0) {
        float pitch = 2.0 * lightRange.y / float(map.x);  // [m]
        vec3 n = normalize(vec3(-slope(texel, ivec2(1, 0), z, pitch), -slope(texel, ivec2(0, 1), z, pitch), 1.0));
        // mean over about a particle: the sum over particles is uneven. Rims are round as particles are, not
        // as liquids: nothing is refracted there
        float way = 0.0, inside = 0.0;
        for (int k = 0; k < 9; ++k) {
            vec2 at = 0.5 * place + 0.5 + 1.5 * vec2(k % 3 - 1, k / 3 - 1) * radius / (2.0 * lightRange.y);
            float there = textureLod(surface, at, 0.0).r;
            way += textureLod(lightTau, at, 0.0).a / 9.0;
            inside += there != 0.0 && abs(there - z) < 4.0 * radius ? 1.0 / 9.0 : 0.0;
        }
        vec2 shift = deflection(n) - deflection(mat3(view) * vec3(0.0, 1.0, 0.0));
        vec3 entry = (viewInverse * vec4(place * lightRange.y, z, 1.0)).xyz;
        place += smoothstep(0.6, 1.0, inside) * awayFromWalls(entry) * shift * way / lightRange.y;
    }
    imageStore(landing, corner, vec4(place, 0.0, 0.0));
}
