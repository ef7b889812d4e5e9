// Walls that hold liquid: an ellipsoid close to one is stretched through it and cut off there, so that liquid
// reaches its walls without a gap and is flat at them. A cell is the room within six planes: the inside of a
// container box, or what lies above a floor.
struct Cell { vec4 planes[6]; };  // unit normal into the cell; w: distance of the origin [m]
layout(std430, binding = 4) readonly buffer Walls { Cell cells[]; };

// The ellipsoid around x with these half axes [m], of a liquid with spacing d [m]. Returns the last cell that it
// was stretched at; -1: none.
int stretchToWalls(vec3 x, float d, inout mat3 axes) {
    int touched = -1;
    for (int c = 0; c < cells.length(); ++c) {
        vec4 s = vec4(1e9);  // [m] distances; outside of a cell, its walls do not hold
        vec2 t = vec2(1e9);
        for (int k = 0; k < 4; ++k) s[k] = dot(cells[c].planes[k].xyz, x) + cells[c].planes[k].w;
        for (int k = 0; k < 2; ++k) t[k] = dot(cells[c].planes[4 + k].xyz, x) + cells[c].planes[4 + k].w;
        vec2 least = min(min(s.xy, s.zw), t);
        float nearest = min(least.x, least.y);
        if (nearest < 0.0 || nearest > 1.3 * d) continue;
        touched = c;
        for (int k = 0; k < 6; ++k) {
            float away = k < 4 ? s[k] : t[k - 4];
            vec3 n = cells[c].planes[k].xyz;
            vec3 along = n * axes;  // [m] parts of the half axes along the normal
            // three times the distance: where the wall cuts it off, it is 0.94 times as wide as in the middle
            float stretch = max(3.0 * away / max(length(along), 1e-9), 1.0);
            stretch = mix(stretch, 1.0, smoothstep(1.0, 1.3, away / d));
            axes += outerProduct((stretch - 1.0) * n, along);
        }
    }
    return touched;
}

// The share of a sphere of this radius around x that lies within the walls, each by itself.
float shareWithinWalls(vec3 x, float radius) {
    float share = 1.0;
    for (int c = 0; c < cells.length(); ++c) {
        float ofCell = 1.0, nearest = 1e9;
        for (int k = 0; k < 6; ++k) {
            float away = dot(cells[c].planes[k].xyz, x) + cells[c].planes[k].w;
            float h = clamp(away / radius, 0.0, 1.0);
            ofCell *= 0.25 * (2.0 + 3.0 * h - h * h * h);
            nearest = min(nearest, away);
        }
        if (nearest >= 0.0) share = min(share, ofCell);
    }
    return share;
}

// Keeps the part of a ray, from its origin in world space [m] to t, that lies within a cell. False: none.
bool cutAtWalls(int cell, vec3 origin, vec3 direction, inout float from, inout float to) {
    for (int k = 0; k < 6; ++k) {
        vec4 plane = cells[cell].planes[k];
        float away = dot(plane.xyz, origin) + plane.w, change = dot(plane.xyz, direction);
        if (change == 0.0 && away < 0.0) return false;
        if (change == 0.0) continue;
        if (change > 0.0) from = max(from, -away / change);
        else to = min(to, -away / change);
    }
    return from < to;
}
