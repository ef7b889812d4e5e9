// Debug lines computed from arrays of a World: contacts, springs, velocities, frames, cells …
#pragma once

#include <optional>
#include <vector>

#include "bridge/line_views.h"
#include "bridge/spring_strains.h"
#include "core/buffer.h"
#include "kernels/draw/debug_line.h"
#include "render/frame/render_frame.h"
#include "sim/solver/solver.h"
#include "sim/surface/cloth_surface.h"
#include "sim/world/world.h"

namespace coalesce {

class DebugLines {
public:
    DebugLines(World& world, Solver& solver, SpringStrains& strains)
        : m_world(world),
          m_solver(solver),
          m_strains(strains),
          m_ends(world.exec),
          m_start{Buffer<uint32_t>(world.exec), Buffer<uint32_t>(world.exec)},
          m_largest(world.exec),
          m_slot(world.exec) {}

    // Inputs of the lines, as of the current state.
    struct Sources {
        View<const MaterialConstants> materials;
        View<const uint32_t> slotOf;  // by row of solid bodies; empty without cloth and ropes
        const ClothSurface& cloth;
        std::optional<uint32_t> picked;  // id of a particle
    };
    void update(const LineSet& wanted, const Sources& sources);

    const std::vector<DrawLines>& sets() const { return m_sets; }
    View<Vec4> ends() { return m_ends.view(); }  // two for each line

    // Whether these lines need neighbor lists.
    static bool needsNeighbors(const LineSet& wanted);

private:
    // Appends lines; views returned earlier become invalid.
    View<Vec4> add(size_t lines, DrawLines style);
    float largestSpacing() const;
    bool countContacts(const ContactQuery& contactQuery);
    void takeContacts(const LineSet& wanted, const ContactQuery& contactQuery);
    void takeSprings(const Sources& sources);
    void takeBatches(const Sources& sources);
    void takeVelocities();
    void takeFrames();
    void takeTriangles(const ClothSurface& cloth);
    void takeCells();
    void takeNeighbors(uint32_t picked, View<const MaterialConstants> materials);

    World& m_world;
    Solver& m_solver;
    SpringStrains& m_strains;
    Buffer<Vec4> m_ends;
    std::vector<DrawLines> m_sets;
    Buffer<uint32_t> m_start[2];  // of pairs and of planes; reused for other counts
    uint32_t m_pairs = 0, m_planes = 0;
    Buffer<int32_t> m_largest;
    Buffer<uint32_t> m_slot;
};

}  // namespace coalesce
