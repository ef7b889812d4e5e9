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
    return static_cast<ClothEdgeKind>(holdOf(spring) % kLinkKinds);
}
bool isThere(const DistanceConstraint& spring) {
    return !(spring.hold & kCut);
}
uint32_t otherEnd(const DistanceConstraint& spring, uint32_t row) {
    return spring.a == row ? spring.b : spring.a;
}

std::array<uint32_t, 3> rowsOf(const ClothTriangle& t) {
    return {t.a, t.b, t.c};
}

// Whether the segment from p to q goes through the triangle a b c. [MT97], in double
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
    m_busy.resize(rows, 0);
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
            // spares are taken in order, and those that triangles name are taken
            uint32_t& next = m_nextSpare[bodyOf(row)->firstRow];
            next = std::max(next, row + 1);
        }
    }
    for (uint32_t k = 0; k < m_tables.springs.size(); ++k) {
        const DistanceConstraint& s = m_tables.springs[k];
        if (!isThere(s)) continue;
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

bool ClothTopology::maySplit(uint32_t corner) const {
    return !m_busy[corner] && m_tables.places[corner].w > 0;
}

bool ClothTopology::isEdge(uint32_t a, uint32_t b) const {
    const Triangles& at = m_trianglesAt[a];
    return std::any_of(at.begin(), at.end(), [&](uint32_t t) { return has(t, b); });
}

// Those that hang together by edges at the corner, in the order of their first triangles.
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

// At the rim of cloth an edge has one triangle only.
bool ClothTopology::isRim(uint32_t corner) const {
    std::map<uint32_t, int> edges;
    for (const uint32_t k : m_trianglesAt[corner])
        for (const uint32_t row : rowsOf(m_tables.triangles[k]))
            if (row != corner) ++edges[row];
    return std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 1; });
}

void ClothTopology::cutSpring(uint32_t spring) {
    m_tables.springs[spring].hold |= kCut;
    m_changed = true;
}

void ClothTopology::rename(uint32_t spring, uint32_t from, uint32_t to) {
    DistanceConstraint& s = m_tables.springs[spring];
    (s.a == from ? s.a : s.b) = to;
    m_springsAt[to].push_back(spring);
    std::erase(m_springsAt[from], spring);
}

