// Pass 10: a box, sphere or capsule of glass; the ray is followed through it. Without depth.
#include "view.glsl"
#include "lighting.glsl"
#include "glass.glsl"
#include "glass_behind.glsl"
#include "shape_ray.glsl"
layout(location = 0) out vec4 color;

void main() {
    vec3 p, n;
    if (!castShape(p, n)) discard;
    float z = (view * vec4(p, 1.0)).z;
    if (-z < clip.x) discard;
    Shape s = shapes[shapeIndex];
    vec2 pixel = gl_FragCoord.xy * size.zw;
    vec4 near = glassColor(s.color.rgb, s.optics.x, p, n);
    vec3 d = refract(-toViewerInWorld(p), n, 1.0 / kGlassIndex), from = p, leaving = vec3(0.0), side = n;
    // rays that a face reflects totally, in boxes, leave through one of the next
    for (int k = 0; k < 4 && leaving == vec3(0.0); ++k) {
        from += leaveShape(s, from, d, side) * d;
        leaving = refract(d, -side, kGlassIndex);
        d = reflect(d, -side);
    }
    vec3 behind = seenBehind(from, leaving == vec3(0.0) ? d : leaving, pixel);
    // round shapes show only their near face
    if (s.position.w < 1.5) {
        vec4 far = glassColor(s.color.rgb, s.optics.x, from, side);
        behind = far.rgb + (1.0 - far.a) * behind;
    }
    color = vec4(near.rgb + (1.0 - near.a) * behind, 1.0);
    gl_FragDepth = clamp(windowDepth(z), 0.0, 1.0);
}
