// Vertices of the cloth shell. Same layout as in kernels/draw/cloth_shell.h.
layout(std430, binding = 3) readonly buffer ClothPositions { vec4 clothPositions[]; };  // [m]
layout(std430, binding = 4) readonly buffer ClothNormals { vec4 clothNormals[]; };      // unit; w: fraction of the thickness
uniform float halfThickness;  // [m]

// World position of a corner, and the normal of its side.
void placeCorner(uint corner, out vec3 p, out vec3 n) {
    vec4 normal = clothNormals[corner >> 2];
    n = (corner & 1u) == 1u ? -normal.xyz : normal.xyz;
    p = clothPositions[corner >> 2].xyz + halfThickness * normal.w * n;
}
