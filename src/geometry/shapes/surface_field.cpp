#include "geometry/shapes/surface_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/math/vec3d.h"
#include "geometry/query/mesh_distance.h"
#include "kernels/search/bvh.h"

namespace coalesce {

namespace {

constexpr uint32_t kNone = 0xffffffffu;  // no source
constexpr int kSlab = 4;                 // layers of nodes that one task writes
constexpr int kBlock =
    4;  // [cells] edge of the blocks of which only the corners' winding numbers are evaluated

// Where the surface is closest: the index of a triangle; from the
// number of triangles on, of a hole of the mesh.
using Source = uint32_t;

class SurfaceFieldBuilder {
public:
    SurfaceFieldBuilder(const TriangleMesh& mesh, const SurfaceFieldSpec& spec, DistanceVolume grid)
        : m_mesh(mesh), m_spec(spec), m_v(std::move(grid)), m_nodes(m_v.distance.size()) {
        m_n = {m_v.nx, m_v.ny, m_v.nz};
        m_stride = {1, size_t(m_v.nx), size_t(m_v.nx) * m_v.ny};
        m_source.resize(m_nodes, kNone);
        m_squared.resize(m_nodes, std::numeric_limits<double>::max());
        m_inside.resize(m_nodes, 0);
        m_triangles.reserve(mesh.triangles.size());
        for (const auto& [a, b, c] : mesh.triangles)
            m_triangles.push_back(
                {toDouble(mesh.vertices[a]), toDouble(mesh.vertices[b]), toDouble(mesh.vertices[c])});
    }

    SurfaceField run(std::span<const Vec3> before) {
        sortIntoSlabs();
        measureNearTriangles();
        if (!m_spec.shell) {
            if (m_spec.closed)
                signByCrossings();
            else
                signByWindingNumbers();
            keepSources();
        }
        spread();
        SurfaceField field;
        if (!before.empty()) field.motion = motionFrom(before);
        parallelFor(size_t(0), m_nodes, [&](size_t k) {
            m_v.distance[k] = float((m_inside[k] ? -1 : 1) * std::sqrt(m_squared[k]) - m_spec.offset);
        });
        field.volume = std::move(m_v);
        return field;
    }

private:
    using Corners = std::array<Vec3d, 3>;
    // A point half-way across a hole, and the triangle closest to it.
    struct Hole {
        Vec3d point;
        uint32_t triangle;
    };
    size_t node(int x, int y, int z) const { return (size_t(z) * m_v.ny + y) * m_v.nx + x; }
    std::array<int, 3> placeOf(size_t k) const {
        const auto row = uint32_t(k) / uint32_t(m_v.nx);
        return {int(uint32_t(k) - row * uint32_t(m_v.nx)), int(row % uint32_t(m_v.ny)),
                int(row / uint32_t(m_v.ny))};
    }
    double coordinate(int axis, int index) const {
        const float origin[] = {m_v.origin.x, m_v.origin.y, m_v.origin.z};
        return double(origin[axis]) + double(m_v.cell) * index;
    }
    Vec3d position(int x, int y, int z) const {
        return {coordinate(0, x), coordinate(1, y), coordinate(2, z)};
    }
    Vec3d position(size_t k) const {
        const auto [x, y, z] = placeOf(k);
        return position(x, y, z);
    }
    // The nodes between two coordinates.
    std::pair<int, int> range(int axis, double low, double high) const {
        const double first = std::ceil((low - coordinate(axis, 0)) / m_v.cell),
                     last = std::floor((high - coordinate(axis, 0)) / m_v.cell);
        return {int(std::max(first, 0.0)), int(std::min(last, m_n[axis] - 1.0))};
    }

