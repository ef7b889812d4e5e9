// Light at a point: sunlight through the solid shadow map, liquids and glass; and sky light.
#include "environment.glsl"
layout(binding = 8) uniform sampler2DShadow solidShadow;
layout(binding = 14) uniform sampler2D solidDepth;       // the same map, without comparison
layout(binding = 9) uniform sampler2D lightTau;         // rgb: sum of sigma t [-], a: sum of t [m], towards the sun
layout(binding = 12) uniform sampler2D lightSmoke;       // optical depth of smoke towards the sun
layout(binding = 13) uniform sampler2D lightSmokeRange;  // [m] its first depth, and the negative of its last
layout(binding = 11) uniform sampler2D lightGlass;      // rgb: optical depth of glass, a: depth of the first glass
layout(binding = 15) uniform sampler2D lightCaustics;    // irradiance below liquids / without refraction
layout(binding = 10) uniform sampler2D lightFluidDepth;  // [m] from the near plane of the light view to the nearest liquid

// Place in the light map, and depth; z > 1: outside of it.
vec3 lightPlace(vec3 p) {
    vec3 uv = 0.5 * (light * vec4(p, 1.0)).xyz + 0.5;
    bool inside = all(greaterThanEqual(uv.xy, vec2(0.0))) && all(lessThanEqual(uv.xy, vec2(1.0)));
    return vec3(uv.xy, inside ? min(uv.z, 1.0) : 2.0);
}

// Interleaved gradient noise in [0, 1): Jimenez, Next Generation Post Processing in Call of Duty (2014).
float gradientNoise(vec2 at) { return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715)))); }

// Unshadowed fraction of the sun. Shadows are sharp where they begin and soft far from what casts them: the
// mean distance of the blockers gives the width of the penumbra (Fernando, Percentage-Closer Soft Shadows,
// 2005). Samples lie on golden-angle spirals.
float solidLight(vec3 p, vec3 n, int samples) {
    if (sun.w < 0.5) return 1.0;
    // offset from the surface by the sampling radius, to avoid self-shadowing
    float width = 2.0 * lightRange.y, least = 4.0 * lightRange.z, most = 4.0 * least;  // [m]
    vec3 uv = lightPlace(p + n * least);
    if (uv.z > 1.5) return 1.0;
    float sum = 0.0, blockers = 0.0;
    for (int k = 0; k < 8; ++k) {
        float radius = most / width * sqrt((float(k) + 0.5) / 8.0), angle = 2.399963 * float(k);
        float depth = texture(solidDepth, uv.xy + radius * vec2(cos(angle), sin(angle))).r;
        // (what lies less than the offset in front may be the surface itself)
        float blocks = step(depth, uv.z - radius * width / lightRange.x);
        sum += blocks * depth;
        blockers += blocks;
    }
    float gap = blockers > 0.0 ? (uv.z - sum / blockers) * lightRange.x : 0.0;  // [m]
    float spread = clamp(eye.w * gap, least, most);
    uv = lightPlace(p + n * spread);
    // turned differently from place to place where samples are far
    // apart, else their edges would show as stripes
    float turn = spread > 1.5 * least ? 6.2832 * gradientNoise(65536.0 * uv.xy) : 0.0;
    float lit = 0.0;
    int left = samples * int(sun.w), taken = 0;  // a loop that compilers do not unroll: software rendering exits early
    for (int k = left - 1; k >= 0; --k, ++taken) {
        // if the four outermost samples agree, so do the inner ones
        if (taken == 4 && (lit == 0.0 || lit == 4.0)) break;
        float radius = spread / width * sqrt((float(k) + 0.5) / float(samples)), angle = 2.399963 * float(k) + turn;
        lit += texture(solidShadow, vec3(uv.xy + radius * vec2(cos(angle), sin(angle)), min(uv.z, 1.0)));
    }
    return lit / float(taken);
}
float solidLight(vec3 p, vec3 n) { return solidLight(p, n, 12); }

// Colored transmittance of sunlight through liquid. Receivers above the liquid get full light, receivers
// inside only pass through the part in front of them. The factor 0.55 is the loss by reflection at the two
// interfaces. Refraction gathers the light into caustics as it goes down. The mean over two texels of the maps
// hides their steps, at which turbid liquid would go from clear to opaque.
vec3 fluidLight(vec3 p) {
    if (sun.w < 0.5) return vec3(1.0);
    vec4 clipPosition = light * vec4(p, 1.0);
    vec3 uv = 0.5 * clipPosition.xyz + 0.5;
    if (any(lessThan(uv.xy, vec2(0.0))) || any(greaterThan(uv.xy, vec2(1.0)))) return vec3(1.0);
    vec4 tau = texture(lightTau, uv.xy);
    if (tau.a <= 1e-5) return vec3(1.0);
    float texel = 1.0 / float(textureSize(lightTau, 0).x);
    float before = clamp(uv.z * lightRange.x - texture(lightFluidDepth, uv.xy).r, 0.0, tau.a);
    vec3 through = vec3(0.0);
    for (int tap = 0; tap < 6; ++tap) {
        float angle = 2.399963 * float(tap);
        vec2 at = uv.xy + 2.0 * texel * sqrt((float(tap) + 0.5) / 6.0) * vec2(cos(angle), sin(angle));
        vec4 there = texture(lightTau, at);
        float path = clamp(uv.z * lightRange.x - texture(lightFluidDepth, at).r, 0.0, there.a);
        through += exp(-there.rgb * path / max(there.a, 1e-5)) * mix(1.0, 0.55, clamp(8.0 * path, 0.0, 1.0)) / 6.0;
    }
    for (int k = int(lightRange.w + 0.5) & 4; k > 0; k -= 4) {
        // blurred by the sun's disc, at least over a texel
        float caustics = 0.0, spread = max(eye.w * before / (2.0 * lightRange.y), texel);
        for (int tap = 0; tap < 8; ++tap) {
            float angle = 2.399963 * float(tap);
            vec2 offset = spread * sqrt((float(tap) + 0.5) / 8.0) * vec2(cos(angle), sin(angle));
            caustics += min(texture(lightCaustics, uv.xy + offset).r, 4.0) / 8.0;
        }
        through *= mix(1.0, caustics, before / tau.a);
    }
    return through;
}

