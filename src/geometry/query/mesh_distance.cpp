#include "geometry/query/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "geometry/query/median_split.h"

namespace coalesce {

namespace {

constexpr size_t kLeaf = 4;  // triangles
constexpr int kStack = 128;  // stack size: one node per level; 2^32 triangles have 32 levels

double boxSquared(Vec3d p, Vec3d low, Vec3d high) {
    const Vec3d d = (low - p).cwiseMax(p - high).cwiseMax(0.0);
    return dot(d, d);
}

}  // namespace

double windingNumberOf(Vec3d a, Vec3d b, Vec3d c) {
    const double la = length(a), lb = length(b), lc = length(c);
    const double denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    return std::atan2(dot(a, cross(b, c)), denominator) / (2 * std::numbers::pi);
}

// By Voronoi regions: corner, edge or face. With p - a = v (b - a) + w (c - a) + ..., the unscaled
// coordinates u, v, w of the projection are determinants of the dot products.
Vec3d closestOnTriangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
    const Vec3d ab = b - a, ac = c - a, ap = p - a;
    const double abAb = dot(ab, ab), abAc = dot(ab, ac), acAc = dot(ac, ac);
    const double squared = abAb * acAc - abAc * abAc;  // four times the area, squared
    if (!(squared > 1e-12 * abAb * acAc)) {            // degenerate: the closest of three edges
        const auto onEdge = [&](Vec3d from, Vec3d edge) -> Vec3d {
            const double e2 = dot(edge, edge);
            return from + (e2 > 0 ? std::clamp(dot(p - from, edge) / e2, 0.0, 1.0) : 0.0) * edge;
        };
        const auto far = [&](Vec3d q) { return dot(p - q, p - q); };
        Vec3d best = onEdge(a, ab);
        for (const Vec3d& q : {onEdge(b, c - b), onEdge(a, ac)})
            if (far(q) < far(best)) best = q;
        return best;
    }
    // projections on ab and ac, relative to each corner
    const double abA = dot(ab, ap), acA = dot(ac, ap);
    if (abA <= 0 && acA <= 0) return a;
    const double abB = abA - abAb, acB = acA - abAc;
    if (abB >= 0 && acB <= abB) return b;
    const double abC = abA - abAc, acC = acA - acAc;
    if (acC >= 0 && abC <= acC) return c;
    const double w = abA * acB - abB * acA;
    if (w <= 0 && abA >= 0 && abB <= 0) return a + (abA / abAb) * ab;
    const double v = abC * acA - abA * acC;
    if (v <= 0 && acA >= 0 && acC <= 0) return a + (acA / acAc) * ac;
    const double u = abB * acC - abC * acB, toB = acB - abB, toC = abC - acC;
    if (u <= 0 && toB >= 0 && toC >= 0) return b + (toB / (toB + toC)) * (c - b);
    return a + (v / squared) * ab + (w / squared) * ac;
}

Vec3d barycentric(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
    const Vec3d ab = b - a, ac = c - a, ap = p - a;
    const double abAb = dot(ab, ab), abAc = dot(ab, ac), acAc = dot(ac, ac),
                 squared = abAb * acAc - abAc * abAc;  // four times the area, squared
    if (!(squared > 1e-14 * abAb * acAc)) return {1, 0, 0};
    const double v = (dot(ab, ap) * acAc - dot(ac, ap) * abAc) / squared;
    const double w = (dot(ac, ap) * abAb - dot(ab, ap) * abAc) / squared;
    return {1 - v - w, v, w};
}

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
    CHECK(!mesh.triangles.empty());
    std::vector<Vec3d> centers;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        m_triangles.push_back(
            {toDouble(mesh.vertices[a]), toDouble(mesh.vertices[b]), toDouble(mesh.vertices[c]), t});
        const Corners& corners = m_triangles.back();
        centers.push_back((1.0 / 3) * (corners.a + corners.b + corners.c));
    }
    std::vector<uint32_t> order;
    const MedianSplit split(centers, kLeaf, order, [&](size_t begin, size_t end) -> Vec3d {
        m_nodes.push_back(nodeOver(std::span(order).subspan(begin, end - begin), centers));
        Node& node = m_nodes.back();
        node.first = uint32_t(begin);
        if (end - begin <= kLeaf) node.count = uint32_t(end - begin);
        return node.high - node.low;
    });
    for (size_t n = 0; n < m_nodes.size(); ++n) m_nodes[n].next = split.next()[n];
    std::vector<Corners> sorted;
    sorted.reserve(order.size());
    for (const uint32_t t : order) sorted.push_back(m_triangles[t]);
    m_triangles = std::move(sorted);
}

