// Color maps as tables of sRGB values, sampled from their published definitions at even steps.
const vec3 kViridis[9] = vec3[](vec3(0.267, 0.005, 0.329), vec3(0.279, 0.175, 0.483), vec3(0.230, 0.322, 0.546),
    vec3(0.173, 0.449, 0.558), vec3(0.128, 0.567, 0.551), vec3(0.158, 0.684, 0.502), vec3(0.369, 0.789, 0.383),
    vec3(0.678, 0.864, 0.190), vec3(0.993, 0.906, 0.144));
const vec3 kCoolWarm[9] = vec3[](vec3(0.230, 0.299, 0.754), vec3(0.384, 0.510, 0.917), vec3(0.554, 0.690, 0.996),
    vec3(0.720, 0.817, 0.962), vec3(0.865, 0.865, 0.865), vec3(0.962, 0.765, 0.674), vec3(0.957, 0.598, 0.477),
    vec3(0.872, 0.390, 0.307), vec3(0.706, 0.016, 0.150));

vec3 mapColor(float value, vec2 range, bool diverging) {
    if (isnan(value) || isinf(value)) return vec3(1.0, 0.0, 1.0);  // magenta marks non-finite values
    float t = 8.0 * clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    int k = min(int(t), 7);
    return diverging ? mix(kCoolWarm[k], kCoolWarm[k + 1], t - float(k))
                     : mix(kViridis[k], kViridis[k + 1], t - float(k));
}

vec3 encodeSrgb(vec3 c);

// Colors of an attribute, given by the scene: linear RGB at even steps.
uniform vec3 palette[9];
uniform int ownColors;  // 1: use these instead of a color map
vec3 mapOwnColor(float value, vec2 range, bool diverging) {
    if (ownColors == 0 || isnan(value) || isinf(value)) return mapColor(value, range, diverging);
    float t = 8.0 * clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    int k = min(int(t), 7);
    return encodeSrgb(mix(palette[k], palette[k + 1], t - float(k)));
}

vec3 encodeSrgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}
vec3 decodeSrgb(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}
