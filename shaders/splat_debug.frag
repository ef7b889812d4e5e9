// Pass 13: particles in legend colors, after tone mapping. Exact where a sphere faces the viewer; the rim is
// darkened to show the shape. Flat discs (quality "points") are exact everywhere.
#include "view.glsl"
#include "quantity.glsl"
#include "color_map.glsl"
#include "splat.glsl"
uniform vec2 range;
uniform int flatDisc;
layout(location = 0) out vec4 color;

void main() {
    Hit hit;
    if (!castRay(hit)) discard;
    vec3 c = colorBy == 0 ? encodeSrgb(tint) : mapOwnColor(value, range, colorBy == 2);
    float facing = hit.unit.z;
    if (flatDisc == 0) c *= mix(0.35, 1.0, smoothstep(0.0, 0.75, facing));
    color = vec4(c, 1.0);
    gl_FragDepth = windowDepth(flatDisc == 1 ? center.z : hit.eyeZ);
}