// Gives every fan but the first a corner of its own: rows, one for each fan.
void ClothTopology::moveSprings(uint32_t corner, const std::vector<Triangles>& fans,
                                const std::vector<uint32_t>& rows) {
    // which fans a neighbor is in
    std::map<uint32_t, std::vector<size_t>> fansAt;
    for (size_t f = 0; f < fans.size(); ++f)
        for (const uint32_t k : fans[f])
            for (const uint32_t row : rowsOf(m_tables.triangles[k]))
                if (row != corner && (fansAt[row].empty() || fansAt[row].back() != f))
                    fansAt[row].push_back(f);
    // the fan that lies most in a direction at rest
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
        if (!isThere(s) || (s.hold & kTether)) continue;
        const uint32_t other = otherEnd(s, corner);
        if (const auto found = fansAt.find(other); found != fansAt.end()) {
            const std::vector<size_t>& in = found->second;
            // along the crack either side keeps the edge
            for (size_t k = 1; k < in.size(); ++k) {
                DistanceConstraint twin = s;
                (twin.a == corner ? twin.a : twin.b) = rows[in[k]];
                const auto added = static_cast<uint32_t>(m_tables.springs.size());
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
    // what spans the crack holds no longer
    for (const auto& [row, in] : fansAt)
        for (const uint32_t index : m_springsAt[row]) {
            const DistanceConstraint& s = m_tables.springs[index];
            const auto there = fansAt.find(otherEnd(s, row));
            if (!isThere(s) || (s.hold & kTether) || there == fansAt.end()) continue;
            const auto shared = [&](size_t f) {
                return std::find(there->second.begin(), there->second.end(), f) != there->second.end();
            };
            // about a narrow tube two neighbors are joined on its far side too
            if (std::none_of(in.begin(), in.end(), shared) && !isEdge(s.a, s.b)) cutSpring(index);
        }
}

// Splits a corner: `leaving`, some of its triangles, part from the others.
bool ClothTopology::separate(uint32_t corner, const Triangles& wished) {
    // some may have left before, where a crack met another
    Triangles staying, leaving;
    for (const uint32_t k : m_trianglesAt[corner])
        (std::find(wished.begin(), wished.end(), k) == wished.end() ? staying : leaving).push_back(k);
    if (staying.empty() || leaving.empty() || !maySplit(corner)) return false;
    std::vector<Triangles> fans = fansOf(corner, staying);
    for (Triangles& fan : fansOf(corner, leaving)) fans.push_back(std::move(fan));
    std::set<uint32_t> neighbors;
    for (const uint32_t k : m_trianglesAt[corner])
        for (const uint32_t row : rowsOf(m_tables.triangles[k])) neighbors.insert(row);
    neighbors.erase(corner);
    if (!split(corner, fans)) return false;
    m_busy[corner] = 1;
    m_torn.push_back(bodyOf(corner)->firstRow);
    // where two cracks meet, nothing hangs by a corner alone
    for (const uint32_t row : neighbors) {
        if (!(m_tables.places[row].w > 0)) continue;  // held, or not there
        if (const std::vector<Triangles> apart = fansOf(row, m_trianglesAt[row]); apart.size() > 1)
            split(row, apart);
    }
    return true;
}

// Gives every fan of a corner but the first a corner of its own. False: too few spares are left.
bool ClothTopology::split(uint32_t corner, const std::vector<Triangles>& fans) {
    const SolidBody& body = *bodyOf(corner);
    uint32_t& next = m_nextSpare[body.firstRow];
    if (next + fans.size() - 1 > body.firstRow + body.rows) return false;
    std::vector<uint32_t> rows{corner};
    while (rows.size() < fans.size()) rows.push_back(next++);
    moveSprings(corner, fans, rows);

    double whole = 0;
    bool even = false;  // none may be left without mass
    for (const Triangles& fan : fans) whole += restArea(fan), even |= !(restArea(fan) > 0);
    const double had = m_share[corner];
    for (size_t f = 0; f < fans.size(); ++f) {
        const double part = even ? 1.0 / static_cast<double>(fans.size()) : restArea(fans[f]) / whole;
        m_share[rows[f]] = static_cast<float>(had * part);
        m_trianglesAt[rows[f]] = fans[f];
        if (f == 0) continue;
        m_source[rows[f]] = m_source[corner];
        m_splits.push_back({rows[f], m_source[corner]});
        m_tables.restPosition[rows[f]] = m_tables.restPosition[corner];
        m_tables.places[rows[f]] = m_tables.places[corner];
        m_busy[rows[f]] = 1;
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

// Splits `corner` across the direction to `other`, at rest: the crack goes across the strain.
bool ClothTopology::tearAt(uint32_t corner, uint32_t other) {
    if (!maySplit(corner)) return false;
    const Vec3 o = xyz(m_tables.restPosition[corner]), along = xyz(m_tables.restPosition[other]) - o;
    Triangles ahead;
    for (const uint32_t k : m_trianglesAt[corner]) {
        float side = 0;
        for (const uint32_t row : rowsOf(m_tables.triangles[k]))
            side += dot(along, xyz(m_tables.restPosition[row]) - o);
        if (side > 0 || has(k, other)) ahead.push_back(k);
    }
    // only what hangs together with the edge leaves
    for (const Triangles& fan : fansOf(corner, ahead))
        if (std::any_of(fan.begin(), fan.end(), [&](uint32_t k) { return has(k, other); }))
            return separate(corner, fan);
    return false;
}

bool ClothTopology::tear(uint32_t spring) {
    const DistanceConstraint s = m_tables.springs[spring];
    if (!isThere(s)) return false;
    if (!isEdge(s.a, s.b)) {
        cutSpring(spring);
        // the rope does not bend across what is torn; its rows go along it, and what joins others is no rope
        const auto [low, high] = std::minmax(s.a, s.b);
        const auto body = bodyOf(s.a);
        if (body->triangles > 0 || body != bodyOf(s.b) || high != low + 1) return true;
        for (const uint32_t end : {s.a, s.b})
            for (const uint32_t index : m_springsAt[end]) {
                const DistanceConstraint& bend = m_tables.springs[index];
                const auto [first, last] = std::minmax(bend.a, bend.b);
                if (isThere(bend) && kindOf(bend) == ClothEdgeKind::bend && first <= low && last >= high)
                    cutSpring(index);
            }
        m_torn.push_back(bodyOf(s.a)->firstRow);
        return true;
    }
    // a crack goes on before another one begins
    uint32_t first = s.a, second = s.b;
    if (isRim(second) && !isRim(first)) std::swap(first, second);
    return tearAt(first, second) || tearAt(second, first);
}

size_t ClothTopology::cut(std::span<const Cut> cuts) {
    const auto& places = m_tables.places;
    std::vector<uint32_t> crossing;
    std::map<uint32_t, const Cut*> crossed;  // triangles, and by what
    for (uint32_t k = 0; k < m_tables.springs.size(); ++k) {
        const DistanceConstraint& s = m_tables.springs[k];
        if (!isThere(s) || (s.hold & kTether) || kindOf(s) != ClothEdgeKind::stretch || places[s.a].w < 0 ||
            places[s.b].w < 0)
            continue;
        const auto by = std::find_if(cuts.begin(), cuts.end(), [&](const Cut& c) {
            return crosses(xyz(places[s.a]), xyz(places[s.b]), c.a, c.b, c.c);
        });
        if (by == cuts.end()) continue;
        crossing.push_back(k);
        for (const uint32_t t : m_trianglesAt[s.a])
            if (has(t, s.b)) crossed.emplace(t, &*by);
    }
    // the corners in front of the blade part from the triangles that it crosses
    std::map<uint32_t, Triangles> leaving;
    for (const auto& [t, by] : crossed)
        for (const uint32_t row : rowsOf(m_tables.triangles[t]))
            if (dot(cross(by->b - by->a, by->c - by->a), xyz(places[row]) - by->a) > 0)
                leaving[row].push_back(t);
    size_t done = 0;
    for (const auto& [corner, triangles] : leaving) done += separate(corner, triangles);
    for (const uint32_t k : crossing)
        if (const DistanceConstraint& s = m_tables.springs[k]; !isEdge(s.a, s.b)) done += tear(k);
    return done > 0 ? crossing.size() : 0;
}

// Links across a bend or a cell hold as long as their ends have a neighbor in common.
void ClothTopology::loosenBends(const SolidBody& body) {
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
            if (!isThere(s) || !across || s.a != row) continue;
            const std::set<uint32_t> a = neighborsOf(s.a), b = neighborsOf(s.b);
            if (std::none_of(a.begin(), a.end(), [&](uint32_t r) { return b.contains(r); })) cutSpring(k);
        }
}

// Tethers that are shorter now than the way along the cloth (Dijkstra) hold no longer.
void ClothTopology::loosenTethers(const SolidBody& body) {
    std::vector<uint32_t> tethers;
    for (uint32_t row = body.firstRow; row < body.firstRow + body.rows; ++row)
        for (const uint32_t k : m_springsAt[row])
            if (isThere(m_tables.springs[k]) && (m_tables.springs[k].hold & kTether) &&
                m_tables.springs[k].a == row)
                tethers.push_back(k);
    if (tethers.empty()) return;
    std::map<uint32_t, float> way;
    using Entry = std::pair<float, uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (const uint32_t k : tethers) open.emplace(0.0f, m_tables.springs[k].b);
    while (!open.empty()) {
        const auto [length, row] = open.top();
        open.pop();
        if (!way.emplace(row, length).second) continue;
        for (const uint32_t k : m_springsAt[row]) {
            const DistanceConstraint& s = m_tables.springs[k];
            const bool leads = kindOf(s) == ClothEdgeKind::stretch || kindOf(s) == ClothEdgeKind::shear;
            const uint32_t other = otherEnd(s, row);
            if (isThere(s) && leads && !way.contains(other)) open.emplace(length + s.length, other);
        }
    }
    for (const uint32_t k : tethers) {
        const DistanceConstraint& s = m_tables.springs[k];
        const auto found = way.find(s.a);
        if (found == way.end() || found->second > 1.0001f * s.length) cutSpring(k);
    }
}

void ClothTopology::loosen() {
    for (const uint32_t firstRow : std::set<uint32_t>(m_torn.begin(), m_torn.end())) {
        loosenBends(*bodyOf(firstRow));
        loosenTethers(*bodyOf(firstRow));
    }
    m_torn.clear();
}

}  // namespace coalesce
