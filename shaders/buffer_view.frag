// Pass 15: an intermediate buffer, shown right of the split.
#include "view.glsl"
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D map;
uniform int kind;        // 0 light, 1 value, 2 normal, 3 depth, 4 display color, 5 orthographic depth, 6 optical depth
uniform vec2 range;      // of the values
uniform vec4 area;       // [px] lower left corner and size of the shown buffer
uniform float split;     // [px] from the left edge
uniform int emptyValue;  // 1: the value 0 means empty
layout(location = 0) out vec4 color;

void main() {
    if (gl_FragCoord.x < split) discard;
    color = vec4(1.0);
    if (gl_FragCoord.x < split + 2.0) return;
    vec2 uv = (gl_FragCoord.xy - area.xy) / area.zw;
    color.rgb = vec3(0.06);
    if (any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)))) return;
    vec4 value = texture(map, uv);
    if (emptyValue == 1 && value.r == 0.0) return;
    if (kind == 0) color.rgb = encodeSrgb(value.rgb);
    if (kind == 1) color.rgb = mapColor(abs(value.r), range, false);
    if (kind == 2 && value.a > 0.0) color.rgb = 0.5 + 0.5 * value.rgb;
    if (kind == 3) color.rgb = value.r >= 1.0 ? vec3(0.06) : mapColor(-eyeFromDepth(value.r), range, false);
    if (kind == 4) color.rgb = value.rgb;
    if (kind == 5) color.rgb = vec3(value.r);
    if (kind == 6) color.rgb = value.a > 0.0 ? encodeSrgb(exp(-value.rgb)) : vec3(0.06);
}
