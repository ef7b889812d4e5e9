// What liquid lets pass of the light of a point at or below its surface.
layout(binding = 0) uniform sampler2DArray surfaces;   // eye z of each liquid, and of the nearest
layout(binding = 1) uniform sampler2DArray thickness;  // [m] per liquid
uniform int layer;    // of the nearest surface; -1: there is none
uniform int liquids;  // number of surfaces

// sigma [1/m]; eyeZ of the point; allowance [m]: depth down to which it counts as at the surface.
vec3 throughLiquid(vec3 sigma, float eyeZ, float allowance) {
    float below = 0.0;
    for (int k = layer; k >= 0; k = -1) {
        float z = texelFetch(surfaces, ivec3(ivec2(gl_FragCoord.xy), k), 0).r;
        if (z == 0.0) break;
        // no longer than the liquid is thick here: what floats in the
        // air behind a wave is seen through the wave only
        float thick = 0.0;
        for (int i = 0; i < liquids; ++i) thick += texture(thickness, vec3(gl_FragCoord.xy * size.zw, i)).r;
        below = clamp(z - eyeZ - allowance, 0.0, thick);
    }
    return exp(-sigma * below);
}
