// One quad per particle that bounds its ellipsoid exactly in the image; the fragment shader casts the ray.
// The ellipsoid is T = [axis*length ... | x']; with A = PV T, the tangent planes of the unit sphere give the
// bounds in x and y (Sigg et al. 2006). Equal axes make a sphere. With GRAINS, grains of the lit scene differ
// in size, form and shade by their ids, and a particle may be drawn as several smaller ones.
#include "view.glsl"
#include "quantity.glsl"
#if defined WALLS || defined THICKNESS
#include "walls.glsl"
#endif
#ifdef WALLS
flat out uint nearRegions;      // whose walls cut the ellipsoid off, as bits
#endif
#ifdef GRAINS
#include "quaternion.glsl"
uniform int grainsPerParticle;
#endif
layout(location = 0) in vec4 position;  // [m]; w of PosSmooth: number of neighbors
layout(location = 1) in vec4 axis1;     // unit axis, half-length [m]
layout(location = 2) in vec4 axis2;
layout(location = 3) in vec4 axis3;
layout(location = 4) in uint phase;
layout(location = 5) in vec4 velocity;
layout(location = 6) in float scalar;
layout(location = 7) in vec4 smoothed;
layout(location = 8) in uint id;        // persistent id
layout(location = 9) in float dyeValue; // attribute that tints a liquid

// Per 32 groups a bit for each that a mesh replaces in the lit scene (x), and for each that is hidden (y).
layout(std430, binding = 6) readonly buffer GroupMasks { uvec2 groupMasks[]; };

#ifdef EYE_DEPTH
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
#endif

#if defined ELLIPSOID && !defined GRAINS
uniform int dropsPerParticle; // in which an isolated particle of a liquid is drawn, by the pass with LONE
#endif
uniform int passMask;         // particle kinds to draw (bits of Material.kind.x)
uniform int showsParticles;   // 1: Particles mode; 0: lit scene, where meshes replace some particles
uniform int particleRadius;   // 1: spheres of d/2 instead of the draw radius
uniform float smallest;       // [px] tiny particles are enlarged to this radius

out vec2 ndc;
flat out vec3 center;         // center of the ellipsoid, eye space [m]
flat out float inverseRadius; // [1/m] spheres
flat out mat3 toUnit;         // unit sphere from eye space, ellipsoids
flat out float volumeScale;   // d^3 / volume of the drawn sphere
flat out vec3 tint;           // linear RGB
flat out float value;         // quantity of the debug view
flat out int material;
flat out float lone;          // radius of an isolated droplet / that of the largest (kLargestDroplet); 0: no droplet
#ifdef DYED
#include "color_map.glsl"
uniform vec2 dyeRange;
flat out vec3 dye;            // absorption of the dye [1/m]
#endif

// Random numbers by the PCG hash (Jarzynski and Olano, Hash Functions for GPU Rendering, 2020).
uint hashOf(uint from) {
    uint hash = from * 747796405u + 2891336453u;
    hash = ((hash >> ((hash >> 28u) + 4u)) ^ hash) * 277803737u;
    return (hash >> 22u) ^ hash;
}
// The next one in [0, 1).
float random(inout uint state) {
    state = hashOf(state);
    return float(state >> 8u) / 16777216.0;
}

// Color of a particle. In Particles mode the hue of a material turns by 45 degrees per
// group; grains vary individually, solids per body.
vec3 particleTint(Material m, uint group, uint id) {
    float angle = showsParticles == 1 ? 0.7853982 * float(group % 8u) : 0.0;
    // rotation about the gray axis (Rodrigues' formula)
    const vec3 k = vec3(0.57735027);
    vec3 turned = m.color.rgb * cos(angle) + cross(k, m.color.rgb) * sin(angle) +
                  k * dot(k, m.color.rgb) * (1.0 - cos(angle));
    if (m.kind.x < kLiquids) return max(turned, vec3(0.02));
    uint state = m.kind.y == kSolid ? group : id;
    float jitter = 0.92 + 0.16 * random(state);
    return max(turned, vec3(0.02)) * jitter;
}

#ifdef GRAINS
// Uniformly distributed (Shoemake, Uniform Random Rotations, 1992).
mat3 randomRotation(inout uint state) {
    float a = random(state), b = 6.2831853 * random(state), c = 6.2831853 * random(state);
    vec4 q = vec4(sqrt(1.0 - a) * vec2(sin(b), cos(b)), sqrt(a) * vec2(sin(c), cos(c)));
    return mat3(rotate(q, vec3(1.0, 0.0, 0.0)), rotate(q, vec3(0.0, 1.0, 0.0)), rotate(q, vec3(0.0, 0.0, 1.0)));
}

