// Prepares meshes for drawing: one normal per corner, bounds, edges. No OpenGL.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "render/frame/render_frame.h"

namespace coalesce {

// Layouts as in shaders/mesh.glsl.
struct MeshVertex {
    glm::vec4 position, normal;
};
struct MeshBinding {
    glm::uvec4 clusters;
    glm::vec4 weights;
};

struct MeshData {
    std::vector<MeshVertex> vertices;
    std::vector<MeshBinding> bindings;  // one per vertex; empty: all bound to cluster 0
    std::vector<uint32_t> indices;      // 3 per triangle
    uint32_t clusters = 1;              // number of clusters that an instance needs
    glm::vec3 lower{0}, upper{0};       // [m] bounds; zero without vertices
};
// Drops triangles with invalid vertex indices. Without normals, vertices are split where faces meet at more
// than 40 degrees; their normals are area-weighted means of the faces on each side.
MeshData prepareMesh(const MeshArrays& mesh);

// Edges drawn as lines: faces meeting at more than 1 degree; sharp edges (30 degrees, and boundaries) come
// first.
struct MeshEdges {
    std::vector<glm::uvec2> edges;  // vertex pairs of the prepared mesh
    size_t sharp = 0;               // number of sharp edges
};
MeshEdges findEdges(const MeshData& mesh);

}  // namespace coalesce
