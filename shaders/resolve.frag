// Pass 14: resolves the drawn image to the output. SSAA: mean of the samples in linear light. Otherwise edges
// are antialiased along their direction: two pairs of samples perpendicular to the brightness gradient are
// averaged; the wider pair is dropped where it exceeds the local range of brightness. Dithered by half a step
// of 8 bits, so that smooth backgrounds have no bands. An image at half the resolution is interpolated.
#include "color_map.glsl"
layout(binding = 0) uniform sampler2D ldr;
uniform int samples;  // samples per axis
uniform int smoothEdges;
uniform int halved;  // 1: half as many pixels per axis
uniform int dithered;  // 1: for 8 bits
in vec2 uv;
layout(location = 0) out vec4 color;

float brightness(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }

vec3 dither(ivec2 pixel) {
    // interleaved gradient noise: Jimenez, Next Generation Post Processing in Call of Duty (2014)
    return vec3(fract(52.9829189 * fract(dot(vec2(pixel), vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

vec3 resolved(ivec2 pixel) {
    if (samples > 1) {
        vec3 sum = vec3(0.0);
        for (int k = 0; k < samples * samples; ++k) {
            sum += decodeSrgb(texelFetch(ldr, samples * pixel + ivec2(k % samples, k / samples), 0).rgb);
        }
        return encodeSrgb(sum / float(samples * samples));
    }
    vec3 middle = halved == 1 ? textureLod(ldr, uv, 0.0).rgb : texelFetch(ldr, pixel, 0).rgb;
    if (smoothEdges == 0) return middle;
    vec2 texel = 1.0 / vec2(textureSize(ldr, 0));
    float nw = brightness(textureLod(ldr, uv + vec2(-0.5, 0.5) * texel, 0.0).rgb);
    float ne = brightness(textureLod(ldr, uv + vec2(0.5, 0.5) * texel, 0.0).rgb);
    float sw = brightness(textureLod(ldr, uv + vec2(-0.5, -0.5) * texel, 0.0).rgb);
    float se = brightness(textureLod(ldr, uv + vec2(0.5, -0.5) * texel, 0.0).rgb);
    float m = brightness(middle);
    float lowest = min(m, min(min(nw, ne), min(sw, se))), highest = max(m, max(max(nw, ne), max(sw, se)));
    // a loop, not a branch: software rendering executes both sides of
    // branches, but skips loops that no pixel enters
    for (int k = highest - lowest < max(0.04, 0.12 * highest) ? 0 : smoothEdges; k > 0; --k) {
        vec2 along = vec2((nw + ne) - (sw + se), (nw + sw) - (ne + se));
        float least = min(abs(along.x), abs(along.y)) + 0.03 * (nw + ne + sw + se) + 1e-3;
        along = clamp(along / least, -6.0, 6.0) * texel;
        vec3 close = 0.5 * (textureLod(ldr, uv - along / 6.0, 0.0).rgb + textureLod(ldr, uv + along / 6.0, 0.0).rgb);
        vec3 wide = 0.5 * close +
                    0.25 * (textureLod(ldr, uv - along / 2.0, 0.0).rgb + textureLod(ldr, uv + along / 2.0, 0.0).rgb);
        float b = brightness(wide);
        middle = b < lowest || b > highest ? close : wide;
    }
    return middle;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    color = vec4(resolved(pixel) + float(dithered) * dither(pixel), 1.0);
}
