// Pass 9: composites liquids over the scene behind them: refraction, absorption, scattering,
// reflection. Each run draws, at every pixel, the surface that has `rank` others in front of it, so
// that liquids are seen through each other in depth order. Software rendering pays for every branch,
// so defines enable only what a frame needs: SEVERAL liquids, TURBID, DYED or ROUGH ones, an eye
// WITHIN a liquid, solids that the surface MIRRORS.
#include "view.glsl"
#include "lighting.glsl"
#include "fluid_normal.glsl"
#include "march.glsl"
#ifdef WITHIN
#include "shape.glsl"
#endif
layout(binding = 0) uniform sampler2DArray surfaces;  // eye z, one layer per liquid; with several, then the nearest
layout(binding = 1) uniform sampler2DArray thickness;  // [m] per liquid; g: up to the next surface
layout(binding = 2) uniform sampler2D behindColor;     // with levels for blur
layout(binding = 3) uniform sampler2D behindDepth;
layout(binding = 4) uniform sampler2DArray droplets;  // where an isolated droplet is nearest: its radius / the largest; else 0
layout(binding = 5) uniform sampler2DArray dyes;      // optical depth of the dye of each liquid
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[kLiquids]; };
#ifdef WITHIN
#define IS_WITHIN(liquid) (nearEye[liquid] >= kWithin)
#else
#define IS_WITHIN(liquid) false
#endif
#ifdef SEVERAL
uniform int liquids;
#else
const int liquids = 1;
#endif
#ifdef TURBID
const bool turbid = true;
#else
const bool turbid = false;
#endif
#ifdef DYED
const bool dyed = true;
#else
const bool dyed = false;
#endif
#ifdef ROUGH
const int mirrorSamples = 12;
#else
const int mirrorSamples = 1;
#endif
uniform int liquidMaterial[kLiquids];  // material index of each liquid
uniform int rank;
uniform int divisor;  // full size / size of the thickness map
in vec2 uv;
layout(location = 0) out vec4 color;

// Optical properties along a path through liquid.
struct Stretch {
    float path;       // [m]
    vec3 sigma;       // absorption [1/m]
    float turbidity;  // [1/m]
    vec3 scatter;     // linear RGB
};

// Thickness of this pixel's layer: total, and up to the next
// surface. Bilinear weights that stop at depth edges.
vec2 layerThickness(ivec2 pixel, int liquid, float z, float radius) {
    vec2 found;
    if (divisor == 1) {
        found = texelFetch(thickness, ivec3(pixel, liquid), 0).rg;
    } else {
        ivec2 last = textureSize(thickness, 0).xy - 1, lastFull = textureSize(surfaces, 0).xy - 1;
        vec2 at = (vec2(pixel) + 0.5) / 2.0 - 0.5;
        ivec2 base = ivec2(floor(at));
        vec2 f = at - vec2(base);
        vec2 sum = vec2(0.0);
        float weights = 0.0;
        for (int k = 0; k < 4; ++k) {
            ivec2 offset = ivec2(k & 1, k >> 1);
            ivec2 texel = clamp(base + offset, ivec2(0), last);
            float other = texelFetch(surfaces, ivec3(min(2 * texel, lastFull), liquid), 0).r;
            vec2 bilinear = mix(1.0 - f, f, vec2(offset));
            float step = (other - z) / (2.0 * radius);
            float w = (bilinear.x * bilinear.y + 1e-3) * (other == 0.0 ? 1e-6 : exp(-step * step) + 1e-6);
            sum += w * texelFetch(thickness, ivec3(texel, liquid), 0).rg;
            weights += w;
        }
        found = sum / weights;
    }
    return found;
}

// The dye of the whole thickness is assumed to be evenly distributed.
Stretch stretchOf(Material m, int liquid, float whole, float path) {
    Stretch s = Stretch(path, m.absorption.rgb, m.scatter.w, m.scatter.rgb);
    if (dyed && m.optics.z > 0.0) {
        vec3 dye = texture(dyes, vec3(uv, liquid)).rgb / max(whole, 1e-4);
        s.sigma += dye;
        s.scatter *= exp(-dye / m.optics.z);
    }
    return s;
}

