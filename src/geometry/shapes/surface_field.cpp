#include "geometry/shapes/surface_field.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/math/vec3d.h"
#include "geometry/query/mesh_distance.h"
#include "geometry/query/mesh_repair.h"
#include "geometry/shapes/closest_points.h"
#include "kernels/math/lane.h"
#include "kernels/search/bvh.h"

namespace coalesce {

namespace {

using Source = ClosestPoints::Source;
constexpr Source kNone = ClosestPoints::kNone;
constexpr int kSlab = 4;   // layers of nodes that one task writes
constexpr int kTile = 4;   // nodes along x, and along y, that are measured at once
constexpr int kBlock = 4;  // [cells] edge of blocks that are judged by their corners
constexpr float kUnknown = std::numeric_limits<float>::max();  // squared distance
static_assert(kTile * kTile == kLanes);

using Corners = std::array<Vec3d, 3>;
std::vector<Corners> cornersOf(const TriangleMesh& mesh) {
    std::vector<Corners> corners;
    corners.reserve(mesh.triangles.size());
    for (const auto& [a, b, c] : mesh.triangles)
        corners.push_back(
            {toDouble(mesh.vertices[a]), toDouble(mesh.vertices[b]), toDouble(mesh.vertices[c])});
    return corners;
}

class SurfaceFieldBuilder {
public:
    SurfaceFieldBuilder(const TriangleMesh& mesh, const SurfaceFieldSpec& spec, DistanceVolume grid)
        : m_mesh(mesh), m_spec(spec), m_v(std::move(grid)), m_nodes(m_v.distance.size()) {
        m_n = {m_v.nx, m_v.ny, m_v.nz};
        m_stride = {1, size_t(m_v.nx), size_t(m_v.nx) * m_v.ny};
        m_source.resize(m_nodes, kNone);
        m_squared.resize(m_nodes, kUnknown);
        m_inside.resize(m_nodes, 0);
        m_triangles = cornersOf(mesh);
    }

    SurfaceField run(std::span<const Vec3> before) {
        findNearTriangles();
        if (!m_spec.shell) {
            findInside();
            keepSources(!before.empty());
        }
        placeClosestPoints();
        m_closest.spread();
        SurfaceField field;
        const std::vector<Vec4> corners = cornersInCells();
        measureDistances(corners);
        if (!before.empty()) field.motion = motionFrom(before, corners);
        field.volume = std::move(m_v);
        return field;
    }

private:
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

    // Calls visit(triangle, first layer, last layer) for the triangles within a cell of each slab of layers in z
    // in turn; slabs in parallel.
    template <class Visit>
    void forEachTriangle(const std::vector<Corners>& triangles, Visit&& visit) const {
        std::vector<std::vector<uint32_t>> slabs((m_v.nz + kSlab - 1) / kSlab);
        for (uint32_t t = 0; t < triangles.size(); ++t) {
            const auto& [a, b, c] = triangles[t];
            const auto [first, last] = range(2, std::min({a.z(), b.z(), c.z()}) - m_v.cell,
                                             std::max({a.z(), b.z(), c.z()}) + m_v.cell);
            for (int slab = first / kSlab; slab <= last / kSlab && first <= last; ++slab)
                slabs[slab].push_back(t);
        }
        parallelFor(size_t(0), slabs.size(), [&](size_t slab) {
            const int first = int(slab) * kSlab, last = std::min(first + kSlab, m_v.nz) - 1;
            for (const uint32_t t : slabs[slab]) visit(t, first, last);
        });
    }

