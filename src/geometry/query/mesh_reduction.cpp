#include "geometry/query/mesh_reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "core/disjoint_sets.h"
#include "core/parallel.h"
#include "geometry/math/vec3d.h"

namespace coalesce {

namespace {

constexpr uint32_t kNone = ~0u;

// A closed manifold mesh under edge collapses. Corner c is vertex c % 3 of
// triangle c / 3; the corners at a vertex form a list.
class EdgeCollapse {
public:
    explicit EdgeCollapse(const ReducedMesh& mesh)
        : m_corner(3 * mesh.triangle.size()),
          m_next(m_corner.size()),
          m_first(mesh.size(), kNone),
          m_degree(mesh.size(), 0),
          m_mark(mesh.size(), kNone) {
        for (const Vec3 p : mesh.position) m_x.push_back(toDouble(p));
        for (uint32_t c = 0; c < m_corner.size(); ++c) {
            const uint32_t v = m_corner[c] = mesh.triangle[c / 3][c % 3];
            m_next[c] = m_first[v], m_first[v] = c;
            ++m_degree[v];
        }
    }

    Vec3d at(uint32_t v) const { return m_x[v]; }
    bool exists(uint32_t v) const { return m_degree[v] > 0; }
    // The vertices around v, each once.
    template <class F>
    void forNeighbors(uint32_t v, F&& f) const {
        for (uint32_t c = m_first[v]; c != kNone; c = m_next[c]) f(m_corner[after(c)]);
    }
    // Triangle of a corner, as its vertices.
    template <class F>
    void forTriangles(uint32_t v, F&& f) const {
        for (uint32_t c = m_first[v]; c != kNone; c = m_next[c])
            f(v, m_corner[after(c)], m_corner[after(after(c))]);
    }

    // Merges b into its neighbor a, at x; false where that is refused.
    // minCosine: of the angle by which a triangle turns.
    bool collapse(uint32_t a, uint32_t b, const Vec3d& x, double minCosine) {
        forNeighbors(b, [&](uint32_t v) { m_mark[v] = b; });
        if (m_mark[a] != b) return false;
        std::array<uint32_t, 2> shared{};
        size_t common = 0;
        forNeighbors(a, [&](uint32_t v) {
            if (m_mark[v] != b) return;
            if (common < 2) shared[common] = v;
            ++common;
        });
        forNeighbors(b, [&](uint32_t v) { m_mark[v] = kNone; });
        if (common != 2 || m_degree[shared[0]] <= 3 || m_degree[shared[1]] <= 3) return false;
        if (turns(a, b, x, minCosine) || turns(b, a, x, minCosine)) return false;
        m_x[a] = x;
        unite(a, b);
        m_degree[a] += m_degree[b] - 4;
        m_degree[b] = 0;
        for (const uint32_t v : shared) --m_degree[v];
        return true;
    }

    void write(ReducedMesh& mesh) const {
        std::vector<uint32_t> number(m_x.size(), kNone);
        size_t kept = 0;
        for (uint32_t v = 0; v < m_x.size(); ++v) {
            if (!exists(v)) continue;
            number[v] = uint32_t(kept);
            mesh.position[kept] = toFloat(m_x[v]);
            mesh.source[kept++] = mesh.source[v];
        }
        mesh.position.resize(kept), mesh.source.resize(kept);
        mesh.triangle.clear();
        for (size_t c = 0; c < m_corner.size(); c += 3)
            if (m_corner[c] != kNone)
                mesh.triangle.push_back(
                    {number[m_corner[c]], number[m_corner[c + 1]], number[m_corner[c + 2]]});
    }

private:
    static uint32_t after(uint32_t c) { return c % 3 == 2 ? c - 2 : c + 1; }

    // Whether a triangle at v, but not at `other`, would turn if v moved to x.
    bool turns(uint32_t v, uint32_t other, const Vec3d& x, double minCosine) const {
        bool any = false;
        forTriangles(v, [&](uint32_t, uint32_t p, uint32_t q) {
            if (any || p == other || q == other) return;
            const Vec3d old = cross(m_x[p] - m_x[v], m_x[q] - m_x[v]), now = cross(m_x[p] - x, m_x[q] - x);
            if (minCosine == 0 && length(old) == 0) return;  // has no side: merging is there to remove it
            any = !(dot(old, now) > minCosine * length(old) * length(now));
        });
        return any;
    }

