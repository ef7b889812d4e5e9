// Surface meshes of the liquids of a world, one per liquid.
#pragma once

#include <string>
#include <vector>

#include "sim/surface/surface_mesher.h"
#include "sim/world/world.h"

namespace coalesce {

// An attribute at the vertices.
struct VertexAttribute {
    std::string name;
    int width = 1;              // numbers per vertex
    std::vector<float> values;  // interleaved
};

struct LiquidMesh {
    std::string material;  // name of the liquid
    size_t particles = 0;
    double volume = 0;  // [m³] of the particles: their number times d³
    SurfaceMesh mesh;
    std::vector<VertexAttribute> attributes;  // numbers and vectors of the scene; integers are left out
};

class LiquidMesher : Stage {
public:
    explicit LiquidMesher(Exec& exec) : Stage(exec), m_mesher(exec) {}

    // In the order of the materials; liquids without particles have an empty mesh.
    std::vector<LiquidMesh> build(const World& world, const SurfaceOptions& options);
    // Meshes one liquid, and leaves the mesh in surface(), in memory of the backend.
    void mesh(const World& world, uint32_t material, const SurfaceOptions& options);
    const SurfaceMesher& surface() const { return m_mesher; }

private:
    View<const uint32_t> meshSelected(const World& world, uint32_t material, const SurfaceOptions& options,
                                      View<uint32_t> slots);
    LiquidMesh buildOne(const World& world, uint32_t material, const SurfaceOptions& options);
    void takeAttributes(const World& world, View<const uint32_t> slots, LiquidMesh& to);

    SurfaceMesher m_mesher;
};

}  // namespace coalesce
