#include "geometry/query/mesh_repair.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/disjoint_sets.h"
#include "geometry/math/vec3d.h"
#include "geometry/query/mesh_distance.h"

namespace coalesce {

namespace {

constexpr size_t kSamples = 4096;  // triangles at which the winding number is evaluated

// An edge of a triangle, between welded vertices.
struct Side {
    uint32_t low, high, triangle;
    bool forward;  // the triangle passes it from low to high
    bool sameEdge(const Side& other) const { return low == other.low && high == other.high; }
};

std::vector<Side> sidesOf(const std::vector<Triangle>& welded) {
    std::vector<Side> sides;
    sides.reserve(3 * welded.size());
    for (uint32_t t = 0; t < welded.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const uint32_t a = welded[t][k], b = welded[t][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), t, a < b});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    return sides;
}

// Calls visit(begin, end) for the sides of each edge.
template <class Visit>
void forEachEdge(const std::vector<Side>& sides, Visit&& visit) {
    for (size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
        while (end < sides.size() && sides[end].sameEdge(sides[begin])) ++end;
        visit(begin, end);
    }
}

// Of the tetrahedron between a triangle and a point.
double sixfoldVolume(const TriangleMesh& mesh, uint32_t t, const Vec3d& about) {
    const auto& [a, b, c] = mesh.triangles[t];
    return dot(toDouble(mesh.vertices[a]) - about,
               cross(toDouble(mesh.vertices[b]) - about, toDouble(mesh.vertices[c]) - about));
}

Vec3d areaVector(const TriangleMesh& mesh, uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3d p = toDouble(mesh.vertices[a]);
    return 0.5 * cross(toDouble(mesh.vertices[b]) - p, toDouble(mesh.vertices[c]) - p);
}

void removeUseless(TriangleMesh& mesh, MeshReport& report) {
    const std::vector<Triangle> welded = weldedTriangles(mesh);
    std::set<Triangle> known;
    std::vector<Triangle> kept;
    for (uint32_t t = 0; t < welded.size(); ++t) {
        Triangle key = welded[t];
        std::sort(key.begin(), key.end());
        if (key[0] == key[1] || key[1] == key[2])
            ++report.degenerate;
        else if (!known.insert(key).second)
            ++report.duplicates;
        else
            kept.push_back(mesh.triangles[t]);
    }
    mesh.triangles = std::move(kept);
}

// Pieces: triangles connected by edges of exactly two triangles.
class Orientation {
public:
    Orientation(TriangleMesh& mesh, MeshReport& report)
        : m_mesh(mesh), m_report(report), m_turned(mesh.triangles.size(), false) {
        findNeighbors();
        findPieces();
        for (const Piece& piece : m_pieces)
            if (piece.orientable && piece.turnedArea > piece.area - piece.turnedArea) turn(piece);
        turnInsideOut();
        apply();
    }

private:
    struct Piece {
        std::vector<uint32_t> triangles;
        double area = 0, turnedArea = 0;
        bool orientable = true;
        Vec3d rim{};         // sum of the ends of its open edges
        size_t rimEnds = 0;  // 0: closed
    };
    struct Neighbor {
        uint32_t triangle;
        bool agrees;  // passes the edge in the other direction
    };

