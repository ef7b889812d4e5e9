// Pass 11: smoke, blended without sorting (McGuire and Bavoil 2013): colors weighted by
// nearness, and the light that all layers let pass.
#include "view.glsl"
#include "below_surface.glsl"
in vec2 corner;
flat in vec3 tint;
flat in float opacity;
flat in float eyeZ;
flat in float radius;
layout(binding = 2) uniform sampler2D sceneDepth;  // without the nearest liquid
uniform vec3 sigma;          // [1/m] of that liquid
uniform float lookDistance; // [m]
layout(location = 0) out vec4 weighted;
layout(location = 1) out float passes;

void main() {
    float r2 = dot(corner, corner);
    if (r2 >= 1.0) discard;
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    // soft where it meets the scene
    float share = clamp((eyeZ - eyeFromDepth(texelFetch(sceneDepth, pixel, 0).r)) / radius, 0.0, 1.0);
    vec3 through = throughLiquid(sigma, eyeZ, 0.0);
    share *= dot(through, vec3(1.0 / 3.0));
    float alpha = min(opacity * (1.0 - r2) * (1.0 - r2) * share, 0.99);
    if (alpha <= 0.0) discard;
    float weight = clamp(pow(lookDistance / -eyeZ, 4.0), 0.01, 100.0);
    weighted = vec4(tint * through / max(dot(through, vec3(1.0 / 3.0)), 1e-3), 1.0) * (alpha * weight);
    passes = alpha;
}
