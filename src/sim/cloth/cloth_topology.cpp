#include "sim/cloth/cloth_topology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>

#include "geometry/math/vec3d.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

ClothEdgeKind kindOf(const DistanceConstraint& spring) {
    return static_cast<ClothEdgeKind>(springParamsIndex(spring) % kClothEdgeKinds);
}
bool isIntact(const DistanceConstraint& spring) {
    return !(spring.params & kCut);
}
uint32_t otherEnd(const DistanceConstraint& spring, uint32_t row) {
    return spring.a == row ? spring.b : spring.a;
}

std::array<uint32_t, 3> rowsOf(const ClothTriangle& t) {
    return {t.a, t.b, t.c};
}

// Whether the segment from p to q crosses the triangle a b c. [MT97], in double
bool crosses(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3d o = toDouble(p), d = toDouble(q) - o, e1 = toDouble(b) - toDouble(a),
                e2 = toDouble(c) - toDouble(a), h = cross(d, e2);
    const double det = dot(e1, h);
    if (std::abs(det) < 1e-300) return false;
    const Vec3d s = o - toDouble(a);
    const double u = dot(s, h) / det;
    if (u < 0 || u > 1) return false;
    const Vec3d k = cross(s, e1);
    const double v = dot(d, k) / det, t = dot(e2, k) / det;
    return v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

}  // namespace

ClothTopology::ClothTopology(std::span<const SolidBody> bodies, Tables tables)
    : m_bodies(bodies), m_tables(std::move(tables)) {
    const size_t rows = m_tables.restPosition.size();
    m_trianglesAt.resize(rows);
    m_springsAt.resize(rows);
    m_wasSplit.resize(rows, 0);
    m_share.resize(rows, 1);
    m_source.resize(rows);
    std::iota(m_source.begin(), m_source.end(), 0u);
    for (const SolidBody& body : m_bodies)
        if (body.spares > 0) m_nextSpare[body.firstRow] = body.firstRow + body.rows - body.spares;
    for (uint32_t k = 0; k < m_tables.triangles.size(); ++k) {
        const ClothTriangle& t = m_tables.triangles[k];
        if (t.material & kCut) continue;
        for (const uint32_t row : rowsOf(t)) {
            m_trianglesAt[row].push_back(k);
            // spare rows are used in order; rows of triangles are in use
            uint32_t& next = m_nextSpare[bodyOf(row)->firstRow];
            next = std::max(next, row + 1);
        }
    }
    for (uint32_t k = 0; k < m_tables.springs.size(); ++k) {
        const DistanceConstraint& s = m_tables.springs[k];
        if (!isIntact(s)) continue;
        m_springsAt[s.a].push_back(k);
        m_springsAt[s.b].push_back(k);
    }
}

const SolidBody* ClothTopology::bodyOf(uint32_t row) const {
    const auto after = std::upper_bound(m_bodies.begin(), m_bodies.end(), row,
                                        [](uint32_t r, const SolidBody& b) { return r < b.firstRow; });
    return &*std::prev(after);
}

bool ClothTopology::has(uint32_t triangle, uint32_t row) const {
    const ClothTriangle& t = m_tables.triangles[triangle];
    return t.a == row || t.b == row || t.c == row;
}

double ClothTopology::restArea(const Triangles& triangles) const {
    double sum = 0;
    for (const uint32_t k : triangles) {
        const ClothTriangle& t = m_tables.triangles[k];
        const Vec3 a = xyz(m_tables.restPosition[t.a]), b = xyz(m_tables.restPosition[t.b]),
                   c = xyz(m_tables.restPosition[t.c]);
        sum += 0.5 * length(cross(b - a, c - a));
    }
    return sum;
}

bool ClothTopology::canSplit(uint32_t corner) const {
    return !m_wasSplit[corner] && m_tables.positions[corner].w > 0;
}