    // Triangles by the slabs of layers in z that are within a cell of them.
    void sortIntoSlabs() {
        m_slabs.resize((m_v.nz + kSlab - 1) / kSlab);
        for (uint32_t t = 0; t < m_mesh.triangles.size(); ++t) {
            const auto& [a, b, c] = m_triangles[t];
            const auto [first, last] = range(2, std::min({a.z(), b.z(), c.z()}) - m_v.cell,
                                             std::max({a.z(), b.z(), c.z()}) + m_v.cell);
            for (int slab = first / kSlab; slab <= last / kSlab && first <= last; ++slab)
                m_slabs[slab].push_back(t);
        }
    }
    // Calls visit(triangle, first layer, last layer) for each slab in turn; slabs in parallel.
    template <class Visit>
    void forEachTriangle(Visit&& visit) {
        parallelFor(size_t(0), m_slabs.size(), [&](size_t slab) {
            const int first = int(slab) * kSlab, last = std::min(first + kSlab, m_v.nz) - 1;
            for (const uint32_t t : m_slabs[slab]) visit(t, first, last);
        });
    }

    void measureNearTriangles() {
        const double reach = m_v.cell;
        forEachTriangle([&](uint32_t t, int firstLayer, int lastLayer) {
            const Corners& p = m_triangles[t];
            const Vec3d low = p[0].cwiseMin(p[1]).cwiseMin(p[2]), high = p[0].cwiseMax(p[1]).cwiseMax(p[2]);
            const Vec3d n = normalizeOr(cross(p[1] - p[0], p[2] - p[0]), {0, 0, 0});
            const auto [x0, x1] = range(0, low.x() - reach, high.x() + reach);
            const auto [y0, y1] = range(1, low.y() - reach, high.y() + reach);
            const auto [z0, z1] = range(2, low.z() - reach, high.z() + reach);
            for (int z = std::max(z0, firstLayer); z <= std::min(z1, lastLayer); ++z)
                for (int y = y0; y <= y1; ++y)
                    for (int x = x0; x <= x1; ++x) {
                        const Vec3d q = position(x, y, z);
                        if (std::abs(dot(n, q - p[0])) > reach) continue;
                        take(node(x, y, z), q, t, reach * reach * (1 + 1e-9));
                    }
        });
    }
    // Keeps the source if it is closer than the one the node has, and than `limit`.
    void take(size_t k, const Vec3d& q, Source source, double limit) {
        const double squared = squaredTo(source, q);
        if (squared < m_squared[k] && squared <= limit) m_squared[k] = squared, m_source[k] = source;
    }
    bool isHole(Source source) const { return source >= m_triangles.size(); }
    const Hole& holeOf(Source source) const { return m_holes[source - m_triangles.size()]; }
    Vec3d pointOf(Source source, const Vec3d& q) const {
        if (isHole(source)) return holeOf(source).point;
        const auto& [a, b, c] = m_triangles[source];
        return closestOnTriangle(q, a, b, c);
    }
    double squaredTo(Source source, const Vec3d& q) const {
        const Vec3d away = q - pointOf(source, q);
        return dot(away, away);
    }

