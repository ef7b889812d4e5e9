// A segment as a quad of constant width in the image, clipped at the near plane.
uniform float width;  // [px]
uniform float lift;   // [m] offset towards the viewer, out of surrounding geometry

vec4 lineCorner(vec3 from, vec3 to, int corner) {
    gl_ClipDistance[0] = clipDistance((corner & 1) == 0 ? from : to);
    vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
    a.z += lift, b.z += lift;
    float limit = -1.01 * clip.x;
    if (a.z > limit && b.z > limit) return vec4(2.0, 2.0, 2.0, 1.0);
    if (a.z > limit) a = mix(a, b, (a.z - limit) / (a.z - b.z));
    if (b.z > limit) b = mix(b, a, (b.z - limit) / (b.z - a.z));
    vec4 ca = projection * a, cb = projection * b;
    vec2 along = (cb.xy / cb.w - ca.xy / ca.w) * size.xy;
    vec2 across = dot(along, along) > 1e-12 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
    vec4 at = (corner & 1) == 0 ? ca : cb;
    float side = corner < 2 ? -1.0 : 1.0;
    at.xy += side * width * across * size.zw * at.w;
    // slightly nearer, so that edges win against their own faces
    at.z -= 2e-4 * at.w;
    return at;
}
