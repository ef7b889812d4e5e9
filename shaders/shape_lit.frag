// Pass 3: solid shapes.
#include "view.glsl"
#include "lighting.glsl"
#include "shape_ray.glsl"
layout(location = 0) out vec4 color;

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    float z = (view * vec4(p, 1.0)).z;
    if (-z < clip.x) discard;
    vec3 lit = shade(shapes[shapeIndex].color.rgb, p, n);
    // a trace of polish
    vec3 v = normalize(eye.xyz - p);
    float fresnel = 0.03 + 0.25 * pow(1.0 - max(dot(n, v), 0.0), 5.0);
    lit = mix(lit, environment(p, reflect(-v, n), 0.6), fresnel);
    color = vec4(min(lit, vec3(60.0)), 1.0);
    gl_FragDepth = clamp(windowDepth(z), 0.0, 1.0);
}
