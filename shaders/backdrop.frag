// Pass 3: sky and infinite planes. Planes are visible from the front
// only, so that walls do not hide their contents.
#include "view.glsl"
#include "lighting.glsl"
uniform int planeCount;
uniform vec4 planes[8];      // unit normal, distance: dot(n, p) = w
uniform vec4 planeColors[8];  // linear RGB tint of the checker
in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec3 origin, direction;
    eyeRay(2.0 * uv - 1.0, origin, direction);
    vec3 d = normalize(mat3(viewInverse) * direction), from = (viewInverse * vec4(origin, 1.0)).xyz;

    // nearest plane in front
    float nearest = 1e30;
    int hit = -1;
    for (int k = 0; k < planeCount; ++k) {
        float slope = dot(planes[k].xyz, d);
        float t = (planes[k].w - dot(planes[k].xyz, from)) / slope;
        if (slope < -1e-6 && t > 0.0 && t < nearest) { nearest = t; hit = k; }
    }
    // plane coordinates, computed for all pixels so that their derivatives are defined
    vec3 p = from + min(nearest, 1e4) * d;
    vec3 n = hit >= 0 ? planes[hit].xyz : vec3(0.0, 1.0, 0.0);
    vec3 side = normalize(abs(n.y) > 0.5 ? vec3(n.y, -n.x, 0.0) : cross(vec3(0.0, 1.0, 0.0), n));
    vec2 q = vec2(dot(p, side), dot(p, cross(side, n)));
    vec2 footprint = max(abs(dFdx(q)), abs(dFdy(q)));

    if (hit < 0) {
        color = vec4(min(sky(d), vec3(60.0)), 0.0);
        gl_FragDepth = 1.0;
        return;
    }
    vec4 lit = shade(floorAlbedo(q, footprint) * planeColors[hit].rgb, p, n);
    vec3 seen = haze(lit.rgb, d, nearest);
    color = withShare(seen, lit.a * lit.rgb * transmittance(nearest));
    gl_FragDepth = clamp(windowDepth((view * vec4(p, 1.0)).z), 0.0, 1.0);
}
