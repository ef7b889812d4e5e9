// Vertex placement of body and shape meshes. Same layouts as in src/render.
#include "quaternion.glsl"
struct MeshVertex {
    vec4 position;  // [m] in the frame of the body or shape
    vec4 normal;    // unit
};
struct MeshBinding {
    uvec4 clusters;  // relative to the instance's first cluster
    vec4 weights;    // sum 1
};
struct MeshInstance {
    vec4 position;  // [m] of a shape
    vec4 rotation;  // of a shape, world from its frame
    vec4 scale;     // of a shape
    vec4 color;     // linear RGB; w: opacity [-]
    uvec4 cluster;  // x: first cluster of the body
};
struct ClusterPose {
    vec4 center;    // [m]; w: mass [kg], 0: removed
    vec4 rotation;  // world from body
};
layout(std430, binding = 3) readonly buffer MeshInstances { MeshInstance meshInstances[]; };
layout(std430, binding = 4) readonly buffer MeshVertices { MeshVertex meshVertices[]; };
layout(std430, binding = 5) readonly buffer MeshBindings { MeshBinding meshBindings[]; };
layout(std430, binding = 6) readonly buffer ClusterPoses { ClusterPose clusterPoses[]; };
layout(std430, binding = 7) readonly buffer ClusterRests { vec4 clusterRests[]; };  // [m] in the body's frame
uniform int firstInstance;
uniform int placing;  // 0: pose and scale of the instance, 1: one cluster, 2: up to four clusters

// World position and normal (not normalized): x = sum of weight (R (p - rest) + center).
void placeVertex(int index, int instance, out vec3 p, out vec3 n) {
    MeshVertex v = meshVertices[index];
    MeshInstance i = meshInstances[firstInstance + instance];
    if (placing == 0) {
        p = i.position.xyz + rotate(i.rotation, i.scale.xyz * v.position.xyz);
        n = rotate(i.rotation, v.normal.xyz / i.scale.xyz);
        return;
    }
    uvec4 clusters = uvec4(0u);
    vec4 weights = vec4(1.0, 0.0, 0.0, 0.0);
    if (placing == 2) {
        clusters = meshBindings[index].clusters;
        weights = meshBindings[index].weights;
    }
    p = vec3(0.0);
    n = vec3(0.0);
    float sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        if (weights[k] == 0.0) continue;
        uint m = i.cluster.x + clusters[k];
        ClusterPose pose = clusterPoses[m];
        if (pose.center.w == 0.0) continue;
        sum += weights[k];
        p += weights[k] * (rotate(pose.rotation, v.position.xyz - clusterRests[m].xyz) + pose.center.xyz);
        n += weights[k] * rotate(pose.rotation, v.normal.xyz);
    }
    // renormalize over the remaining clusters; without any, all vertices collapse to a point
    if (sum > 0.0) p /= sum;
}
