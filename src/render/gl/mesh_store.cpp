#include "render/gl/mesh_store.h"

namespace coalesce {

GpuMesh& MeshStore::entry(const MeshArrays& mesh) {
    const auto found = m_meshes.find(mesh.owner.get());
    // the address may have been reused by another owner
    if (found != m_meshes.end() && found->second.owner.lock() == mesh.owner) return found->second;
    const MeshData data = prepareMesh(mesh);
    GpuMesh gpu;
    gpu.vertices.upload(data.vertices.data(), data.vertices.size() * sizeof(MeshVertex));
    gpu.bindings.upload(data.bindings.data(), data.bindings.size() * sizeof(MeshBinding));
    gpu.indices.upload(data.indices.data(), data.indices.size() * sizeof(uint32_t));
    gpu.indexCount = GLsizei(data.indices.size());
    gpu.skinned = !data.bindings.empty();
    gpu.clusters = data.clusters;
    gpu.lower = data.lower;
    gpu.upper = data.upper;
    gpu.owner = mesh.owner;
    return m_meshes[mesh.owner.get()] = std::move(gpu);
}

const GpuMesh& MeshStore::find(const MeshArrays& mesh) {
    return entry(mesh);
}

const GpuEdges& MeshStore::edges(const MeshArrays& mesh) {
    GpuMesh& gpu = entry(mesh);
    if (!gpu.edges) {
        const MeshEdges found = findEdges(prepareMesh(mesh));
        gpu.edges = std::make_unique<GpuEdges>();
        gpu.edges->buffer.upload(found.edges.data(), found.edges.size() * sizeof(glm::uvec2));
        gpu.edges->count = found.edges.size();
        gpu.edges->sharp = found.sharp;
    }
    return *gpu.edges;
}

void MeshStore::forgetUnowned() {
    std::erase_if(m_meshes, [](const auto& item) { return item.second.owner.expired(); });
}

}  // namespace coalesce
