// Screen-space ray marching: finds where a ray first passes behind the depth buffer. Steps are even in the
// image, so near and far objects are found alike; objects outside the image are not found.
uniform int marchSteps;

// From a point along a unit direction, in eye space. Returns the image position of the hit, its
// distance [m] and a weight that fades towards the image edges. Surfaces up to `slack` [m] in
// front of the ray count as hits, even if isolated.
bool marchScene(sampler2D depths, vec3 p, vec3 d, float slack, int steps, out vec2 at, out float way, out float weight) {
    way = clip.y;
    if (!isOrthographic() && p.z + way * d.z > -1.01 * clip.x) way = (-1.01 * clip.x - p.z) / d.z;
    vec4 from = projection * vec4(p, 1.0), to = projection * vec4(p + way * d, 1.0);
    // clip to the image
    vec2 a = from.xy / from.w, b = to.xy / to.w;
    vec2 edge = (sign(b - a) - a) / (b - a + vec2(equal(a, b)) * 1e-6);
    float last = clamp(min(edge.x, edge.y), 0.0, 1.0), before = 0.0, here = 0.0;
    // window depth is linear in the image, so steps need no division: of the
    // ray, and of the ray moved nearer by the slack
    vec2 near = vec2(windowDepth(p.z), windowDepth(min(p.z + slack, -1.01 * clip.x)));
    vec2 far = vec2(windowDepth(p.z + way * d.z), windowDepth(min(p.z + way * d.z + slack, -1.01 * clip.x)));
    vec2 extent = vec2(textureSize(depths, 0)), start = (0.5 * a + 0.5) * extent, run = 0.5 * (b - a) * extent;
    ivec2 corner = ivec2(extent) - 1;
    float depthBefore = near.x;
    bool found = false;
    for (int k = 1; k <= steps; ++k) {
        here = last * float(k) / float(steps);
        vec2 depth = mix(near, far, here);
        float scene = texelFetch(depths, clamp(ivec2(start + here * run), ivec2(0), corner), 0).r;
        if (depth.x > scene && min(depthBefore, depth.y) < scene && scene < 1.0) {
            found = true;
            k = steps;
        } else {
            before = here;
            depthBefore = depth.x;
        }
    }
    for (int k = found ? 5 : 0; k > 0; --k) {
        float middle = 0.5 * (before + here);
        bool behind = mix(near.x, far.x, middle) >
                      texelFetch(depths, clamp(ivec2(start + middle * run), ivec2(0), corner), 0).r;
        here = behind ? middle : here;
        before = behind ? before : middle;
    }
    at = 0.5 * mix(a, b, here) + 0.5;
    way *= here * from.w / mix(to.w, from.w, here);
    vec2 inside = min(at, 1.0 - at);
    weight = found ? smoothstep(0.0, 0.08, min(inside.x, inside.y)) : 0.0;
    return found;
}
