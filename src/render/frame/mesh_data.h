// Meshes as the graphics side wants them: one normal per corner, bounds, edges. No OpenGL.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "render/frame/render_frame.h"

namespace coalesce {

// As in shaders/mesh.glsl.
struct MeshVertex {
    glm::vec4 position, normal;
};
struct MeshBinding {
    glm::uvec4 clusters;
    glm::vec4 weights;
};

struct MeshData {
    std::vector<MeshVertex> vertices;
    std::vector<MeshBinding> bindings;  // one per vertex; empty: match 0 alone
    std::vector<uint32_t> indices;      // 3 per triangle
    uint32_t clusters = 1;              // that an instance must have
    glm::vec3 lower{0}, upper{0};       // [m] bounds; of no vertices: zero
};
// Triangles that name missing vertices are left out. Without normals, a vertex is split where its faces bend
// by more than 40 degrees, and its normals are means over the faces of each side, weighted by area.
MeshData prepareMesh(const MeshArrays& mesh);

// Edges to be seen as lines: those of faces that bend by more than a degree, the sharp ones (30 degrees, and
// rims) first.
struct MeshEdges {
    std::vector<glm::uvec2> edges;  // vertices of the prepared mesh
    size_t sharp = 0;               // how many
};
MeshEdges findEdges(const MeshData& mesh);

}  // namespace coalesce
