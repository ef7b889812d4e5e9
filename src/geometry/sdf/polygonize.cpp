#include "geometry/sdf/polygonize.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace coalesce {

namespace {

constexpr int kCorners = 8, kEdges = 12;

// Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2). Edge e runs along axis e / 4 from its lower corner.
constexpr int lowerCorner(int edge) {
    const int axis = edge / 4, a = (axis + 1) % 3, b = (axis + 2) % 3;
    return (edge & 1) << a | (edge >> 1 & 1) << b;
}
constexpr int edgeBetween(int c0, int c1) {
    const int bit = c0 ^ c1, axis = bit >> 1, low = c0 & ~bit;
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    return 4 * axis + (low >> a & 1) + 2 * (low >> b & 1);
}

// The four corners of a face, counterclockwise seen from outside the cell.
constexpr std::array<int, 4> faceCorners(int face) {
    const int axis = face / 2, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3, high = (face & 1) << axis;
    return face & 1 ? std::array{high, high | a, high | a | b, high | b} : std::array{0, b, a | b, a};
}

constexpr bool shareFace(int e0, int e1) {
    for (int face = 0; face < 6; ++face) {
        int found = 0;
        const auto corners = faceCorners(face);
        for (int k = 0; k < 4; ++k) {
            const int e = edgeBetween(corners[k], corners[(k + 1) % 4]);
            found += (e == e0) + (e == e1);
        }
        if (found == 2) return true;
    }
    return false;
}

// The loops of a cell, each a list of edges, counterclockwise seen from outside the surface.
struct Loops {
    int count = 0;
    std::array<int, 4> size{};
    std::array<std::array<int8_t, 12>, 4> edges{};
};

constexpr Loops loopsOf(int inside) {
    std::array<int, kEdges> next{};
    for (int& e : next) e = -1;
    for (int face = 0; face < 6; ++face) {
        const auto corners = faceCorners(face);
        const auto in = [&](int k) { return (inside >> corners[k % 4] & 1) != 0; };
        for (int k = 0; k < 4; ++k) {
            if (in(k) || !in(k + 1)) continue;
            // a run of inside corners begins at k + 1: connect its entry edge to its exit edge
            int last = k + 1;
            while (in(last + 1)) ++last;
            next[edgeBetween(corners[k], corners[(k + 1) % 4])] =
                edgeBetween(corners[last % 4], corners[(last + 1) % 4]);
        }
    }
    Loops loops;
    for (int start = 0; start < kEdges; ++start) {
        if (next[start] < 0) continue;
        int size = 0;
        for (int e = start; next[e] >= 0;) {
            loops.edges[loops.count][size++] = static_cast<int8_t>(e);
            const int following = next[e];
            next[e] = -1;
            e = following;
        }
        loops.size[loops.count++] = size;
    }
    return loops;
}

const std::array<Loops, 256>& loopTable() {
    static const auto table = [] {
        std::array<Loops, 256> all;
        for (int inside = 0; inside < 256; ++inside) all[inside] = loopsOf(inside);
        return all;
    }();
    return table;
}

class Polygonizer {
public:
    Polygonizer(const Implicit& f, Box3d bounds, const PolygonizeChoices& choices)
        : m_f(f),
          m_choices(choices),
          m_crease(choices.crease > 0 ? std::cos(choices.crease * 3.14159265358979 / 180) : 1) {
        const Vec3d size = bounds.size();
        const double extent[] = {size.x(), size.y(), size.z()};
        double step[3];
        double cells = 1;
        for (int k = 0; k < 3; ++k) {
            // an integer number of steps plus a half: faces of the bounds are a quarter step from grid
            // corners
            const double whole = std::max(1.0, std::ceil(extent[k] / choices.cell - 0.5));
            cells *= whole + 4;
            if (!(cells < 0x1p27))
                fail(Exit::Scene, choices.where, "the triangles of a shape need more than 2^27 cells",
                     "Make the shape less thin, or its cells coarser.");
            step[k] = extent[k] / (whole + 0.5);
            m_n[k] = static_cast<int>(whole) + 5;
        }
        m_step = {step[0], step[1], step[2]};
        m_low = bounds.center() -
                Vec3d{(m_n[0] - 1) / 2.0, (m_n[1] - 1) / 2.0, (m_n[2] - 1) / 2.0}.cwiseProduct(m_step);
    }

