// Pass 9: the liquid's surface over the scene behind it: refraction, absorption, reflection.
#include "view.glsl"
#include "lighting.glsl"
#include "fluid_normal.glsl"
layout(binding = 1) uniform sampler2D thickness;  // [m]
layout(binding = 2) uniform sampler2D behindColor;
layout(binding = 3) uniform sampler2D behindDepth;
layout(binding = 4) uniform sampler2D rawEyeZ;   // before the filter
layout(binding = 5) uniform sampler2D droplets;  // 1 where a lone droplet is nearest
layout(std430, binding = 3) readonly buffer EyeSurroundings { uint nearEye[4]; };
uniform int pass;           // liquid number 0..2
uniform vec3 sigma;         // [1/m]
uniform vec3 scatter;       // linear RGB
uniform int divisor;        // full size / size of the thickness map
in vec2 uv;
layout(location = 0) out vec4 color;

// Thickness of this pixel's layer: bilinear weights that stop at edges in depth.
float layerThickness(ivec2 pixel, float z) {
    if (divisor == 1) return texelFetch(thickness, pixel, 0).r;
    ivec2 last = textureSize(thickness, 0) - 1, lastFull = textureSize(eyeZ, 0) - 1;
    vec2 at = (vec2(pixel) + 0.5) / 2.0 - 0.5;
    ivec2 base = ivec2(floor(at));
    vec2 f = at - vec2(base);
    float sum = 0.0, weights = 0.0;
    for (int k = 0; k < 4; ++k) {
        ivec2 offset = ivec2(k & 1, k >> 1);
        ivec2 texel = clamp(base + offset, ivec2(0), last);
        float other = texelFetch(eyeZ, min(2 * texel, lastFull), 0).r;
        vec2 bilinear = mix(1.0 - f, f, vec2(offset));
        float step = (other - z) / (2.0 * radius);
        float w = (bilinear.x * bilinear.y + 1e-3) * (other == 0.0 ? 1e-6 : exp(-step * step) + 1e-6);
        sum += w * texelFetch(thickness, texel, 0).r;
        weights += w;
    }
    return sum / weights;
}

// The eye is in the liquid: no surface lies before it, only distance and color.
void drawFromWithin(ivec2 pixel) {
    float path = texture(thickness, uv).r;
    if (path <= 0.0) discard;
    vec3 through = exp(-sigma * path);
    vec3 glow = scatter * (0.5 + 1.2 * max(sun.y, 0.0));
    color = vec4(texelFetch(behindColor, pixel, 0).rgb * through + glow * (1.0 - through), 1.0);
    gl_FragDepth = texelFetch(behindDepth, pixel, 0).r;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (nearEye[pass] >= 8u) {
        drawFromWithin(pixel);
        return;
    }
    float z = texelFetch(eyeZ, pixel, 0).r;
    if (z == 0.0) discard;
    // lone droplets stay the small spheres they are; the filter would make flakes of them
    bool droplet = texelFetch(droplets, pixel, 0).r > 0.5;
    if (droplet) z = texelFetch(rawEyeZ, pixel, 0).r;
    vec3 p = surfacePoint(pixel, z);
    vec3 n = droplet ? surfaceNormal(rawEyeZ, pixel, z, p) : surfaceNormal(eyeZ, pixel, z, p);
    vec3 v = -normalize(p);
    vec3 worldP = (viewInverse * vec4(p, 1.0)).xyz, worldN = mat3(viewInverse) * n, worldV = mat3(viewInverse) * v;
    float facing = max(dot(n, v), 0.0);

    // lone droplets are thinner than they look; without a floor they would be invisible
    float here = max(layerThickness(pixel, z), 0.3 * 2.0 * radius);

    // refraction: where the bent ray leaves the liquid, seen in the picture behind it
    vec3 bent = refract(-v, n, 1.0 / 1.333);
    // (a droplet is a lens: it bends as if the background were a few radii behind it)
    vec4 leave = projection * vec4(p + bent * max(0.8 * min(here, 0.6), 6.0 * radius), 1.0);
    vec2 behindUv = clamp(0.5 * leave.xy / max(leave.w, 1e-4) + 0.5, 0.001, 0.999);
    float surfaceDepth = windowDepth(z);
    if (texture(behindDepth, behindUv).r < surfaceDepth) behindUv = uv;
    float path = max(here, texture(eyeZ, behindUv).r == 0.0 ? 0.0 : texture(thickness, behindUv).r);

    // absorption over the path, and the light that deep liquid sends back
    float shadow = 0.4 + 0.6 * solidLight(worldP, worldN);
    vec3 through = exp(-sigma * path);
    vec3 glow = scatter * (0.5 + 1.2 * max(dot(worldN, sun.xyz), 0.0) * shadow);
    vec3 behind = texture(behindColor, behindUv).rgb;
    if (droplet) {
        // through both faces of a ball: it shows its surroundings upside down
        vec3 leaving = n - 2.0 * dot(n, bent) * bent;
        behind = environment(worldP, mat3(viewInverse) * refract(bent, -leaving, 1.333), 0.6);
    }
    vec3 inside = behind * through + glow * (1.0 - through);

    // reflection by Schlick's approximation of Fresnel, F0 = 0.02 for water; the sun itself is in the sky
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    // a ray that points down, or leaves a slope at a low angle, meets the liquid again sooner than floor or sky:
    // without this, valleys mirror the bright floor and a crown stands in a halo
    vec3 mirrored = reflect(-worldV, worldN);
    float low = mix(0.45, 0.02, smoothstep(0.6, 0.98, worldN.y));
    vec3 reflected = mix(environment(worldP, mirrored, 0.05), 0.4 * inside + glow,
                         1.0 - smoothstep(low - 0.3, low, mirrored.y));
    color = vec4(min(mix(inside, reflected, fresnel), vec3(60.0)), 1.0);
    gl_FragDepth = clamp(surfaceDepth, 0.0, 1.0);
}
