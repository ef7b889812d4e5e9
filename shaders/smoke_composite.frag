// Pass 11: the mean color of the smoke at each pixel, over the scene.
layout(binding = 0) uniform sampler2D weighted;
layout(binding = 1) uniform sampler2D passes;
layout(location = 0) out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float through = texelFetch(passes, pixel, 0).r;
    if (through >= 1.0) discard;
    vec4 sum = texelFetch(weighted, pixel, 0);
    color = vec4(sum.rgb / max(sum.a, 1e-5) * (1.0 - through), 1.0 - through);
}
