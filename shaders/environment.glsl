// Sky, floor and their light, all linear.
const vec3 kAmbient = vec3(0.16, 0.18, 0.21);            // light of the sky on a surface that faces it
const vec3 kSun = 1.05 * vec3(1.0, 0.95, 0.86);          // light of the sun on a surface that faces it
const vec3 kPlain = vec3(0.55);

vec3 sky(vec3 d) {
    if (ground.z > 1.5) return kPlain;
    // pale to deep blue above, gray below, haze at the horizon
    vec3 color = d.y > 0.0 ? mix(vec3(0.30, 0.40, 0.54), vec3(0.10, 0.22, 0.48), smoothstep(0.0, 0.8, d.y))
                           : vec3(0.10, 0.10, 0.11);
    color = mix(color, vec3(0.62, 0.67, 0.72), exp(-7.0 * abs(d.y)));
    // sun and its glow
    float s = max(dot(d, sun.xyz), 0.0);
    color += vec3(1.0, 0.9, 0.7) * (20.0 * pow(s, 400.0) + 0.15 * pow(s, 8.0));
    // soft boxes overhead: something for the water to reflect
    if (d.y > 0.1) {
        vec2 w = abs(fract(0.35 * d.xz / d.y) - 0.5);
        color += 0.9 * (1.0 - smoothstep(0.07, 0.14, max(w.x, w.y))) * exp(-0.6 * length(d.xz / d.y));
    }
    return color;
}

// Checkerboard of unit squares averaged over a footprint w: the box filter of the product of two square waves.
float checker(vec2 p, vec2 footprint) {
    vec2 w = footprint + 1e-4;
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y;
}

vec3 floorAlbedo(vec2 p, vec2 footprint) {
    return vec3(mix(0.60, 0.36, checker(4.0 * p, 4.0 * footprint)));  // squares of 0.25 m
}

// Far floor fades into the haze of its horizon.
vec3 haze(vec3 color, vec3 direction, float distance) {
    vec3 horizon = sky(normalize(vec3(direction.x, 0.0, direction.z) + vec3(0.0, 1e-3, 0.0)));
    return mix(horizon, color, exp(-0.05 * distance));
}

// What a ray sees that leaves the scene: the sky, or the sunlit floor without the things on it. The floor is averaged
// over a footprint that grows with the distance, by blur: curved and matte reflectors see it out of focus.
vec3 environment(vec3 origin, vec3 direction, float blur) {
    if (direction.y >= -1e-3) return sky(direction);
    if (ground.y < 0.5) {
        direction.y = -direction.y;
        return 0.4 * sky(direction);
    }
    float t = max((origin.y - ground.x) / -direction.y, 0.0);
    vec3 p = origin + t * direction;
    vec3 color = floorAlbedo(p.xz, vec2(0.02 + blur * t)) * (kAmbient + kSun * max(sun.y, 0.0));
    return haze(color, direction, t);
}
