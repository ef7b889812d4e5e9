// Glass: the color of a thin clear wall, and what is seen through two faces of a body of glass.
const float kGlassIndex = 1.5;  // of refraction; reflects 0.04 of the light that falls on it

// Color of a face: reflected light, and the fraction of light behind it that it stops. Reflectance by Schlick's
// approximation; slanted rays are stopped more.
vec4 glassColor(vec3 tint, float opacity, vec3 p, vec3 n) {
    vec3 v = toViewerInWorld(p);
    if (dot(n, v) < 0.0) n = -n;
    float facing = max(dot(n, v), 0.05);
    float fresnel = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
    float stopped = 1.0 - pow(1.0 - min(opacity, 0.999), 1.0 / facing);
    vec3 body = tint * (skyLight(n) + 0.35 * kSun * max(dot(n, sun.xyz), 0.0));
    vec3 seen = min(environment(p, reflect(-v, n), 0.1), vec3(60.0));
    // premultiplied: reflection in front of the wall color
    return vec4(fresnel * seen + (1.0 - fresnel) * stopped * body, fresnel + (1.0 - fresnel) * stopped);
}
