// Position and normal of the surface, in eye space. The map is a layer of an eye z array. With MESHED the
// normals are those of surface meshes, else differences of the smoothed depth.
#ifdef MESHED
layout(binding = 6) uniform sampler2DArray meshNormals;  // eye space, one layer per liquid
#endif

vec3 surfacePoint(ivec2 pixel, float z) {
    vec2 at = 2.0 * (vec2(pixel) + 0.5) * size.zw - 1.0;
    return vec3((at - projection[3].xy + projection[2].xy) / vec2(projection[0][0], projection[1][1]) * perspective(z), z);
}

// One-sided difference along an axis, to the valid neighbor with the smaller depth step. Without one, the
// difference of a surface that faces the viewer. Steps beyond 8 draw radii are edges.
vec3 difference(sampler2DArray map, int layer, ivec2 pixel, ivec2 axis, float z, vec3 p, float radius) {
    ivec2 last = textureSize(map, 0).xy - 1;
    ivec2 ahead = pixel + axis, behind = pixel - axis;
    float zAhead = all(lessThanEqual(ahead, last)) ? texelFetch(map, ivec3(ahead, layer), 0).r : 0.0;
    float zBehind = all(greaterThanEqual(behind, ivec2(0))) ? texelFetch(map, ivec3(behind, layer), 0).r : 0.0;
    float stepAhead = zAhead == 0.0 ? 1e9 : abs(zAhead - z);
    float stepBehind = zBehind == 0.0 ? 1e9 : abs(zBehind - z);
    if (min(stepAhead, stepBehind) > 8.0 * radius) return surfacePoint(ahead, z) - p;
    return stepAhead <= stepBehind ? surfacePoint(ahead, zAhead) - p : p - surfacePoint(behind, zBehind);
}

// Unit normal of the surface of the liquid `own`, bent to face the viewer by at least 0.05.
vec3 surfaceNormal(sampler2DArray map, int layer, int own, ivec2 pixel, float z, vec3 p, float radius) {
#ifdef MESHED
    vec3 n = normalize(texelFetch(meshNormals, ivec3(pixel, own), 0).xyz);  // stored with 16 bits
#else
    vec3 n = normalize(cross(difference(map, layer, pixel, ivec2(1, 0), z, p, radius),
                             difference(map, layer, pixel, ivec2(0, 1), z, p, radius)));
#endif
    vec3 v = toViewer(p);
    float facing = dot(n, v);
    return facing < 0.05 ? normalize(n + v * (0.05 - facing)) : n;
}
