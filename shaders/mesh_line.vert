// Edges of one mesh.
#include "view.glsl"
#include "mesh.glsl"
#include "line.glsl"
layout(location = 0) in uint first;   // vertex index
layout(location = 1) in uint second;  // vertex index

void main() {
    vec3 a, b, unused;
    placeVertex(int(first), 0, a, unused);
    placeVertex(int(second), 0, b, unused);
    gl_Position = lineCorner(a, b, gl_VertexID);
}