    TriangleMesh run() {
        evaluateCorners();
        findCrossings();
        buildPatches();
        if (creased()) {
            flipToFeatures();
            splitNormals();
        }
        TriangleMesh mesh;
        for (const Vec3d& p : m_points) mesh.vertices.push_back(toFloat(p));
        if (m_choices.normals)
            for (const Vec3d& n : m_normals) mesh.normals.push_back(toFloat(n));
        mesh.triangles = std::move(m_triangles);
        // features of adjacent cells may coincide; remove the degenerate triangles between them
        std::erase_if(mesh.triangles, [&](const Triangle& t) {
            const auto &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
            return a == b || b == c || c == a;
        });
        return mesh;
    }

private:
    size_t node(int x, int y, int z) const { return (static_cast<size_t>(z) * m_n[1] + y) * m_n[0] + x; }
    Vec3d position(int x, int y, int z) const {
        return m_low + Vec3d{double(x), double(y), double(z)}.cwiseProduct(m_step);
    }

    void evaluateCorners() {
        m_values.resize(node(0, 0, m_n[2]));
        parallelFor(0, m_n[2], [&](int z) {
            for (int y = 0; y < m_n[1]; ++y)
                for (int x = 0; x < m_n[0]; ++x) {
                    // the grid boundary counts as outside, so that the surface is closed
                    const bool rim =
                        x == 0 || y == 0 || z == 0 || x == m_n[0] - 1 || y == m_n[1] - 1 || z == m_n[2] - 1;
                    const double value = m_f(position(x, y, z));
                    m_values[node(x, y, z)] = rim ? std::max(value, 0.0) : value;
                }
        });
    }

    bool inside(size_t n) const { return m_values[n] < 0; }

    // Computes a point on every grid edge that the surface crosses.
    void findCrossings() {
        struct Crossing {
            int x, y, z, axis;
        };
        std::vector<Crossing> crossings;
        m_pointOf.assign(3 * m_values.size(), -1);
        for (int z = 0; z < m_n[2]; ++z)
            for (int y = 0; y < m_n[1]; ++y)
                for (int x = 0; x < m_n[0]; ++x)
                    for (int axis = 0; axis < 3; ++axis) {
                        const int end[] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
                        if (end[axis] == m_n[axis]) continue;
                        if (inside(node(x, y, z)) == inside(node(end[0], end[1], end[2]))) continue;
                        m_pointOf[3 * node(x, y, z) + axis] = static_cast<int>(crossings.size());
                        crossings.push_back({x, y, z, axis});
                    }
        m_points.resize(crossings.size());
        m_normals.resize(crossings.size());
        parallelFor(size_t{0}, crossings.size(), [&](size_t i) {
            const auto [x, y, z, axis] = crossings[i];
            Vec3d a = position(x, y, z), b = position(x + (axis == 0), y + (axis == 1), z + (axis == 2));
            double fa = m_values[node(x, y, z)],
                   fb = m_values[node(x + (axis == 0), y + (axis == 1), z + (axis == 2))];
            if (fa > fb) std::swap(a, b), std::swap(fa, fb);  // a is inside
            m_points[i] = root(a, fa, b, fb);
            if (!m_choices.normals) return;
            const double h = 1e-4 * m_step.minCoeff();
            m_normals[i] = normalizeOr(implicitGradient(m_f, m_points[i], h), normalizeOr(b - a, {0, 1, 0}));
        });
    }

    // Regula falsi, Illinois variant. The result stays away from the ends, so that no two points of a cell
    // coincide.
    Vec3d root(Vec3d a, double fa, Vec3d b, double fb) const {
        const double tolerance = 1e-9 * length(b - a);
        double low = 0, high = 1, t = 0.5;
        int side = 0;
        for (int k = 0; k < 24 && high - low > m_choices.precision; ++k) {
            t = fb > fa ? (low * fb - high * fa) / (fb - fa) : 0.5 * (low + high);
            // bisect where f is far from linear, as at a jump
            if (k % 3 == 2 || !(t > low && t < high)) t = 0.5 * (low + high);
            const double value = m_f(a + t * (b - a));
            if (std::abs(value) < tolerance) break;
            if (value < 0) {
                low = t, fa = value;
                if (side == -1) fb /= 2;
                side = -1;
            } else {
                high = t, fb = value;
                if (side == 1) fa /= 2;
                side = 1;
            }
        }
        return a + std::clamp(t, 0.02, 0.98) * (b - a);
    }