// Transmittance of unscattered light.
vec3 clearShare(Stretch s) { return exp(-(turbid ? s.sigma + s.turbidity : s.sigma) * s.path); }

// Diffuse transmittance: of a purely scattering layer 1 / (1 + 3/4 σ's x) (Kubelka and Munk's two-flux model,
// S = 3/4 σ's), minus the unscattered part.
vec3 hazyShare(Stretch s) {
    if (!turbid) return vec3(0.0);
    float x = s.turbidity * s.path;
    return exp(-s.sigma * s.path) * max(1.0 / (1.0 + 0.75 * x) - exp(-x), 0.0);
}

// Light emitted by a liquid layer, for a scatter color of 1. Clear liquid glows with its depth; turbid liquid
// is diffuse, slightly brighter near the terminator than Lambert's law because light spreads inside.
vec3 lightWithin(Stretch s, vec3 p, vec3 n, float lit, float radius) {
    float facing = dot(n, sun.xyz);
    vec3 glow = 2.8 * skyLight(n) + 1.14 * kSun * max(facing, 0.0) * (0.4 + 0.6 * lit);
    if (!turbid || s.turbidity == 0.0) return glow;
    // offset towards the sun by the error of the light maps, to avoid self-shadowing
    vec3 receiver = p + sun.xyz * (3.5 * radius + 8.0 * lightRange.z);
    vec3 direct = kSun * max((facing + 0.25) / 1.25, 0.0) * lit * fluidLight(receiver);
    float milky = s.turbidity / (s.turbidity + dot(s.sigma, vec3(1.0 / 3.0)));
    return mix(glow, skyLight(n) + direct, milky);
}

// The scene behind, blurred by a radius [m] at the depth of the surface.
vec3 blurredBehind(vec2 at, float z, float reach) {
    vec2 extent = 0.5 * reach / perspective(z) * clip.wz;
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 16; ++k) {
        float angle = 2.399963 * float(k);
        vec2 offset = extent * sqrt((float(k) + 0.5) / 16.0) * vec2(cos(angle), sin(angle));
        sum += min(textureLod(behindColor, clamp(at + offset, 0.001, 0.999), 0.0).rgb, vec3(4.0));
    }
    return sum / 16.0;
}

