// Segments in world coordinates.
#include "view.glsl"
#include "line.glsl"
layout(location = 0) in vec4 from;  // [m]
layout(location = 1) in vec4 to;    // [m]

void main() { gl_Position = lineCorner(from.xyz, to.xyz, gl_VertexID); }
