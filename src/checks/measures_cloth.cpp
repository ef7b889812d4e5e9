// Cloth, ropes, balloons: how far they are stretched, what they enclose, who got through.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "checks/cloth_state.h"
#include "checks/measures.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce::measures {

namespace {

// Which groups the selected particles are of.
std::vector<const ClothState::Body*> cloth(const MeasureContext& s) {
    std::set<uint32_t> groups;
    for (const uint32_t i : s.selected) groups.insert(groupOf(s.now.phase[i]));
    std::vector<const ClothState::Body*> bodies;
    if (!s.now.cloth) return bodies;
    for (const ClothState::Body& body : s.now.cloth->bodies)
        if (groups.contains(body.group)) bodies.push_back(&body);
    return bodies;
}

// Where the particle of a row is; empty: it is not there.
std::optional<Vec3d> placeOf(const Snapshot& at, uint32_t row) {
    const auto i = findId(at, at.cloth->idOf[row]);
    return i ? std::optional(at.x[*i]) : std::nullopt;
}

// visit(a, b, c, triangle) for the triangles of a body that are there
template <class Visit>
void forEachTriangle(const Snapshot& at, const ClothState::Body& body, Visit&& visit) {
    for (const ClothTriangle& t : at.cloth->trianglesOf(body)) {
        if (t.material & kCut) continue;
        const auto a = placeOf(at, t.a), b = placeOf(at, t.b), c = placeOf(at, t.c);
        if (a && b && c) visit(*a, *b, *c, t);
    }
}

double areaOfTriangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    return 0.5 * std::sqrt(dot(n, n));
}

Measured combined(const MeasureContext& s, const char* otherwise, const std::vector<double>& values) {
    if (values.empty()) return {};
    const std::string how = s.word("statistic", otherwise);
    if (how == "max") return *std::max_element(values.begin(), values.end());
    if (how == "min") return *std::min_element(values.begin(), values.end());
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<ClothEdgeKind> linkNamed(const std::string& name) {
    const std::array names{"stretch", "shear", "bend", "tether"};
    for (size_t k = 0; k < names.size(); ++k)
        if (name == names[k]) return static_cast<ClothEdgeKind>(k);
    return {};
}

}  // namespace

// Of springs with a length; both ends among the selected.
Measured stretch(const MeasureContext& s) {
    if (!s.now.cloth) return {};
    std::set<uint32_t> groups;
    for (const uint32_t i : s.selected) groups.insert(groupOf(s.now.phase[i]));
    const auto kind = static_cast<uint32_t>(linkNamed(s.word("link", "stretch")).value());
    std::vector<double> strains;
    for (const DistanceConstraint& spring : s.now.cloth->springs) {
        if ((spring.hold & kCut) || holdOf(spring) % kLinkKinds != kind || !(spring.length > 0)) continue;
        const auto a = findId(s.now, s.now.cloth->idOf[spring.a]),
                   b = findId(s.now, s.now.cloth->idOf[spring.b]);
        if (!a || !b || !groups.contains(groupOf(s.now.phase[*a])) ||
            !groups.contains(groupOf(s.now.phase[*b])))
            continue;
        strains.push_back(length(s.now.x[*a] - s.now.x[*b]) / double{spring.length} - 1);
    }
    return combined(s, "max", strains);
}

Measured area(const MeasureContext& s) {
    double now = 0, rest = 0;
    for (const ClothState::Body* body : cloth(s))
        forEachTriangle(s.now, *body,
                        [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, const ClothTriangle& t) {
                            const auto& places = s.now.cloth->restPosition;
                            now += areaOfTriangle(a, b, c);
                            rest += areaOfTriangle(toDouble(xyz(places[t.a])), toDouble(xyz(places[t.b])),
                                                   toDouble(xyz(places[t.c])));
                        });
    if (!(rest > 0)) return {};
    return now / rest;
}

