// Pass 10: spray, foam and bubbles, after the liquids; those below the
// nearest surface are dimmed by the liquid above them.
#include "view.glsl"
#include "below_surface.glsl"
in vec2 corner;
in vec4 shown;
flat in vec3 weights;     // of spray, foam and bubble
flat in float soft;
flat in float eyeZ;
flat in float spacing;
flat in vec3 sigma;  // [1/m] of the liquid
layout(location = 0) out vec4 color;

void main() {
    float r2 = dot(corner, corner);
    if (r2 >= 1.0) discard;
    // a bubble mirrors the light at its rim
    float rim = (0.35 + 0.65 * r2) * (1.0 - smoothstep(0.7, 1.0, r2));
    float blur = (1.0 - r2) * (1.0 - r2);
    float profile = dot(weights, vec3(blur, mix(1.0 - r2 * r2, blur, soft), rim));
    // foam floats on the surface, whose drawn place is uncertain by half a spacing
    vec3 through = throughLiquid(sigma, eyeZ, mix(0.25, 1.0, weights.y) * spacing);
    // seen through others, which are full of air: see foam.vert
    through = mix(through, vec3(dot(through, vec3(1.0 / 3.0))), 0.6 * (1.0 - weights.x));
    color = vec4(shown.rgb * through, shown.a * dot(through, vec3(1.0 / 3.0))) * profile;
}
