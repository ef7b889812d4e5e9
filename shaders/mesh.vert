// Triangles of a mesh.
#include "view.glsl"
#include "mesh.glsl"
out vec3 place;   // world [m]
out vec3 normal;  // world
flat out vec3 tint;
flat out float opacity;

void main() {
    placeVertex(gl_VertexID, gl_InstanceID, place, normal);
    tint = meshInstances[firstInstance + gl_InstanceID].color.rgb;
    opacity = meshInstances[firstInstance + gl_InstanceID].color.w;
    gl_Position = viewProjection * vec4(place, 1.0);
    gl_ClipDistance[0] = clipDistance(place);
}
