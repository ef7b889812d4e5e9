// Hash grid of points on the host, in double: neighbor search of checks, of spawning and of sampling. Shares
// no code with the neighbor search of the solver, so that checks see its errors.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "geometry/math/vec3d.h"

namespace coalesce {

// Points in cubic cells, found by the hash of the cell. Visits come in an order that depends on the order of
// the points only.
class HashGrid {
public:
    // cell: side of a cell and search distance [m].
    explicit HashGrid(double cell) : m_cell(cell) {}
    HashGrid(std::span<const Vec3d> points, double cell) : m_cell(cell) {
        for (const Vec3d& p : points) add(p);
    }

    // The points are numbered in the order in which they are added.
    void add(const Vec3d& p) {
        const Cell cell = cellOf(p);
        const auto [entry, fresh] = m_indexOf.try_emplace(cell, uint32_t(m_cells.size()));
        if (fresh) m_cells.push_back({cell, {}});
        m_cells[entry->second].points.push_back(uint32_t(m_points.size()));
        m_points.push_back(p);
    }

    // visit(i, j, r²) for every ordered pair nearer than a cell, including j = i; grouped by i.
    template <class Visit>
    void forEachPair(Visit&& visit) const {
        for (const CellPoints& center : m_cells) {
            const auto near = cellsAbout(center.cell);
            for (const uint32_t i : center.points)
                visitNear(near, m_points[i], [&](uint32_t j, double r2) { visit(i, j, r2); });
        }
    }

    // visit(j, r²) for every point nearer than a cell to p.
    template <class Visit>
    void forEachNear(const Vec3d& p, Visit&& visit) const {
        visitNear(cellsAbout(cellOf(p)), p, visit);
    }

    // visit(j) for every point of the 27 cells about p: those of forEachNear() and some farther away.
    template <class Visit>
    void forEachCandidate(const Vec3d& p, Visit&& visit) const {
        for (const CellPoints* cell : cellsAbout(cellOf(p)))
            if (cell)
                for (const uint32_t j : cell->points) visit(j);
    }

private:
    using Cell = std::array<int64_t, 3>;
    struct CellPoints {
        Cell cell;
        std::vector<uint32_t> points;
    };
    using CellsAbout = std::array<const CellPoints*, 27>;  // null: no point
    struct CellHash {
        size_t operator()(const Cell& c) const {
            return mixIn(mixIn(mixIn(0, uint64_t(c[0])), uint64_t(c[1])), uint64_t(c[2]));
        }
    };

    Cell cellOf(const Vec3d& p) const {
        const auto along = [&](double a) { return int64_t(std::floor(a / m_cell)); };
        return {along(p.x()), along(p.y()), along(p.z())};
    }
    CellsAbout cellsAbout(const Cell& c) const {
        CellsAbout near{};
        for (int k = 0; k < 27; ++k) {
            const auto found = m_indexOf.find({c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1});
            if (found != m_indexOf.end()) near[k] = &m_cells[found->second];
        }
        return near;
    }
    template <class Visit>
    void visitNear(const CellsAbout& near, const Vec3d& p, Visit&& visit) const {
        for (const CellPoints* cell : near) {
            if (!cell) continue;
            for (const uint32_t j : cell->points) {
                const Vec3d d = p - m_points[j];
                const double r2 = dot(d, d);
                if (r2 < m_cell * m_cell) visit(j, r2);
            }
        }
    }

    double m_cell;
    std::vector<Vec3d> m_points;
    std::vector<CellPoints> m_cells;  // in the order of their first points
    std::unordered_map<Cell, uint32_t, CellHash> m_indexOf;
};

}  // namespace coalesce
