// The scene behind a body of glass, as a refracted ray sees it. The ray leaves the glass at a place that is known;
// what it meets behind is looked up in the image, or is the environment where the image does not have it.
#include "march.glsl"
layout(binding = 0) uniform sampler2D behindColor;  // the scene without this body
layout(binding = 1) uniform sampler2D behindDepth;

// [m] from a point to what is behind it in the image.
float gapBehind(vec3 from) {
    vec3 o = (view * vec4(from, 1.0)).xyz;
    vec4 there = projection * vec4(o, 1.0);
    vec2 at = clamp(0.5 * there.xy / max(there.w, 1e-4) + 0.5, 0.001, 0.999);
    return o.z - eyeFromDepth(textureLod(behindDepth, at, 0.0).r);
}

// From a point in a unit direction, in world space. `pixel`: what is straight behind.
vec3 seenBehind(vec3 from, vec3 direction, vec2 pixel) {
    vec3 o = (view * vec4(from, 1.0)).xyz, d = mat3(view) * direction;
    // where the ray is as deep as the scene is there: exact behind glass that hardly bends it
    vec2 at = pixel;
    float apart = 1.0, weight = 0.0;
    int steps = d.z < -0.02 ? 4 : 0;
    for (int k = 0; k < steps; ++k) {
        float z = eyeFromDepth(textureLod(behindDepth, clamp(at, 0.001, 0.999), 0.0).r);
        vec4 there = projection * vec4(o + max((z - o.z) / d.z, 0.0) * d, 1.0);
        vec2 next = 0.5 * there.xy / max(there.w, 1e-4) + 0.5;
        apart = distance(next, at);
        at = next;
    }
    vec2 inside = min(at, 1.0 - at);
    bool settled = apart < 0.01 && min(inside.x, inside.y) > 0.0;
    if (settled) weight = smoothstep(0.0, 0.04, min(inside.x, inside.y));
    // else the first surface that the ray passes (a loop, as below: software rendering executes both sides of
    // branches, but skips loops that no pixel enters)
    float way;
    for (int k = settled ? 0 : 1; k > 0; --k) marchScene(behindDepth, o, d, 0.0, marchSteps, at, way, weight);
    at = clamp(at, 0.001, 0.999);
    // what lies in front of the glass is not behind it
    if (eyeFromDepth(textureLod(behindDepth, at, 0.0).r) > o.z + 0.02 * perspective(o.z)) at = pixel;
    vec3 seen = textureLod(behindColor, at, 0.0).rgb;
    // outside of the image: ground or sky as they are seen, without the lamps that only reflections show
    for (int k = weight < 1.0 ? 1 : 0; k > 0; --k) {
        vec3 around = ground.y > 0.5 && direction.y < 0.0 ? environment(from, direction, 0.05) : sky(direction);
        seen = mix(min(around, vec3(60.0)), seen, weight);
    }
    return seen;
}
