// Sky, ground and their light, in linear RGB. Indexed by Background of src/render/renderer/renderer.h:
// studio, sky, plain, sunset, overcast, night.
const vec3 kAmbients[6] = vec3[](vec3(0.25, 0.28, 0.325), vec3(0.16, 0.18, 0.21), vec3(0.16, 0.18, 0.21),
    vec3(0.15, 0.14, 0.19), vec3(0.46, 0.48, 0.51), vec3(0.035, 0.045, 0.075));
const vec3 kSuns[6] = vec3[](1.63 * vec3(1.0, 0.95, 0.86), 1.05 * vec3(1.0, 0.95, 0.86), 1.05 * vec3(1.0, 0.95, 0.86),
    vec3(1.75, 0.86, 0.38), vec3(0.22), vec3(0.20, 0.25, 0.36));
// An environment map replaces sky and sun. Its levels are blurred, each twice as much as the one before.
layout(binding = 16) uniform sampler2D surroundings;
bool hasMap() { return lampLight.w > 0.5; }
#define kAmbient (hasMap() ? mappedLight(vec3(0.0, 1.0, 0.0)) : kAmbients[int(ground.z + 0.5)])  // sky irradiance on a surface facing up
#define kSun (hasMap() ? lampLight.rgb : kSuns[int(ground.z + 0.5)])  // sun irradiance on a surface facing it
const vec3 kPlain = vec3(0.55);

// Irradiance / pi from the map, by its harmonics.
vec3 mappedLight(vec3 n) {
    return max(0.282095 * harmonics[0].rgb + 0.488603 * (n.y * harmonics[1] + n.z * harmonics[2] + n.x * harmonics[3]).rgb
        + 1.092548 * (n.x * n.y * harmonics[4] + n.y * n.z * harmonics[5] + n.x * n.z * harmonics[7]).rgb
        + 0.315392 * (3.0 * n.z * n.z - 1.0) * harmonics[6].rgb + 0.546274 * (n.x * n.x - n.y * n.y) * harmonics[8].rgb, 0.0);
}

// The map, blurred by an angle [rad]. Columns from -z over +x and +z, rows from above.
vec3 mapped(vec3 d, float blur) {
    vec2 at = vec2(atan(d.x, -d.z) / 6.283185, acos(clamp(d.y, -1.0, 1.0)) / 3.141593);
    return textureLod(surroundings, at, clamp(log2(max(blur, 1e-4) * surround.x / 3.141593), 0.0, lampLight.w - 1.0)).rgb;
}

// Soft boxes overhead. Reflections show them, the sky behind the scene does not.
float softBoxes(vec3 d) {
    if (d.y <= 0.1) return 0.0;
    vec2 w = abs(fract(0.35 * d.xz / d.y) - 0.5);
    return (1.0 - smoothstep(0.07, 0.14, max(w.x, w.y))) * exp(-0.6 * length(d.xz / d.y));
}

// The backdrop of a studio, which its lamps hardly reach.
vec3 studioSky(vec3 d) {
    vec3 color = mix(vec3(0.13, 0.14, 0.163), vec3(0.046, 0.053, 0.065), smoothstep(-0.05, 0.65, d.y));
    // spill of the main light
    return color + 0.09 * vec3(1.0, 0.95, 0.86) * pow(max(dot(d, sun.xyz), 0.0), 3.0);
}

vec3 daySky(vec3 d) {
    // pale to deep blue above, gray below, haze at the horizon
    vec3 color = mix(vec3(0.30, 0.40, 0.54), vec3(0.10, 0.22, 0.48), smoothstep(0.0, 0.8, d.y));
    color = mix(vec3(0.10, 0.10, 0.11), color, smoothstep(-0.02, 0.02, d.y));
    color = mix(color, vec3(0.62, 0.67, 0.72), exp(-7.0 * abs(d.y)));
    // sun and glow
    float s = max(dot(d, sun.xyz), 0.0);
    return color + vec3(1.0, 0.9, 0.7) * (20.0 * pow(s, 400.0) + 0.15 * pow(s, 8.0));
}

// Warm around the sun, violet on the opposite side, dark above.
vec3 sunsetSky(vec3 d) {
    float s = max(dot(d, sun.xyz), 0.0), up = max(d.y, 0.0);
    float side = 0.5 + 0.5 * dot(normalize(d.xz + vec2(1e-4, 0.0)), normalize(sun.xz + vec2(1e-4, 0.0)));
    vec3 horizon = mix(vec3(0.34, 0.24, 0.36), vec3(0.98, 0.46, 0.17), side * side);
    vec3 color = mix(horizon, vec3(0.20, 0.20, 0.40), smoothstep(0.0, 0.35, up));
    color = mix(color, vec3(0.05, 0.08, 0.20), smoothstep(0.25, 0.9, up));
    if (d.y < 0.0) color = mix(horizon, vec3(0.06, 0.05, 0.06), 1.0 - exp(6.0 * d.y));
    return color + vec3(1.0, 0.62, 0.28) * (14.0 * pow(s, 700.0) + 0.3 * pow(s, 14.0));
}