// Colored transmittance of sunlight through glass; full light in front of the first glass. (A loop: without
// glass, software rendering skips it.)
vec3 glassLight(vec3 p) {
    vec3 through = vec3(1.0);
    for (int k = int(lightRange.w + 0.5) & 1; k > 0; --k) {
        vec3 uv = 0.5 * (light * vec4(p, 1.0)).xyz + 0.5;
        if (any(lessThan(uv.xy, vec2(0.0))) || any(greaterThan(uv.xy, vec2(1.0)))) continue;
        // rims are finer than the texels of the map
        vec3 sum = vec3(0.0);
        for (int tap = 0; tap < 6; ++tap) {
            float angle = 2.399963 * float(tap);
            vec2 offset = 0.0011 * sqrt(float(tap) + 0.5) * vec2(cos(angle), sin(angle));
            vec4 glass = texture(lightGlass, uv.xy + offset);
            sum += uv.z > glass.a + 4e-3 ? exp(-glass.rgb) : vec3(1.0);
        }
        through = sum / 6.0;
    }
    return through;
}

// Transmittance of sunlight through smoke, which is taken as even between its first and its last depth.
float smokeLight(vec3 p) {
    float through = 1.0;
    for (int k = int(lightRange.w + 0.5) >> 1 & 1; k > 0; --k) {
        vec3 uv = 0.5 * (light * vec4(p, 1.0)).xyz + 0.5;
        if (any(lessThan(uv.xy, vec2(0.0))) || any(greaterThan(uv.xy, vec2(1.0)))) continue;
        vec2 range = texture(lightSmokeRange, uv.xy).rg;  // near the rim mixed with "nowhere"
        float share = clamp((uv.z * lightRange.x - range.x) / max(-range.y - range.x, 1e-3), 0.0, 1.0);
        through = exp(-texture(lightSmoke, uv.xy).r * share);
    }
    return through;
}

// The sky is brighter to one side of the sun, so that faces in shadow can be told apart.
vec3 skyLight(vec3 n) {
    for (int k = int(lampLight.w + 0.5); k > 0; k = 0) return mappedLight(n);
    vec3 side = normalize(vec3(-sun.z, 0.0, sun.x) - vec3(sun.x, 0.0, sun.z) + vec3(1e-4, 0.0, 0.0));
    return kAmbient * (0.65 + 0.35 * n.y + 0.35 * dot(n, side));
}

// Light of which `around` comes from all directions; w: its fraction,
// which nearby surfaces occlude (occlusion.frag).
vec4 withShare(vec3 light, vec3 around) {
    return vec4(light, clamp(dot(around, vec3(1.0)) / max(dot(light, vec3(1.0)), 1e-6), 0.0, 1.0));
}

// Irradiance by the sun.
vec3 sunLight(vec3 p, vec3 n) {
    float facing = max(dot(n, sun.xyz), 0.0);
    if (facing == 0.0) return vec3(0.0);
    return kSun * facing * solidLight(p, n) * fluidLight(p) * glassLight(p) * smokeLight(p);
}

// Irradiance from all around: sky, and light reflected by the ground.
vec3 lightAround(vec3 n) {
    return skyLight(n) + ground.y * 0.10 * kSun * max(-n.y * 0.5 + 0.5, 0.0) * max(sun.y, 0.0);
}

// Diffuse surface.
vec4 shade(vec3 albedo, vec3 p, vec3 n) {
    vec3 direct = sunLight(p, n), around = lightAround(n);
    return withShare(albedo * (around + direct), albedo * around);
}

// Diffuse surface with a weak specular reflection.
vec4 shadePolished(vec3 albedo, vec3 p, vec3 n) {
    vec3 v = toViewerInWorld(p);
    // interpolated normals at silhouettes may face away from the viewer
    float fresnel = 0.03 + 0.15 * pow(1.0 - min(abs(dot(n, v)), 1.0), 5.0);
    vec4 diffuse = shade(albedo, p, n);
    vec3 mirrored = min(environment(p, reflect(-v, n), 0.6), vec3(60.0));
    vec3 light = mix(diffuse.rgb, mirrored, fresnel);
    return withShare(light, mix(diffuse.a * diffuse.rgb, mirrored, fresnel));
}
