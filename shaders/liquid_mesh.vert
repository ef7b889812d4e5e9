// Pass 4: triangles of the surface mesh of a liquid. With FAR_SIDE drawn only with the eye inside of the
// liquid, else only with the eye outside.
#include "view.glsl"
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
layout(std430, binding = 4) readonly buffer LiquidPositions { vec4 liquidPositions[]; };  // [m]
layout(std430, binding = 5) readonly buffer LiquidNormals { vec4 liquidNormals[]; };      // unit; w: 1 on a wall
uniform int liquid;
out vec3 eyePosition;  // eye space [m]
out vec3 normal;       // eye space
out float onWall;

void main() {
#ifdef FAR_SIDE
    bool shown = nearEye[liquid] >= kWithin;
#else
    bool shown = nearEye[liquid] < kWithin;
#endif
    vec4 place = view * vec4(liquidPositions[gl_VertexID].xyz, 1.0);
    eyePosition = place.xyz;
    normal = mat3(view) * liquidNormals[gl_VertexID].xyz;
    onWall = liquidNormals[gl_VertexID].w;
    gl_ClipDistance[0] = clipDistance(liquidPositions[gl_VertexID].xyz);
    gl_Position = shown ? projection * place : vec4(2.0, 2.0, 2.0, 1.0);
}