struct Grain {
    vec3 offset;   // [m] from the particle
    mat3 axes;
    vec3 lengths;  // [m]
    vec3 shade;    // factor of the color
};

// One of the grains of a particle of this radius, d/2.
Grain grainOf(uint id, float radius) {
    uint state = hashOf(id);
    Grain grain;
    grain.offset = vec3(0.0);
    float r = radius;
    if (grainsPerParticle > 1) {
        // in directions of a spiral, turned at random; evenly over a ball so wide that neighbors mix
        mat3 turn = randomRotation(state);
        int k = gl_InstanceID % grainsPerParticle;
        state ^= hashOf(uint(k));
        r *= 1.1 * pow(float(grainsPerParticle), -1.0 / 3.0);  // its part of the volume, larger to close gaps
        float up = 1.0 - 2.0 * (float(k) + 0.5) / float(grainsPerParticle), angle = 2.399963 * float(k);
        vec2 level = sqrt(1.0 - up * up) * vec2(cos(angle), sin(angle));
        grain.offset = turn * vec3(level.x, up, level.y) * (1.6 * radius - r) * pow(random(state), 1.0 / 3.0);
    }
    grain.lengths = r * (0.78 + 0.2 * random(state)) * vec3(1.1, 1.0, 0.85);
    grain.axes = randomRotation(state);
    grain.shade = (0.75 + 0.5 * random(state)) * mix(vec3(1.06, 1.0, 0.9), vec3(0.94, 1.0, 1.1), random(state));
    return grain;
}
#endif

void cull() { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); }

