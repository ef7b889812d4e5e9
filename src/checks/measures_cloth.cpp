// Checks of cloth, ropes and balloons: strain, enclosed volume, penetration, tearing.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "checks/check_options.h"
#include "checks/cloth_state.h"
#include "checks/measures.h"
#include "core/disjoint_sets.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce::measures {

namespace {

// The cloth and ropes of which particles are selected.
std::vector<const ClothState::Body*> clothBodies(const MeasureContext& s) {
    const std::set<uint32_t> groups = s.selectedGroups();
    std::vector<const ClothState::Body*> bodies;
    if (!s.now.cloth) return bodies;
    for (const ClothState::Body& body : s.now.cloth->bodies)
        if (groups.contains(body.group)) bodies.push_back(&body);
    return bodies;
}

// Position of the particle of a row; empty when it is not in the world.
std::optional<Vec3d> positionOf(const ParticleSnapshot& at, uint32_t row) {
    const auto i = findId(at, at.cloth->idOf[row]);
    return i ? std::optional(at.x[*i]) : std::nullopt;
}

// visit(a, b, c, triangle) for each triangle of a body that is not cut and whose particles exist
template <class Visit>
void forEachTriangle(const ParticleSnapshot& at, const ClothState::Body& body, Visit&& visit) {
    for (const ClothTriangle& t : at.cloth->trianglesOf(body)) {
        if (t.material & kCut) continue;
        const auto a = positionOf(at, t.a), b = positionOf(at, t.b), c = positionOf(at, t.c);
        if (a && b && c) visit(*a, *b, *c, t);
    }
}

double areaOfTriangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    return 0.5 * std::sqrt(dot(n, n));
}

std::optional<ClothEdgeKind> linkNamed(const std::string& name) {
    const std::array names{"stretch", "shear", "bend", "tether"};
    for (size_t k = 0; k < names.size(); ++k)
        if (name == names[k]) return static_cast<ClothEdgeKind>(k);
    return {};
}

// Strain of springs with a rest length; both ends must be selected.
Measured stretch(const MeasureContext& s) {
    if (!s.now.cloth) return {};
    const std::set<uint32_t> groups = s.selectedGroups();
    const auto kind = uint32_t(linkNamed(s.word("link", "stretch")).value());
    std::vector<double> strains;
    for (const DistanceConstraint& spring : s.now.cloth->springs) {
        if ((spring.params & kCut) || springParamsIndex(spring) % kClothEdgeKinds != kind ||
            !(spring.length > 0))
            continue;
        const auto a = findId(s.now, s.now.cloth->idOf[spring.a]),
                   b = findId(s.now, s.now.cloth->idOf[spring.b]);
        if (!a || !b || !groups.contains(groupOf(s.now.phase[*a])) ||
            !groups.contains(groupOf(s.now.phase[*b])))
            continue;
        strains.push_back(length(s.now.x[*a] - s.now.x[*b]) / double{spring.length} - 1);
    }
    return statisticOf(s, strains, "max");
}

Measured area(const MeasureContext& s) {
    double now = 0, rest = 0;
    for (const ClothState::Body* body : clothBodies(s))
        forEachTriangle(
            s.now, *body, [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, const ClothTriangle& t) {
                const auto& restPosition = s.now.cloth->restPosition;
                now += areaOfTriangle(a, b, c);
                rest += areaOfTriangle(toDouble(xyz(restPosition[t.a])), toDouble(xyz(restPosition[t.b])),
                                       toDouble(xyz(restPosition[t.c])));
            });
    if (!(rest > 0)) return {};
    return now / rest;
}

Measured enclosed(const MeasureContext& s) {
    std::vector<double> shares;
    for (const ClothState::Body* body : clothBodies(s)) {
        double now = 0, rest = 0;
        Vec3d origin;
        bool first = true;
        const auto& restPosition = s.now.cloth->restPosition;
        forEachTriangle(
            s.now, *body, [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, const ClothTriangle& t) {
                if (first) origin = a, first = false;
                now += dot(a - origin, cross(b - origin, c - origin)) / 6;
                const Vec3d p = toDouble(xyz(restPosition[t.a])), q = toDouble(xyz(restPosition[t.b])),
                            r = toDouble(xyz(restPosition[t.c]));
                rest += dot(p, cross(q, r)) / 6;
            });
        if (rest != 0) shares.push_back(now / rest);
    }
    return statisticOf(s, shares, "max");
}

// A particle is inside when the triangles subtend more than half of the full solid angle at it.
Measured inside(const MeasureContext& s) {
    const std::vector<uint32_t> others = s.select(s.word("other", ""));
    if (others.empty()) return {};
    std::vector<char> within(others.size(), 0);
    for (const ClothState::Body* body : clothBodies(s)) {
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
            if (std::abs(angle) > 2 * std::numbers::pi) within[k] = 1;
        }
    }
    return std::accumulate(within.begin(), within.end(), 0.0) / double(others.size());
}

