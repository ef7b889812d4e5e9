// Changes who is joined to whom in cloth and ropes: tears at strained springs, cuts along strokes. On the
// host, on copies of the tables; nothing here knows of a device.
//
// Cloth parts at its corners: a corner gets a copy, and the triangles on one side take that for it. Triangles
// are neither lost nor changed, so the area stays; those about a corner hang together by edges, so the mesh
// stays a manifold. Ropes and springs between bodies part by losing the spring.
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
        std::vector<Vec4> places;  // by row [m]; w: inverse mass, 0 held, −1 not there
    };
    ClothTopology(std::span<const SolidBody> bodies, Tables tables);

    // Parts what a spring of stretch holds. False: nothing happened, for its corners are held, have been
    // split in this round, or no spare is left.
    bool tear(uint32_t spring);
    // Parts everything that crosses the cuts; gives the number of springs that did.
    size_t cut(std::span<const Cut> cuts);
    // What reaches over a crack holds no longer. To be called at the end.
    void loosen();

    // A new corner: a copy of the particle of the row `from`.
    struct Split {
        uint32_t row, from;
    };
    const std::vector<Split>& splits() const { return m_splits; }
    // What the particle of a row has of the mass that it, or the one it was copied from, had before.
    float shareOf(uint32_t row) const { return m_share[row]; }
    const Tables& tables() const { return m_tables; }
    bool changed() const { return m_changed; }

private:
    using Triangles = std::vector<uint32_t>;
    const SolidBody* bodyOf(uint32_t row) const;
    bool maySplit(uint32_t corner) const;
    std::vector<Triangles> fansOf(uint32_t corner, const Triangles& triangles) const;
    bool isRim(uint32_t corner) const;
    bool separate(uint32_t corner, const Triangles& wished);
    bool split(uint32_t corner, const std::vector<Triangles>& fans);
    void moveSprings(uint32_t corner, const std::vector<Triangles>& fans, const std::vector<uint32_t>& rows);
    bool tearAt(uint32_t corner, uint32_t other);
    void loosenBends(const SolidBody& body);
    void loosenTethers(const SolidBody& body);
    void cutSpring(uint32_t spring);
    void rename(uint32_t spring, uint32_t from, uint32_t to);
    double restArea(const Triangles& triangles) const;
    bool has(uint32_t triangle, uint32_t row) const;
    bool isEdge(uint32_t a, uint32_t b) const;  // of a triangle

    std::span<const SolidBody> m_bodies;
    Tables m_tables;
    std::vector<Triangles> m_trianglesAt;            // by row
    std::vector<std::vector<uint32_t>> m_springsAt;  // by row
    std::map<uint32_t, uint32_t> m_nextSpare;        // row, by first row of the body
    std::vector<char> m_busy;                        // by row: torn in this round
    std::vector<float> m_share;                      // by row
    std::vector<uint32_t> m_source;                  // by row: whose copy it is
    std::vector<Split> m_splits;
    std::vector<uint32_t> m_torn;  // first rows of bodies that were
    bool m_changed = false;
};

}  // namespace coalesce
