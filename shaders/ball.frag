// Ball color, darker towards the rim for a round appearance.
#include "view.glsl"
in vec3 at;
flat in vec3 center;
flat in float radius;
uniform vec4 ballColor;  // sRGB, alpha
layout(location = 0) out vec4 color;

void main() {
    vec3 direction = isOrthographic() ? vec3(0.0, 0.0, -1.0) : normalize(at);
    vec3 origin = isOrthographic() ? vec3(at.xy, 0.0) : vec3(0.0);
    // point of the ray closest to the center
    vec3 closest = origin + dot(center - origin, direction) * direction - center;
    float square = radius * radius - dot(closest, closest);
    if (square < 0.0) discard;
    float facing = sqrt(square) / radius;
    color = vec4(ballColor.rgb * mix(0.3, 1.0, smoothstep(0.0, 0.7, facing)), ballColor.a);
    gl_FragDepth = clamp(windowDepth((center + closest - facing * radius * direction).z), 0.0, 1.0);
}