MeshDistance::Node MeshDistance::nodeOver(std::span<const uint32_t> triangles,
                                          const std::vector<Vec3d>& centers) const {
    Node node;
    node.low = node.high = m_triangles[triangles[0]].a;
    double weight = 0;
    Vec3d sum, plain;
    for (const uint32_t t : triangles) {
        const auto& [a, b, c, triangle] = m_triangles[t];
        node.low = node.low.cwiseMin(a.cwiseMin(b.cwiseMin(c)));
        node.high = node.high.cwiseMax(a.cwiseMax(b.cwiseMax(c)));
        const Vec3d n = 0.5 * cross(b - a, c - a);
        const double area = length(n);
        node.normal = node.normal + n;
        weight += area;
        sum = sum + area * centers[t];
        plain = plain + centers[t];
    }
    node.center = weight > 0 ? (1 / weight) * sum : (1.0 / double(triangles.size())) * plain;
    for (const uint32_t t : triangles)
        for (const Vec3d& p : {m_triangles[t].a, m_triangles[t].b, m_triangles[t].c})
            node.radius = std::max(node.radius, length(p - node.center));
    return node;
}

MeshDistance::Closest MeshDistance::closest(Vec3d p) const {
    Closest best;
    double bestSquared = std::numeric_limits<double>::max();
    struct Waiting {
        uint32_t node;
        double squared;
    };
    Waiting stack[kStack];
    int waiting = 0;
    stack[waiting++] = {0, 0};
    while (waiting > 0) {
        const Waiting top = stack[--waiting];
        if (top.squared >= bestSquared) continue;
        const Node& node = m_nodes[top.node];
        for (uint32_t k = node.first; k < node.first + node.count; ++k) {
            const auto& [a, b, c, triangle] = m_triangles[k];
            const Vec3d q = closestOnTriangle(p, a, b, c);
            const double squared = dot(p - q, p - q);
            if (squared < bestSquared) bestSquared = squared, best = {0, q, triangle};
        }
        if (node.count > 0) continue;
        // push the nearer child last, so that it is visited first
        Waiting children[2];
        const uint32_t left = top.node + 1;
        for (const uint32_t n : {left, m_nodes[left].next})
            children[n != left] = {n, boxSquared(p, m_nodes[n].low, m_nodes[n].high)};
        if (children[0].squared < children[1].squared) std::swap(children[0], children[1]);
        for (const Waiting& child : children)
            if (child.squared < bestSquared) stack[waiting++] = child;
    }
    best.distance = std::sqrt(bestSquared);
    return best;
}

double MeshDistance::windingNumber(Vec3d p, double reach) const {
    double sum = 0;
    uint32_t stack[kStack];
    int waiting = 0;
    stack[waiting++] = 0;
    while (waiting > 0) {
        const uint32_t index = stack[--waiting];
        const Node& node = m_nodes[index];
        const Vec3d offset = node.center - p;
        const double far = dot(offset, offset);
        if (far > reach * reach * node.radius * node.radius) {
            sum += dot(node.normal, offset) / (4 * std::numbers::pi * far * std::sqrt(far));
            continue;
        }
        for (uint32_t k = node.first; k < node.first + node.count; ++k)
            sum += windingNumberOf(m_triangles[k].a - p, m_triangles[k].b - p, m_triangles[k].c - p);
        if (node.count == 0) {
            stack[waiting++] = m_nodes[index + 1].next;
            stack[waiting++] = index + 1;
        }
    }
    return sum;
}

}  // namespace coalesce