bool ClothTopology::isEdge(uint32_t a, uint32_t b) const {
    const Triangles& at = m_trianglesAt[a];
    return std::any_of(at.begin(), at.end(), [&](uint32_t t) { return has(t, b); });
}

// Groups of the triangles that are connected by edges at the corner, in the order of their first triangles.
std::vector<ClothTopology::Triangles> ClothTopology::fansOf(uint32_t corner,
                                                            const Triangles& triangles) const {
    std::vector<Triangles> fans;
    std::vector<char> taken(triangles.size(), 0);
    for (size_t first = 0; first < triangles.size(); ++first) {
        if (taken[first]) continue;
        taken[first] = 1;
        Triangles fan{triangles[first]};
        for (size_t k = 0; k < fan.size(); ++k)
            for (size_t j = 0; j < triangles.size(); ++j) {
                if (taken[j]) continue;
                bool joined = false;
                for (const uint32_t row : rowsOf(m_tables.triangles[fan[k]]))
                    joined |= row != corner && has(triangles[j], row);
                if (joined) taken[j] = 1, fan.push_back(triangles[j]);
            }
        std::sort(fan.begin(), fan.end());
        fans.push_back(std::move(fan));
    }
    return fans;
}

// Boundary edges of cloth belong to one triangle only.
bool ClothTopology::isBoundary(uint32_t corner) const {
    std::map<uint32_t, int> edges;
    for (const uint32_t k : m_trianglesAt[corner])
        for (const uint32_t row : rowsOf(m_tables.triangles[k]))
            if (row != corner) ++edges[row];
    return std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 1; });
}

void ClothTopology::cutSpring(uint32_t spring) {
    m_tables.springs[spring].params |= kCut;
    m_changed = true;
}

void ClothTopology::rename(uint32_t spring, uint32_t from, uint32_t to) {
    DistanceConstraint& s = m_tables.springs[spring];
    (s.a == from ? s.a : s.b) = to;
    m_springsAt[to].push_back(spring);
    std::erase(m_springsAt[from], spring);
}

// Connects the springs of a corner with the rows of its fans; rows: one for each fan.
void ClothTopology::moveSprings(uint32_t corner, const std::vector<Triangles>& fans,
                                const std::vector<uint32_t>& rows) {
    // the fans that contain each neighbor
    std::map<uint32_t, std::vector<size_t>> fansAt;
    for (size_t f = 0; f < fans.size(); ++f)
        for (const uint32_t k : fans[f])
            for (const uint32_t row : rowsOf(m_tables.triangles[k]))
                if (row != corner && (fansAt[row].empty() || fansAt[row].back() != f))
                    fansAt[row].push_back(f);
    // the fan closest to a direction at rest
    const Vec3 o = xyz(m_tables.restPosition[corner]);
    const auto towards = [&](Vec3 direction) {
        size_t best = 0;
        double most = -std::numeric_limits<double>::max();
        for (size_t f = 0; f < fans.size(); ++f)
            for (const uint32_t k : fans[f]) {
                Vec3 middle{0, 0, 0};
                for (const uint32_t row : rowsOf(m_tables.triangles[k]))
                    middle += 1.0f / 3 * (xyz(m_tables.restPosition[row]) - o);
                const double along = dot(direction, middle) / std::max(1e-30f, length(middle));
                if (along > most) most = along, best = f;
            }
        return best;
    };
    const std::vector<uint32_t> at = m_springsAt[corner];
    for (const uint32_t index : at) {
        const DistanceConstraint s = m_tables.springs[index];
        if (!isIntact(s) || (s.params & kTether)) continue;
        const uint32_t other = otherEnd(s, corner);
        if (const auto found = fansAt.find(other); found != fansAt.end()) {
            const std::vector<size_t>& in = found->second;
            // edges along the crack are duplicated, one for each side
            for (size_t k = 1; k < in.size(); ++k) {
                DistanceConstraint twin = s;
                (twin.a == corner ? twin.a : twin.b) = rows[in[k]];
                const auto added = uint32_t(m_tables.springs.size());
                m_tables.springs.push_back(twin);
                m_springsAt[twin.a].push_back(added);
                m_springsAt[twin.b].push_back(added);
            }
            if (in[0] > 0) rename(index, corner, rows[in[0]]);
        } else if (bodyOf(other) == bodyOf(corner)) {
            const size_t f = towards(xyz(m_tables.restPosition[other]) - o);
            if (f > 0) rename(index, corner, rows[f]);
        }
    }
    // cut the springs that span the crack
    for (const auto& [row, in] : fansAt)
        for (const uint32_t index : m_springsAt[row]) {
            const DistanceConstraint& s = m_tables.springs[index];
            const auto there = fansAt.find(otherEnd(s, row));
            if (!isIntact(s) || (s.params & kTether) || there == fansAt.end()) continue;
            const auto shared = [&](size_t f) {
                return std::find(there->second.begin(), there->second.end(), f) != there->second.end();
            };
            // around a narrow tube two neighbors are also connected on the far side
            if (std::none_of(in.begin(), in.end(), shared) && !isEdge(s.a, s.b)) cutSpring(index);
        }
}