    // Gives the corners at b to a, and takes the two triangles at both out of all lists.
    void unite(uint32_t a, uint32_t b) {
        for (uint32_t c = m_first[b]; c != kNone; c = m_next[c]) {
            const uint32_t p = after(c), q = after(p);
            if (m_corner[p] != a && m_corner[q] != a) continue;
            for (const uint32_t corner : {p, q}) unlink(m_corner[corner], corner);
            m_corner[p] = m_corner[q] = kNone;
            m_corner[c] = kNone;
        }
        // the vanished triangles are still in the list of b only
        for (uint32_t c = m_first[b], next; c != kNone; c = next) {
            next = m_next[c];
            if (m_corner[c] == kNone) continue;
            m_corner[c] = a;
            m_next[c] = m_first[a], m_first[a] = c;
        }
        m_first[b] = kNone;
    }
    void unlink(uint32_t v, uint32_t corner) {
        uint32_t* at = &m_first[v];
        while (*at != corner) at = &m_next[*at];
        *at = m_next[corner];
    }

    std::vector<Vec3d> m_x;
    std::vector<uint32_t> m_corner;  // → vertex; kNone: of a triangle that has vanished
    std::vector<uint32_t> m_next;    // of the corners at a vertex
    std::vector<uint32_t> m_first;   // per vertex
    std::vector<uint32_t> m_degree;  // per vertex: triangles at it
    std::vector<uint32_t> m_mark;    // scratch, per vertex
};

// Sum of the squared distances to planes, weighted by their areas w: xᵀA
// x − 2 bᵀx + …, A = Σ w n nᵀ, b = Σ w n (n·p).
struct Quadric {
    Eigen::Matrix3d a;
    Vec3d b;

    // a plane through p
    void add(double area, const Vec3d& n, const Vec3d& p) {
        a += area * n * n.transpose();
        b += area * dot(n, p) * n;
    }
    // Where it is smallest; along directions in which it hardly changes, near the origin.
    Vec3d lowest() const {
        const double pull = 1e-4 * a.trace();
        if (!(pull > 0)) return Vec3d::Zero();
        return (a + pull * Eigen::Matrix3d::Identity()).inverse() * b;
    }
};

// Where an edge would go, and the largest distance of that point
// to the planes of the triangles at the edge [m].
struct Placement {
    Vec3d x;
    double distance;
};
Placement placeEdge(const EdgeCollapse& edges, uint32_t a, uint32_t b) {
    struct Plane {
        Vec3d normal, point;
    };
    constexpr size_t kMostPlanes = 64;  // edges whose ends have more stay: what they would move is not known
    std::array<Plane, kMostPlanes> planes;
    size_t count = 0;
    const Vec3d middle = 0.5 * (edges.at(a) + edges.at(b));
    Quadric sum;
    for (const uint32_t end : {a, b})
        edges.forTriangles(end, [&](uint32_t v, uint32_t p, uint32_t q) {
            if (end == b && (p == a || q == a)) return;
            const Vec3d from = edges.at(v), normal = cross(edges.at(p) - from, edges.at(q) - from);
            const double twice = length(normal);
            if (!(twice > 0) || ++count > kMostPlanes) return;
            Plane& plane = planes[count - 1];
            plane = {(1 / twice) * normal, from - middle};
            sum.add(twice, plane.normal, plane.point);
        });
    if (count > kMostPlanes) return {middle, std::numeric_limits<double>::infinity()};
    const Vec3d offset = sum.lowest();
    double distance = 0;
    for (size_t k = 0; k < count; ++k)
        distance = std::max(distance, std::abs(dot(planes[k].normal, offset - planes[k].point)));
    return {middle + offset, distance};
}

// The distances of the collapses that led to a vertex add up, so no plane of the given
// mesh is forgotten [LT98]: with each doubling of the edges they are about four times as
// large, so that the sum exceeds the last one little.
class Decimation {
public:
    Decimation(const ReducedMesh& mesh, double tolerance, double longestEdge)
        : m_edges(mesh),
          m_moved(mesh.size()),
          m_version(mesh.size()),
          m_tolerance(tolerance),
          m_longestEdge(longestEdge) {}

