// Pass 3: grains and solid particles as lit spheres.
#include "view.glsl"
#include "lighting.glsl"
#include "splat.glsl"
layout(location = 0) out vec4 color;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    vec3 origin, direction;
    eyeRay(ndc, origin, direction);
    vec3 p = (viewInverse * vec4(origin + hit.t * direction, 1.0)).xyz;
    vec3 n = normalize(mat3(viewInverse) * (hit.unit * toUnit));
    color = shade(tint, p, n);
    gl_FragDepth = windowDepth(hit.eyeZ);
}