    void findNeighbors() {
        m_neighbors.resize(m_mesh.triangles.size());
        const std::vector<Side> sides = sidesOf(weldedTriangles(m_mesh));
        forEachEdge(sides, [&](size_t begin, size_t end) {
            if (end - begin == 1) m_rim.push_back(sides[begin]);
            if (end - begin != 2) return;
            const Side &s = sides[begin], &t = sides[begin + 1];
            const bool agrees = s.forward != t.forward;
            m_neighbors[s.triangle].push_back({t.triangle, agrees});
            m_neighbors[t.triangle].push_back({s.triangle, agrees});
        });
    }
    void findPieces() {
        std::vector<bool> found(m_mesh.triangles.size());
        m_pieceOf.resize(found.size());
        for (uint32_t first = 0; first < found.size(); ++first) {
            if (found[first]) continue;
            Piece piece;
            piece.triangles.push_back(first);
            found[first] = true;
            for (size_t k = 0; k < piece.triangles.size(); ++k) {
                const uint32_t t = piece.triangles[k];
                const double area = length(areaVector(m_mesh, t));
                piece.area += area;
                piece.turnedArea += m_turned[t] ? area : 0;
                m_pieceOf[t] = uint32_t(m_pieces.size());
                for (const Neighbor& n : m_neighbors[t]) {
                    const bool turned = m_turned[t] != !n.agrees;
                    if (!found[n.triangle]) {
                        found[n.triangle] = true;
                        m_turned[n.triangle] = turned;
                        piece.triangles.push_back(n.triangle);
                    } else {
                        piece.orientable = piece.orientable && m_turned[n.triangle] == turned;
                    }
                }
            }
            if (!piece.orientable)
                for (const uint32_t t : piece.triangles) m_turned[t] = false;
            m_pieces.push_back(std::move(piece));
        }
        for (const Side& side : m_rim) {
            Piece& piece = m_pieces[m_pieceOf[side.triangle]];
            piece.rim += toDouble(m_mesh.vertices[side.low]) + toDouble(m_mesh.vertices[side.high]);
            piece.rimEnds += 2;
        }
    }
    void turn(const Piece& piece) {
        for (const uint32_t t : piece.triangles) m_turned[t] = !m_turned[t];
    }
    // Holes are closed by cones to the middle of their rims. Zero: too flat to tell.
    double volumeOfPiece(const Piece& piece) const {
        const Vec3d about = piece.rimEnds > 0
                                ? Vec3d(piece.rim / double(piece.rimEnds))
                                : toDouble(m_mesh.vertices[m_mesh.triangles[piece.triangles[0]][0]]);
        double sum = 0;
        for (const uint32_t t : piece.triangles)
            sum += (m_turned[t] ? -1 : 1) * sixfoldVolume(m_mesh, t, about);
        // a sphere has 0.094
        return std::abs(sum / 6) > 0.01 * std::pow(piece.area, 1.5) || piece.rimEnds == 0 ? sum / 6 : 0;
    }
    // A piece of negative volume is a cavity if it lies inside the others, else it is inside out.
    void turnInsideOut() {
        double all = 0;
        for (const Piece& piece : m_pieces) all += volumeOfPiece(piece);
        if (all < 0)
            for (const Piece& piece : m_pieces) turn(piece);
        for (const Piece& piece : m_pieces) {
            if (m_pieces.size() == 1 || !piece.orientable || volumeOfPiece(piece) >= 0) continue;
            const Vec3d p = toDouble(m_mesh.vertices[m_mesh.triangles[piece.triangles[0]][0]]);
            double winding = 0;
            for (const Piece& other : m_pieces)
                if (&other != &piece)
                    for (const uint32_t t : other.triangles)
                        winding += (m_turned[t] ? -1 : 1) * windingOf(m_mesh, t, p);
            if (winding < 0.5) turn(piece);
        }
    }
    static double windingOf(const TriangleMesh& mesh, uint32_t t, Vec3d p) {
        const auto& [a, b, c] = mesh.triangles[t];
        return windingNumberOf(toDouble(mesh.vertices[a]) - p, toDouble(mesh.vertices[b]) - p,
                               toDouble(mesh.vertices[c]) - p);
    }
    void apply() {
        for (uint32_t t = 0; t < m_turned.size(); ++t)
            if (m_turned[t]) std::swap(m_mesh.triangles[t][1], m_mesh.triangles[t][2]), ++m_report.flipped;
    }

