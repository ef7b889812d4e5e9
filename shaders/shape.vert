// Proxy box of a shape; 36 corners from the vertex index.
#include "view.glsl"
#include "shape.glsl"
uniform int firstShape;
out vec3 proxy;  // world [m]
flat out int shapeIndex;

void main() {
    // faces by axis and side, two triangles each
    int face = gl_VertexID / 6, corner = gl_VertexID % 6;
    vec2 square = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1))[corner];
    float side = (face & 1) == 0 ? 1.0 : -1.0;
    vec3 p = vec3(square.x * side, square.y, side);
    p = face < 2 ? p : face < 4 ? p.zxy : p.yzx;

    shapeIndex = firstShape + gl_InstanceID;
    Shape s = shapes[shapeIndex];
    proxy = s.position.xyz + rotate(s.rotation, 1.001 * p * shapeExtents(s));
    gl_Position = viewProjection * vec4(proxy, 1.0);
}
