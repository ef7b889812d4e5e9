// 2D overlay in image pixels, from the upper left corner.
layout(location = 0) in vec4 vertex;   // x, y [px]; position in the color map, or -1; shade
layout(location = 1) in vec2 glyphAt;  // [px] in the atlas of letters; negative: no letter
uniform vec2 outputSize;               // [px]
flat out float shade;
out float along;
out vec2 texel;

void main() {
    along = vertex.z;
    shade = vertex.w;
    texel = glyphAt;
    gl_Position = vec4(2.0 * vertex.x / outputSize.x - 1.0, 1.0 - 2.0 * vertex.y / outputSize.y, 0.0, 1.0);
}
