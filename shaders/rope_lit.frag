// Pass 3: ropes of two twisted strands.
#include "view.glsl"
#include "lighting.glsl"
uniform vec3 frontColor, backColor;  // linear RGB of the strands
in vec3 place;
in vec3 normal;
in vec2 pattern;
flat in int end;
layout(location = 0) out vec4 color;

const float kPitch = 4.0;  // particles per turn

void main() {
    vec3 flatNormal = normalize(cross(dFdx(place), dFdy(place)));
    float turn = pattern.x / kPitch + pattern.y;
    float width = max(abs(dFdx(turn)), abs(dFdy(turn)));
    // distance to the boundary of the strands, in turns; the sign selects the strand
    float inside = 0.25 - abs(fract(turn) - 0.5);
    vec3 albedo = end == 1 ? frontColor : mix(frontColor, backColor, smoothstep(-0.5, 0.5, inside / max(width, 1e-4)));
    color = shade(albedo, place, end == 1 ? flatNormal : normalize(normal));
}
