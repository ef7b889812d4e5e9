// What the debug views show of a particle.
uniform int colorBy;  // 0 phase, 1 speed [m/s], 2 density error [-], 3 neighbors, 4 scalar

float quantity(vec3 velocity, float neighbors, float scalar) {
    if (colorBy == 1) return length(velocity);
    if (colorBy == 3) return neighbors;
    return scalar;
}

// Own color of a material; further groups of it turn the hue, and grains differ a little from each other.
vec3 phaseTint(vec3 color, uint phase, uint id) {
    uint group = (phase >> 8) & 0xfffffu;
    uint turns = group % 8u;
    float angle = 0.7853982 * float(turns);
    // rotation about the gray axis (Rodrigues' formula)
    const vec3 k = vec3(0.57735027);
    vec3 turned = color * cos(angle) + cross(k, color) * sin(angle) + k * dot(k, color) * (1.0 - cos(angle));
    uint hash = id * 747796405u + 2891336453u;
    hash = ((hash >> ((hash >> 28u) + 4u)) ^ hash) * 277803737u;
    float jitter = 0.92 + 0.16 * float(hash >> 16u & 0xffffu) / 65535.0;
    return max(turned, vec3(0.02)) * jitter;
}