    // Blocks of space are independent while only edges collapse whose ends have all their neighbors
    // in the same block: such a collapse reads and writes what belongs to vertices of the block, and
    // no triangle across blocks changes. What is left at the borders follows, one edge at a time.
    void run() {
        findBlocks();
        parallelFor(size_t{0}, m_blocks.size(), [&](size_t k) { collapseInside(m_blocks[k]); });
        Queue queue;
        for (uint32_t v = 0; v < m_moved.size(); ++v)
            m_edges.forNeighbors(v, [&](uint32_t w) {
                if (v < w && !isInside(v, w)) propose(queue, v, w);
            });
        collapseAll(queue, [](uint32_t, uint32_t) { return true; });
    }
    void write(ReducedMesh& mesh) const { m_edges.write(mesh); }

private:
    struct Candidate {
        double distance;  // [m]
        uint32_t a, b;    // a < b
        uint32_t version;
        auto key() const { return std::tuple(distance, a, b, version); }
        bool operator<(const Candidate& other) const { return key() > other.key(); }  // smallest first
    };
    using Queue = std::priority_queue<Candidate>;

    void findBlocks() {
        constexpr double kEdges = 8;  // longest ones, per side of a block: few vertices are at its border
        using Key = std::array<int64_t, 3>;
        std::vector<std::pair<Key, uint32_t>> order;
        for (uint32_t v = 0; v < m_moved.size(); ++v) {
            const Vec3d x = m_edges.at(v) / (kEdges * m_longestEdge);
            order.push_back(
                {{int64_t(std::floor(x.x())), int64_t(std::floor(x.y())), int64_t(std::floor(x.z()))}, v});
        }
        std::ranges::sort(order);
        m_blockOf.resize(order.size());
        for (size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || order[i].first != order[i - 1].first) m_blocks.emplace_back();
            m_blocks.back().push_back(order[i].second);
            m_blockOf[order[i].second] = uint32_t(m_blocks.size() - 1);
        }
    }
    bool isInside(uint32_t v) const {
        bool inside = true;
        m_edges.forNeighbors(v, [&](uint32_t w) { inside &= m_blockOf[w] == m_blockOf[v]; });
        return inside;
    }
    // Of the ends of an edge; v first: only if it is inside, w lies in the same block, and may be read.
    bool isInside(uint32_t v, uint32_t w) const { return isInside(v) && isInside(w); }
    void collapseInside(const std::vector<uint32_t>& block) {
        const auto allowed = [&](uint32_t v, uint32_t w) { return isInside(v, w); };
        Queue queue;
        for (const uint32_t v : block)
            m_edges.forNeighbors(v, [&](uint32_t w) {
                if (v < w && allowed(v, w)) propose(queue, v, w);
            });
        collapseAll(queue, allowed);
    }

    double distanceOf(uint32_t a, uint32_t b, const Placement& to) const {
        return std::max(m_moved[a], m_moved[b]) + to.distance;
    }
    void propose(Queue& queue, uint32_t v, uint32_t w) const {
        const uint32_t a = std::min(v, w), b = std::max(v, w);
        const double distance = distanceOf(a, b, placeEdge(m_edges, a, b));
        if (distance <= m_tolerance) queue.push({distance, a, b, m_version[a] + m_version[b]});
    }
    // allowed(a, b): whether the edge may collapse now; one that may not is left out
    template <class Allowed>
    void collapseAll(Queue& queue, Allowed&& allowed) {
        constexpr double kMinCosine = 0.5;  // triangles turn by less than 60°
        while (!queue.empty()) {
            const Candidate next = queue.top();
            queue.pop();
            const uint32_t a = next.a, b = next.b;
            if (!m_edges.exists(a) || !m_edges.exists(b) || m_version[a] + m_version[b] != next.version)
                continue;
            // the triangles may have changed since
            const Placement to = placeEdge(m_edges, a, b);
            const double distance = distanceOf(a, b, to);
            if (distance > next.distance) {
                if (distance <= m_tolerance) queue.push({distance, a, b, next.version});
                continue;
            }
            // the nearer vertex remains, with its velocity
            const bool nearA = length(m_edges.at(a) - to.x) <= length(m_edges.at(b) - to.x);
            const uint32_t kept = nearA ? a : b, gone = nearA ? b : a;
            bool tooLong = false;
            for (const uint32_t v : {a, b})
                m_edges.forNeighbors(
                    v, [&](uint32_t w) { tooLong |= length(m_edges.at(w) - to.x) > m_longestEdge; });
            if (tooLong || !m_edges.collapse(kept, gone, to.x, kMinCosine)) continue;
            m_moved[kept] = distance;
            m_version[kept] = next.version + 1;
            m_edges.forNeighbors(kept, [&](uint32_t w) {
                if (allowed(kept, w)) propose(queue, kept, w);
            });
        }
    }

