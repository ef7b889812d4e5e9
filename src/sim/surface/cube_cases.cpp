// On each face of a cell the surface runs as line segments between crossed edges, with the inside to one
// side. A face with two inside corners across has two ways; here its outside corners are connected. The way
// depends on the face alone, so the two cells at a face agree. The segments of all six faces form closed
// loops, and each loop is split into triangles. A diagonal between two vertices of one face could be a
// diagonal of the next cell as well, and then four triangles would meet at it; such diagonals are not used.
#include "sim/surface/cube_cases.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"

namespace coalesce {

namespace {

constexpr int kCubeEdges = 12;

int edgeBetween(int a, int b) {
    const int low = std::min(a, b), axis = (a ^ b) >> 1;  // 1, 2, 4 → 0, 1, 2
    for (int n = 0; n < 4; ++n)
        if (lowerCorner(4 * axis + n) == low) return 4 * axis + n;
    return -1;
}

// Corners of face 2 k + side, perpendicular to axis k, counterclockwise seen from outside the cell.
std::array<int, 4> faceCorners(int face) {
    const int k = face / 2, side = face % 2, u = 1 << (k + 1) % 3, v = 1 << (k + 2) % 3, base = side << k;
    std::array<int, 4> corners{base, base | u, base | u | v, base | v};
    if (side == 0) std::reverse(corners.begin(), corners.end());
    return corners;
}

bool onOneFace(int edgeA, int edgeB) {
    const auto corners = [](int edge) {
        const int low = lowerCorner(edge);
        return std::pair(low, low | 1 << (edge >> 2));
    };
    const auto [a, b] = corners(edgeA);
    const auto [c, d] = corners(edgeB);
    const int same = a & b & c & d, none = ~(a | b | c | d) & 7;  // a coordinate that is 1, or 0, in all four
    return (same | none) != 0;
}

// The next edge of the loop at each crossed edge, -1 at others.
std::array<int, kCubeEdges> connectEdges(int inside) {
    std::array<int, kCubeEdges> next;
    next.fill(-1);
    for (int face = 0; face < 6; ++face) {
        const std::array<int, 4> corners = faceCorners(face);
        const auto isInside = [&](int n) { return (inside >> corners[n & 3] & 1) != 0; };
        for (int n = 0; n < 4; ++n) {
            // where the rim of the face leaves the inside: back to where it entered it
            if (!isInside(n) || isInside(n + 1)) continue;
            int entry = n;
            while (isInside(entry)) entry = (entry + 3) & 3;
            next[edgeBetween(corners[n], corners[(n + 1) & 3])] =
                edgeBetween(corners[entry], corners[(entry + 1) & 3]);
        }
    }
    return next;
}

// Splits the polygon loop[first … last] into triangles; false if every way needs a diagonal inside a face.
bool split(const std::vector<int>& loop, int first, int last, std::vector<std::array<int, 3>>& triangles) {
    if (last - first < 2) return true;
    const int count = int(loop.size());
    const auto allowed = [&](int a, int b) {
        const bool side = b - a == 1 || b - a == count - 1;
        return side || !onOneFace(loop[a], loop[b]);
    };
    for (int middle = first + 1; middle < last; ++middle) {
        if (!allowed(first, middle) || !allowed(middle, last)) continue;
        const size_t before = triangles.size();
        triangles.push_back({loop[first], loop[last], loop[middle]});
        if (split(loop, first, middle, triangles) && split(loop, middle, last, triangles)) return true;
        triangles.resize(before);
    }
    return false;
}

}  // namespace

std::array<CubeCase, 256> makeCubeCases() {
    std::array<CubeCase, 256> cases{};
    for (int inside = 0; inside < 256; ++inside) {
        std::array<int, kCubeEdges> next = connectEdges(inside);
        std::vector<std::array<int, 3>> triangles;
        for (int edge = 0; edge < kCubeEdges; ++edge) {
            std::vector<int> loop;
            for (int at = edge; next[at] >= 0;) {
                loop.push_back(at);
                at = std::exchange(next[at], -1);
            }
            CHECK(split(loop, 0, int(loop.size()) - 1, triangles));
        }
        CHECK(triangles.size() <= 5);
        CubeCase& cube = cases[inside];
        cube.triangles = uint8_t(triangles.size());
        for (size_t t = 0; t < triangles.size(); ++t)
            for (int k = 0; k < 3; ++k) cube.edge[3 * t + k] = uint8_t(triangles[t][k]);
    }
    return cases;
}

}  // namespace coalesce
