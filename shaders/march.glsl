// A ray through what the picture shows: where it first goes behind something. Steps are even in the picture, so near
// and far things are found alike; what the picture does not show is not found.
uniform int marchSteps;

// From a point along a unit direction, in eye space. A hit says where in the picture, and how far on the way [m]; its
// weight fades towards the edges of the picture. What ends less than `slack` [m] before the ray is taken for what it
// meets, even where it stands free.
bool marchScene(sampler2D depths, vec3 p, vec3 d, float slack, int steps, out vec2 at, out float way, out float weight) {
    way = clip.y;
    if (!isOrthographic() && p.z + way * d.z > -1.01 * clip.x) way = (-1.01 * clip.x - p.z) / d.z;
    vec4 from = projection * vec4(p, 1.0), to = projection * vec4(p + way * d, 1.0);
    // the part of it that is in the picture
    vec2 a = from.xy / from.w, b = to.xy / to.w;
    vec2 edge = (sign(b - a) - a) / (b - a + vec2(equal(a, b)) * 1e-6);
    float last = clamp(min(edge.x, edge.y), 0.0, 1.0), before = 0.0, here = 0.0;
    float zBefore = p.z;
    bool found = false;
    for (int k = 1; k <= steps; ++k) {
        here = last * float(k) / float(steps);
        float share = here * from.w / mix(to.w, from.w, here);  // of the way, by that of the picture
        float z = p.z + share * way * d.z;
        float scene = eyeFromDepth(textureLod(depths, 0.5 * mix(a, b, here) + 0.5, 0.0).r);
        if (z < scene && max(zBefore, z) > scene - slack && scene > -0.99 * clip.y) {
            found = true;
            k = steps;
        } else {
            before = here;
            zBefore = z;
        }
    }
    for (int k = found ? 5 : 0; k > 0; --k) {
        float middle = 0.5 * (before + here);
        float share = middle * from.w / mix(to.w, from.w, middle);
        bool behind = p.z + share * way * d.z < eyeFromDepth(textureLod(depths, 0.5 * mix(a, b, middle) + 0.5, 0.0).r);
        here = behind ? middle : here;
        before = behind ? before : middle;
    }
    at = 0.5 * mix(a, b, here) + 0.5;
    way *= here * from.w / mix(to.w, from.w, here);
    vec2 inside = min(at, 1.0 - at);
    weight = found ? smoothstep(0.0, 0.08, min(inside.x, inside.y)) : 0.0;
    return found;
}
