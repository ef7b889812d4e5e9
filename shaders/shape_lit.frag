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
    color = shadePolished(shapes[shapeIndex].color.rgb, p, n);
    gl_FragDepth = clamp(windowDepth(z), 0.0, 1.0);
}
