// The shapes of a world on the device: their states in each substep of a frame, their geometry, and the
// tallies of loads and triggers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/mirror.h"
#include "kernels/contact/triggers.h"
#include "sim/world/world.h"

namespace coalesce {

class ShapesOnDevice {
public:
    explicit ShapesOnDevice(Exec& e) : exec(e) {}

    // At the start of a frame, with the shapes of the world or others. dt: of one substep [s].
    void upload(const World& world, std::span<const Shape> shapes, double dt, int substeps);
    void clearTallies();
    Exec::Download downloadTallies();  // to be fetched before report
    // Writes the tallies since then to World::shapeReports.
    void report(World& world) const;

    ShapeSet of(int substep) const;
    std::span<const ShapeState> statesOf(int substep) const {  // on the host
        return std::span(m_states.host()).subspan(size_t(substep) * m_count, m_count);
    }
    bool anyDeforms() const { return m_anyDeforms; }    // any field of a deforming surface
    bool hasForms() const { return !m_forms.empty(); }  // any convex, sdf or mesh
    bool hasMeshes() const { return m_triangles.size() > 0; }
    ShapeLoads loads();
    View<const Trigger> triggers() const { return m_triggers.view(); }

    int substeps() const { return m_substeps; }  // of the frame whose poses are uploaded

private:
    bool uploadGeometry(std::span<const Shape> shapes);  // true: the forms have changed
    void uploadStates(std::span<const Shape> shapes, double time, double dt, bool formsChanged);

    // The range of a form in the tables.
    struct Form {
        std::shared_ptr<const ShapeGeometry> geometry;
        ShapeKind kind;
        int32_t first, count;
    };
    const Form& formOf(const Shape& shape) const;

    Exec& exec;
    Mirror<ShapeState> m_states{exec};    // substeps × shapes
    Mirror<uint32_t> m_everywhere{exec};  // planes and containers
    Mirror<Trigger> m_triggers{exec};
    Buffer<BvhNode> m_nodes{exec};  // the trees of the substeps, one after the other
    Buffer<ShapeLoadSums> m_tallies{exec};
    std::vector<ShapeLoadSums> m_fetchedTallies;
    // tables
    Buffer<Vec4> m_planes{exec};
    Buffer<SdfGrid> m_grids{exec};
    Buffer<float> m_distances{exec};
    Buffer<Vec3> m_motions{exec};
    Buffer<BvhNode> m_meshNodes{exec};
    Buffer<MeshTriangle> m_triangles{exec};

    std::vector<Form> m_forms;
    bool m_anyDeforms = false;
    uint32_t m_count = 0;      // shapes
    size_t m_nodesOfTree = 0;  // nodes of one substep's tree
    int m_substeps = 0;
    int m_copies = 1;      // tallies of each shape
    double m_dt = 0;       // [s]
    double m_quantum = 1;  // [N] of force in the tallies
};

}  // namespace coalesce
