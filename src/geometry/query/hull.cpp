#include "geometry/query/hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "core/error.h"
#include "geometry/math/vec3d.h"

namespace coalesce {

namespace {

// All computations are in the unit cube: points are scaled to [-1, 1] along each axis first, so that thin
// bodies are as accurate as round ones. Scaling preserves convexity.
constexpr double kInside = 1e-6;  // tolerance: points closer to a face count as inside
constexpr double kCoplanar = 1e-5;

struct Plane {
    Vec3d normal;  // unit, outward
    double offset = 0;
    double distance(Vec3d p) const { return dot(normal, p) - offset; }
};

struct Face {
    std::array<int, 3> corners;    // indices of points, counterclockwise seen from outside
    std::array<int, 3> neighbors;  // across the edge that starts at the corner
    Plane plane;
    std::vector<int> outside;  // points in front of the face; each point is assigned to one face
    bool alive = true;
};

class Quickhull {
public:
    explicit Quickhull(std::span<const Vec3d> points) : m_points(points) {}

    // false: the points are coplanar
    bool run() {
        if (!firstTetrahedron()) return false;
        for (size_t f = 0; f < faces.size(); ++f)
            while (faces[f].alive && !faces[f].outside.empty()) addFarthest(static_cast<int>(f));
        faces.erase(std::remove_if(faces.begin(), faces.end(), [](const Face& f) { return !f.alive; }),
                    faces.end());
        return true;
    }

    std::vector<Face> faces;  // neighbors are invalid after run()

private:
    Plane planeThrough(int a, int b, int c) const {
        const Vec3d n = normalizeOr(cross(m_points[b] - m_points[a], m_points[c] - m_points[a]), {});
        return {n, dot(n, (1.0 / 3) * (m_points[a] + m_points[b] + m_points[c]))};
    }

    template <class Measure>
    int farthest(Measure measure) const {
        int best = 0;
        for (int i = 1; i < static_cast<int>(m_points.size()); ++i)
            if (measure(m_points[i]) > measure(m_points[best])) best = i;
        return best;
    }

    bool firstTetrahedron() {
        constexpr double kFlat = 1e-5;
        int c[4];
        c[0] = farthest([](Vec3d p) { return p.x(); });
        c[1] = farthest([&](Vec3d p) { return length(p - m_points[c[0]]); });
        const Vec3d line = normalizeOr(m_points[c[1]] - m_points[c[0]], {});
        c[2] = farthest([&](Vec3d p) { return length(cross(p - m_points[c[0]], line)); });
        const Plane base = planeThrough(c[0], c[1], c[2]);
        c[3] = farthest([&](Vec3d p) { return std::abs(base.distance(p)); });
        if (!(std::abs(base.distance(m_points[c[3]])) > kFlat)) return false;
        if (base.distance(m_points[c[3]]) > 0) std::swap(c[1], c[2]);
        const std::array<int, 3> sides[] = {
            {c[0], c[1], c[2]}, {c[0], c[3], c[1]}, {c[1], c[3], c[2]}, {c[2], c[3], c[0]}};
        for (const auto& side : sides)
            faces.push_back({side, {}, planeThrough(side[0], side[1], side[2]), {}, true});
        for (int f = 0; f < 4; ++f)
            for (int k = 0; k < 3; ++k)
                for (int g = 0; g < 4; ++g)
                    for (int j = 0; j < 3; ++j)
                        if (faces[g].corners[j] == sides[f][(k + 1) % 3] &&
                            faces[g].corners[(j + 1) % 3] == sides[f][k])
                            faces[f].neighbors[k] = g;
        for (int i = 0; i < static_cast<int>(m_points.size()); ++i) assign(i, 0);
        return true;
    }

    // Assigns an outside point to the face farthest from it, among faces from `first` on.
    void assign(int point, size_t first) {
        double most = kInside;
        Face* owner = nullptr;
        for (size_t f = first; f < faces.size(); ++f) {
            const double distance = faces[f].plane.distance(m_points[point]);
            if (distance > most) most = distance, owner = &faces[f];
        }
        if (owner) owner->outside.push_back(point);
    }