vec3 sky(vec3 d) {
    // (a loop: software rendering skips it where there is no map)
    for (int k = int(surround.y + 0.5); k > 0; --k) return mapped(d, 0.0);
    int style = int(ground.z + 0.5);
    if (style == 1) return daySky(d);
    if (style == 2) return kPlain;
    if (style == 3) return sunsetSky(d);
    if (style == 4)  // uniform cloud cover, brighter above
        return d.y > 0.0 ? mix(vec3(0.66, 0.69, 0.72), vec3(0.95, 0.96, 0.98), smoothstep(0.0, 0.9, d.y))
                         : mix(vec3(0.66, 0.69, 0.72), vec3(0.20), 1.0 - exp(6.0 * d.y));
    if (style == 5) {  // moon, and lamps overhead
        float s = max(dot(d, sun.xyz), 0.0);
        vec3 color = mix(vec3(0.045, 0.06, 0.10), vec3(0.008, 0.012, 0.03), smoothstep(-0.1, 0.6, d.y));
        return color + vec3(0.8, 0.88, 1.0) * (6.0 * pow(s, 900.0) + 0.05 * pow(s, 10.0));
    }
    return studioSky(d);
}

// The sky as a reflector sees it, with the lamps that light the scene. Curved and
// diffuse reflectors (`blur`) see no single lamp.
vec3 mirroredSky(vec3 d, float blur) {
    for (int k = int(lampLight.w + 0.5); k > 0; k = 0) return mapped(d, blur);
    const float boxes[6] = float[](3.7, 0.9, 0.0, 0.25, 0.0, 0.3);
    int style = int(ground.z + 0.5);
    vec3 lamps = vec3(boxes[style] * softBoxes(d));
    if (style == 0) lamps += 31.0 * vec3(1.0, 0.9, 0.7) * pow(max(dot(d, sun.xyz), 0.0), 400.0);
    return sky(d) + lamps * (1.0 - smoothstep(0.1, 0.5, blur));
}

// Checkerboard of unit squares averaged over a footprint w: box filter of the product of two square waves.
float checker(vec2 p, vec2 footprint) {
    vec2 w = footprint + 1e-4;
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y;
}

// Fraction of a footprint covered by lines of a given width at integer coordinates, along each axis.
vec2 lineCover(vec2 p, vec2 footprint, float width) {
    vec2 w = footprint + 1e-4, from = p - 0.5 * w + 0.5 * width, to = p + 0.5 * w + 0.5 * width;
    return (floor(to) * width + min(fract(to), width) - floor(from) * width - min(fract(from), width)) / w;
}

// Albedo by style: checker, plain, or a grid with a line every 0.25 m and a stronger one every meter.
vec3 floorAlbedo(vec2 p, vec2 footprint) {
    if (ground.w > 1.5) {
        vec2 fine = lineCover(4.0 * p, 4.0 * footprint, 0.03), strong = lineCover(p, footprint, 0.022);
        return vec3(0.30 * (1.0 - 0.35 * max(fine.x, fine.y)) * (1.0 - 0.65 * max(strong.x, strong.y)));
    }
    if (ground.w > 0.5) return vec3(0.24);
    return vec3(mix(0.34, 0.20, checker(4.0 * p, 4.0 * footprint)));  // squares of 0.25 m
}

// Transmittance: share of the ground's light that is seen at a distance from the eye; the rest is haze. The lamps of a
// studio light the scene, whose distance is surround.z, and leave the ground behind it in the dark.
float transmittance(float range) {
    bool studio = int(ground.z + 0.5) == 0 && !hasMap();
    return exp(studio ? -0.7 * max((range - surround.w) / surround.z - 1.0, 0.0) : -0.05 * range);
}

// Fades distant ground into its horizon.
vec3 haze(vec3 color, vec3 direction, float range) {
    vec3 horizon = sky(normalize(vec3(direction.x, 0.0, direction.z) + vec3(0.0, 1e-3, 0.0)));
    return mix(horizon, color, transmittance(range));
}

// Light from outside the scene: the sky, or the sunlit ground without objects on it. The ground is averaged
// over a footprint that grows with distance times `blur`, and the horizon over an angle of `blur` [rad]:
// curved and diffuse reflectors see both out of focus.
vec3 environment(vec3 origin, vec3 direction, float blur) {
    for (int k = hasMap() && ground.y < 0.5 ? 1 : 0; k > 0; --k) return mapped(direction, blur);
    float above = smoothstep(-0.5 * blur - 1e-3, 0.5 * blur, direction.y);
    vec3 up = vec3(direction.x, abs(direction.y), direction.z);
    vec3 overhead = mirroredSky(up, blur);
    if (above >= 1.0) return overhead;
    if (ground.y < 0.5) return overhead * mix(0.4, 1.0, above);
    float t = max((origin.y - ground.x) / max(up.y, 1e-3), 0.0);
    vec3 p = origin + t * vec3(direction.x, -up.y, direction.z);
    vec3 color = floorAlbedo(p.xz, vec2(0.02 + blur * t)) * (kAmbient + kSun * max(sun.y, 0.0));
    return mix(haze(color, direction, distance(p, eye.xyz)), overhead, above);
}