    // Whole winding numbers of closed meshes: signed crossings with the line from a node along +x. Edges are
    // evaluated in one direction whichever triangle asks, so
    // that a line crosses exactly one of two neighbors.
    void signByCrossings() {
        std::vector<int16_t> crossings(m_nodes);
        forEachTriangle([&](uint32_t t, int firstLayer, int lastLayer) {
            const Corners& p = m_triangles[t];
            const Vec3d low = p[0].cwiseMin(p[1]).cwiseMin(p[2]), high = p[0].cwiseMax(p[1]).cwiseMax(p[2]);
            const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
            const auto [y0, y1] = range(1, low.y(), high.y());
            const auto [z0, z1] = range(2, low.z(), high.z());
            for (int z = std::max(z0, firstLayer); z <= std::min(z1, lastLayer); ++z)
                for (int y = y0; y <= y1; ++y) {
                    const double py = coordinate(1, y), pz = coordinate(2, z);
                    int sign = 0;
                    for (int k = 0; k < 3; ++k) sign += passes(p[k], p[(k + 1) % 3], py, pz);
                    if (sign == 0) continue;
                    const double x =
                        n.x() == 0 ? low.x()
                                   : p[0].x() - (n.y() * (py - p[0].y()) + n.z() * (pz - p[0].z())) / n.x();
                    // of the last node before the crossing
                    const double before =
                        std::ceil((std::clamp(x, low.x(), high.x()) - coordinate(0, 0)) / m_v.cell) - 1;
                    if (before >= 0)
                        crossings[node(int(std::min(before, m_v.nx - 1.0)), y, z)] += int16_t(sign);
                }
        });
        parallelFor(0, m_v.ny * m_v.nz, [&](int row) {
            int winding = 0;
            for (int x = m_v.nx - 1; x >= 0; --x) {
                const size_t k = size_t(row) * m_v.nx + x;
                winding += crossings[k];
                m_inside[k] = winding > 0;
            }
        });
    }
    // +1 or -1 where the edge from a to b, seen along x, passes the point on its side of larger y.
    static int passes(const Vec3d& a, const Vec3d& b, double y, double z) {
        if ((a.z() <= z) == (b.z() <= z)) return 0;
        const bool ordered = std::tuple(a.z(), a.y(), a.x()) < std::tuple(b.z(), b.y(), b.x());
        const Vec3d &from = ordered ? a : b, &to = ordered ? b : a;
        const double at = from.y() + (z - from.z()) / (to.z() - from.z()) * (to.y() - from.y());
        return at > y ? (ordered ? 1 : -1) : 0;
    }

    // Generalized winding numbers of open meshes, Jacobson et al. 2013. They are harmonic away from the
    // triangles: in a block without triangles whose corners are clearly on one side, all nodes are.
    void signByWindingNumbers() {
        const MeshDistance distance(m_mesh);
        const std::array<int, 3> blocks = {(m_v.nx - 2) / kBlock + 1, (m_v.ny - 2) / kBlock + 1,
                                           (m_v.nz - 2) / kBlock + 1};
        const auto corner = [&](int axis, int block) { return std::min(block * kBlock, m_n[axis] - 1); };
        const std::array<int, 3> corners = {blocks[0] + 1, blocks[1] + 1, blocks[2] + 1};
        std::vector<float> winding(size_t(corners[0]) * corners[1] * corners[2]);
        parallelFor(size_t(0), winding.size(), [&](size_t k) {
            const int x = int(k % corners[0]), y = int(k / corners[0] % corners[1]),
                      z = int(k / (size_t(corners[0]) * corners[1]));
            winding[k] = float(distance.windingNumber(position(corner(0, x), corner(1, y), corner(2, z))));
        });
        parallelFor(0, blocks[0] * blocks[1] * blocks[2], [&](int block) {
            const int bx = block % blocks[0], by = block / blocks[0] % blocks[1],
                      bz = block / (blocks[0] * blocks[1]);
            float least = 1e30f, most = -1e30f;
            for (int c = 0; c < 8; ++c) {
                const float w =
                    winding[(size_t(bz + (c >> 2)) * corners[1] + by + (c >> 1 & 1)) * corners[0] + bx +
                            (c & 1)];
                least = std::min(least, w), most = std::max(most, w);
            }
            // the first nodes of a block are its own, the last ones those of the next, except at the end
            const auto end = [&](int axis, int b) {
                return b + 1 == blocks[axis] ? m_n[axis] : corner(axis, b + 1);
            };
            const auto forEachNode = [&](auto&& visit) {
                for (int z = corner(2, bz); z < end(2, bz); ++z)
                    for (int y = corner(1, by); y < end(1, by); ++y)
                        for (int x = corner(0, bx); x < end(0, bx); ++x) visit(x, y, z);
            };
            bool empty = true;
            forEachNode([&](int x, int y, int z) { empty &= m_source[node(x, y, z)] == kNone; });
            const bool clear = empty && (least > 0.7f || most < 0.3f);
            forEachNode([&](int x, int y, int z) {
                const double w = clear ? least : distance.windingNumber(position(x, y, z));
                m_inside[node(x, y, z)] = w > 0.5;
            });
        });
    }

