// Triangles of cloth: front, back and the rim between them.
#include "view.glsl"
#include "cloth.glsl"
layout(std430, binding = 5) readonly buffer ClothRests { vec4 clothRests[]; };  // [m] in the body's frame
uniform vec3 frontColor, backColor;  // linear RGB
out vec3 place;    // world [m]
out vec3 normal;   // world
out vec3 pattern;  // [m] rest position
out vec3 tint;
flat out int rim;  // 1: flat shading

void main() {
    uint corner = uint(gl_VertexID);
    placeCorner(corner, place, normal);
    pattern = clothRests[corner >> 2].xyz;
    rim = int(corner >> 1 & 1u);
    tint = (corner & 1u) == 1u ? backColor : frontColor;
    gl_Position = viewProjection * vec4(place, 1.0);
    gl_ClipDistance[0] = clipDistance(place);
}