    TriangleMesh& m_mesh;
    MeshReport& m_report;
    std::vector<bool> m_turned;
    std::vector<std::vector<Neighbor>> m_neighbors;
    std::vector<Piece> m_pieces;
    std::vector<uint32_t> m_pieceOf;  // by triangle
    std::vector<Side> m_rim;          // edges of one triangle; their ends are vertices of the welded mesh
};

void countPieces(const TriangleMesh& mesh, MeshReport& report) {
    const std::vector<Triangle> welded = weldedTriangles(mesh);
    DisjointSets solid(mesh.vertices.size()), rim(mesh.vertices.size());
    for (const Triangle& t : welded) solid.join(t[0], t[1]), solid.join(t[0], t[2]);
    std::set<uint32_t> components, holes, onRim;
    for (const Triangle& t : welded) components.insert(solid.find(t[0]));
    const std::vector<Side> sides = sidesOf(welded);
    forEachEdge(sides, [&](size_t begin, size_t end) {
        if (end - begin != 1) return;
        rim.join(sides[begin].low, sides[begin].high);
        onRim.insert(sides[begin].low);
    });
    for (const uint32_t v : onRim) holes.insert(rim.find(v));
    report.components = components.size(), report.holes = holes.size();
}

// Samples evenly in the order of the triangles.
double openShareOf(const TriangleMesh& mesh) {
    const MeshDistance distance(mesh);
    const Box box = boundsOf(mesh);
    const double away = 1e-4 * (toDouble(box.high) - toDouble(box.low)).maxCoeff();
    const size_t stride = std::max<size_t>(mesh.triangles.size() / kSamples, 1);
    double open = 0, all = 0;
    for (size_t t = 0; t < mesh.triangles.size(); t += stride) {
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3d n = areaVector(mesh, uint32_t(t));
        const Vec3d middle =
            (toDouble(mesh.vertices[a]) + toDouble(mesh.vertices[b]) + toDouble(mesh.vertices[c])) / 3;
        const double area = length(n);
        all += area;
        if (distance.windingNumber(middle - away * normalizeOr(n, {0, 1, 0})) < 0.75) open += area;
    }
    return all > 0 ? open / all : 1;
}

}  // namespace

TriangleMesh repairMesh(TriangleMesh mesh, MeshReport& report) {
    report = {};
    removeUseless(mesh, report);
    if (mesh.triangles.empty()) return mesh;
    Orientation(mesh, report);
    if (report.flipped > 0 && !mesh.normals.empty()) mesh.normals = smoothNormals(mesh);
    countPieces(mesh, report);
    report.closed = isClosed(mesh);
    report.volume = volumeOf(mesh);
    report.openShare = report.closed ? 0 : openShareOf(mesh);
    return mesh;
}

TriangleMesh coversOfRims(const TriangleMesh& mesh) {
    struct Edge {
        uint32_t from, to;  // as a triangle of the cover passes it
        int count;
    };
    std::vector<Edge> rims;
    DisjointSets sets(mesh.vertices.size());
    const std::vector<Side> sides = sidesOf(weldedTriangles(mesh));
    forEachEdge(sides, [&](size_t begin, size_t end) {
        int forward = 0;
        for (size_t k = begin; k < end; ++k) forward += sides[k].forward ? 1 : -1;
        const auto [low, high, triangle, first] = sides[begin];
        if (forward == 0 || low == high) return;
        rims.push_back(forward > 0 ? Edge{high, low, forward} : Edge{low, high, -forward});
        sets.join(low, high);
    });
    struct Middle {
        Vec3d sum{};
        size_t ends = 0;
        uint32_t tip = 0;  // vertex of the cover
    };
    std::map<uint32_t, Middle> middles;  // by root
    for (const Edge& edge : rims) {
        Middle& middle = middles[sets.find(edge.from)];
        middle.sum += toDouble(mesh.vertices[edge.from]) + toDouble(mesh.vertices[edge.to]);
        middle.ends += 2;
    }
    TriangleMesh covers;
    for (auto& [root, middle] : middles) {
        middle.tip = uint32_t(covers.vertices.size());
        covers.vertices.push_back(toFloat(middle.sum / double(middle.ends)));
    }
    for (const Edge& edge : rims) {
        const auto first = uint32_t(covers.vertices.size());
        covers.vertices.push_back(mesh.vertices[edge.from]);
        covers.vertices.push_back(mesh.vertices[edge.to]);
        for (int k = 0; k < edge.count; ++k)
            covers.triangles.push_back({first, first + 1, middles[sets.find(edge.from)].tip});
    }
    return covers;
}

std::string describe(const MeshReport& report) {
    std::vector<std::string> parts;
    const auto count = [&](size_t n, const char* one, const char* many, const char* what) {
        if (n > 0) parts.push_back(fmt::format("{} {} {}", n, n == 1 ? one : many, what));
    };
    count(report.degenerate, "triangle", "triangles", "without area removed");
    count(report.duplicates, "duplicate triangle", "duplicate triangles", "removed");
    count(report.flipped, "triangle", "triangles", "flipped");
    if (report.holes > 0)
        parts.push_back(fmt::format("{} {}, no inside behind {:.3g} % of its area", report.holes,
                                    report.holes == 1 ? "hole" : "holes", 100 * report.openShare));
    else if (!report.closed)
        parts.push_back(
            fmt::format("not closed, no inside behind {:.3g} % of its area", 100 * report.openShare));
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace coalesce
