// Pass 7: the farthest of the scene depths under a texel of the thickness map.
layout(binding = 0) uniform sampler2D sceneDepth;
uniform int divisor;  // 1 or 2

void main() {
    ivec2 last = textureSize(sceneDepth, 0) - 1;
    ivec2 base = divisor * ivec2(gl_FragCoord.xy);
    float farthest = 0.0;
    for (int k = 0; k < divisor * divisor; ++k) {
        ivec2 at = min(base + ivec2(k % divisor, k / divisor), last);
        farthest = max(farthest, texelFetch(sceneDepth, at, 0).r);
    }
    gl_FragDepth = farthest;
}
