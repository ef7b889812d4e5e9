// Triangle edges of cloth; one instance per edge.
#include "view.glsl"
#include "cloth.glsl"
#include "line.glsl"
layout(std430, binding = 5) readonly buffer ClothCorners { uint clothCorners[]; };  // three per triangle
uniform int firstCorner;

void main() {
    int triangle = firstCorner + 3 * (gl_InstanceID / 3), k = gl_InstanceID % 3;
    vec3 a, b, unused;
    placeCorner(clothCorners[triangle + k], a, unused);
    placeCorner(clothCorners[triangle + (k + 1) % 3], b, unused);
    gl_Position = lineCorner(a, b, gl_VertexID);
}
