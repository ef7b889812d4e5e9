// Pass 3: lit cloth, with a checker pattern in rest space.
#include "view.glsl"
#include "lighting.glsl"
uniform float square;  // [m] size of a square, 0: none
in vec3 place;
in vec3 normal;
in vec3 pattern;
in vec3 tint;
flat in int rim;
layout(location = 0) out vec4 color;

// Fraction of dark squares within a pixel's footprint. The pattern is a checker of cubes, one centered at 0, so that
// every flat cloth through the origin shows squares.
float darkShare(vec3 q, vec3 footprint) {
    q += 0.5;
    vec3 w = footprint + 1e-3;
    vec3 i = 2.0 * (abs(fract((q - 0.5 * w) / 2.0) - 0.5) - abs(fract((q + 0.5 * w) / 2.0) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y * i.z;
}

void main() {
    vec3 flatNormal = normalize(cross(dFdx(place), dFdy(place)));
    vec3 q = pattern / max(square, 1e-6);
    float dark = darkShare(q, max(abs(dFdx(q)), abs(dFdy(q))));
    vec3 albedo = square > 0.0 ? tint * mix(1.0, 0.45, dark) : tint;
    color = shade(albedo, place, rim == 1 ? flatNormal : normalize(normal));
}
