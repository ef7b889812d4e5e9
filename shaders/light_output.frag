// Pass 14, output of light: the mean of the samples of a pixel, and the smallest of their distances.
layout(binding = 0) uniform sampler2D mean;  // linear light; distance [m]
uniform int samples;                         // per axis
uniform float exposure;
layout(location = 0) out vec4 color;

void main() {
    vec4 result = vec4(0.0, 0.0, 0.0, 1e30);
    for (int k = 0; k < samples * samples; ++k) {
        ivec2 place = samples * ivec2(gl_FragCoord.xy) + ivec2(k % samples, k / samples);
        vec4 x = texelFetch(mean, place, 0);
        result = vec4(result.rgb + x.rgb, min(result.a, x.a));
    }
    color = vec4(exposure / float(samples * samples) * result.rgb, result.a);
}
