// Pass 3: lit cloth, with a checker pattern in rest space. Light also comes through from the other side, and
// fibers that stand off a surface make it brighter where it is seen or lit at a low angle (sheen: Burley,
// Physically Based Shading at Disney, 2012).
#include "view.glsl"
#include "lighting.glsl"
uniform float square;         // [m] size of a square, 0: none
uniform float halfThickness;  // [m]
in vec3 place;
in vec3 normal;
in vec3 pattern;
in vec3 tint;
flat in int rim;
layout(location = 0) out vec4 color;

// Fraction of dark squares within a pixel's footprint. The pattern is a checker of cubes, one centered at 0,
// so that every flat cloth through the origin shows squares.
float darkShare(vec3 q, vec3 footprint) {
    q += 0.5;
    vec3 w = footprint + 1e-3;
    vec3 i = 2.0 * (abs(fract((q - 0.5 * w) / 2.0) - 0.5) - abs(fract((q + 0.5 * w) / 2.0) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y * i.z;
}

const float kThrough = 0.2;  // [-] light that passes / light that is reflected: of a light fabric
const float kSheen = 0.3;    // [-] at grazing angles, of light from all around

void main() {
    vec3 flatNormal = normalize(cross(dFdx(place), dFdy(place)));
    vec3 q = pattern / max(square, 1e-6);
    float dark = darkShare(q, max(abs(dFdx(q)), abs(dFdy(q))));
    vec3 albedo = square > 0.0 ? tint * mix(1.0, 0.45, dark) : tint;
    vec3 n = rim == 1 ? flatNormal : normalize(normal), v = toViewerInWorld(place);
    vec3 direct = sunLight(place, n), around = lightAround(n);
    // the other side, a thickness away
    vec3 behind = place - 2.0 * halfThickness * n;
    vec3 passed = kThrough * sunLight(behind, -n), passedAround = kThrough * lightAround(-n);
    if (rim == 1) passed = passedAround = vec3(0.0);
    float grazing = pow(1.0 - min(abs(dot(n, v)), 1.0), 5.0);
    vec3 h = sun.xyz + v;  // 0 where the view looks straight into the sun
    h *= inversesqrt(max(dot(h, h), 1e-8));
    float sheen = kSheen * pow(1.0 - max(dot(sun.xyz, h), 0.0), 5.0);
    vec3 soft = albedo * (around + passedAround) + kSheen * grazing * around;
    color = withShare(soft + albedo * (direct + passed) + sheen * direct, soft);
}
