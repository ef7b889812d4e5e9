// Segments in world coordinates.
#include "view.glsl"
#include "line.glsl"
layout(location = 0) in vec4 from;  // [m]; w: value
layout(location = 1) in vec4 to;    // [m]
#ifdef VALUES
flat out float value;
#endif

void main() {
#ifdef VALUES
    value = from.w;
#endif
    gl_Position = lineCorner(from.xyz, to.xyz, gl_VertexID);
}
