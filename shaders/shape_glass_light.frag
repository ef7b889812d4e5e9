// Pass 2: shapes of glass, seen by the sun. One ray meets two faces of each.
#include "view.glsl"
#include "glass_light.glsl"
#include "shape_ray.glsl"

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    passGlass(shapes[shapeIndex].color.rgb, shapes[shapeIndex].look.x, p, n, 2.0);
}
