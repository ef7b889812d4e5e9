// Marching cubes [LC87] on the blocks of a surface grid: counts, vertices, triangles.
//
// A vertex lies on each edge between an inside and an outside node and belongs to the lower node, so cells
// and blocks share it. The table of the 256 cases comes from src/sim/surface/cube_cases.cpp; faces with two
// inside corners across are cut the same way from both sides, so the mesh is closed and every edge has two
// triangles. Vertices are ordered by block and node, triangles by block and cell.
#pragma once

#include "kernels/surface/color_field.h"
#include "kernels/surface/surface_walls.h"

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

// Bit n of a block: whether its node n is inside.
struct MarkInside {
    View<const float> color;  // per node
    View<uint64_t> inside;    // written per block
    float level;              // of φ at the surface
    HD void operator()(int block) const {
        uint64_t bits = 0;
#ifdef __CUDA_ARCH__
        for (int n = 0; n < kBlockNodes; ++n)
            bits |= uint64_t{color[int64_t{block} * kBlockNodes + n] > level} << n;
#else
        for (int n = 0; n < kBlockNodes; n += kLanes)
            bits |= uint64_t{bitsOf(color[LaneIndex{block * kBlockNodes + n}] > LaneFloat(level))} << n;
#endif
        inside[block] = bits;
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

HD uint32_t countBits(uint64_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__popcll(bits));
#else
    return static_cast<uint32_t>(__builtin_popcountll(bits));
#endif
}

// Which corners of each cell are inside, and the numbers of vertices and triangles of a block.
struct ClassifyCells {
    View<const uint32_t> upper;   // of FindUpperBlocks
    View<const uint64_t> inside;  // per block
    View<const CubeCase> cases;
    // written per node, of the cell above it: bit c for corner c; only of blocks with vertices or triangles
    View<uint8_t> corners;
    View<uint32_t> vertices, triangles;  // written per block

    HD void operator()(int i) const {
        // the same for all nodes at once: bit n of s[c] belongs to corner c of the cell above node n
        uint64_t u[8], s[8];
        for (int k = 0; k < 8; ++k) {
            const uint32_t b = upper[8 * i + k];
            u[k] = b == kNoBlock ? 0 : inside[b];
        }
        const uint64_t z0 = nextZ(u[0], u[4]), z1 = nextZ(u[1], u[5]), z2 = nextZ(u[2], u[6]),
                       z3 = nextZ(u[3], u[7]);
        s[0] = u[0], s[1] = nextX(u[0], u[1]);
        s[2] = nextY(u[0], u[2]), s[3] = nextX(s[2], nextY(u[1], u[3]));
        s[4] = z0, s[5] = nextX(z0, z1);
        s[6] = nextY(z0, z2), s[7] = nextX(s[6], nextY(z1, z3));
        uint64_t any = 0, all = ~uint64_t{0};
        for (int c = 0; c < 8; ++c) any |= s[c], all &= s[c];
        vertices[i] = triangles[i] = 0;
        if (any == all) return;
        vertices[i] = countBits(s[0] ^ s[1]) + countBits(s[0] ^ s[2]) + countBits(s[0] ^ s[4]);
        uint32_t count = 0;
        for (int n = 0; n < kBlockNodes; ++n) {
            uint32_t bits = 0;
            for (int c = 0; c < 8; ++c) bits |= static_cast<uint32_t>(s[c] >> n & 1) << c;
            corners[int64_t{i} * kBlockNodes + n] = static_cast<uint8_t>(bits);
            count += cases[bits].triangles;
        }
        triangles[i] = count;
    }

private:
    // Bits of the next nodes along an axis, the last ones from the block above.
    static HD uint64_t nextX(uint64_t bits, uint64_t above) {
        return (bits >> 1 & 0x7777777777777777u) | (above & 0x1111111111111111u) << 3;
    }
    static HD uint64_t nextY(uint64_t bits, uint64_t above) {
        return (bits >> 4 & 0x0fff0fff0fff0fffu) | (above & 0x000f000f000f000fu) << 12;
    }
    static HD uint64_t nextZ(uint64_t bits, uint64_t above) { return bits >> 16 | above << 48; }
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
    View<uint32_t> onWalls;  // written per vertex: a bit for each wall on which it lies; empty without walls
    SurfaceGrid grid;
    SurfaceWalls walls;
    float level;  // of φ at the surface

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
                float t = (level - a) / (c - a);
                uint32_t on = 0;
                if (walls.count > 0)
                    on = endAtWall(b, x, y, z, k, (a > level) == (c > level), corners[node], t);
                t = clamp(t, kNearestToNode, 1 - kNearestToNode);
                position[next] = {grid.cell * (toFloat(b.node[0] + x) + (k == 0 ? t : 0)),
                                  grid.cell * (toFloat(b.node[1] + y) + (k == 1 ? t : 0)),
                                  grid.cell * (toFloat(b.node[2] + z) + (k == 2 ? t : 0)), 0};
                if (walls.count > 0) on = moveToEdge(position[next], on, i, x, y, z);
                if (walls.count > 0) onWalls[next] = on;
                bin[next] = b.bin;
                ++next;
            }
        }
    }

private:
    // Where a wall crosses an edge before the field does, seen from its inside node: changes t, and returns the wall's
    // bit.
    HD uint32_t endAtWall(const SurfaceBlock& b, int x, int y, int z, int axis, bool wallsOnly,
                          uint32_t corner, float& t) const {
        const bool lowerInside = (corner & 1) != 0;
        if (wallsOnly) t = lowerInside ? 1.0f : 0.0f;
        uint32_t on = 0;
        for (int k = 0; k < walls.count; ++k) {
            const float lower = walls.nodeDistance(k, grid, b, x, y, z);
            const float upper =
                walls.nodeDistance(k, grid, b, x + (axis == 0), y + (axis == 1), z + (axis == 2));
            if ((lower > kNearestToNode) == (upper > kNearestToNode)) continue;
            const float at = clamp(lower / (lower - upper), 0.0f, 1.0f);  // also of nodes just in front of it
            if (lowerInside ? at > t : at < t) continue;
            t = at;
            on = 1u << k;
        }
        return on;
    }
    // Edges of the liquid at walls are sharp: the row of vertices next to them is moved there. Where two walls meet it
    // is that of the earlier wall, and where the surface meets a wall that of the surface. Returns the walls' bits.
    HD uint32_t moveToEdge(Vec4& p, uint32_t on, int block, int x, int y, int z) const {
        const float row = (1 + 2 * kNearestToNode) * grid.cell;
        uint32_t all = on;
        for (int k = 0; k < walls.count; ++k)
            if (on >> k == 0 && walls.distance(k, xyz(p)) < row &&
                (on != 0 || meets(xyz(walls.plane[k]), block, x, y, z)))
                all |= 1u << k;
        p = vec4(walls.onto(xyz(p), all), 0.0f);
        return all;
    }
    // Whether the surface above a node meets a wall, rather than lying along it.
    HD bool meets(Vec3 normal, int block, int x, int y, int z) const {
        const auto at = [&](int dx, int dy, int dz) {
            const int64_t node = nodes.at(block, x + dx, y + dy, z + dz);
            return node < 0 ? 0.0f : color[node];
        };
        const float here = at(0, 0, 0);
        const Vec3 gradient{at(1, 0, 0) - here, at(0, 1, 0) - here, at(0, 0, 1) - here};
        const float along = dot(normal, gradient);
        return along * along < 0.5f * dot(gradient, gradient);
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
