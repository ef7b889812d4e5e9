// First hit of a shape by this fragment's ray (EXIT: last hit of a box, from inside), and where a ray leaves it.
#include "shape.glsl"
in vec3 proxy;
flat in int shapeIndex;

void keepNearest(float t, vec3 n, inout float best, inout vec3 normal) {
    if (t > 0.0 && t < best) { best = t; normal = n; }
}

// Whether a point of the shape's frame lies inside.
bool isInside(Shape s, vec3 p) {
    if (s.position.w < 1.5) return all(lessThan(abs(p), s.halfExtents.xyz));
    float halfLength = s.position.w < 2.5 ? 0.0 : s.color.w;
    return length(p - vec3(0.0, clamp(p.y, -halfLength, halfLength), 0.0)) < s.halfExtents.w;
}

bool castShape(out vec3 p, out vec3 n) {
    Shape s = shapes[shapeIndex];
    vec3 direction, origin;
    if (isOrthographic()) {
        direction = -vec3(viewInverse[2]);
        origin = proxy - 2.0 * clip.y * direction;
    } else {
        origin = viewInverse[3].xyz;
        direction = normalize(proxy - origin);
    }
    vec3 o = unrotate(s.rotation, origin - s.position.xyz), d = unrotate(s.rotation, direction);
    float best = 1e30;
    vec3 normal = vec3(0.0);
    if (s.position.w < 1.5) {
        // slab test
        vec3 inverse = 1.0 / (d + vec3(equal(d, vec3(0.0))) * 1e-20);
        vec3 lower = -o * inverse - abs(inverse) * s.halfExtents.xyz;
        vec3 upper = -o * inverse + abs(inverse) * s.halfExtents.xyz;
        float enter = max(max(lower.x, lower.y), lower.z), leave = min(min(upper.x, upper.y), upper.z);
        if (enter > leave) return false;
#ifdef EXIT
        keepNearest(leave, -sign(d) * vec3(lessThanEqual(upper, vec3(leave))), best, normal);
#else
        keepNearest(enter, -sign(d) * vec3(greaterThanEqual(lower, vec3(enter))), best, normal);
#endif
    } else {
        // a sphere, or two spheres and the cylinder between them
        float r = s.halfExtents.w, halfLength = s.position.w < 2.5 ? 0.0 : s.color.w;
        for (int end = -1; end <= 1; end += 2) {
            vec3 c = o - vec3(0.0, float(end) * halfLength, 0.0);
            float closest = -dot(c, d);
            vec3 q = c + closest * d;
            float square = r * r - dot(q, q);
            if (square >= 0.0) {
                float t = closest - sqrt(square);
                keepNearest(t, (c + t * d) / r, best, normal);
            }
        }
        float a = dot(d.xz, d.xz);
        if (halfLength > 0.0 && a > 1e-12) {
            float closest = -dot(o.xz, d.xz) / a;
            vec2 q = o.xz + closest * d.xz;
            float square = (r * r - dot(q, q)) / a;
            float t = closest - sqrt(max(square, 0.0));
            vec3 at = o + t * d;
            if (square >= 0.0 && abs(at.y) <= halfLength) {
                keepNearest(t, vec3(at.x, 0.0, at.z) / r, best, normal);
            }
        }
    }
    if (best > 1e29) return false;
    p = origin + best * direction;
    n = normalize(rotate(s.rotation, normal));
    if (clipDistance(p) >= 0.0) return true;
#ifdef EXIT
    return false;
#else
    // the shape is convex: behind the clip plane the ray is inside, and meets the cut face, or not at all
    float along = dot(clipPlane.xyz, direction);
    if (along >= 0.0) return false;
    p = origin + (clipPlane.w - dot(clipPlane.xyz, origin)) / along * direction;
    n = clipPlane.xyz;
    return isInside(s, unrotate(s.rotation, p - s.position.xyz));
#endif
}

// From a point inside along a unit direction: the distance [m] at which the ray leaves the shape, and the normal
// there, outwards.
float leaveShape(Shape s, vec3 from, vec3 direction, out vec3 n) {
    vec3 o = unrotate(s.rotation, from - s.position.xyz), d = unrotate(s.rotation, direction);
    float last = 0.0;
    vec3 normal = -d;
    if (s.position.w < 1.5) {
        vec3 inverse = 1.0 / (d + vec3(equal(d, vec3(0.0))) * 1e-20);
        vec3 upper = -o * inverse + abs(inverse) * s.halfExtents.xyz;
        last = max(min(min(upper.x, upper.y), upper.z), 0.0);
        normal = sign(d) * vec3(lessThanEqual(upper, vec3(last)));
    } else {
        // the farthest point on one of the two spheres, or on the cylinder between them
        float r = s.halfExtents.w, halfLength = s.position.w < 2.5 ? 0.0 : s.color.w;
        for (int end = -1; end <= 1; end += 2) {
            vec3 c = o - vec3(0.0, float(end) * halfLength, 0.0);
            float closest = -dot(c, d);
            vec3 q = c + closest * d;
            float t = closest + sqrt(max(r * r - dot(q, q), 0.0));
            vec3 at = c + t * d;
            if (float(end) * at.y >= 0.0 && t > last) { last = t; normal = at / r; }
        }
        float a = dot(d.xz, d.xz);
        if (halfLength > 0.0 && a > 1e-12) {
            float closest = -dot(o.xz, d.xz) / a;
            vec2 q = o.xz + closest * d.xz;
            float t = closest + sqrt(max((r * r - dot(q, q)) / a, 0.0));
            vec3 at = o + t * d;
            if (abs(at.y) <= halfLength && t > last) { last = t; normal = vec3(at.x, 0.0, at.z) / r; }
        }
    }
    n = normalize(rotate(s.rotation, normal));
    return last;
}
