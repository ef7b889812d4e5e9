// Pass 2: two triangles per cell of the grid of landing places. Light keeps its energy: the irradiance of a
// triangle is the ratio of the areas in which its light starts and lands.
layout(binding = 0) uniform sampler2D landing;
flat out float gain;
const ivec2 kCorners[6] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(1, 1), ivec2(0, 1), ivec2(1, 0));

void main() {
    int cells = textureSize(landing, 0).x - 1, cell = gl_VertexID / 6, corner = gl_VertexID % 6;
    ivec2 base = ivec2(cell % cells, cell / cells);
    vec2 at[3];
    for (int k = 0; k < 3; ++k) at[k] = texelFetch(landing, base + kCorners[corner / 3 * 3 + k], 0).rg;
    vec2 u = at[1] - at[0], v = at[2] - at[0];
    float start = 4.0 / float(cells * cells);
    gain = start / max(abs(u.x * v.y - u.y * v.x), 0.03 * start);
    gl_Position = vec4(at[corner % 3], 0.0, 1.0);
}
