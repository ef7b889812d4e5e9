// Marching cubes [LC87] on the blocks of a surface grid: counts, vertices, triangles.
//
// A vertex lies on each edge between an inside and an outside node and belongs to the lower node, so cells
// and blocks share it. The table of the 256 cases comes from src/sim/surface/cube_cases.cpp; faces with two
// inside corners across are cut the same way from both sides, so the mesh is closed and every edge has two
// triangles. Vertices are ordered by block and node, triangles by block and cell.
#pragma once

#include "kernels/surface/color_field.h"

namespace coalesce {

// Corner c of a cell is at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge 4 k + n runs along axis k from the
// n-th of the corners whose bit k is 0.
struct CubeCase {
    uint8_t triangles;  // number, up to 5
    uint8_t edge[15];   // three per triangle, counterclockwise seen from outside the liquid
};
HD int lowerCorner(int edge) {
    const int axis = edge >> 2, n = edge & 3;
    return axis == 0 ? n << 1 : axis == 1 ? (n & 1) | (n & 2) << 1 : n;
}

// Nodes of a block and of its upper neighbors.
struct BlockNodes {
    View<const uint32_t> upper;  // of FindUpperBlocks

    // Index of the node at x, y, z = 0 … 7 from node 0 of a block, or -1 where no block exists.
    HD int64_t at(int block, int x, int y, int z) const {
        const uint32_t b = upper[8 * block + ((x >> 2) | (y >> 2) << 1 | (z >> 2) << 2)];
        if (b == kNoBlock) return -1;
        return int64_t{b} * kBlockNodes + ((x & 3) | (y & 3) << 2 | (z & 3) << 4);
    }
};

// Which corners of each cell are inside: bit c for corner c.
struct ClassifyCells {
    BlockNodes nodes;
    View<const float> color;  // per node
    View<uint8_t> corners;    // written per node: of the cell above it
    float level;              // of φ at the surface
    HD void operator()(int i) const {
        const int block = i / kBlockNodes, x = i & 3, y = i >> 2 & 3, z = i >> 4 & 3;
        uint32_t bits = 0;
        for (int c = 0; c < 8; ++c) {
            const int64_t n = nodes.at(block, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
            if (n >= 0 && color[n] > level) bits |= 1u << c;
        }
        corners[i] = static_cast<uint8_t>(bits);
    }
};

// Whether the surface crosses the edge from a node along each axis.
HD uint32_t crossedAxes(uint32_t corners) {
    return ((corners ^ corners >> 1) & 1) | ((corners ^ corners >> 2) & 1) << 1 |
           ((corners ^ corners >> 4) & 1) << 2;
}
HD uint32_t countBits3(uint32_t bits) {
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1);
}

struct CountMesh {
    View<const uint8_t> corners;
    View<const CubeCase> cases;
    View<uint32_t> vertices, triangles;  // written per block
    HD void operator()(int i) const {
        uint32_t v = 0, t = 0;
        for (int n = 0; n < kBlockNodes; ++n) {
            const uint32_t c = corners[i * kBlockNodes + n];
            if (c == 0 || c == 255) continue;
            v += countBits3(crossedAxes(c));
            t += cases[c].triangles;
        }
        vertices[i] = v;
        triangles[i] = t;
    }
};

struct EmitVertices {
    BlockNodes nodes;
    View<const uint64_t> bins;
    View<const uint32_t> candidate;  // per block
    View<const float> color;
    View<const uint8_t> corners;
    View<const uint32_t> start;  // per block: first vertex
    View<uint32_t> vertexAt;     // written per node that has vertices: the first of them
    View<Vec4> position;         // written [m]
    View<uint32_t> bin;          // written per vertex
    SurfaceGrid grid;
    float level;  // of φ at the surface

    static constexpr float kNearest = 0.001f;  // share of an edge between a vertex and a node: no triangle
                                               // has equal corners

    HD void operator()(int i) const {
        if (start[i] == start[i + 1]) return;
        const SurfaceBlock b = blockOf(grid, bins, candidate[i]);
        uint32_t next = start[i];
        for (int n = 0; n < kBlockNodes; ++n) {
            const int64_t node = int64_t{i} * kBlockNodes + n;
            const uint32_t crossed = crossedAxes(corners[node]);
            if (crossed == 0) continue;
            const int x = n & 3, y = n >> 2 & 3, z = n >> 4;
            vertexAt[node] = next;
            for (int k = 0; k < 3; ++k) {
                if ((crossed >> k & 1) == 0) continue;
                const int64_t other = nodes.at(i, x + (k == 0), y + (k == 1), z + (k == 2));
                const float a = color[node], c = other < 0 ? 0.0f : color[other];
                const float t = clamp((level - a) / (c - a), kNearest, 1 - kNearest);
                position[next] = {grid.cell * (toFloat(b.node[0] + x) + (k == 0 ? t : 0)),
                                  grid.cell * (toFloat(b.node[1] + y) + (k == 1 ? t : 0)),
                                  grid.cell * (toFloat(b.node[2] + z) + (k == 2 ? t : 0)), 0};
                bin[next] = b.bin;
                ++next;
            }
        }
    }
};

struct EmitTriangles {
    BlockNodes nodes;
    View<const uint8_t> corners;
    View<const CubeCase> cases;
    View<const uint32_t> start;     // per block: first triangle
    View<const uint32_t> vertexAt;  // per node
    View<uint32_t> index;           // written: three per triangle

    HD void operator()(int i) const {
        if (start[i] == start[i + 1]) return;
        size_t next = 3 * size_t{start[i]};
        for (int n = 0; n < kBlockNodes; ++n) {
            const CubeCase& cube = cases[corners[int64_t{i} * kBlockNodes + n]];
            for (int k = 0; k < 3 * cube.triangles; ++k) index[next++] = vertexOn(i, n, cube.edge[k]);
        }
    }

private:
    HD uint32_t vertexOn(int block, int n, int edge) const {
        const int corner = lowerCorner(edge);
        const int64_t node = nodes.at(block, (n & 3) + (corner & 1), (n >> 2 & 3) + (corner >> 1 & 1),
                                      (n >> 4) + (corner >> 2));
        const uint32_t lower = crossedAxes(corners[node]) & ((1u << (edge >> 2)) - 1);
        return vertexAt[node] + countBits3(lower);
    }
};

}  // namespace coalesce