// What may pierce cloth: its place in the previous frame and now.
struct Passing {
    uint32_t id, group;
    Vec3d was, is;
};
constexpr uint32_t kNoGroup = ~0u;

// Passive particles of the class that the check names, or particles of another group.
std::vector<Passing> passing(const MeasureContext& s) {
    const ParticleSnapshot& before = s.state.since;
    std::vector<Passing> found;
    if (const std::string kind = s.word("class", ""); !kind.empty()) {
        for (size_t k = 0; k < s.now.passive.size(); ++k) {
            const uint32_t id = s.now.passiveIds[k];
            const auto at = std::ranges::lower_bound(before.passiveIds, id);
            if (at == before.passiveIds.end() || *at != id || !isOfClass(s.now.passiveTags[k], kind))
                continue;
            found.push_back(
                {id, kNoGroup, before.passive[size_t(at - before.passiveIds.begin())], s.now.passive[k]});
        }
        return found;
    }
    for (const uint32_t i : s.select(s.word("other", "")))
        if (const auto was = findId(before, s.now.id[i]))
            found.push_back({s.now.id[i], groupOf(s.now.phase[i]), before.x[*was], s.now.x[i]});
    return found;
}

// A particle pierces a triangle when it changes sides of the moving triangle's plane within the triangle.
Measured pierced(const MeasureContext& s) {
    const ParticleSnapshot& before = s.state.since;
    if (before.cloth && s.now.cloth) {
        const std::vector<Passing> others = passing(s);
        double reach = 0;
        for (const Passing& other : others) reach = std::max(reach, length(other.is - other.was));
        for (const ClothState::Body* body : clothBodies(s)) {
            struct Moving {
                std::array<Vec3d, 3> was, is;
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
                    const uint32_t id = s.now.cloth->idOf[rows[k]];
                    const auto is = findId(s.now, id), was = findId(before, id);
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
            const HashGrid grid(middles, near);
            for (const Passing& other : others) {
                if (other.group == body->group || s.state.crossed.contains(other.id)) continue;
                grid.forEachNear(other.is, [&](uint32_t k, double) {
                    const Moving& m = triangles[k];
                    const auto sideOf = [](const std::array<Vec3d, 3>& t, const Vec3d& p) {
                        return dot(cross(t[1] - t[0], t[2] - t[0]), p - t[0]);
                    };
                    const double first = sideOf(m.was, other.was), last = sideOf(m.is, other.is);
                    if ((first > 0) == (last > 0)) return;
                    // approximate point of contact, and whether it is within the triangle
                    const double share = std::abs(first) / (std::abs(first) + std::abs(last));
                    const auto between = [&](const Vec3d& a, const Vec3d& b) -> Vec3d {
                        return a + share * (b - a);
                    };
                    const Vec3d p = between(other.was, other.is);
                    std::array<Vec3d, 3> t;
                    for (size_t q = 0; q < 3; ++q) t[q] = between(m.was[q], m.is[q]);
                    const Vec3d n = cross(t[1] - t[0], t[2] - t[0]);
                    bool in = true;
                    for (size_t q = 0; q < 3; ++q)
                        in = in && dot(n, cross(t[(q + 1) % 3] - t[q], p - t[q])) >= 0;
                    if (in) s.state.crossed.insert(other.id);
                });
            }
        }
    }
    s.state.since = s.now;
    return double(s.state.crossed.size());
}

// When two segments meet, their four end points lie in a plane: the signed volume of their tetrahedron
// changes its sign.
Measured crossed(const MeasureContext& s) {
    struct Moving {
        std::array<Vec3d, 2> was, is;
        uint32_t a, b;  // ids
    };
    const ParticleSnapshot& before = s.state.since;
    std::vector<Moving> links;
    if (before.cloth && s.now.cloth) {
        const ClothState& state = *s.now.cloth;
        std::set<uint32_t> chosen;  // ids of particles of ropes
        for (const ClothState::Body* body : clothBodies(s))
            for (uint32_t k = 0; k < body->rows && body->triangles == 0; ++k)
                chosen.insert(body->firstId + k);
        for (const DistanceConstraint& spring : state.springs) {
            if ((spring.params & kCut) ||
                springParamsIndex(spring) % kClothEdgeKinds != uint32_t(ClothEdgeKind::stretch))
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
        const HashGrid grid(ends, 4 * size);
        for (uint32_t i = 0; i < links.size(); ++i)
            grid.forEachNear(links[i].is[0], [&](uint32_t k, double) {
                const Moving &m = links[i], &o = links[k];
                if (k <= i || m.a == o.a || m.a == o.b || m.b == o.a || m.b == o.b) return;
                const auto volumeOf = [](const std::array<Vec3d, 2>& p, const std::array<Vec3d, 2>& q) {
                    return dot(cross(p[1] - p[0], q[1] - q[0]), q[0] - p[0]);
                };
                const double first = volumeOf(m.was, o.was), last = volumeOf(m.is, o.is);
                if ((first > 0) == (last > 0)) return;
                // intersection of the two lines at that time, and whether it is within both segments
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
                if (along >= 0 && along <= 1 && other >= 0 && other <= 1) s.state.crossed.insert(m.a);
            });
    }
    s.state.since = s.now;
    return double(s.state.crossed.size());
}

// Parts connected by uncut stretch springs and triangles, of at least `least` particles each.
Measured pieces(const MeasureContext& s) {
    if (!s.now.cloth) return {};
    const ClothState& state = *s.now.cloth;
    DisjointSets parts(state.idOf.size());
    for (const DistanceConstraint& spring : state.springs)
        if (!(spring.params & kCut) &&
            springParamsIndex(spring) % kClothEdgeKinds == uint32_t(ClothEdgeKind::stretch))
            parts.join(spring.a, spring.b);
    for (const ClothTriangle& t : state.triangles)
        if (!(t.material & kCut)) parts.join(t.a, t.b), parts.join(t.b, t.c);
    std::map<uint32_t, double> size;
    for (const ClothState::Body* body : clothBodies(s))
        for (uint32_t k = 0; k < body->rows; ++k)
            if (findId(s.now, body->firstId + k)) size[parts.find(body->firstRow + k)] += 1;
    const double least = s.number("least", 1);
    return double(
        std::count_if(size.begin(), size.end(), [&](const auto& piece) { return piece.second >= least; }));
}

// Split vertices take the last ids of their body, which are reserved for them.
Measured splits(const MeasureContext& s) {
    double count = 0;
    for (const ClothState::Body* body : clothBodies(s))
        for (uint32_t k = body->rows - body->spares; k < body->rows; ++k)
            count += findId(s.now, body->firstId + k).has_value();
    return count;
}

// Edges shared by more than two triangles, and vertices whose triangles form more than one fan.
Measured nonManifold(const MeasureContext& s) {
    double found = 0;
    for (const ClothState::Body* body : clothBodies(s)) {
        std::map<std::array<uint32_t, 2>, int> edges;
        std::map<uint32_t, std::vector<std::array<uint32_t, 2>>> fans;  // for each vertex, the opposite edges
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
        for (const auto& [vertex, fan] : fans) {
            // a pinned vertex may hold separate parts
            const auto particle = findId(s.now, body->firstId + vertex - body->firstRow);
            if (particle && s.now.held[*particle]) continue;
            // triangles around a vertex are connected through shared neighbors
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

}  // namespace

std::vector<CheckKind> clothChecks() {
    return {
        {.name = "stretch",
         .measures = "strain of a spring of cloth or ropes: length / rest length − 1; both ends in the group",
         .value = stretch,
         .options = {wordOption("link", "Kind of the springs; stretch when omitted.",
                                {"stretch", "shear", "bend", "tether"}),
                     wordOption("statistic", "max (default), mean or min over the springs.",
                                {"max", "mean", "min"})}},
        {.name = "area", .measures = "area of the triangles of cloth, relative to rest", .value = area},
        {.name = "enclosed",
         .measures = "volume enclosed by cloth, relative to rest",
         .value = enclosed,
         .options = {statisticOverBodies()}},
        {.name = "inside_cloth",
         .measures = "share of another group that is inside closed cloth of this group",
         .value = inside,
         .options = {required(wordOption("other", "Body or material that should be inside."))}},
        {.name = "pierced",
         .unit = "particles",
         .measures =
             "number of particles of another group that passed through triangles of cloth between two "
             "frames, so far",
         .value = pierced,
         .options =
             {wordOption("other", "Body or material that must not pass; all when omitted."),
              wordOption(
                  "class",
                  "Counts passive particles of this class instead of particles of a group: spray, foam, "
                  "bubble, smoke, or any.",
                  {"any", "spray", "foam", "bubble", "smoke"})},
         .everyFrame = true},
        {.name = "crossed",
         .unit = "links",
         .measures =
             "number of rope segments that passed through another segment between two frames, so far; "
             "both in the group",
         .value = crossed,
         .everyFrame = true},
        {.name = "pieces",
         .measures = "number of connected parts of cloth and ropes, joined by stretch springs and triangles",
         .value = pieces,
         .options = {numberOption("least", "Smallest part that counts [particles]; 1 when omitted.")}},
        {.name = "splits", .measures = "number of vertices that tearing has split so far", .value = splits},
        {.name = "non_manifold",
         .measures = "number of edges shared by more than two triangles of cloth, plus vertices, except held "
                     "ones, whose triangles are not connected by edges",
         .value = nonManifold},
    };
}

}  // namespace coalesce::measures
