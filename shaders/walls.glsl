// Walls that hold liquid: an ellipsoid close to one is stretched through it and cut off there, so that liquid
// reaches its walls without a gap and is flat at them. A region is the convex intersection of six half spaces: the
// inside of a container box, or what lies above a floor.
struct Region { vec4 planes[6]; };  // unit normal into the region; w: distance of the origin [m]
layout(std430, binding = 4) readonly buffer Walls { Region regions[]; };
const int kMostRegions = 32;  // bits of a set of regions

// [m] from the nearest plane; negative: outside
float distanceWithin(Region region, vec3 x) {
    float least = 1e9;
    for (int k = 0; k < 6; ++k) least = min(least, dot(region.planes[k].xyz, x) + region.planes[k].w);
    return least;
}

// The ellipsoid around x with these half axes [m], of a liquid with spacing d and kernel radius h [m]: its end away from the
// wall stays where it is. Returns the set of regions whose walls are near, as bits.
uint stretchToWalls(float d, float h, inout vec3 x, inout mat3 axes) {
    // the outermost particles, which smoothing moves away from the wall by up to 0.3 h; those further away less, to none
    float outermost = 0.4 * d + 0.3 * h, none = 1.3 * outermost;
    uint near = 0u;
    for (int c = 0; c < min(regions.length(), kMostRegions); ++c) {
        // (fast particles may be a little behind a wall)
        float least = distanceWithin(regions[c], x);
        if (least < -0.3 * d || least > none) continue;
        near |= 1u << c;
        for (int k = 0; k < 6; ++k) {
            vec4 plane = regions[c].planes[k];
            float away = max(dot(plane.xyz, x) + plane.w, 0.0);
            vec3 along = plane.xyz * axes;  // [m] parts of the half axes along the normal
            float half_ = max(length(along), 1e-9);
            // the wall is at a third of the new half-length, where the ellipsoid is 0.94 times as wide as in its middle
            float stretched = max(0.75 * (away + half_), half_);
            stretched = mix(stretched, half_, smoothstep(outermost, none, away));
            x -= (stretched - half_) * plane.xyz;
            axes += outerProduct((stretched / half_ - 1.0) * plane.xyz, along);
        }
    }
    return near;
}

// The share of a sphere of this radius around x that lies within the walls, each by itself.
float shareWithinWalls(vec3 x, float radius) {
    float share = 1.0;
    for (int c = 0; c < regions.length(); ++c) {
        if (distanceWithin(regions[c], x) < 0.0) continue;
        float ofRegion = 1.0;
        for (int k = 0; k < 6; ++k) {
            vec4 plane = regions[c].planes[k];
            float h = min((dot(plane.xyz, x) + plane.w) / radius, 1.0);
            ofRegion *= 0.25 * (2.0 + 3.0 * h - h * h * h);
        }
        share = min(share, ofRegion);
    }
    return share;
}

// Keeps the part of a ray from t = `from` to `to` that lies in all of these regions; world space [m]. False: none.
bool cutAtWalls(uint near, vec3 origin, vec3 direction, inout float from, inout float to) {
    for (int c = 0; c < kMostRegions && near >> c != 0u; ++c) {
        if ((near >> c & 1u) == 0u) continue;
        for (int k = 0; k < 6; ++k) {
            vec4 plane = regions[c].planes[k];
            float away = dot(plane.xyz, origin) + plane.w, change = dot(plane.xyz, direction);
            if (change > 0.0) from = max(from, -away / change);
            else if (change < 0.0) to = min(to, -away / change);
            else if (away < 0.0) return false;
        }
    }
    return from < to;
}
