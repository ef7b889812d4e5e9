// Triangle normals of a mesh; length: half the side of a square of the same area. Below 10 pixels they are
// drawn 10 pixels long, but only a fraction of them, by available area.
#include "view.glsl"
#include "mesh.glsl"
#include "line.glsl"
layout(std430, binding = 8) readonly buffer MeshIndices { uint meshIndices[]; };
uniform int triangles;

void main() {
    int triangle = gl_InstanceID % triangles, instance = gl_InstanceID / triangles;
    vec3 p[3], n[3];
    for (int k = 0; k < 3; ++k) placeVertex(int(meshIndices[3 * triangle + k]), instance, p[k], n[k]);
    vec3 area = cross(p[1] - p[0], p[2] - p[0]);
    // mirrored shapes invert their triangles; vertex normals still point outwards
    if (dot(area, n[0] + n[1] + n[2]) < 0.0) area = -area;
    vec3 middle = (p[0] + p[1] + p[2]) / 3.0;
    vec3 normal = dot(area, area) > 0.0 ? normalize(area) : vec3(0.0);
    float reach = 0.5 * sqrt(0.5 * length(area));
    float away = isOrthographic() ? 1.0 : max(-(view * vec4(middle, 1.0)).z, clip.x);
    float least = 10.0 * 2.0 * away / (720.0 * clip.z);  // [m] of 10 pixels at an image height of 720
    float kept = min(reach / least, 1.0);
    uint hash = uint(gl_InstanceID) * 747796405u + 2891336453u;
    hash = ((hash >> ((hash >> 28u) + 4u)) ^ hash) * 277803737u;
    if (float(hash >> 16u) > 65536.0 * kept * kept) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    gl_Position = lineCorner(middle, middle + max(reach, least) * normal, gl_VertexID);
}
