// Optical depth of a glass face for sunlight: reflected and stopped light, half of the latter passed on in
// the color of the glass. Summed over all faces.
layout(location = 0) out vec4 optical;  // a: window depth, minimum is kept

void passGlass(vec3 tint, float opacity, vec3 p, vec3 n, float faces) {
    float facing = max(abs(dot(n, sun.xyz)), 0.08);
    float fresnel = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
    float stopped = 1.0 - pow(1.0 - min(opacity, 0.999), 1.0 / facing);
    vec3 through = (1.0 - fresnel) * (1.0 - stopped + 0.5 * stopped * tint);
    optical = vec4(-faces * log(max(through, 1e-4)), clamp(windowDepth((view * vec4(p, 1.0)).z), 0.0, 1.0));
}
