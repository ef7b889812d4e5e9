// Topology changes of cloth and ropes: tears at strained springs, cuts along strokes. On the host, on copies
// of the tables.
//
// Cloth is split at its vertices (corners of triangles): a vertex is duplicated, and the triangles on one
// side refer to the copy. Triangles are neither removed nor changed, so the area stays; the triangles around
// a vertex stay connected by edges, so the mesh stays a manifold. Ropes and springs between bodies lose the
// spring instead.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "kernels/cloth/volume_constraint.h"
#include "sim/world/body_tables.h"
#include "sim/world/commands.h"

namespace coalesce {

class ClothTopology {
public:
    struct Tables {
        std::vector<DistanceConstraint> springs;
        std::vector<ClothTriangle> triangles;
        std::vector<Vec4> restPosition;  // by row
        std::vector<VolumeConstraint> volumeConstraints;
        std::vector<Vec4> positions;  // by row [m]; w: inverse mass, 0: pinned, −1: no particle
    };
    ClothTopology(std::span<const SolidBody> bodies, Tables tables);

    // Splits the cloth at a stretch spring, or removes a spring of a rope or between bodies. False: nothing
    // was changed, because its vertices are pinned or were split in this round, or no spare row is left.
    bool tear(uint32_t spring);
    // The stretch springs that cross the cuts.
    std::vector<uint32_t> crossing(std::span<const Cut> cuts) const;
    // Splits everything that crosses the cuts; returns the number of springs that do.
    size_t cut(std::span<const Cut> cuts);
    // Cuts the bend springs and tethers that reach across a crack. Call once, after all changes.
    void cutBroken();

    // A new vertex: a copy of the particle of the row `from`.
    struct Split {
        uint32_t row, from;
    };
    const std::vector<Split>& splits() const { return m_splits; }
    // Share of the particle of a row in its former mass, or in that of the particle it was copied from.
    float shareOf(uint32_t row) const { return m_share[row]; }
    const Tables& tables() const { return m_tables; }
    bool changed() const { return m_changed; }

private:
    using Triangles = std::vector<uint32_t>;
    const Cut* cutAcross(const DistanceConstraint& spring, std::span<const Cut> cuts) const;
    const SolidBody* bodyOf(uint32_t row) const;
    bool canSplit(uint32_t corner) const;
    std::vector<Triangles> fansOf(uint32_t corner, const Triangles& triangles) const;
    bool isBoundary(uint32_t corner) const;
    bool separate(uint32_t corner, const Triangles& wished);
    bool split(uint32_t corner, const std::vector<Triangles>& fans);
    void moveSprings(uint32_t corner, const std::vector<Triangles>& fans, const std::vector<uint32_t>& rows);
    bool tearAt(uint32_t corner, uint32_t other);
    void cutBends(const SolidBody& body);
    void cutTethers(const SolidBody& body);
    void cutSpring(uint32_t spring);
    void rename(uint32_t spring, uint32_t from, uint32_t to);
    double restArea(const Triangles& triangles) const;
    bool has(uint32_t triangle, uint32_t row) const;
    bool isEdge(uint32_t a, uint32_t b) const;  // of a triangle

    std::span<const SolidBody> m_bodies;
    Tables m_tables;
    std::vector<Triangles> m_trianglesAt;            // by row
    std::vector<std::vector<uint32_t>> m_springsAt;  // by row
    std::map<uint32_t, uint32_t> m_nextSpare;        // next spare row, by first row of the body
    std::vector<char> m_wasSplit;                    // by row: in this round
    std::vector<float> m_share;                      // by row
    std::vector<uint32_t> m_source;                  // by row: the row that it is a copy of
    std::vector<Split> m_splits;
    std::vector<uint32_t> m_tornBodies;  // by first row
    bool m_changed = false;
};

}  // namespace coalesce
