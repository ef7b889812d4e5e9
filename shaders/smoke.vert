// One quad per marker of smoke or dye, or per particle of a gas that is drawn as smoke, stretched along its
// motion during the exposure. LIGHT: seen from the sun.
#include "view.glsl"
#ifndef LIGHT
#include "lighting.glsl"
#endif
layout(location = 0) in vec4 place;   // [m]; w: age [s], not of gases
layout(location = 1) in vec4 motion;  // [m/s]; w: lifetime [s], not of gases
layout(location = 2) in uint tag;     // bits 0-7 class, 8-15 material; of gases the phase: bits 0-7 material

uniform int gas;         // 1: particles of gases instead of markers
uniform float shutter;   // [s] exposure
uniform float smallest;  // [px] smaller markers are enlarged to this radius, and fainter

out vec2 corner;         // -1 … 1 across the quad
flat out vec3 tint;      // lit, linear RGB
flat out float opacity;  // in the center
flat out float eyeZ;     // of the center, negative [m]
flat out float radius;   // [m]

void main() {
    corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    tint = vec3(0.0);
    Material m = materials[min(int(tag >> (gas == 1 ? 0 : 8) & 0xffu), materials.length() - 1)];
    vec3 center = (view * vec4(place.xyz, 1.0)).xyz;
    eyeZ = center.z;
    float w = perspective(center.z);
    float grown = gas == 1 ? m.smokeShape.z : m.smokeShape.x + m.smokeShape.y * place.w, pixel = 2.0 * w / (size.y * clip.z);
    radius = max(grown, smallest * pixel);
    // fades in, and out over the second half of its life; what spreads becomes thinner
    float life = max(motion.w, 1e-3), share = clamp(place.w / life, 0.0, 1.0);
    float fade = smoothstep(0.0, min(0.1, 0.2 * life), place.w) * (1.0 - smoothstep(0.5, 1.0, share));
    float thin = (gas == 1 ? grown : m.smokeShape.x) / radius;
    opacity = m.smoke.w * (gas == 1 ? 1.0 : fade) * thin * thin;
    bool shown = gas == 1 ? m.kind.x == kSmokeBit : (tag & 0xffu) == 3u;
    if (!shown || -center.z < clip.x || opacity <= 1e-4 || clipDistance(place.xyz) < 0.0) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    vec3 along = mat3(view) * motion.xyz * shutter;
    float way = 0.5 * length(along.xy);
    vec2 e = way > 1e-6 ? along.xy / length(along.xy) : vec2(1.0, 0.0);
    float reach = radius + way;
    opacity *= radius / reach;
    vec2 offset = corner.x * reach * e + corner.y * radius * vec2(-e.y, e.x);
    gl_Position = projection * vec4(center + vec3(offset, 0.0), 1.0);
#ifndef LIGHT
    vec3 sunlight = kSun * solidLight(place.xyz, vec3(0.0, 1.0, 0.0), 4) * fluidLight(place.xyz);
    tint = m.smoke.rgb * (kAmbient + sunlight * smokeLight(place.xyz));
#endif
}