// Splits a corner: separates the triangles `wished` from its others.
bool ClothTopology::separate(uint32_t corner, const Triangles& wished) {
    // some of them may have been separated before, where two cracks meet
    Triangles staying, leaving;
    for (const uint32_t k : m_trianglesAt[corner])
        (std::find(wished.begin(), wished.end(), k) == wished.end() ? staying : leaving).push_back(k);
    if (staying.empty() || leaving.empty() || !canSplit(corner)) return false;
    std::vector<Triangles> fans = fansOf(corner, staying);
    for (Triangles& fan : fansOf(corner, leaving)) fans.push_back(std::move(fan));
    std::set<uint32_t> neighbors;
    for (const uint32_t k : m_trianglesAt[corner])
        for (const uint32_t row : rowsOf(m_tables.triangles[k])) neighbors.insert(row);
    neighbors.erase(corner);
    if (!split(corner, fans)) return false;
    m_wasSplit[corner] = 1;
    m_tornBodies.push_back(bodyOf(corner)->firstRow);
    // where two cracks meet, no parts stay connected by a single vertex
    for (const uint32_t row : neighbors) {
        if (!(m_tables.positions[row].w > 0)) continue;  // pinned, or no particle
        if (const std::vector<Triangles> apart = fansOf(row, m_trianglesAt[row]); apart.size() > 1)
            split(row, apart);
    }
    return true;
}

// Gives every fan of a corner but the first a vertex of its own. False: too few spare rows are left.
bool ClothTopology::split(uint32_t corner, const std::vector<Triangles>& fans) {
    const SolidBody& body = *bodyOf(corner);
    uint32_t& next = m_nextSpare[body.firstRow];
    if (next + fans.size() - 1 > body.firstRow + body.rows) return false;
    std::vector<uint32_t> rows{corner};
    while (rows.size() < fans.size()) rows.push_back(next++);
    moveSprings(corner, fans, rows);

    double total = 0;
    bool even = false;  // a fan has no area: split the mass evenly, so that every vertex has mass
    for (const Triangles& fan : fans) total += restArea(fan), even |= !(restArea(fan) > 0);
    const double had = m_share[corner];
    for (size_t f = 0; f < fans.size(); ++f) {
        const double share = even ? 1.0 / double(fans.size()) : restArea(fans[f]) / total;
        m_share[rows[f]] = float(had * share);
        m_trianglesAt[rows[f]] = fans[f];
        if (f == 0) continue;
        m_source[rows[f]] = m_source[corner];
        m_splits.push_back({rows[f], m_source[corner]});
        m_tables.restPosition[rows[f]] = m_tables.restPosition[corner];
        m_tables.positions[rows[f]] = m_tables.positions[corner];
        m_wasSplit[rows[f]] = 1;
        for (const uint32_t k : fans[f]) {
            ClothTriangle& t = m_tables.triangles[k];
            (t.a == corner ? t.a : t.b == corner ? t.b : t.c) = rows[f];
        }
    }
    m_changed = true;
    for (VolumeConstraint& volumeConstraint : m_tables.volumeConstraints)
        if (volumeConstraint.firstRow == body.firstRow) volumeConstraint.restVolume = 0;
    return true;
}

