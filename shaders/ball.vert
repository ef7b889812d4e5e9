// A ball at the second end of a segment, as a quad perpendicular
// to the line of sight that bounds its outline.
#include "view.glsl"
layout(location = 1) in vec4 place;  // [m]; w: radius [m]
uniform float scale;                 // scales the radius
out vec3 at;                         // on the quad, eye space [m]
flat out vec3 center;                // eye space [m]
flat out float radius;               // [m]

void main() {
    center = (view * vec4(place.xyz, 1.0)).xyz;
    float away = length(center);
    // [m] per pixel at the ball: smaller balls are enlarged to a pixel
    float pixel = 2.0 * perspective(center.z) / (size.y * clip.z);
    radius = max(scale * place.w, pixel);
    if (place.w <= 0.0 || -center.z < clip.x + radius) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        at = vec3(0.0);
        return;
    }
    // the cone of sight touches the ball in front of its center, so
    // its cross-section there is larger than the ball
    vec3 to = -toViewer(center);
    float reach = isOrthographic() ? radius : radius * away * inversesqrt(away * away - radius * radius);
    vec3 side = normalize(cross(to, abs(to.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    at = center + reach * (corner.x * side + corner.y * cross(side, to));
    gl_Position = projection * vec4(at, 1.0);
}
