// Debug lines in legend colors.
#include "color_map.glsl"
uniform vec4 lineColor;  // alpha
uniform vec2 range;      // of values
uniform int diverging;   // 0: sequential color map
flat in float value;
layout(location = 0) out vec4 color;

void main() { color = vec4(mapColor(value, range, diverging == 1), lineColor.a); }
