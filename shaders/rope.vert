// Triangles of ropes. Same layout as in kernels/draw/rope_tube.h.
#include "view.glsl"
struct RopeVertex {
    vec4 position;  // [m]; w: rope coordinate in particles
    vec4 normal;    // unit; w: fraction of a turn around the rope
};
layout(std430, binding = 3) readonly buffer RopeVertices { RopeVertex ropeVertices[]; };
out vec3 place;   // world [m]
out vec3 normal;  // world
out vec2 pattern;
flat out int end;  // 1: on an end cap

void main() {
    RopeVertex v = ropeVertices[gl_VertexID >> 1];
    end = gl_VertexID & 1;
    place = v.position.xyz;
    normal = v.normal.xyz;
    pattern = vec2(v.position.w, v.normal.w);
    gl_Position = viewProjection * vec4(place, 1.0);
    gl_ClipDistance[0] = clipDistance(place);
}
