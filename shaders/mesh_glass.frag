// Pass 10: meshes of glass, without depth. The faces behind the nearest one are blended over the scene; the NEAREST
// one shows what is behind through the thickness of the wall there.
#include "view.glsl"
#include "lighting.glsl"
#include "glass.glsl"
#ifdef NEAREST
#include "glass_behind.glsl"
#endif
layout(binding = 2) uniform sampler2D frontDepth;  // of the nearest face towards the viewer
layout(binding = 3) uniform sampler2D backFace;    // of the nearest one away from him: normal, and eye z [m]; 0: none
in vec3 place;
in vec3 normal;
flat in vec3 tint;
flat in float opacity;
layout(location = 0) out vec4 color;  // premultiplied

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    bool nearest = gl_FrontFacing && gl_FragCoord.z <= texelFetch(frontDepth, at, 0).r + 1e-6;
    vec3 n = normalize(normal);
#ifdef NEAREST
    if (!nearest) discard;
    vec4 near = glassColor(tint, opacity, place, n);
    vec3 v = toViewerInWorld(place), d = -v, from = place;
    vec4 back = texelFetch(backFace, at, 0);
    float z = (view * vec4(place, 1.0)).z;
    // [m] thickness of the wall along the ray that is not bent
    float facing = dot(n, v), way = back.w < 0.0 && facing > 0.0 ? (z - back.w) / max(dot(v, viewInverse[2].xyz), 0.05) : 0.0;
    if (way > 0.0) {
        vec3 opposite = place - way * v;
        d = refract(d, n, 1.0 / kGlassIndex);
        // through the plane of the face behind
        from += clamp(dot(back.xyz, opposite - place) / max(dot(back.xyz, d), 0.05), 0.0, 2.0 * way) * d;
        vec3 leaving = refract(d, -back.xyz, kGlassIndex);
        // what lies against the wall from within, as wine does, has no air before it: the ray goes on as in the glass
        if (gapBehind(from) < 0.6 * way) leaving = d;
        // the rim, from which no light comes straight through
        d = dot(leaving, leaving) > 0.0 && dot(back.xyz, d) > 0.0 ? leaving : reflect(d, -back.xyz);
    }
    color = vec4(near.rgb + (1.0 - near.a) * seenBehind(from, d, gl_FragCoord.xy * size.zw), 1.0);
#else
    if (nearest) discard;
    color = glassColor(tint, opacity, place, n);
#endif
}
