// Boundary particles on the device: samples of the surfaces of shapes, and their volumes. Kernels of
// boundary_particles.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "kernels/fluid/boundary_tables.h"
#include "kernels/particles/material_constants.h"
#include "sim/stage/shapes_on_device.h"
#include "sim/world/world.h"

namespace coalesce {

class BoundarySamples {
public:
    explicit BoundarySamples(Exec& e) : exec(e) {}

    // At the start of a frame: samples the shapes that are new or have changed; with
    // fluid.boundary wallTerm, in planar worlds and without liquids there are no samples.
    // Fails (Exit::Scene) for shapes that are too large.
    void upload(const World& world, std::span<const MaterialConstants> materials);
    // V_b at the end of a substep; again only when shapes have moved relative to the last time.
    void findVolumes(const ShapesOnDevice& shapes, int substep);

    bool isEmpty() const { return m_samples.size() == 0; }
    BoundaryTables tables() const {
        return {m_cells.view(), m_cellStart.view(), m_samples.view(), m_volumes.view(), m_thickness};
    }

private:
    // What determines the samples of a shape.
    struct Form {
        ShapeKind kind;
        Vec3 halfExtents;
        float radius, halfLength;
        std::shared_ptr<const ShapeGeometry> geometry;
        Vec3 scale;
        bool operator==(const Form&) const = default;
    };
    struct Sampled {
        bool any;  // false: no samples
        Form form;
        std::vector<Vec3> points;  // [m] in the shape's frame
    };
    void clear();
    void build();  // the grids of m_sampled

    Exec& exec;
    std::vector<Sampled> m_sampled;                                 // by shape
    float m_apart = 0, m_support = 0, m_cell = 0, m_thickness = 0;  // [m]
    std::vector<ShapeState> m_posed;                                // of the last volumes
    Buffer<SampleCells> m_cells{exec};
    Buffer<uint32_t> m_cellStart{exec}, m_shapeOf{exec};
    Buffer<Vec3> m_samples{exec};
    Buffer<float> m_volumes{exec};
};

}  // namespace coalesce