    // The closest triangle of each node that has one within a cell.
    void findNearTriangles() {
        forEachTriangle(m_triangles, [&](uint32_t t, int firstLayer, int lastLayer) {
            const Corners& p = m_triangles[t];
            const Vec3d low = p[0].cwiseMin(p[1]).cwiseMin(p[2]), high = p[0].cwiseMax(p[1]).cwiseMax(p[2]);
            const auto [x0, x1] = range(0, low.x() - m_v.cell, high.x() + m_v.cell);
            const auto [y0, y1] = range(1, low.y() - m_v.cell, high.y() + m_v.cell);
            const auto [z0, z1] = range(2, low.z() - m_v.cell, high.z() + m_v.cell);
            const auto corner = [&](int k) -> Vec3T<LaneFloat> {
                const Vec3 at = inCells(p[k]);
                return {LaneFloat(at.x), LaneFloat(at.y), LaneFloat(at.z)};
            };
            const Vec3T<LaneFloat> a = corner(0), b = corner(1), c = corner(2);
            for (int z = std::max(z0, firstLayer); z <= std::min(z1, lastLayer); ++z)
                for (int y = y0; y <= y1; y += kTile)
                    for (int x = x0; x <= x1; x += kTile) {
                        Vec3T<LaneFloat> q{0.0f, 0.0f, float(z)};
                        for (int lane = 0; lane < kLanes; ++lane)
                            q.x.bits[lane] = float(x + lane % kTile),
                            q.y.bits[lane] = float(y + lane / kTile);
                        const LaneFloat squared = squaredDistance(q, a, b, c);
                        for (uint32_t near = bitsOf(squared < LaneFloat(1.00001f)); near != 0;
                             near &= near - 1) {
                            const int lane = std::countr_zero(near), i = x + lane % kTile,
                                      j = y + lane / kTile;
                            if (i <= x1 && j <= y1) take(node(i, j, z), squared.bits[lane], Source(t));
                        }
                    }
        });
    }
    // Keeps the source if it is closer than the one the node has.
    void take(size_t k, float squared, Source source) {
        if (squared < m_squared[k]) m_squared[k] = squared, m_source[k] = source;
    }
    Vec3 inCells(const Vec3d& p) const { return toFloat((p - position(0, 0, 0)) / double(m_v.cell)); }
    Vec3d pointOf(Source source, const Vec3d& q) const {
        const auto& [a, b, c] = m_triangles[source];
        return closestOnTriangle(q, a, b, c);
    }
    // Of q from the triangle a b c: from the plane, where the foot is within the triangle, else from the closest
    // edge.
    static LaneFloat squaredDistance(const Vec3T<LaneFloat>& q, const Vec3T<LaneFloat>& a,
                                     const Vec3T<LaneFloat>& b, const Vec3T<LaneFloat>& c) {
        using V = Vec3T<LaneFloat>;
        const V ab = b - a, bc = c - b, ca = a - c, qa = q - a, qb = q - b, qc = q - c,
                normal = cross(ab, bc);
        const LaneFloat zero = 0.0f, one = 1.0f, tiny = 1e-30f;
        const auto toEdge = [&](const V& edge, const V& p) {
            const LaneFloat share = dot(edge, p) / max(dot(edge, edge), tiny);
            const V away = p - min(max(share, zero), one) * edge;
            return dot(away, away);
        };
        const LaneFloat edges = min(toEdge(ab, qa), min(toEdge(bc, qb), toEdge(ca, qc)));
        const LaneFloat height = dot(normal, qa);
        const LaneMask within = (dot(cross(normal, ab), qa) > zero) & (dot(cross(normal, bc), qb) > zero) &
                                (dot(cross(normal, ca), qc) > zero);
        return select(within, height * height / max(dot(normal, normal), tiny), edges);
    }

