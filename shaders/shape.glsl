// Boxes, spheres and capsules: analytic rays against the shape inside a proxy box.
#include "quaternion.glsl"
struct Shape {
    vec4 position;     // [m]; w: kind (1 box, 2 sphere, 3 capsule)
    vec4 rotation;     // unit quaternion, world from shape
    vec4 halfExtents;  // [m] of a box; w: radius [m]
    vec4 color;        // linear RGB; w: capsule half-length [m]
    vec4 optics;       // x: opacity [-]
};
layout(std430, binding = 2) readonly buffer Shapes { Shape shapes[]; };

vec3 shapeExtents(Shape s) {
    if (s.position.w < 1.5) return s.halfExtents.xyz;
    float r = s.halfExtents.w;
    return vec3(r, s.position.w < 2.5 ? r : r + s.color.w, r);
}