// Splits `corner` perpendicular to the direction to `other`, at rest: cracks run perpendicular to the strain.
bool ClothTopology::tearAt(uint32_t corner, uint32_t other) {
    if (!canSplit(corner)) return false;
    const Vec3 o = xyz(m_tables.restPosition[corner]), along = xyz(m_tables.restPosition[other]) - o;
    Triangles ahead;
    for (const uint32_t k : m_trianglesAt[corner]) {
        float side = 0;
        for (const uint32_t row : rowsOf(m_tables.triangles[k]))
            side += dot(along, xyz(m_tables.restPosition[row]) - o);
        if (side > 0 || has(k, other)) ahead.push_back(k);
    }
    // only the triangles connected with the edge are separated
    for (const Triangles& fan : fansOf(corner, ahead))
        if (std::any_of(fan.begin(), fan.end(), [&](uint32_t k) { return has(k, other); }))
            return separate(corner, fan);
    return false;
}

bool ClothTopology::tear(uint32_t spring) {
    const DistanceConstraint s = m_tables.springs[spring];
    if (!isIntact(s)) return false;
    if (!isEdge(s.a, s.b)) {
        cutSpring(spring);
        // no bending across the torn spring of a rope, whose rows are in order along it; springs between
        // bodies have no bending
        const auto [low, high] = std::minmax(s.a, s.b);
        const auto body = bodyOf(s.a);
        if (body->triangles > 0 || body != bodyOf(s.b) || high != low + 1) return true;
        for (const uint32_t end : {s.a, s.b})
            for (const uint32_t index : m_springsAt[end]) {
                const DistanceConstraint& bend = m_tables.springs[index];
                const auto [first, last] = std::minmax(bend.a, bend.b);
                if (isIntact(bend) && kindOf(bend) == ClothEdgeKind::bend && first <= low && last >= high)
                    cutSpring(index);
            }
        m_tornBodies.push_back(bodyOf(s.a)->firstRow);
        return true;
    }
    // extend an existing crack rather than start a new one
    uint32_t first = s.a, second = s.b;
    if (isBoundary(second) && !isBoundary(first)) std::swap(first, second);
    return tearAt(first, second) || tearAt(second, first);
}

// The first cut that crosses a stretch spring; null: none does.
const Cut* ClothTopology::cutAcross(const DistanceConstraint& s, std::span<const Cut> cuts) const {
    const auto& positions = m_tables.positions;
    if (!isIntact(s) || (s.params & kTether) || kindOf(s) != ClothEdgeKind::stretch || positions[s.a].w < 0 ||
        positions[s.b].w < 0)
        return nullptr;
    const auto by = std::find_if(cuts.begin(), cuts.end(), [&](const Cut& c) {
        return crosses(xyz(positions[s.a]), xyz(positions[s.b]), c.a, c.b, c.c);
    });
    return by == cuts.end() ? nullptr : &*by;
}

std::vector<uint32_t> ClothTopology::crossing(std::span<const Cut> cuts) const {
    std::vector<uint32_t> springs;
    for (uint32_t k = 0; k < m_tables.springs.size(); ++k)
        if (cutAcross(m_tables.springs[k], cuts)) springs.push_back(k);
    return springs;
}

