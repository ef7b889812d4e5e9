// Pass 3: the inside of a container box, faint; blended, without depth.
#include "view.glsl"
#include "environment.glsl"
#define EXIT 1
#include "shape_ray.glsl"
layout(location = 0) out vec4 color;  // premultiplied

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    // slightly nearer, so that the bottom of a tank does not z-fight with the floor
    vec3 v = toViewerInWorld(p);
    float facing = max(dot(n, v), 0.0);
    if (n.y > 0.9) discard;  // the bottom shows the floor below
    float alpha = 0.05 + 0.25 * pow(1.0 - facing, 5.0);
    color = vec4(alpha * shapes[shapeIndex].color.rgb, alpha);
    gl_FragDepth = clamp(windowDepth((view * vec4(p, 1.0)).z * 0.9995), 0.0, 1.0);
}