    void addFarthest(int f) {
        const auto far =
            std::max_element(faces[f].outside.begin(), faces[f].outside.end(), [&](int a, int b) {
                return faces[f].plane.distance(m_points[a]) < faces[f].plane.distance(m_points[b]);
            });
        const int apex = *far;

        // the faces visible from the point, and their boundary edges
        std::vector<int> seen{f};
        std::vector<char> isSeen(faces.size(), 0);
        isSeen[f] = 1;
        struct Edge {
            int from, to, beyond;  // beyond: the face behind the horizon
        };
        std::vector<Edge> horizon;
        for (size_t k = 0; k < seen.size(); ++k)
            for (int e = 0; e < 3; ++e) {
                const int g = faces[seen[k]].neighbors[e];
                if (isSeen[g]) continue;
                if (faces[g].plane.distance(m_points[apex]) > 0) isSeen[g] = 1, seen.push_back(g);
            }
        for (const int s : seen)
            for (int e = 0; e < 3; ++e)
                if (const int g = faces[s].neighbors[e]; !isSeen[g])
                    horizon.push_back({faces[s].corners[e], faces[s].corners[(e + 1) % 3], g});

        // the horizon must be one closed loop; if rounding breaks it, skip the point
        std::map<int, size_t> edgeFrom;
        for (size_t k = 0; k < horizon.size(); ++k) edgeFrom[horizon[k].from] = k;
        size_t length = 0;
        for (int at = horizon.empty() ? -1 : horizon[0].from; length < horizon.size();) {
            const auto edge = edgeFrom.find(at);
            if (edge == edgeFrom.end()) break;
            at = horizon[edge->second].to;
            ++length;
            if (at == horizon[0].from) break;
        }
        if (length < 3 || length != horizon.size() || edgeFrom.size() != horizon.size()) {
            faces[f].outside.erase(far);
            return;
        }

        const size_t first = faces.size();
        std::map<int, int> faceFrom, faceTo;  // new faces by the ends of their horizon edge
        for (const Edge& edge : horizon) {
            const int fresh = static_cast<int>(faces.size());
            faces.push_back({{edge.from, edge.to, apex},
                             {edge.beyond, -1, -1},
                             planeThrough(edge.from, edge.to, apex),
                             {},
                             true});
            faceFrom[edge.from] = faceTo[edge.to] = fresh;
            Face& stays = faces[edge.beyond];
            for (int e = 0; e < 3; ++e)
                if (stays.corners[e] == edge.to && stays.corners[(e + 1) % 3] == edge.from)
                    stays.neighbors[e] = fresh;
        }
        for (size_t k = first; k < faces.size(); ++k) {
            faces[k].neighbors[1] = faceFrom.at(faces[k].corners[1]);
            faces[k].neighbors[2] = faceTo.at(faces[k].corners[0]);
        }
        for (const int s : seen) {
            faces[s].alive = false;
            for (const int point : faces[s].outside)
                if (point != apex) assign(point, first);
            faces[s].outside = {};
        }
    }

