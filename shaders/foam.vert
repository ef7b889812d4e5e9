// One quad per spray, foam or bubble particle, stretched along its motion during the
// exposure. Light is found here, once per particle.
#include "view.glsl"
#include "lighting.glsl"
layout(location = 0) in vec4 place;   // [m]; w: age [s]
layout(location = 1) in vec4 motion;  // [m/s]; w: lifetime [s]
layout(location = 2) in uint tag;     // bits 0-7 class: 0 spray, 1 foam, 2 bubble; 8-15 material; 16-31 display weights

uniform float shutter;   // [s] exposure
uniform float smallest;  // [px] smaller particles are enlarged to this radius, and fainter

out vec2 corner;         // -1 … 1 across the quad
out vec4 shown;          // premultiplied linear RGB, opacity
flat out vec3 weights;      // of spray, foam and bubble
flat out float soft;     // 0: a disc with an edge … 1: a patch without
flat out float eyeZ;     // of the center, negative [m]
flat out float spacing;  // d of the liquid [m]
flat out vec3 sigma;     // its absorption and scattering [1/m]

// of spray, foam, bubble
const vec3 kOpacity = vec3(0.8, 0.75, 0.22);
const vec3 kRadius = vec3(0.5, 0.75, 0.5);  // in those of the material

// Foam is a patch of bubbles. Where liquid is coarse few particles stand for it: patches are then wider, fainter
// and softer, so that they join.
const float kPatch = 0.4;      // [d] least radius of a patch
const float kFlattest = 0.35;  // [-] height over width of a patch seen along the surface

const float kWhitened = 0.75;  // [-] share of that effect

// See DisplayWeights in kernels/passive/passive_particle.h.
vec3 displayWeights(uint tag) {
    uint kind = tag & 0xffu;
    float foam = kind == 1u ? 1.0 : 0.0, bubble = kind == 2u ? 1.0 : 0.0;
    if (tag >> 16 != 0u) {
        foam = (float(tag >> 16 & 0xffu) - 1.0) / 254.0;
        bubble = (float(tag >> 24) - 1.0) / 254.0;
    }
    return vec3(max(1.0 - foam - bubble, 0.0), foam, bubble);
}

void main() {
    weights = displayWeights(tag);
    Material m = materials[min(int(tag >> 8 & 0xffu), materials.length() - 1)];
    spacing = m.absorption.w;
    sigma = m.absorption.rgb + m.scatter.w;
    vec3 center = (view * vec4(place.xyz, 1.0)).xyz;
    eyeZ = center.z;
    corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    float w = perspective(center.z);
    // fades in, and out over the last third of its life, so that none appears or vanishes at once
    float life = max(motion.w, 1e-3), share = clamp(place.w / life, 0.0, 1.0);
    float fade = smoothstep(0.0, min(0.08, 0.2 * life), place.w) * (1.0 - smoothstep(0.65, 1.0, share));
    if ((tag & 0xffu) > 2u || -center.z < clip.x || fade <= 0.0 || clipDistance(place.xyz) < 0.0) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        shown = vec4(0.0);
        return;
    }
    // sizes differ between particles; foam spreads with age
    float varied = fract(61.803399 * life);
    varied = mix(0.6, 1.4, varied) * mix(1.0, 1.35, share * weights.y);
    float radius = m.foam.w * dot(kRadius, weights) * varied, patchRadius = kPatch * spacing * weights.y * varied;
    soft = 1.0 - min(radius / max(patchRadius, 1e-12), 1.0);
    radius = max(radius, patchRadius);
    float pixel = 2.0 * w / (size.y * clip.z);  // [m] at the particle
    float drawn = max(radius, smallest * pixel);
    fade *= radius * radius / (drawn * drawn);

    // along the motion in the image; the same light is spread over a longer streak
    vec3 along = mat3(view) * motion.xyz * shutter;
    float way = 0.5 * length(along.xy);
    vec2 e = way > 1e-6 ? along.xy / length(along.xy) : vec2(1.0, 0.0);
    float reach = drawn + way;
    fade *= drawn / reach;
    vec2 offset = drawn * (corner.x * e + corner.y * vec2(-e.y, e.x));
    // a patch lies on the surface, which is seen at this angle where it is level
    vec3 up = mat3(view)[1];
    float level = length(up.xy);
    if (level > 0.0) offset -= soft * (1.0 - max(abs(up.z), kFlattest)) * dot(offset, up.xy / level) * up.xy / level;
    offset += corner.x * way * e;
    gl_Position = projection * vec4(center + vec3(offset, 0.0), 1.0);

    // a cloud of drops scatters light in all directions: no normal, half of the sky
    vec3 above = fluidLight(place.xyz);
    // among bubbles and foam light goes to and fro through air,
    // and takes on little of the color of the liquid
    float among = 1.0 - weights.x;
    above = mix(above, vec3(dot(above, vec3(0.2126, 0.7152, 0.0722))), kWhitened * among);
    vec3 lit = kAmbient + 0.75 * kSun * solidLight(place.xyz, vec3(0.0, 1.0, 0.0), 4) * above;
    float opacity = min(dot(kOpacity, weights) * (1.0 - soft) * fade, 1.0);
    shown = vec4(m.foam.rgb * lit * opacity, opacity);
}
