// Pass 4: eye z and normal of the surface mesh of a liquid.
in vec3 eyePosition;
in vec3 normal;
in float onWall;
layout(location = 0) out float eyeZ;
layout(location = 1) out float droplet;
layout(location = 2) out vec4 eyeNormal;

void main() {
    // a triangle on a wall is flat up to its edge, whose vertices have the normals of the surface that ends there
    vec3 flatNormal = cross(dFdx(eyePosition), dFdy(eyePosition));
    bool ofWall = onWall > 0.999 && dot(flatNormal, flatNormal) > 0.0;
    vec3 n = ofWall ? (dot(flatNormal, eyePosition) > 0.0 ? -flatNormal : flatNormal) : gl_FrontFacing ? normal : -normal;
    eyeZ = eyePosition.z;
    droplet = 0.0;
    eyeNormal = vec4(normalize(n), 0.0);
}
