// Quantity of a particle shown by debug views.
uniform int colorBy;  // 0 phase, 1 speed [m/s], 2 diverging, 3 neighbors, 4 scalar

float quantity(vec3 velocity, float neighbors, float scalar) {
    if (colorBy == 1) return length(velocity);
    if (colorBy == 3) return neighbors;
    return scalar;
}