Measured enclosed(const MeasureContext& s) {
    std::vector<double> shares;
    for (const ClothState::Body* body : cloth(s)) {
        double now = 0, rest = 0;
        Vec3d origin;
        bool first = true;
        const auto& places = s.now.cloth->restPosition;
        forEachTriangle(s.now, *body,
                        [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, const ClothTriangle& t) {
                            if (first) origin = a, first = false;
                            now += dot(a - origin, cross(b - origin, c - origin)) / 6;
                            const Vec3d p = toDouble(xyz(places[t.a])), q = toDouble(xyz(places[t.b])),
                                        r = toDouble(xyz(places[t.c]));
                            rest += dot(p, cross(q, r)) / 6;
                        });
        if (rest != 0) shares.push_back(now / rest);
    }
    return combined(s, "max", shares);
}

// By the solid angle under which each particle sees the triangles: beyond half of the whole it is inside.
Measured inside(const MeasureContext& s) {
    const std::vector<uint32_t> others = s.select(s.word("other", ""));
    if (others.empty()) return {};
    std::vector<char> within(others.size(), 0);
    for (const ClothState::Body* body : cloth(s)) {
        std::vector<std::array<Vec3d, 3>> corners;
        forEachTriangle(s.now, *body,
                        [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, const ClothTriangle&) {
                            corners.push_back({a, b, c});
                        });
        for (size_t k = 0; k < others.size(); ++k) {
            double angle = 0;
            for (const auto& t : corners) {
                const Vec3d a = t[0] - s.now.x[others[k]], b = t[1] - s.now.x[others[k]],
                            c = t[2] - s.now.x[others[k]];
                const double la = std::sqrt(dot(a, a)), lb = std::sqrt(dot(b, b)), lc = std::sqrt(dot(c, c));
                // [VOS83], "The solid angle of a plane triangle"
                angle += 2 * std::atan2(dot(a, cross(b, c)),
                                        la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
            }
            if (std::abs(angle) > 2 * std::acos(-1.0)) within[k] = 1;
        }
    }
    return std::accumulate(within.begin(), within.end(), 0.0) / static_cast<double>(others.size());
}

// From one frame to the next the particle is seen from each triangle's own plane, which has moved as well.
Measured pierced(const MeasureContext& s) {
    const std::vector<uint32_t> others = s.select(s.word("other", ""));
    const Snapshot& before = s.state.since;
    if (before.cloth && s.now.cloth) {
        std::map<uint32_t, Vec3d> way;  // of each of the others, where it was
        double reach = 0;
        for (const uint32_t i : others)
            if (const auto was = findId(before, s.now.id[i]))
                reach = std::max(reach, length(s.now.x[i] - before.x[*was]));
        for (const ClothState::Body* body : cloth(s)) {
            struct Moving {
                std::array<Vec3d, 3> was, is;
                std::array<uint32_t, 3> ids;
            };
            std::vector<Moving> triangles;
            std::vector<Vec3d> middles;
            double size = 0;
            for (const ClothTriangle& t : s.now.cloth->trianglesOf(*body)) {
                if (t.material & kCut) continue;
                Moving m;
                bool there = true;
                const std::array rows{t.a, t.b, t.c};
                for (size_t k = 0; k < 3; ++k) {
                    m.ids[k] = s.now.cloth->idOf[rows[k]];
                    const auto is = findId(s.now, m.ids[k]), was = findId(before, m.ids[k]);
                    there = there && is && was;
                    if (there) m.is[k] = s.now.x[*is], m.was[k] = before.x[*was];
                }
                if (!there) continue;
                for (size_t k = 0; k < 3; ++k) size = std::max(size, length(m.is[k] - m.is[0]));
                for (size_t k = 0; k < 3; ++k) size = std::max(size, length(m.is[k] - m.was[k]));
                middles.push_back(m.is[0]);
                triangles.push_back(m);
            }
            if (triangles.empty()) continue;
            const double near = 2 * size + reach;
            const PointGrid grid(middles, near);
            for (const uint32_t i : others) {
                if (groupOf(s.now.phase[i]) == body->group || s.state.gone.contains(s.now.id[i])) continue;
                const auto was = findId(before, s.now.id[i]);
                if (!was) continue;
                grid.forEachNear(s.now.x[i], [&](uint32_t k, double) {
                    const Moving& m = triangles[k];
                    const auto sideOf = [](const std::array<Vec3d, 3>& t, const Vec3d& p) {
                        return dot(cross(t[1] - t[0], t[2] - t[0]), p - t[0]);
                    };
                    const double first = sideOf(m.was, before.x[*was]), last = sideOf(m.is, s.now.x[i]);
                    if ((first > 0) == (last > 0)) return;
                    // where the two meet, about, and whether that is within the triangle
                    const double share = std::abs(first) / (std::abs(first) + std::abs(last));
                    const auto between = [&](const Vec3d& a, const Vec3d& b) -> Vec3d {
                        return a + share * (b - a);
                    };
                    const Vec3d p = between(before.x[*was], s.now.x[i]);
                    std::array<Vec3d, 3> t;
                    for (size_t q = 0; q < 3; ++q) t[q] = between(m.was[q], m.is[q]);
                    const Vec3d n = cross(t[1] - t[0], t[2] - t[0]);
                    bool in = true;
                    for (size_t q = 0; q < 3; ++q)
                        in = in && dot(n, cross(t[(q + 1) % 3] - t[q], p - t[q])) >= 0;
                    if (in) s.state.gone.insert(s.now.id[i]);
                });
            }
        }
    }
    s.state.since = s.now;
    return static_cast<double>(s.state.gone.size());
}

// Four points of two links lie in a plane when the links meet: the volume that they span changes its sign
// then.
Measured crossed(const MeasureContext& s) {
    struct Moving {
        std::array<Vec3d, 2> was, is;
        uint32_t a, b;  // ids
    };
    const Snapshot& before = s.state.since;
    std::vector<Moving> links;
    if (before.cloth && s.now.cloth) {
        const ClothState& state = *s.now.cloth;
        std::set<uint32_t> chosen;  // ids of particles of ropes
        for (const ClothState::Body* body : cloth(s))
            for (uint32_t k = 0; k < body->rows && body->triangles == 0; ++k)
                chosen.insert(body->firstId + k);
        for (const DistanceConstraint& spring : state.springs) {
            if ((spring.hold & kCut) ||
                holdOf(spring) % kLinkKinds != static_cast<uint32_t>(ClothEdgeKind::stretch))
                continue;
            Moving m{.was = {}, .is = {}, .a = state.idOf[spring.a], .b = state.idOf[spring.b]};
            if (!chosen.contains(m.a) || !chosen.contains(m.b)) continue;
            const auto a = findId(s.now, m.a), b = findId(s.now, m.b), oldA = findId(before, m.a),
                       oldB = findId(before, m.b);
            if (!a || !b || !oldA || !oldB) continue;
            m.is = {s.now.x[*a], s.now.x[*b]}, m.was = {before.x[*oldA], before.x[*oldB]};
            links.push_back(m);
        }
    }
    double size = 0;
    std::vector<Vec3d> ends;
    for (const Moving& m : links) {
        size = std::max({size, length(m.is[0] - m.is[1]), length(m.was[0] - m.was[1]),
                         length(m.is[0] - m.was[0]), length(m.is[1] - m.was[1])});
        ends.push_back(m.is[0]);
    }
    if (!links.empty()) {
        const PointGrid grid(ends, 4 * size);
        for (uint32_t i = 0; i < links.size(); ++i)
            grid.forEachNear(links[i].is[0], [&](uint32_t k, double) {
                const Moving &m = links[i], &o = links[k];
                if (k <= i || m.a == o.a || m.a == o.b || m.b == o.a || m.b == o.b) return;
                const auto volumeOf = [](const std::array<Vec3d, 2>& p, const std::array<Vec3d, 2>& q) {
                    return dot(cross(p[1] - p[0], q[1] - q[0]), q[0] - p[0]);
                };
                const double first = volumeOf(m.was, o.was), last = volumeOf(m.is, o.is);
                if ((first > 0) == (last > 0)) return;
                // where the two lines meet then, and whether that is within both links
                const double share = std::abs(first) / (std::abs(first) + std::abs(last));
                const auto between = [&](const Moving& link) {
                    std::array<Vec3d, 2> p{};
                    for (size_t e = 0; e < 2; ++e) p[e] = link.was[e] + share * (link.is[e] - link.was[e]);
                    return p;
                };
                const std::array<Vec3d, 2> p = between(m), r = between(o);
                const Vec3d u = p[1] - p[0], v = r[1] - r[0], w = r[0] - p[0], n = cross(u, v);
                const double n2 = dot(n, n);
                if (!(n2 > 0)) return;
                const double along = dot(cross(w, v), n) / n2, other = dot(cross(w, u), n) / n2;
                if (along >= 0 && along <= 1 && other >= 0 && other <= 1) s.state.gone.insert(m.a);
            });
    }
    s.state.since = s.now;
    return static_cast<double>(s.state.gone.size());
}

// Parts that uncut springs of stretch and triangles hang together in, each at least `least` particles.
Measured pieces(const MeasureContext& s) {
    if (!s.now.cloth) return {};
    const ClothState& state = *s.now.cloth;
    std::vector<uint32_t> parent(state.idOf.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](uint32_t row) {
        while (parent[row] != row) row = parent[row] = parent[parent[row]];
        return row;
    };
    for (const DistanceConstraint& spring : state.springs)
        if (!(spring.hold & kCut) &&
            holdOf(spring) % kLinkKinds == static_cast<uint32_t>(ClothEdgeKind::stretch))
            parent[root(spring.a)] = root(spring.b);
    for (const ClothTriangle& t : state.triangles)
        if (!(t.material & kCut)) parent[root(t.a)] = root(t.b), parent[root(t.b)] = root(t.c);
    std::map<uint32_t, double> size;
    for (const ClothState::Body* body : cloth(s))
        for (uint32_t k = 0; k < body->rows; ++k)
            if (findId(s.now, body->firstId + k)) size[root(body->firstRow + k)] += 1;
    const double least = s.number("least", 1);
    return static_cast<double>(
        std::count_if(size.begin(), size.end(), [&](const auto& piece) { return piece.second >= least; }));
}

// The new corners have the ids that their bodies kept for them, the last ones.
Measured splits(const MeasureContext& s) {
    double count = 0;
    for (const ClothState::Body* body : cloth(s))
        for (uint32_t k = body->rows - body->spares; k < body->rows; ++k)
            count += findId(s.now, body->firstId + k).has_value();
    return count;
}

// Edges that more than two triangles share, and corners about which the triangles form more than one fan.
Measured nonManifold(const MeasureContext& s) {
    double found = 0;
    for (const ClothState::Body* body : cloth(s)) {
        std::map<std::array<uint32_t, 2>, int> edges;
        std::map<uint32_t, std::vector<std::array<uint32_t, 2>>> fans;  // of each corner, the edges across
        for (const ClothTriangle& t : s.now.cloth->trianglesOf(*body)) {
            if (t.material & kCut) continue;
            const std::array rows{t.a, t.b, t.c};
            for (size_t k = 0; k < 3; ++k) {
                const uint32_t a = rows[k], b = rows[(k + 1) % 3], c = rows[(k + 2) % 3];
                ++edges[{std::min(a, b), std::max(a, b)}];
                fans[a].push_back({b, c});
            }
        }
        for (const auto& [edge, count] : edges) found += count > 2;
        for (const auto& [corner, fan] : fans) {
            // a nail holds whatever hangs on it
            const auto particle = findId(s.now, body->firstId + corner - body->firstRow);
            if (particle && s.now.held[*particle]) continue;
            // triangles about a corner hang together over shared neighbors
            std::map<uint32_t, uint32_t> parent;
            const auto root = [&](uint32_t a) {
                parent.try_emplace(a, a);
                while (parent[a] != a) a = parent[a];
                return a;
            };
            for (const auto& [b, c] : fan) parent[root(b)] = root(c);
            std::set<uint32_t> roots;
            for (const auto& [b, c] : fan) roots.insert(root(b));
            found += roots.size() > 1;
        }
    }
    return found;
}

}  // namespace coalesce::measures
