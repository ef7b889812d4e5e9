// Fragment part of splat.vert: intersects the ray of this pixel with the particle's ellipsoid.
in vec2 ndc;
flat in vec3 center;
flat in float inverseRadius;
flat in mat3 toUnit;
flat in float volumeScale;
flat in vec3 tint;
flat in float value;
flat in int material;
flat in float lone;
#ifdef WALLS
#include "walls.glsl"
flat in uint nearRegions;
#endif

struct Hit {
    float t;     // [m] eye z distance from the ray's origin to the front
    float far;   // [m] to the back
    float half_; // half chord length on the unit sphere, before walls cut it
    vec3 unit;   // point on the unit sphere
    float eyeZ;  // negative
};

// Solved around the point of closest approach: |o + t q|^2 = 1 loses precision far from the eye.
bool castRay(out Hit hit) {
    vec3 origin, direction;
    eyeRay(ndc, origin, direction);
#ifdef ELLIPSOID
    vec3 o = toUnit * (origin - center), q = toUnit * direction;
#else
    vec3 o = inverseRadius * (origin - center), q = inverseRadius * direction;
#endif
    float a = dot(q, q);
    float closest = -dot(q, o) / a;
    vec3 p = o + closest * q;
    float s = 1.0 - dot(p, p);
    if (s < 0.0) return false;
    hit.half_ = sqrt(s);
    hit.t = closest - hit.half_ * inversesqrt(a);
    hit.far = closest + hit.half_ * inversesqrt(a);
#ifdef WALLS
    vec3 from = (viewInverse * vec4(origin, 1.0)).xyz;
    if (nearRegions != 0u && !cutAtWalls(nearRegions, from, mat3(viewInverse) * direction, hit.t, hit.far)) return false;
#endif
    hit.unit = o + hit.t * q;
    hit.eyeZ = origin.z - hit.t;
    return hit.t >= clip.x;
}
