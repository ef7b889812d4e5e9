// Pass 3: cloth, with a checker in its rest places.
#include "view.glsl"
#include "lighting.glsl"
uniform float square;  // [m] side of a square, 0: none
in vec3 place;
in vec3 normal;
in vec3 pattern;
in vec3 tint;
flat in int rim;
layout(location = 0) out vec4 color;

// Share of the dark squares within the footprint of a pixel: of a checker of cubes, the middle of one at 0, so that
// any flat sheet through the middle shows squares.
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
    color = vec4(shade(albedo, place, rim == 1 ? flatNormal : normalize(normal)), 1.0);
}