size_t ClothTopology::cut(std::span<const Cut> cuts) {
    const auto& positions = m_tables.positions;
    const std::vector<uint32_t> crossing = this->crossing(cuts);
    std::map<uint32_t, const Cut*> crossed;  // triangles, and the cut that crosses them
    for (const uint32_t k : crossing) {
        const DistanceConstraint& s = m_tables.springs[k];
        for (const uint32_t t : m_trianglesAt[s.a])
            if (has(t, s.b)) crossed.emplace(t, cutAcross(s, cuts));
    }
    // separate the corners in front of the cut from the triangles that it crosses
    std::map<uint32_t, Triangles> leaving;
    for (const auto& [t, by] : crossed)
        for (const uint32_t row : rowsOf(m_tables.triangles[t]))
            if (dot(cross(by->b - by->a, by->c - by->a), xyz(positions[row]) - by->a) > 0)
                leaving[row].push_back(t);
    size_t done = 0;
    for (const auto& [corner, triangles] : leaving) done += separate(corner, triangles);
    for (const uint32_t k : crossing)
        if (const DistanceConstraint& s = m_tables.springs[k]; !isEdge(s.a, s.b)) done += tear(k);
    return done > 0 ? crossing.size() : 0;
}

// Cuts bend and shear springs whose ends have no neighbor in common.
void ClothTopology::cutBends(const SolidBody& body) {
    const auto neighborsOf = [&](uint32_t row) {
        std::set<uint32_t> rows;
        for (const uint32_t k : m_trianglesAt[row])
            for (const uint32_t other : rowsOf(m_tables.triangles[k])) rows.insert(other);
        return rows;
    };
    if (body.triangles == 0) return;
    for (uint32_t row = body.firstRow; row < body.firstRow + body.rows; ++row)
        for (const uint32_t k : m_springsAt[row]) {
            const DistanceConstraint& s = m_tables.springs[k];
            const bool across = kindOf(s) == ClothEdgeKind::bend || kindOf(s) == ClothEdgeKind::shear;
            if (!isIntact(s) || !across || s.a != row) continue;
            const std::set<uint32_t> a = neighborsOf(s.a), b = neighborsOf(s.b);
            if (std::none_of(a.begin(), a.end(), [&](uint32_t r) { return b.contains(r); })) cutSpring(k);
        }
}

// Cuts tethers that are shorter than the path along the cloth (Dijkstra).
void ClothTopology::cutTethers(const SolidBody& body) {
    std::vector<uint32_t> tethers;
    for (uint32_t row = body.firstRow; row < body.firstRow + body.rows; ++row)
        for (const uint32_t k : m_springsAt[row])
            if (isIntact(m_tables.springs[k]) && (m_tables.springs[k].params & kTether) &&
                m_tables.springs[k].a == row)
                tethers.push_back(k);
    if (tethers.empty()) return;
    std::map<uint32_t, float> distance;
    using Entry = std::pair<float, uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (const uint32_t k : tethers) open.emplace(0.0f, m_tables.springs[k].b);
    while (!open.empty()) {
        const auto [length, row] = open.top();
        open.pop();
        if (!distance.emplace(row, length).second) continue;
        for (const uint32_t k : m_springsAt[row]) {
            const DistanceConstraint& s = m_tables.springs[k];
            const bool along = kindOf(s) == ClothEdgeKind::stretch || kindOf(s) == ClothEdgeKind::shear;
            const uint32_t other = otherEnd(s, row);
            if (isIntact(s) && along && !distance.contains(other)) open.emplace(length + s.length, other);
        }
    }
    for (const uint32_t k : tethers) {
        const DistanceConstraint& s = m_tables.springs[k];
        const auto found = distance.find(s.a);
        if (found == distance.end() || found->second > 1.0001f * s.length) cutSpring(k);
    }
}

void ClothTopology::cutBroken() {
    for (const uint32_t firstRow : std::set<uint32_t>(m_tornBodies.begin(), m_tornBodies.end())) {
        cutBends(*bodyOf(firstRow));
        cutTethers(*bodyOf(firstRow));
    }
    m_tornBodies.clear();
}

}  // namespace coalesce
