// Points sorted into cells on the host, in double: neighbor search of checks and tests. Shares no code with
// the solver, so that errors of the solver stay visible.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "geometry/math/vec3d.h"

namespace coalesce {

class PointGrid {
public:
    // reach: search distance [m].
    PointGrid(const std::vector<Vec3d>& points, double reach) : m_points(points), m_reach(reach) {
        std::vector<Cell> cells;
        for (const Vec3d& p : points) cells.push_back(cellOf(p));
        m_order.resize(points.size());
        std::iota(m_order.begin(), m_order.end(), 0u);
        std::sort(m_order.begin(), m_order.end(),
                  [&](uint32_t a, uint32_t b) { return cells[a] != cells[b] ? cells[a] < cells[b] : a < b; });
        m_sorted.reserve(points.size());
        for (const uint32_t i : m_order) m_sorted.push_back(cells[i]);
    }

    // visit(i, j, r²) for every ordered pair nearer than `reach`, including j = i; grouped by i.
    template <class Visit>
    void forEachPair(Visit&& visit) const {
        for (size_t begin = 0; begin < m_sorted.size();) {
            // all points of a cell search the same nine rows of three cells
            const Cell cell = m_sorted[begin];
            size_t end = begin;
            while (end < m_sorted.size() && m_sorted[end] == cell) ++end;
            const Rows rows = rowsAbout(cell);
            for (size_t a = begin; a < end; ++a)
                visitNear(rows, m_points[m_order[a]],
                          [&](uint32_t j, double r2) { visit(m_order[a], j, r2); });
            begin = end;
        }
    }

    // visit(j, r²) for every point nearer than `reach` to p.
    template <class Visit>
    void forEachNear(const Vec3d& p, Visit&& visit) const {
        visitNear(rowsAbout(cellOf(p)), p, visit);
    }

private:
    using Cell = std::array<int64_t, 3>;                    // z, y, x: x runs fastest
    using Rows = std::array<std::pair<size_t, size_t>, 9>;  // ranges of m_sorted, three cells each

    Cell cellOf(const Vec3d& p) const {
        Cell cell;
        for (int k = 0; k < 3; ++k) cell[2 - k] = static_cast<int64_t>(std::floor(p[k] / m_reach));
        return cell;
    }
    Rows rowsAbout(const Cell& cell) const {
        Rows rows;
        for (int row = 0; row < 9; ++row) {
            const Cell first{cell[0] + row / 3 - 1, cell[1] + row % 3 - 1, cell[2] - 1};
            const Cell last{first[0], first[1], cell[2] + 1};
            rows[row] = {std::lower_bound(m_sorted.begin(), m_sorted.end(), first) - m_sorted.begin(),
                         std::upper_bound(m_sorted.begin(), m_sorted.end(), last) - m_sorted.begin()};
        }
        return rows;
    }
    template <class Visit>
    void visitNear(const Rows& rows, const Vec3d& p, Visit&& visit) const {
        for (const auto& [low, high] : rows)
            for (size_t b = low; b < high; ++b) {
                const Vec3d& q = m_points[m_order[b]];
                const Vec3d d = p - q;
                const double r2 = dot(d, d);
                if (r2 < m_reach * m_reach) visit(m_order[b], r2);
            }
    }

    const std::vector<Vec3d>& m_points;
    double m_reach;
    std::vector<uint32_t> m_order;
    std::vector<Cell> m_sorted;
};

}  // namespace coalesce
