// The shapes of a world on the machine: their states in each substep of a frame, what they are made of, and
// what they note.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "kernels/contact/contact_planes.h"
#include "sim/world/world.h"

namespace coalesce {

class ShapesOnDevice {
public:
    explicit ShapesOnDevice(Exec& exec);

    // To be called at the start of a frame with the world's shapes, or others. dt: of one substep [s].
    void upload(const World& world, std::span<const Shape> shapes, double dt);
    void clearTallies();
    // What was noted since then, into World::shapeReports.
    void report(World& world) const;

    ShapeSet of(int substep) const;
    bool hasForms() const { return !m_forms.empty(); }  // any convex, field or mesh
    ShapeLoads loads();
    View<const Trigger> triggers() const { return m_triggers.buffer.view(); }

    int substeps() const { return m_substeps; }  // of the frame whose poses are uploaded

private:
    bool uploadGeometry(std::span<const Shape> shapes);  // whether there are other forms now
    void uploadStates(std::span<const Shape> shapes, double time, double dt, bool otherForms);

    // what is uploaded only when it has changed
    template <class T>
    struct Mirror {
        Buffer<T> buffer;
        std::vector<T> host;
        bool set(std::vector<T> now);  // whether it is another
    };
    // where a form lies in the tables
    struct Form {
        std::shared_ptr<const ShapeGeometry> geometry;
        ShapeKind kind;
        int32_t first, count;
    };
    const Form& formOf(const Shape& shape) const;

    Mirror<ShapeState> m_states;    // substeps × shapes
    Mirror<uint32_t> m_everywhere;  // planes and containers
    Mirror<Trigger> m_triggers;
    Buffer<BvhNode> m_nodes;  // the trees of the substeps, one after the other
    Buffer<ShapeTally> m_tallies;
    // tables
    Buffer<Vec4> m_planes;
    Buffer<FieldGrid> m_grids;
    Buffer<float> m_distances;
    Buffer<BvhNode> m_meshNodes;
    Buffer<MeshTriangle> m_triangles;

    std::vector<Form> m_forms;
    uint32_t m_count = 0;      // shapes
    size_t m_nodesOfTree = 0;  // nodes of one substep's tree
    int m_substeps = 0;
    int m_copies = 1;      // tallies of each shape
    double m_dt = 0;       // [s]
    double m_quantum = 1;  // [N] of force in the tallies
};

}  // namespace coalesce
