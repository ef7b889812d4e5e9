// Pass 10: glass shapes, far side (EXIT) and near side; blended, without depth.
#include "view.glsl"
#include "lighting.glsl"
#include "glass.glsl"
#include "shape_ray.glsl"
layout(location = 0) out vec4 color;  // premultiplied

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    float z = (view * vec4(p, 1.0)).z;
    if (-z < clip.x) discard;
    Shape s = shapes[shapeIndex];
    color = glassColor(s.color.rgb, s.optics.x, p, n);
    gl_FragDepth = clamp(windowDepth(z), 0.0, 1.0);
}