    // Calls visit(neighbor) for the six neighbors of a node.
    template <class Visit>
    void forEachNeighbor(size_t k, Visit&& visit) const {
        const std::array<int, 3> at = placeOf(k);
        for (int axis = 0; axis < 3; ++axis) {
            if (at[axis] > 0) visit(k - m_stride[axis]);
            if (at[axis] + 1 < m_n[axis]) visit(k + m_stride[axis]);
        }
    }

    // Removes sources that are no part of the surface between inside and outside, such as triangles within
    // the solid; adds the surface in holes. Outside, the closest triangle always is part of it.
    void keepSources() {
        std::vector<size_t> dropped;
        std::vector<uint8_t> differs(m_v.nx);  // of a row: a neighbor is on the other side
        for (int z = 0; z < m_v.nz; ++z)
            for (int y = 0; y < m_v.ny; ++y) {
                compareRow(y, z, differs);
                for (int x = 0; x < m_v.nx; ++x) {
                    const size_t k = node(x, y, z);
                    const bool found = m_source[k] != kNone;
                    if (found && m_inside[k] && !differs[x]) dropped.push_back(k);
                    if (differs[x] && !found) addHole(k);
                }
            }
        for (const size_t k : dropped) m_source[k] = kNone, m_squared[k] = std::numeric_limits<double>::max();
        if (m_holes.empty()) return;
        const MeshDistance distance(m_mesh);
        for (size_t h = 0; h < m_holes.size(); ++h) {
            m_holes[h].triangle = distance.closest(m_holes[h].point).triangle;
            take(m_holeNodes[h], position(m_holeNodes[h]), Source(m_triangles.size() + h),
                 std::numeric_limits<double>::max());
        }
    }
    // Whether a neighbor of each node of a row is on the other side of the surface.
    void compareRow(int y, int z, std::vector<uint8_t>& differs) const {
        const uint8_t* row = &m_inside[node(0, y, z)];
        const int n = m_v.nx;
        differs.assign(n, 0);
        for (int x = 1; x < n; ++x) differs[x] = row[x] ^ row[x - 1];
        for (int x = n - 1; x > 0; --x) differs[x - 1] |= row[x] ^ row[x - 1];
        const auto compareWith = [&](int otherY, int otherZ) {
            if (otherY < 0 || otherZ < 0 || otherY >= m_v.ny || otherZ >= m_v.nz) return;
            const uint8_t* other = &m_inside[node(0, otherY, otherZ)];
            for (int x = 0; x < n; ++x) differs[x] |= row[x] ^ other[x];
        };
        compareWith(y - 1, z), compareWith(y + 1, z), compareWith(y, z - 1), compareWith(y, z + 1);
    }
    void addHole(size_t k) {
        size_t across = k;
        forEachNeighbor(k, [&](size_t other) {
            if (across == k && m_inside[k] != m_inside[other]) across = other;
        });
        m_holeNodes.push_back(k);
        m_holes.push_back({0.5 * (position(k) + position(across)), kNone});
    }