// Reflected light of a rough surface: mean over normals around its own. Reflected rays that point down,
// or leave a slope at a low angle, hit the liquid again before ground or sky: otherwise valleys would
// mirror the bright ground and splashes would have a halo. The sun's image is shadowed by solids.
// `solid`: mirrored scene color and its weight.
vec3 reflection(vec3 p, vec3 n, vec3 v, float roughness, float lit, vec3 itself, vec4 solid) {
    float low = mix(0.45, 0.02, smoothstep(0.6, 0.98, n.y));
    int samples = roughness > 0.0 ? mirrorSamples : 1;
    vec3 side = normalize(cross(n, abs(n.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
    vec3 sum = vec3(0.0);
    for (int k = 0; k < samples; ++k) {
        vec3 h = n;
        if (samples > 1) {
            float angle = 2.399963 * float(k), reach = roughness * sqrt((float(k) + 0.5) / float(samples));
            h = normalize(n + reach * (cos(angle) * side + sin(angle) * cross(n, side)));
        }
        vec3 mirrored = reflect(-v, h);
        vec3 seen = environment(p, mirrored, 0.05 + roughness);
        seen = min(seen, vec3(samples > 1 ? 2.0 : mix(1.5, 60.0, lit)));
        seen = mix(seen, solid.rgb, solid.a);
        sum += mix(seen, itself, 1.0 - smoothstep(low - 0.3, low, mirrored.y));
    }
    // a rough surface spreads the sun's image: Blinn's lobe with the same energy
    if (samples > 1) {
        float power = min(2.0 / (roughness * roughness), 800.0);
        float lobe = pow(max(dot(n, normalize(sun.xyz + v)), 0.0), power) * (power + 8.0) / 25.13;
        sum += float(samples) * kSun * lobe * lit * max(dot(n, sun.xyz), 0.0);
    }
    return sum / float(samples);
}

// Fresnel reflectance for unpolarized light; cosine of the angle of incidence, index inside / index outside.
float fresnel(float cosine, float index) {
    float g = index * index - 1.0 + cosine * cosine;
    if (g <= 0.0) return 1.0;
    g = sqrt(g);
    float a = (g - cosine) / (g + cosine);
    float b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

#ifdef WITHIN
uniform vec3 lowest, highest;  // [m] bounds of moving matter
uniform int firstContainer, containers;

// Fresnel reflectance from inside, for a relative index below 1; blended around the critical angle over the
// roughness left by particles, so that total reflection has no visible outline.
float innerFresnel(float cosine, float index) {
    float critical = sqrt(max(1.0 - index * index, 0.0));
    return mix(1.0, fresnel(max(cosine, critical + 0.04), index), smoothstep(critical - 0.03, critical + 0.06, cosine));
}

// Light from a direction in eye space: from the image, else from the environment.
vec3 seenAlong(vec3 p, vec3 direction, float radius) {
    vec2 at;
    float way, weight;
    vec3 seen = environment((viewInverse * vec4(p, 1.0)).xyz, mat3(viewInverse) * direction, 0.05);
    if (marchScene(behindDepth, p, direction, 4.0 * radius, marchSteps, at, way, weight))
        seen = mix(seen, textureLod(behindColor, at, 0.0).rgb, weight);
    return min(seen, vec3(60.0));
}

// Light mirrored by the surface from inside: through liquid to the bounding box of all moving matter; leaves
// it where the ray is steep enough, else is reflected.
vec3 seenWithin(vec3 p, vec3 direction, Stretch s, vec3 glow, float index, float radius) {
    vec3 from = (viewInverse * vec4(p, 1.0)).xyz, along = mat3(viewInverse) * direction;
    vec3 seen = vec3(0.0);
    float left = 1.0, path = 0.0;
    for (int bounce = 0; bounce < 3; ++bounce) {
        vec3 toSide = (mix(lowest, highest, step(0.0, along)) - from) / (along + vec3(equal(along, vec3(0.0))) * 1e-6);
        float way = clamp(min(min(toSide.x, toSide.y), toSide.z), 0.0, 1e3);
        vec3 side = -sign(along) * vec3(lessThanEqual(toSide, vec3(way)));
        from += way * along;
        path += way;
        bool floorThere = side.y > 0.5 && ground.y > 0.5;
        float mirror = floorThere ? 0.0 : innerFresnel(abs(dot(along, side)), 1.0 / index);
        vec3 bent = floorThere ? along : refract(along, side, index);
        s.path = path;
        vec3 share = clearShare(s) + hazyShare(s);
        vec3 outside = dot(bent, bent) > 0.0 ? min(environment(from, bent, 0.1), vec3(4.0)) : glow;
        if (floorThere) outside *= fluidLight(from);
        if (bounce == 2) mirror = 0.0;
        seen += left * (1.0 - mirror) * mix(glow, outside, share);
        left *= mirror;
        along = reflect(along, normalize(side + 1e-6));
    }
    vec2 at;
    float way, weight;
    if (marchScene(behindDepth, p, direction, 4.0 * radius, marchSteps, at, way, weight)) {
        s.path = way;
        seen = mix(seen, mix(glow, textureLod(behindColor, at, 0.0).rgb, clearShare(s) + hazyShare(s)), weight);
    }
    return seen;
}

// Near a container wall the surface takes the normal of the wall.
vec3 flatAtWalls(vec3 p, vec3 n, float radius) {
    for (int k = 0; k < containers; ++k) {
        Shape wall = shapes[firstContainer + k];
        if (wall.position.w > 1.5) continue;
        vec3 o = unrotate(wall.rotation, p - wall.position.xyz), out_ = unrotate(wall.rotation, -n);
        vec3 near = step(abs(wall.halfExtents.xyz - abs(o)), vec3(1.5 * radius)) * step(0.5, out_ * sign(o));
        if (dot(near, near) > 0.0) n = rotate(wall.rotation, -normalize(near * sign(o)));
    }
    return n;
}

// The eye is inside the liquid. Objects in it are seen through absorption and scattering; its surface is seen
// from below: everything above is compressed into a cone of 49 degrees (for water) around the vertical,
// outside of which total reflection shows what is below.
vec4 drawFromWithin(ivec2 pixel, Stretch s, int own, Material m) {
    float radius = m.color.w;
    vec3 glow = s.scatter * (2.8 * skyLight(vec3(0.0, 1.0, 0.0)) + 1.14 * kSun * max(sun.y, 0.0));
    vec3 behind = texelFetch(behindColor, pixel, 0).rgb;
    float z = texelFetch(surfaces, ivec3(pixel, own), 0).r;
    // (not where it ends at a floor or wall, as far as particles show)
    bool ends = z != 0.0 && z - eyeFromDepth(texelFetch(behindDepth, pixel, 0).r) > 1.5 * radius;
    // (a loop: software rendering executes both sides of branches, but skips loops that no pixel enters)
    for (int k = ends ? divisor : 0; k > 0; k -= divisor) {
        vec3 p = surfacePoint(pixel, z);
        vec3 v = toViewer(p), n = surfaceNormal(surfaces, own, own, pixel, z, p, radius);
        n = flatAtWalls((viewInverse * vec4(p, 1.0)).xyz, mat3(viewInverse) * n, radius) * mat3(viewInverse);
        float facing = max(dot(n, v), 0.0), mirror = innerFresnel(facing, 1.0 / m.optics.x);
        vec3 bent = refract(-v, n, m.optics.x);
        // (zero at total reflection; near it, use the limiting direction)
        if (dot(bent, bent) == 0.0) bent = normalize(facing * n - v);
        vec3 mirrored = seenWithin(p, reflect(-v, n), s, glow, m.optics.x, radius);
        behind = mirror < 0.999 ? mix(seenAlong(p, bent, radius), mirrored, mirror) : mirrored;
        s.path = min(s.path, length(p));
    }
    vec3 clear = clearShare(s), hazy = hazyShare(s);
    if (turbid && s.turbidity > 0.0) behind = mix(behind, blurredBehind(uv, -1.0, 0.2), hazy / max(clear + hazy, 1e-6));
    return vec4(behind * (clear + hazy) + glow * (1.0 - clear - hazy), 1.0);
}
#endif

vec3 refracted(vec3 v, vec3 n, float ratio) {
    vec3 bent = refract(-v, n, ratio);
    return dot(bent, bent) == 0.0 ? -v : bent;  // total reflection: only at the rim of a bubble
}

// Where the refracted ray leaves a layer of this thickness, in the image.
vec2 exitUv(vec3 p, vec3 bent, float here) {
    vec4 leave = projection * vec4(p + bent * 0.8 * min(here, 0.6), 1.0);
    return clamp(0.5 * leave.xy / max(leave.w, 1e-4) + 0.5, 0.001, 0.999);
}

// [px] size of the area behind that a pixel sees through the surface, at least 1: from the exits of its
// neighbors on the same surface. (dFdx would be undefined: other pixels of its quad may have been discarded.)
float seenSize(ivec2 pixel, int layer, int own, float z, float radius, float ratio, float here, vec2 exit) {
    float most = 1.0;
    for (int axis = 0; axis < 2; ++axis) {
        ivec2 beside = min(pixel + ivec2(1 - axis, axis), ivec2(size.xy) - 1);
        float zBeside = texelFetch(surfaces, ivec3(beside, layer), 0).r;
        if (zBeside == 0.0 || abs(zBeside - z) > 3.0 * radius) continue;
        vec3 p = surfacePoint(beside, zBeside);
        vec3 n = surfaceNormal(surfaces, layer, own, beside, zBeside, p, radius);
        vec2 moved = abs(exitUv(p, refracted(toViewer(p), n, ratio), here) - exit) * size.xy;
        most = max(most, max(moved.x, moved.y));
    }
    return most;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    // from front to back; the liquid around the eye comes first
    float z = 1.0, zBefore = 0.0;
    int own = -1, before = -1;
    bool last = liquids == 1;  // no further surface at this pixel: the total thickness counts
    for (int k = 0; k <= rank + int(liquids > 1); ++k) {
        float best = -1e30;
        int found = -1;
        for (int i = 0; i < liquids; ++i) {
            bool within = IS_WITHIN(i);
            float there = within ? 1e-6 : texelFetch(surfaces, ivec3(pixel, i), 0).r;
            bool left = there < z || (there == z && i > own);
            if (there != 0.0 && left && there > best) {
                best = there;
                found = i;
            }
        }
        if (k > rank) {
            last = found < 0;
            break;
        }
        if (found < 0) discard;
        before = own;
        own = found;
        zBefore = min(z, 0.0);
        z = best;
    }
    Material m = materials[liquidMaterial[own]];
    float radius = m.color.w;
#ifdef WITHIN
    if (IS_WITHIN(own)) {
        vec2 through = texture(thickness, vec3(uv, own)).rg;
        if (through.r <= 0.0) discard;
        color = drawFromWithin(pixel, stretchOf(m, own, through.r, last ? through.r : through.g), own, m);
        gl_FragDepth = texelFetch(behindDepth, pixel, 0).r;
        return;
    }
#endif

    // medium in front of this surface: air, or the previous liquid if
    // it fills most of the gap between the surfaces
    float outside = 1.0;
    vec2 frontThickness = vec2(0.0);
    if (before >= 0) {
        frontThickness = layerThickness(pixel, before, zBefore, materials[liquidMaterial[before]].color.w);
        float gap = (zBefore - z) / toViewer(surfacePoint(pixel, z)).z;  // along the ray
        outside = mix(1.0, materials[liquidMaterial[before]].optics.x,
                      smoothstep(0.3, 0.7, frontThickness.g / max(gap, 1e-3 * radius)));
    }

    // the front surface is the joint, seamless surface of all liquids
    float droplet = rank == 0 ? texelFetch(droplets, ivec3(pixel, own), 0).r : 0.0;
    int layer = rank == 0 && liquids > 1 ? liquids : own;
    z = texelFetch(surfaces, ivec3(pixel, layer), 0).r;
    vec3 p = surfacePoint(pixel, z);
    vec3 n = surfaceNormal(surfaces, layer, own, pixel, z, p, radius);
    vec3 v = toViewer(p);
    vec3 worldP = (viewInverse * vec4(p, 1.0)).xyz, worldN = mat3(viewInverse) * n, worldV = mat3(viewInverse) * v;
    float facing = max(dot(n, v), 0.0);

    // isolated droplets get a minimum thickness to stay visible, except inside
    // other liquids, where it would show as an outline
    vec2 whole = layerThickness(pixel, own, z, radius);
    float here = max(last ? whole.r : whole.g, rank == 0 && last ? 0.6 * radius : 0.0);

    // refraction: the exit point of the refracted ray, looked up in the scene behind
    float ratio = outside / m.optics.x;
    vec3 bent = refracted(v, n, ratio);
    vec2 behindUv = exitUv(p, bent, here);
    // a pixel shows the mean of the area that it sees through the
    // surface: ripples do not tear the scene to stripes
    float level = log2(seenSize(pixel, layer, own, z, radius, ratio, here, behindUv));
    float surfaceDepth = windowDepth(z);
    if (texture(behindDepth, behindUv).r < surfaceDepth) {  // something in front of the surface: straight on
        behindUv = uv;
        level = 0.0;
    }
    float path = here;
    if (texture(surfaces, vec3(behindUv, own)).r != 0.0) {
        vec2 there = texture(thickness, vec3(behindUv, own)).rg;
        path = max(path, last ? there.r : there.g);
    }

    // (a loop: software rendering executes both sides of branches, but skips loops that no pixel enters)
    for (int k = droplet > 0.0 ? divisor : 0; k > 0; k -= divisor) {
        // the chord of the refracted ray in a sphere, 2 R cos of the angle of refraction
        path = 2.0 * droplet * kLargestDroplet * radius * max(-dot(bent, n), 0.0);
    }
    float lit = solidLight(worldP, worldN, 6) * dot(glassLight(worldP), vec3(1.0 / 3.0));
    Stretch s = stretchOf(m, own, whole.r, path);
    vec3 light = lightWithin(s, worldP, worldN, lit, radius);
    vec3 behind = textureLod(behindColor, behindUv, level).rgb;
    for (int k = droplet > 0.0 ? divisor : 0; k > 0; k -= divisor) {
        // refraction at both faces of a sphere: shows the surroundings upside down
        vec3 leaving = n - 2.0 * dot(n, bent) * bent, seen = mat3(viewInverse) * refract(bent, -leaving, m.optics.x);
        behind = environment(worldP, seen, 0.6);
        // a ray that does not leave upwards also passes the liquid behind the drop, whose own thickness is at most 2 radii
        Stretch rest = stretchOf(m, own, whole.r, max(whole.r - 2.0 * radius, 0.0));
        vec3 share = mix(clearShare(rest) + hazyShare(rest), vec3(1.0), smoothstep(0.0, 0.3, seen.y));
        behind = behind * share + rest.scatter * lightWithin(rest, worldP, vec3(0.0, 1.0, 0.0), lit, radius) * (1.0 - share);
    }
    if (before >= 0 && frontThickness.r > frontThickness.g) {
        // the previous liquid continues behind this one
        Stretch rest = stretchOf(materials[liquidMaterial[before]], before, frontThickness.r,
                                 frontThickness.r - frontThickness.g);
        vec3 share = clearShare(rest) + hazyShare(rest);
        behind = behind * share + rest.scatter * lightWithin(rest, worldP, worldN, lit, radius) * (1.0 - share);
    }
    vec3 clear = clearShare(s), hazy = hazyShare(s);
    vec3 glow = s.scatter * light;
    vec3 inside = behind * clear + glow * (1.0 - clear - hazy);
    if (turbid && s.turbidity > 0.0) inside += blurredBehind(behindUv, z, min(path, 0.5)) * hazy;

    float mirror = fresnel(facing, m.optics.x / outside);
    vec4 solid = vec4(0.0);
#ifdef MIRRORS
    // start above the surface: geometry below it is behind it, not mirrored
    vec3 mirrored = reflect(-v, n);
    vec2 at;
    float way, weight;
    // (skip where the reflectance is negligible)
    int steps = mirror > 0.025 ? marchSteps : 0;
    if (marchScene(behindDepth, p + 0.5 * radius * n, mirrored, 4.0 * radius, steps, at, way, weight))
        solid = vec4(min(textureLod(behindColor, at, 0.0).rgb, vec3(4.0)), weight * smoothstep(0.025, 0.04, mirror));
#endif
    vec3 reflected = reflection(worldP, worldN, worldV, m.optics.y, lit, 0.4 * inside + glow, solid);
    color = vec4(min(mix(inside, reflected, mirror), vec3(60.0)), 1.0);
    gl_FragDepth = clamp(surfaceDepth, 0.0, 1.0);
}
