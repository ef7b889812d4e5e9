// Pass 4: eye z and normal of the surface mesh of a liquid.
in float depth;
in vec3 normal;
layout(location = 0) out float eyeZ;
layout(location = 1) out float droplet;
layout(location = 2) out vec4 eyeNormal;

void main() {
    eyeZ = depth;
    droplet = 0.0;
    eyeNormal = vec4(normalize(gl_FrontFacing ? normal : -normal), 0.0);
}