    EdgeCollapse m_edges;
    std::vector<double> m_moved;      // per vertex: distance so far [m]
    std::vector<uint32_t> m_version;  // per vertex: how many collapses it took
    double m_tolerance, m_longestEdge;
    std::vector<uint32_t> m_blockOf;              // per vertex
    std::vector<std::vector<uint32_t>> m_blocks;  // → vertices
};

}  // namespace

void dropSmallPieces(ReducedMesh& mesh, double minVolume) {
    DisjointSets sets(mesh.size());
    for (const Triangle& t : mesh.triangle) sets.join(t[0], t[1]), sets.join(t[0], t[2]);
    // relative to a vertex of the piece, for precision
    std::vector<double> volume(mesh.size());
    for (const Triangle& t : mesh.triangle) {
        const uint32_t root = sets.find(t[0]);
        const Vec3d origin = toDouble(mesh.position[root]);
        const auto corner = [&](size_t k) -> Vec3d { return toDouble(mesh.position[t[k]]) - origin; };
        volume[root] += dot(corner(0), cross(corner(1), corner(2))) / 6;
    }
    const auto isKept = [&](uint32_t v) { return std::abs(volume[sets.find(v)]) >= minVolume; };
    std::vector<uint32_t> number(mesh.size());
    uint32_t kept = 0;
    for (uint32_t v = 0; v < number.size(); ++v) {
        if (!isKept(v)) continue;
        number[v] = kept;
        mesh.position[kept] = mesh.position[v];
        mesh.source[kept++] = mesh.source[v];
    }
    std::erase_if(mesh.triangle, [&](const Triangle& t) { return !isKept(t[0]); });
    for (Triangle& t : mesh.triangle)
        for (uint32_t& v : t) v = number[v];
    mesh.position.resize(kept), mesh.source.resize(kept);
}

void mergeAtNodes(ReducedMesh& mesh, double cell, double distance) {
    struct AtNode {
        std::array<int64_t, 3> node;
        uint32_t vertex;
    };
    std::vector<AtNode> order;
    for (uint32_t v = 0; v < mesh.size(); ++v) {
        const Vec3d x = (1 / cell) * toDouble(mesh.position[v]);
        const Vec3d node{std::round(x.x()), std::round(x.y()), std::round(x.z())};
        if (length(x - node) <= distance)
            order.push_back({{int64_t(node.x()), int64_t(node.y()), int64_t(node.z())}, v});
    }
    std::ranges::sort(order, {}, [](const AtNode& a) { return std::tuple(a.node, a.vertex); });

    EdgeCollapse edges(mesh);
    std::vector<uint32_t> merged;  // of the vertices at a node: the number of each
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && order[end].node == order[begin].node) ++end;
        merged.assign(end - begin, 1);
        for (size_t i = begin; i < end; ++i) {
            const auto mergeOne = [&] {
                for (size_t j = begin; j < end; ++j) {
                    const uint32_t a = order[i].vertex, b = order[j].vertex;
                    uint32_t &countA = merged[i - begin], &countB = merged[j - begin];
                    if (i == j || countA == 0 || countB == 0) continue;
                    const Vec3d mean = (countA * edges.at(a) + countB * edges.at(b)) / (countA + countB);
                    if (!edges.collapse(a, b, mean, 0)) continue;
                    countA += countB, countB = 0;
                    return true;
                }
                return false;
            };
            while (mergeOne()) {
            }  // again from the first: the vertex has new neighbors
        }
    }
    edges.write(mesh);
}

void decimate(ReducedMesh& mesh, double tolerance, double longestEdge) {
    Decimation decimation(mesh, tolerance, longestEdge);
    decimation.run();
    decimation.write(mesh);
}

}  // namespace coalesce