    std::span<const Vec3d> m_points;
};

// The planes of the hull, largest faces first, merged if coplanar; each shifted to touch the outermost point.
std::optional<std::vector<Plane>> hullPlanes(std::span<const Vec3d> points) {
    Quickhull hull(points);
    if (!hull.run()) return std::nullopt;
    std::vector<int> corners;
    std::vector<std::pair<double, size_t>> order;
    for (size_t f = 0; f < hull.faces.size(); ++f) {
        const auto& [a, b, c] = hull.faces[f].corners;
        corners.insert(corners.end(), {a, b, c});
        order.push_back({-length(cross(points[b] - points[a], points[c] - points[a])), f});
    }
    std::sort(order.begin(), order.end());
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    std::vector<Plane> planes;
    for (const auto& [area, f] : order) {
        const Face& face = hull.faces[f];
        if (length(face.plane.normal) < 0.5) continue;  // degenerate face
        const bool known = std::any_of(planes.begin(), planes.end(), [&](const Plane& plane) {
            return dot(plane.normal, face.plane.normal) > 0.9 &&
                   std::all_of(face.corners.begin(), face.corners.end(),
                               [&](int c) { return std::abs(plane.distance(points[c])) < kCoplanar; });
        });
        if (known) continue;
        Plane plane = face.plane;
        for (const int c : corners) plane.offset = std::max(plane.offset, dot(plane.normal, points[c]));
        planes.push_back(plane);
    }
    return planes;
}

// The polytope enclosed by planes, by duality: a plane n · x = w about an inner point is the point n / w of
// the dual polytope, and each face of the dual hull is a corner.
struct Polytope {
    std::vector<Vec3d> corners;
    std::vector<std::vector<int>> sides;  // corners of each plane, counterclockwise; empty: no face
};

Polytope polytopeOf(std::span<const Plane> planes, Vec3d inner) {
    std::vector<Vec3d> dual;
    for (const Plane& plane : planes) dual.push_back((1 / -plane.distance(inner)) * plane.normal);
    Quickhull hull(dual);
    CHECK(hull.run());
    Polytope polytope;
    std::vector<int> cornerOf;
    for (const Face& face : hull.faces) {
        const Vec3d corner = inner + (1 / face.plane.offset) * face.plane.normal;
        // where more than three planes meet, several dual faces give the same corner
        const auto same = std::find_if(polytope.corners.begin(), polytope.corners.end(),
                                       [&](Vec3d c) { return length(c - corner) < kCoplanar; });
        cornerOf.push_back(static_cast<int>(same - polytope.corners.begin()));
        if (same == polytope.corners.end()) polytope.corners.push_back(corner);
    }
    polytope.sides.resize(planes.size());
    for (size_t p = 0; p < planes.size(); ++p) {
        // the dual faces around the plane's point, linked in order
        std::map<int, std::pair<int, int>> round;  // previous corner: {next corner, face}
        for (size_t f = 0; f < hull.faces.size(); ++f)
            for (int k = 0; k < 3; ++k)
                if (hull.faces[f].corners[k] == static_cast<int>(p))
                    round[hull.faces[f].corners[(k + 1) % 3]] = {hull.faces[f].corners[(k + 2) % 3],
                                                                 static_cast<int>(f)};
        std::vector<int>& side = polytope.sides[p];
        if (round.empty()) continue;
        int at = round.begin()->first;
        for (size_t k = 0; k < round.size() && round.count(at); ++k) {
            const auto [next, face] = round[at];
            if (side.empty() || side.back() != cornerOf[face]) side.push_back(cornerOf[face]);
            at = next;
        }
        while (side.size() > 1 && side.front() == side.back()) side.pop_back();
        if (side.size() < 3) side.clear();
    }
    return polytope;
}

// Selects planes greedily: starts with the cube, then repeatedly cuts the corner that protrudes most.
std::vector<Plane> mostNeeded(const std::vector<Plane>& all, int count, Vec3d inner) {
    std::vector<Plane> kept;
    for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
        for (const double sign : {-1.0, 1.0}) kept.push_back({sign * axis, 1});
    while (static_cast<int>(kept.size()) < count) {
        double furthest = kCoplanar;
        const Plane* cut = nullptr;
        for (const Vec3d& corner : polytopeOf(kept, inner).corners)
            for (const Plane& plane : all)
                if (const double distance = plane.distance(corner); distance > furthest)
                    furthest = distance, cut = &plane;
        if (!cut) break;
        kept.push_back(*cut);
    }
    return kept;
}

}  // namespace

ConvexHull convexHull(std::span<const Vec3> points, int maxPlanes, const std::string& where) {
    CHECK_LE(6, maxPlanes);
    for (const Vec3& p : points)
        if (!isFinite(p)) fail(Exit::Scene, where, "a convex hull of points that are not finite");
    if (points.size() < 4) fail(Exit::Scene, where, "a convex hull needs at least four points");

    // scale to the unit cube
    Vec3d low = toDouble(points[0]), high = low;
    for (const Vec3& p : points) low = low.cwiseMin(toDouble(p)), high = high.cwiseMax(toDouble(p));
    const Vec3d middle = 0.5 * (low + high), half = 0.5 * (high - low);
    const auto flat = [&]() {
        fail(Exit::Scene, where, "the points lie in a plane and have no convex hull",
             "Give them some thickness.");
    };
    if (!(half.minCoeff() > 1e-6 * half.maxCoeff())) flat();
    std::vector<Vec3d> unit;
    for (const Vec3& p : points) unit.push_back((toDouble(p) - middle).cwiseQuotient(half));

    auto planes = hullPlanes(unit);
    if (!planes) flat();
    // an inner point: the mean over all planes of the centroid of the points on the plane
    Vec3d inner;
    for (const Plane& plane : *planes) {
        Vec3d sum;
        double touching = 0;
        for (const Vec3d& p : unit)
            if (plane.distance(p) > -kCoplanar) sum = sum + p, ++touching;
        inner = inner + (1 / (touching * static_cast<double>(planes->size()))) * sum;
    }
    if (static_cast<int>(planes->size()) > maxPlanes) *planes = mostNeeded(*planes, maxPlanes, inner);
    const Polytope polytope = polytopeOf(*planes, inner);

    // scale back
    ConvexHull hull;
    for (size_t p = 0; p < planes->size(); ++p) {
        const std::vector<int>& side = polytope.sides[p];
        if (side.empty()) continue;
        const Vec3 normal = toFloat(normalizeOr((*planes)[p].normal.cwiseQuotient(half), {0, 1, 0}));
        double offset = -std::numeric_limits<double>::max();
        for (const Vec3& point : points) offset = std::max(offset, dot(toDouble(normal), toDouble(point)));
        const float above = std::nextafter(static_cast<float>(offset), std::numeric_limits<float>::max());
        hull.planes.push_back(vec4(normal, above));
        const uint32_t first = static_cast<uint32_t>(hull.mesh.vertices.size());
        for (const int corner : side) {
            hull.mesh.vertices.push_back(toFloat(middle + half.cwiseProduct(polytope.corners[corner])));
            hull.mesh.normals.push_back(normal);
        }
        for (uint32_t k = 1; k + 1 < side.size(); ++k)
            hull.mesh.triangles.push_back({first, first + k, first + k + 1});
    }
    return hull;
}

}  // namespace coalesce
