// Meshes in GPU memory, each uploaded once.
#pragma once

#include <memory>
#include <unordered_map>

#include "render/frame/mesh_data.h"
#include "render/gl/gl.h"

namespace coalesce {

struct GpuEdges {
    gl::Buffer buffer;  // of uvec2
    size_t count = 0, sharp = 0;
};

struct GpuMesh {
    gl::Buffer vertices, bindings, indices;
    GLsizei indexCount = 0;
    bool skinned = false;
    uint32_t clusters = 1;            // number of clusters that an instance needs
    glm::vec3 lower{0}, upper{0};     // [m]
    std::unique_ptr<GpuEdges> edges;  // created on first use
    std::weak_ptr<const void> owner;
};

class MeshStore {
public:
    const GpuMesh& find(const MeshArrays& mesh);
    const GpuEdges& edges(const MeshArrays& mesh);
    // Frees meshes whose owners no longer exist.
    void forgetUnowned();

private:
    GpuMesh& entry(const MeshArrays& mesh);
    std::unordered_map<const void*, GpuMesh> m_meshes;
};

}  // namespace coalesce
