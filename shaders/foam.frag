// Pass 10: spray, foam and bubbles, after the liquids; those below the
// nearest surface are dimmed by the liquid above them.
#include "view.glsl"
#include "below_surface.glsl"
in vec2 corner;
in vec4 shown;
flat in int kind;
flat in float eyeZ;
flat in float spacing;
flat in vec3 sigma;  // [1/m] of the liquid
layout(location = 0) out vec4 color;

void main() {
    float r2 = dot(corner, corner);
    if (r2 >= 1.0) discard;
    float profile = kind == 1 ? 1.0 - r2 * r2 : (1.0 - r2) * (1.0 - r2);
    // a bubble mirrors the light at its rim
    if (kind == 2) profile = (0.35 + 0.65 * r2) * (1.0 - smoothstep(0.7, 1.0, r2));
    // foam floats on the surface, whose drawn place is uncertain by half a spacing
    vec3 through = throughLiquid(sigma, eyeZ, (kind == 1 ? 1.0 : 0.25) * spacing);
    // seen through others, which are full of air: see foam.vert
    if (kind != 0) through = mix(through, vec3(dot(through, vec3(1.0 / 3.0))), 0.6);
    color = vec4(shown.rgb * through, shown.a * dot(through, vec3(1.0 / 3.0))) * profile;
}
