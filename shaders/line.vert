// A segment as a quad of constant width in the picture, clipped at the near plane.
#include "view.glsl"
layout(location = 0) in vec4 from;  // [m]
layout(location = 1) in vec4 to;    // [m]
uniform float width;                // [px]

void main() {
    vec4 a = view * vec4(from.xyz, 1.0), b = view * vec4(to.xyz, 1.0);
    float limit = -1.01 * clip.x;
    if (a.z > limit && b.z > limit) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (a.z > limit) a = mix(a, b, (a.z - limit) / (a.z - b.z));
    if (b.z > limit) b = mix(b, a, (b.z - limit) / (b.z - a.z));
    vec4 ca = projection * a, cb = projection * b;
    vec2 along = (cb.xy / cb.w - ca.xy / ca.w) * size.xy;
    vec2 across = dot(along, along) > 1e-12 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
    vec4 corner = (gl_VertexID & 1) == 0 ? ca : cb;
    float side = gl_VertexID < 2 ? -1.0 : 1.0;
    corner.xy += side * width * across * size.zw * corner.w;
    // a hair nearer, so that edges win against their own faces
    corner.z -= 2e-4 * corner.w;
    gl_Position = corner;
}
