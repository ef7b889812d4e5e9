// Pass 2: optical depth of smoke towards the sun (added); its
// first depth, and the negative of its last (min).
#include "view.glsl"
in vec2 corner;
flat in float opacity;
flat in float eyeZ;
flat in float radius;
layout(location = 0) out float tau;
layout(location = 1) out vec2 range;

void main() {
    float r2 = dot(corner, corner);
    if (r2 >= 1.0) discard;
    tau = -log(1.0 - min(opacity * (1.0 - r2) * (1.0 - r2), 0.99));
    float deep = radius * sqrt(1.0 - r2);
    range = vec2(-eyeZ - deep, eyeZ - deep);
}