    // Layer by layer, each new node takes the best of its neighbors' sources.
    void spread() {
        std::vector<uint8_t> reached(m_nodes, 0);  // or in the next layer
        std::vector<size_t> layer;
        for (size_t k = 0; k < m_nodes; ++k)
            if (m_source[k] != kNone) reached[k] = 1, layer.push_back(k);
        CHECK(!layer.empty());
        std::vector<size_t> next;
        std::vector<Source> best;  // of the next layer, which must not see its own
        while (!layer.empty()) {
            next.clear();
            for (const size_t k : layer)
                forEachNeighbor(k, [&](size_t other) {
                    if (reached[other] == 0) reached[other] = 1, next.push_back(other);
                });
            best.resize(next.size());
            parallelFor(size_t(0), next.size(), [&](size_t i) { best[i] = bestOfNeighbors(next[i]); });
            for (size_t i = 0; i < next.size(); ++i) m_source[next[i]] = best[i];
            std::swap(layer, next);
        }
    }
    // The closest of the neighbors' sources, the first one of several; keeps its distance.
    Source bestOfNeighbors(size_t k) {
        const std::array<int, 3> at = placeOf(k);
        const Vec3d q = position(at[0], at[1], at[2]);
        std::array<Source, 27> tried;
        int count = 0;
        const int first = std::max(at[0] - 1, 0), last = std::min(at[0] + 1, m_n[0] - 1);
        for (int z = std::max(at[2] - 1, 0); z <= std::min(at[2] + 1, m_n[2] - 1); ++z)
            for (int y = std::max(at[1] - 1, 0); y <= std::min(at[1] + 1, m_n[1] - 1); ++y)
                for (int x = first; x <= last; ++x) {
                    const Source source = m_source[node(x, y, z)];
                    bool isNew = source != kNone;
                    for (int i = 0; i < count; ++i) isNew &= tried[i] != source;
                    tried[count] = source;
                    count += isNew;
                }
        Source best = kNone;
        double least = std::numeric_limits<double>::max();
        for (int i = 0; i < count; ++i)
            if (const double squared = squaredTo(tried[i], q); squared < least)
                least = squared, best = tried[i];
        m_squared[k] = least;
        return best;
    }

    // Displacement of the closest point of the surface, by its barycentric coordinates.
    std::vector<Vec3> motionFrom(std::span<const Vec3> before) const {
        std::vector<Vec3> motion(m_nodes);
        parallelFor(size_t(0), m_nodes, [&](size_t k) {
            const Source source = m_source[k];
            const uint32_t triangle = isHole(source) ? holeOf(source).triangle : source;
            const auto& [a, b, c] = m_triangles[triangle];
            const Vec3d share =
                barycentric(closestOnTriangle(pointOf(source, position(k)), a, b, c), a, b, c);
            const Triangle& t = m_mesh.triangles[triangle];
            const auto moved = [&](int corner) -> Vec3d {
                return toDouble(m_mesh.vertices[t[corner]]) - toDouble(before[t[corner]]);
            };
            motion[k] = toFloat(share.x() * moved(0) + share.y() * moved(1) + share.z() * moved(2));
        });
        return motion;
    }

    const TriangleMesh& m_mesh;
    const SurfaceFieldSpec& m_spec;
    DistanceVolume m_v;
    std::vector<Corners> m_triangles;
    size_t m_nodes;
    std::array<int, 3> m_n;
    std::array<size_t, 3> m_stride;
    std::vector<std::vector<uint32_t>> m_slabs;
    std::vector<Source> m_source;   // by node
    std::vector<double> m_squared;  // by node: distance to it, squared [m²]
    std::vector<uint8_t> m_inside;  // by node; bytes, as threads write neighbors
    std::vector<Hole> m_holes;
    std::vector<size_t> m_holeNodes;
};

}  // namespace

SurfaceField bakeSurface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                         std::span<const Vec3> before) {
    CHECK(!mesh.triangles.empty());
    CHECK(before.empty() || before.size() == mesh.vertices.size());
    Box box = boundsOf(mesh);
    for (const Vec3& v : before) box = {min(box.low, v), max(box.high, v)};
    const float margin = spec.margin + std::max(spec.offset, 0.0f);
    return SurfaceFieldBuilder(mesh, spec, gridAround(box, spec.cell, margin, spec.maxBytes, spec.where))
        .run(before);
}

}  // namespace coalesce