    // Winding numbers: those of the mesh with its rims covered are whole; less the part that the covers
    // contribute, which is continuous across them, they are the generalized winding numbers of the open mesh
    // (Jacobson et al. 2013).
    void findInside() {
        const TriangleMesh covers = m_spec.closed ? TriangleMesh{} : coversOfRims(m_mesh);
        std::vector<int16_t> winding(m_nodes);
        addCrossings(m_triangles, winding);
        addCrossings(cornersOf(covers), winding);
        std::atomic<bool> overlaps = false;
        parallelFor(0, m_v.ny * m_v.nz, [&](int row) {
            int sum = 0, most = 0;
            for (int x = m_v.nx - 1; x >= 0; --x) {
                const size_t k = size_t(row) * m_v.nx + x;
                sum += winding[k];
                winding[k] = int16_t(sum);
                m_inside[k] = sum > 0;
                most = std::max(most, sum);
            }
            if (most > 1) overlaps = true;
        });
        m_overlaps = overlaps;
        if (!covers.triangles.empty()) openRims(covers, winding);
    }
    // Signed crossings of the line from a node along +x, at the last node before each. Edges are evaluated in
    // one direction whichever triangle asks, so that a line crosses exactly one of two neighbors.
    void addCrossings(const std::vector<Corners>& triangles, std::vector<int16_t>& crossings) const {
        forEachTriangle(triangles, [&](uint32_t t, int firstLayer, int lastLayer) {
            const Corners& p = triangles[t];
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
                    const double before =
                        std::ceil((std::clamp(x, low.x(), high.x()) - coordinate(0, 0)) / m_v.cell) - 1;
                    if (before >= 0)
                        crossings[node(int(std::min(before, m_v.nx - 1.0)), y, z)] += int16_t(sign);
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

    // Takes the covers away. What they contribute is harmonic away from them: in a block without covers whose
    // corners have clearly less than a half, all nodes have.
    void openRims(const TriangleMesh& covers, const std::vector<int16_t>& winding) {
        const MeshDistance distance(covers);
        const std::array<int, 3> blocks = {(m_v.nx - 2) / kBlock + 1, (m_v.ny - 2) / kBlock + 1,
                                           (m_v.nz - 2) / kBlock + 1};
        const auto corner = [&](int axis, int block) { return std::min(block * kBlock, m_n[axis] - 1); };
        const std::array<int, 3> corners = {blocks[0] + 1, blocks[1] + 1, blocks[2] + 1};
        std::vector<float> share(size_t(corners[0]) * corners[1] * corners[2]);
        parallelFor(size_t(0), share.size(), [&](size_t k) {
            const int x = int(k % corners[0]), y = int(k / corners[0] % corners[1]),
                      z = int(k / (size_t(corners[0]) * corners[1]));
            share[k] = float(distance.windingNumber(position(corner(0, x), corner(1, y), corner(2, z))));
        });
        const std::vector<uint8_t> covered = blocksOf(covers, blocks);
        parallelFor(size_t(0), covered.size(), [&](size_t block) {
            const int bx = int(block % blocks[0]), by = int(block / blocks[0] % blocks[1]),
                      bz = int(block / (size_t(blocks[0]) * blocks[1]));
            float most = 0;
            for (int c = 0; c < 8; ++c)
                most = std::max(
                    most,
                    std::abs(share[(size_t(bz + (c >> 2)) * corners[1] + by + (c >> 1 & 1)) * corners[0] +
                                   bx + (c & 1)]));
            if (!covered[block] && most < 0.3f) return;
            // the first nodes of a block are its own, the last ones those of the next, except at the end
            const auto end = [&](int axis, int b) {
                return b + 1 == blocks[axis] ? m_n[axis] : corner(axis, b + 1);
            };
            for (int z = corner(2, bz); z < end(2, bz); ++z)
                for (int y = corner(1, by); y < end(1, by); ++y)
                    for (int x = corner(0, bx); x < end(0, bx); ++x) {
                        const size_t k = node(x, y, z);
                        m_inside[k] = winding[k] - distance.windingNumber(position(x, y, z)) > 0.5;
                    }
        });
    }
    // Whether a triangle may be within a cell of each block.
    std::vector<uint8_t> blocksOf(const TriangleMesh& mesh, const std::array<int, 3>& blocks) const {
        std::vector<uint8_t> found(size_t(blocks[0]) * blocks[1] * blocks[2]);
        for (const auto& [a, b, c] : cornersOf(mesh)) {
            std::array<int, 3> first, last;
            for (int axis = 0; axis < 3; ++axis) {
                const auto [from, to] = range(axis, std::min({a[axis], b[axis], c[axis]}) - m_v.cell,
                                              std::max({a[axis], b[axis], c[axis]}) + m_v.cell);
                first[axis] = from / kBlock, last[axis] = std::min(to / kBlock, blocks[axis] - 1);
            }
            for (int z = first[2]; z <= last[2]; ++z)
                for (int y = first[1]; y <= last[1]; ++y)
                    for (int x = first[0]; x <= last[0]; ++x)
                        found[(size_t(z) * blocks[1] + y) * blocks[0] + x] = 1;
        }
        return found;
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

    // Where parts of the mesh overlap, removes sources that are no part of the surface between inside and
    // outside; outside, the closest triangle always is part of it. Adds the surface in holes.
    void keepSources(bool moves) {
        std::vector<size_t> dropped;
        std::vector<uint8_t> differs(m_v.nx);  // of a row: a neighbor is on the other side
        for (int z = 0; z < m_v.nz; ++z)
            for (int y = 0; y < m_v.ny; ++y) {
                compareRow(y, z, differs);
                for (int x = 0; x < m_v.nx; ++x) {
                    const size_t k = node(x, y, z);
                    const bool found = m_source[k] != kNone;
                    if (m_overlaps && found && m_inside[k] && !differs[x]) dropped.push_back(k);
                    if (differs[x] && !found) addHole(k);
                }
            }
        for (const size_t k : dropped) m_source[k] = kNone, m_squared[k] = kUnknown;
        if (m_triangles.size() == m_mesh.triangles.size() || !moves) return;
        // holes move with the triangles closest to them
        const MeshDistance distance(m_mesh);
        for (size_t h = m_mesh.triangles.size(); h < m_triangles.size(); ++h)
            m_closestToHole.push_back(distance.closest(m_triangles[h][0]).triangle);
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
        const Vec3d middle = 0.5 * (position(k) + position(across));
        m_triangles.push_back({middle, middle, middle});
        take(k, 0.25f, Source(m_triangles.size() - 1));
    }

    void placeClosestPoints() {
        m_closest.resize(m_n);
        parallelFor(0, m_v.nz, [&](int z) {
            for (int y = 0; y < m_v.ny; ++y)
                for (int x = 0; x < m_v.nx; ++x) {
                    const Source source = m_source[node(x, y, z)];
                    if (source == kNone) continue;
                    const Vec3d q = position(x, y, z), point = pointOf(source, q), away = q - point;
                    m_squared[node(x, y, z)] = float(dot(away, away));
                    m_closest.set(x, y, z, inCells(point), source);
                }
        });
    }
    // Three for each triangle, in cells from the first node.
    std::vector<Vec4> cornersInCells() const {
        std::vector<Vec4> corners;
        corners.reserve(3 * m_triangles.size());
        for (const Corners& triangle : m_triangles)
            for (const Vec3d& p : triangle) corners.push_back(vec4(inCells(p), 0.0f));
        return corners;
    }
    // Of nodes near the surface the distances are known. The others are far enough for single precision.
    void measureDistances(const std::vector<Vec4>& corners) {
        CHECK(*m_closest.sourcesOf(0, 0) != kNone);
        parallelFor(0, m_v.nz, [&](int z) {
            for (int y = 0; y < m_v.ny; ++y)
                for (int first = 0; first < m_v.nx; first += kLanes) {
                    const LaneFloat squared = squaredFrom(corners, m_closest.sourcesOf(y, z) + first,
                                                          float(first), float(y), float(z));
                    const int count = std::min(kLanes, m_v.nx - first);
                    for (int lane = 0; lane < count; ++lane) {
                        const size_t k = node(first + lane, y, z);
                        const float away = m_squared[k] < kUnknown ? std::sqrt(m_squared[k])
                                                                   : m_v.cell * std::sqrt(squared.bits[lane]);
                        m_v.distance[k] = (m_inside[k] ? -away : away) - m_spec.offset;
                    }
                }
        });
    }
    // Squared distances [cells²] of consecutive nodes from their triangles.
    static LaneFloat squaredFrom(const std::vector<Vec4>& corners, const Source* sources, float x, float y,
                                 float z) {
        Vec3T<LaneFloat> q{x, y, z}, a, b, c;
        LaneFloat unused;
        const auto load = [&](int corner, Vec3T<LaneFloat>& p) {
            loadFours([&](int lane) { return &corners[3 * std::max(sources[lane], 0) + corner].x; }, p.x, p.y,
                      p.z, unused);
        };
        load(0, a), load(1, b), load(2, c);
        for (int lane = 0; lane < kLanes; ++lane) q.x.bits[lane] += float(lane);
        return squaredDistance(q, a, b, c);
    }

    // Displacement of the closest point of the surface, by its barycentric coordinates.
    std::vector<Vec3> motionFrom(std::span<const Vec3> before, const std::vector<Vec4>& corners) const {
        const size_t count = m_mesh.triangles.size();
        std::vector<Vec4> moved;  // [m] of the corners of the triangles
        moved.reserve(3 * count);
        for (const Triangle& t : m_mesh.triangles)
            for (const uint32_t v : t) moved.push_back(vec4(m_mesh.vertices[v] - before[v], 0.0f));
        std::vector<Vec3> motion(m_nodes);
        parallelFor(0, m_v.nz, [&](int z) {
            for (int y = 0; y < m_v.ny; ++y)
                for (int first = 0; first < m_v.nx; first += kLanes) {
                    const Source* sources = m_closest.sourcesOf(y, z) + first;
                    Vec3T<LaneFloat> q{0.0f, float(y), float(z)};
                    uint32_t triangle[kLanes];
                    for (int lane = 0; lane < kLanes; ++lane) {
                        const auto source = size_t(std::max(sources[lane], 0));
                        q.x.bits[lane] = float(first + lane);
                        triangle[lane] = uint32_t(source);
                        if (source < count) continue;
                        triangle[lane] = m_closestToHole[source - count];
                        const Vec4& hole = corners[3 * source];
                        q.x.bits[lane] = hole.x, q.y.bits[lane] = hole.y, q.z.bits[lane] = hole.z;
                    }
                    const auto load = [&](const std::vector<Vec4>& from, int corner) {
                        Vec3T<LaneFloat> p;
                        LaneFloat unused;
                        loadFours([&](int lane) { return &from[3 * triangle[lane] + corner].x; }, p.x, p.y,
                                  p.z, unused);
                        return p;
                    };
                    const Vec3T<LaneFloat> share =
                        sharesOfClosest(q, load(corners, 0), load(corners, 1), load(corners, 2));
                    const Vec3T<LaneFloat> sum =
                        share.x * load(moved, 0) + share.y * load(moved, 1) + share.z * load(moved, 2);
                    for (int lane = 0; lane < std::min(kLanes, m_v.nx - first); ++lane)
                        motion[node(first + lane, y, z)] = {sum.x.bits[lane], sum.y.bits[lane],
                                                            sum.z.bits[lane]};
                }
        });
        return motion;
    }
    // Barycentric coordinates of the point of the triangle a b c closest to q.
    static Vec3T<LaneFloat> sharesOfClosest(const Vec3T<LaneFloat>& q, const Vec3T<LaneFloat>& a,
                                            const Vec3T<LaneFloat>& b, const Vec3T<LaneFloat>& c) {
        using V = Vec3T<LaneFloat>;
        const V ab = b - a, bc = c - b, ca = a - c, qa = q - a, qb = q - b, qc = q - c,
                normal = cross(ab, bc);
        const LaneFloat zero = 0.0f, one = 1.0f, tiny = 1e-30f;
        LaneFloat least;
        V shares;
        const auto toEdge = [&](const V& edge, const V& p) {
            const LaneFloat share = min(max(dot(edge, p) / max(dot(edge, edge), tiny), zero), one);
            const V away = p - share * edge;
            least = dot(away, away);
            return share;
        };
        const auto takeCloser = [&](LaneFloat before, const V& other) {
            const LaneMask closer = least < before;
            shares = {select(closer, other.x, shares.x), select(closer, other.y, shares.y),
                      select(closer, other.z, shares.z)};
            least = min(least, before);
        };
        const LaneFloat alongAb = toEdge(ab, qa), fromAb = least;
        shares = {one - alongAb, alongAb, zero};
        const LaneFloat alongBc = toEdge(bc, qb);
        takeCloser(fromAb, {zero, one - alongBc, alongBc});
        const LaneFloat fromBoth = least, alongCa = toEdge(ca, qc);
        takeCloser(fromBoth, {alongCa, zero, one - alongCa});
        const LaneFloat shareA = dot(cross(normal, bc), qb), shareB = dot(cross(normal, ca), qc),
                        shareC = dot(cross(normal, ab), qa), scale = one / max(dot(normal, normal), tiny);
        const LaneMask within = (shareA > zero) & (shareB > zero) & (shareC > zero);
        return {select(within, scale * shareA, shares.x), select(within, scale * shareB, shares.y),
                select(within, scale * shareC, shares.z)};
    }

    const TriangleMesh& m_mesh;
    const SurfaceFieldSpec& m_spec;
    DistanceVolume m_v;
    std::vector<Corners> m_triangles;       // of the mesh; then holes, a point each
    std::vector<uint32_t> m_closestToHole;  // triangle of the mesh; empty: not needed
    size_t m_nodes;
    std::array<int, 3> m_n;
    std::array<size_t, 3> m_stride;
    std::vector<Source> m_source;   // by node
    std::vector<float> m_squared;   // by node: distance to it, squared [cells²], later [m²]
    std::vector<uint8_t> m_inside;  // by node; bytes, as threads write neighbors
    bool m_overlaps = false;        // parts of the mesh overlap
    ClosestPoints m_closest;
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
