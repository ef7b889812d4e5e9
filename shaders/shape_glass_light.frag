// Pass 2: glass shapes in the light map. A ray hits two faces of each.
#include "view.glsl"
#include "glass_light.glsl"
#include "shape_ray.glsl"

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    passGlass(shapes[shapeIndex].color.rgb, shapes[shapeIndex].optics.x, p, n, 2.0);
}