    void buildPatches() {
        for (int z = 0; z + 1 < m_n[2]; ++z)
            for (int y = 0; y + 1 < m_n[1]; ++y)
                for (int x = 0; x + 1 < m_n[0]; ++x) {
                    int bits = 0;
                    for (int c = 0; c < kCorners; ++c)
                        bits |= inside(node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))) << c;
                    if (bits == 0 || bits == 255) continue;
                    const Loops& loops = loopTable()[bits];
                    for (int l = 0; l < loops.count; ++l) {
                        const std::span<const int8_t> edges(loops.edges[l].data(), loops.size[l]);
                        std::array<uint32_t, 12> points{};
                        for (size_t k = 0; k < edges.size(); ++k) {
                            const int c = lowerCorner(edges[k]);
                            const size_t from = node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                            points[k] = static_cast<uint32_t>(m_pointOf[3 * from + edges[k] / 4]);
                        }
                        addPatch(edges, {points.data(), edges.size()}, position(x, y, z));
                    }
                }
    }

    void addPatch(std::span<const int8_t> edges, std::span<const uint32_t> points, Vec3d cellLow) {
        const size_t n = points.size();
        if (creased() && spreads(points)) {
            fan(addFeature(points, cellLow), points);
            return;
        }
        // a fan from one of its points, if no inner edge joins two points of one face
        for (size_t first = 0; first < n; ++first) {
            bool good = true;
            for (size_t k = 2; k + 1 < n; ++k) good &= !shareFace(edges[first], edges[(first + k) % n]);
            if (!good) continue;
            for (size_t k = 1; k + 1 < n; ++k)
                m_triangles.push_back({points[first], points[(first + k) % n], points[(first + k + 1) % n]});
            return;
        }
        // else a fan from its centroid
        Vec3d middle, normal;
        for (const uint32_t p : points) middle = middle + m_points[p], normal = normal + m_normals[p];
        m_points.push_back((1.0 / n) * middle);
        m_normals.push_back(normalizeOr(normal, {0, 1, 0}));
        fan(static_cast<uint32_t>(m_points.size() - 1), points);
    }

    void fan(uint32_t apex, std::span<const uint32_t> points) {
        for (size_t k = 0; k < points.size(); ++k)
            m_triangles.push_back({apex, points[k], points[(k + 1) % points.size()]});
    }

    bool creased() const { return m_crease < 1; }

    bool spreads(std::span<const uint32_t> points) const {
        for (size_t i = 0; i < points.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                if (dot(m_normals[points[i]], m_normals[points[j]]) < m_crease) return true;
        return false;
    }

    // min Σ (n_k · (x - p_k))², relative to the centroid, only in directions determined by the normals
    uint32_t addFeature(std::span<const uint32_t> points, Vec3d cellLow) {
        Vec3d middle, normal;
        for (const uint32_t p : points) middle = middle + (1.0 / points.size()) * m_points[p];
        Eigen::Matrix3d a;
        Vec3d b;
        for (const uint32_t p : points) {
            const Vec3d n = m_normals[p];
            a += n * n.transpose();
            b = b + dot(n, m_points[p] - middle) * n;
            normal = normal + n;
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(a);  // values ascend
        const Vec3d& values = eigen.eigenvalues();
        // two normals at the crease angle have eigenvalues 1 ± cos; threshold at half of that
        const double least = 0.5 * (1 - m_crease) / (1 + m_crease) * values[2];
        // the intersection of `rank` planes, if it is at most `slack` cells outside the cell
        const auto meeting = [&](int rank, double slack, Vec3d& x) {
            Vec3d point = middle;
            for (int k = 3 - rank; k < 3; ++k)
                if (values[k] > least) {
                    const Vec3d direction = eigen.eigenvectors().col(k);
                    point += (dot(direction, b) / values[k]) * direction;
                }
            const Vec3d low = cellLow - slack * m_step, high = cellLow + (1 + slack) * m_step;
            if ((point.array() < low.array()).any() || (point.array() > high.array()).any()) return false;
            x = point;
            return true;
        };
        // a corner must lie in its cell; edges may exceed it slightly, which keeps them straight
        Vec3d x = middle;
        if (!meeting(3, values[0] > least ? 0 : 0.5, x)) meeting(2, 0.5, x);
        // many planes do not meet in one point: project back onto the surface
        const double h = 1e-4 * m_step.minCoeff();
        for (int k = 0; k < 3; ++k) {
            const Vec3d g = implicitGradient(m_f, x, h);
            x = x - (m_f(x) / std::max(dot(g, g), 0.25)) * g;
        }
        m_points.push_back(x);
        m_normals.push_back(normalizeOr(normal, {0, 1, 0}));
        m_feature.resize(m_points.size());
        m_feature.back() = true;
        return static_cast<uint32_t>(m_points.size() - 1);
    }

    bool isFeature(uint32_t p) const { return p < m_feature.size() && m_feature[p]; }

    // Flips edges between two patches with features to connect the features along the sharp edge.
    void flipToFeatures() {
        struct Side {
            uint32_t low, high, triangle;
        };
        std::vector<Side> sides;
        for (uint32_t t = 0; t < m_triangles.size(); ++t) {
            const auto& [f, a, b] = m_triangles[t];
            if (isFeature(f)) sides.push_back({std::min(a, b), std::max(a, b), t});
        }
        std::sort(sides.begin(), sides.end(), [](const Side& l, const Side& r) {
            return std::tie(l.low, l.high, l.triangle) < std::tie(r.low, r.high, r.triangle);
        });
        std::set<std::pair<uint32_t, uint32_t>> joined;
        for (size_t k = 0; k + 1 < sides.size(); ++k) {
            if (sides[k].low != sides[k + 1].low || sides[k].high != sides[k + 1].high) continue;
            Triangle &s = m_triangles[sides[k].triangle], &t = m_triangles[sides[k + 1].triangle];
            const uint32_t f = s[0], g = t[0], a = s[1], b = s[2];
            // two patches that share two edges are connected once
            if (f == g || !joined.insert(std::minmax(f, g)).second) continue;
            s = {f, a, g};
            t = {g, b, f};
        }
    }

    // Splits feature points into one vertex per adjacent side, with the normal of that side.
    void splitNormals() {
        struct Side {
            Vec3d normal;
            uint32_t vertex;
        };
        std::map<uint32_t, std::vector<Side>> sidesOf;
        for (Triangle& t : m_triangles) {
            // a side is identified by the mean normal of the non-feature points of the triangle
            Vec3d normal;
            for (const uint32_t p : t)
                if (!isFeature(p)) normal = normal + m_normals[p];
            normal = normalizeOr(normal, {0, 1, 0});
            for (uint32_t& p : t) {
                if (!isFeature(p)) continue;
                auto& sides = sidesOf[p];
                auto side = std::find_if(sides.begin(), sides.end(),
                                         [&](const Side& s) { return dot(s.normal, normal) > m_crease; });
                if (side == sides.end()) {
                    uint32_t vertex = p;
                    if (!sides.empty()) {
                        vertex = static_cast<uint32_t>(m_points.size());
                        m_points.push_back(Vec3d(m_points[p]));
                        m_normals.push_back(normal);
                    }
                    m_normals[vertex] = normal;
                    side = sides.insert(sides.end(), {normal, vertex});
                }
                p = side->vertex;
            }
        }
    }

    const Implicit& m_f;
    PolygonizeChoices m_choices;
    double m_crease;  // cosine of the crease angle; 1: no creases
    int m_n[3];       // nodes
    Vec3d m_low, m_step;
    std::vector<double> m_values;
    std::vector<int> m_pointOf;  // by node and axis: point on the edge from the node; -1: none
    std::vector<Vec3d> m_points, m_normals;
    std::vector<Triangle> m_triangles;
    std::vector<bool> m_feature;
};

}  // namespace

TriangleMesh polygonize(const Implicit& f, Box3d bounds, const PolygonizeChoices& choices) {
    return Polygonizer(f, bounds, choices).run();
}

}  // namespace coalesce