void main() {
    material = min(int(phase & 0xffu), materials.length() - 1);
    Material m = materials[material];
    if (((passMask >> m.kind.x) & 1) == 0 || any(isnan(position)) || any(isinf(position))) { cull(); return; }
#ifdef LONE
    if (max(max(axis1.w, axis2.w), axis3.w) >= 0.61 * m.color.w) { cull(); return; }
#endif
#ifdef EYE_DEPTH
#ifdef FAR_SIDE
    if (nearEye[m.kind.x] < kWithin) { cull(); return; }
#else
    if (nearEye[m.kind.x] >= kWithin) { cull(); return; }
#endif
#endif
    if (clipDistance(position.xyz) < 0.0) { cull(); return; }
    uint group = (phase >> 8) & 0xfffffu;
    if (group / 32u < groupMasks.length()) {
        uvec2 masked = groupMasks[group / 32u] >> group % 32u & 1u;
        if (masked.y == 1u || (masked.x == 1u && showsParticles == 0)) { cull(); return; }
    }
    vec3 place = position.xyz;
    tint = particleTint(m, group, id);
#ifdef GRAINS
    bool varied = showsParticles == 0 && m.kind.y == kGrains;
    if (!varied && gl_InstanceID % grainsPerParticle > 0) { cull(); return; }
    Grain grain = Grain(vec3(0.0), mat3(1.0), vec3(0.0), vec3(1.0));
    if (varied) grain = grainOf(id, m.color.w);
    place += grain.offset;
    tint *= grain.shade;
#endif
    vec4 eyeCenter = view * vec4(place, 1.0);
    center = eyeCenter.xyz;
    float w = dot(vec4(projection[0][3], projection[1][3], projection[2][3], projection[3][3]), eyeCenter);
    if (w < clip.x) { cull(); return; }
    float pixel = 2.0 * w / (size.y * clip.z);  // [m] at the particle
    float radius = max(particleRadius == 1 ? 0.5 * m.absorption.w : m.color.w, smallest * pixel);
    float ratio = m.absorption.w / radius;
    volumeScale = ratio * ratio * ratio / 4.18879;
#ifdef THICKNESS
    volumeScale /= shareWithinWalls(place, radius);
#endif

#ifdef GRAINS
    vec3 lengths = max(varied ? grain.lengths : vec3(radius), vec3(smallest * pixel));
    mat3 axes = mat3(view) * grain.axes;
#elif defined ELLIPSOID
    vec3 lengths = max(vec3(axis1.w, axis2.w, axis3.w), vec3(smallest * pixel));
    mat3 axes = mat3(view) * mat3(axis1.xyz, axis2.xyz, axis3.xyz);
#endif
#ifdef ELLIPSOID
    toUnit = transpose(mat3(axes[0] / lengths.x, axes[1] / lengths.y, axes[2] / lengths.z));
    inverseRadius = 1.0;
    lone = 0.0;
#ifndef GRAINS
    // isolated particles of liquids are published as spheres of 0.6 r;
    // they are drawn in sizes that differ by their ids
    if (max(max(axis1.w, axis2.w), axis3.w) < 0.61 * m.color.w) {
        uint state = id;
        lone = mix(0.55, 1.0, random(state));
        if (dropsPerParticle > 1) {
#ifdef LONE
            // the faster, the more it breaks up: into drops whose volumes add up to about its own, around it, and behind each
            // other along its path; not where they would be smaller than pixels
            int drop = gl_InstanceID % dropsPerParticle;
            state ^= hashOf(uint(drop));
            float speed = length(velocity.xyz), broken = smoothstep(0.5, 3.0, speed) * smoothstep(2.0, 5.0, radius / pixel);
            float share = mix(0.5, 1.25, random(state)) * pow(float(dropsPerParticle), -1.0 / 3.0);
            lone *= mix(drop == 0 ? 1.0 : 0.0, share, broken);
            if (lone < 0.05) { cull(); return; }
            float up = 2.0 * random(state) - 1.0, angle = 6.2831853 * random(state);
            vec3 away = vec3(sqrt(1.0 - up * up) * vec2(cos(angle), sin(angle)), up) * pow(random(state), 1.0 / 3.0);
            vec3 path = velocity.xyz / max(speed, 1e-6);
            place += 0.8 * broken * m.absorption.w * (away + 0.8 * dot(away, path) * path);
            eyeCenter = view * vec4(place, 1.0);
            center = eyeCenter.xyz;
#else
            cull();
            return;
#endif
        }
        lengths = vec3(max(lone * kLargestDroplet * m.color.w, smallest * pixel));
        toUnit = transpose(axes / lengths.x);
    }
#endif
    mat3 halfAxes = mat3(axes[0] * lengths.x, axes[1] * lengths.y, axes[2] * lengths.z);
#ifdef WALLS
    mat3 inWorld = mat3(viewInverse) * halfAxes;
    nearRegions = lone == 0.0 ? stretchToWalls(m.absorption.w, m.optics.w, place, inWorld) : 0u;
    if (nearRegions != 0u) {
        halfAxes = mat3(view) * inWorld;
        toUnit = inverse(halfAxes);
        eyeCenter = view * vec4(place, 1.0);
        center = eyeCenter.xyz;
    }
#endif
    mat4 T = mat4(vec4(halfAxes[0], 0.0), vec4(halfAxes[1], 0.0), vec4(halfAxes[2], 0.0), eyeCenter);
#else
    inverseRadius = 1.0 / radius;
    lone = 0.0;
    toUnit = mat3(inverseRadius);
    mat4 T = mat4(vec4(radius, 0.0, 0.0, 0.0), vec4(0.0, radius, 0.0, 0.0), vec4(0.0, 0.0, radius, 0.0), eyeCenter);
#endif
    mat4 rows = transpose(projection * T);
    const vec4 D = vec4(1.0, 1.0, 1.0, -1.0);
    float a = dot(rows[3] * D, rows[3]);
    float bx = dot(rows[0] * D, rows[3]), cx = dot(rows[0] * D, rows[0]);
    float by = dot(rows[1] * D, rows[3]), cy = dot(rows[1] * D, rows[1]);
    vec2 discriminant = vec2(bx * bx - a * cx, by * by - a * cy);
    // eye inside, or the ellipsoid crosses the eye plane
    if (a >= 0.0 || any(lessThan(discriminant, vec2(0.0)))) { cull(); return; }

    vec2 sign = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    ndc = (vec2(bx, by) - sign * sqrt(discriminant)) / a;
#ifdef CENTER_DEPTH
    vec4 centerClip = projection * eyeCenter;
    gl_Position = vec4(ndc, centerClip.z / centerClip.w, 1.0);
#else
    gl_Position = vec4(ndc, 0.0, 1.0);
#endif

    value = quantity(velocity.xyz, smoothed.w, scalar);
#ifdef DYED
    // white light takes the color of the dye after 1/optics.z meters (Beer's law)
    dye = vec3(0.0);
    if (m.optics.z > 0.0)
        dye = -log(clamp(decodeSrgb(mapOwnColor(dyeValue, dyeRange, false)), 0.003, 1.0)) * m.optics.z;
#endif
}
