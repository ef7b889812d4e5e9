// Flat walls that hold a liquid.
//
// The field of the liquid goes on behind a wall as its mirror image, so that the surface meets the wall at a right
// angle as if the liquid went on; the mesh ends at the wall. Images are particles of their own: those within R of a
// wall, for one wall after the other, so that corners have the images of images.
#pragma once

#include "kernels/surface/surface_blocks.h"

namespace coalesce {

constexpr int kMostWalls = 12;  // two boxes

struct SurfaceWalls {
    int count;
    // unit normal n into the liquid, offset w [m]; n·x + w is the distance from the wall
    Vec4 plane[kMostWalls];

    HD float distance(int k, Vec3 x) const { return dot(xyz(plane[k]), x) + plane[k].w; }
    // Whether a point lies on a wall, within this share of a cell.
    static constexpr float kOnWall = 0.001f;
    HD bool isOn(int k, Vec3 x, float inverseCell) const {
        return fabsf(distance(k, x)) * inverseCell < kOnWall;
    }
    // [cells] from a node at x, y, z = 0, 1, … from node 0 of a block
    HD float nodeDistance(int k, const SurfaceGrid& grid, const SurfaceBlock& b, int x, int y, int z) const {
        return dot(xyz(plane[k]),
                   Vec3{toFloat(b.node[0] + x), toFloat(b.node[1] + y), toFloat(b.node[2] + z)}) +
               plane[k].w / grid.cell;
    }
    // The point moved onto the walls whose bits are set.
    HD Vec3 onto(Vec3 x, uint32_t walls) const {
        // once is exact for walls at right angles; a corner of 60° is met within 1 % by four rounds
        for (int round = 0; round < 4; ++round)
            for (int k = 0; k < count; ++k)
                if (walls >> k & 1) x -= distance(k, x) * xyz(plane[k]);
        return x;
    }
};

// Share of a cell that is the least distance of an inside node from a wall, and of a vertex from a node: no triangle
// has equal corners.
constexpr float kNearestToNode = 0.001f;

// Each particle is its own original.
struct ListOriginals {
    View<uint32_t> original;  // written
    HD void operator()(int i) const { original[i] = static_cast<uint32_t>(i); }
};

// Particles in front of a wall, and within reach of it.
struct SelectNearWall {
    View<const Vec4> x;       // [m]
    View<uint32_t> selected;  // written
    SurfaceWalls walls;
    int wall;
    float reach;  // [m]
    HD void operator()(int i) const {
        const float s = walls.distance(wall, xyz(x[i]));
        selected[i] = s > 0 && s < reach;
    }
};

// Appends the images of the selected particles behind all others.
struct MirrorAtWall {
    View<const uint32_t> selected;  // particles
    View<Vec4> x;                   // [m]; read, and written from `first` on
    View<uint32_t> id, original;    // read, and written from `first` on
    SurfaceWalls walls;
    int wall;
    size_t first;
    HD void operator()(int i) const {
        const uint32_t from = selected[i];
        const Vec3 p = xyz(x[from]);
        const size_t to = first + static_cast<size_t>(i);
        x[to] = vec4(p - 2 * walls.distance(wall, p) * xyz(walls.plane[wall]), x[from].w);
        id[to] = id[from];
        original[to] = original[from];
    }
};

// Takes the nodes behind the walls out of the inside, see MarkInside.
struct CutAtWalls {
    View<const uint64_t> bins;
    View<const uint32_t> candidate;  // per block
    View<uint64_t> inside;           // per block; changed
    SurfaceGrid grid;
    SurfaceWalls walls;
    HD void operator()(int block) const {
        uint64_t bits = inside[block];
        if (bits == 0) return;
        const SurfaceBlock b = blockOf(grid, bins, candidate[block]);
        for (int k = 0; k < walls.count; ++k) {
            if (walls.nodeDistance(k, grid, b, 0, 0, 0) > 2 * kBlockEdge) continue;  // a block is shorter
            for (int node = 0; node < kBlockNodes; ++node)
                if (walls.nodeDistance(k, grid, b, node & 3, node >> 2 & 3, node >> 4) <= kNearestToNode)
                    bits &= ~(uint64_t{1} << node);
        }
        inside[block] = bits;
    }
};

// Vertices back onto the walls on which they lay, and in front of the others.
struct MoveOntoWalls {
    View<Vec4> position;           // [m]; changed
    View<const uint32_t> onWalls;  // per vertex, a bit for each wall
    SurfaceWalls walls;
    HD void operator()(int i) const {
        const Vec3 x = xyz(position[i]);
        uint32_t on = onWalls[i];
        for (int k = 0; k < walls.count; ++k)
            if (walls.distance(k, x) < 0) on |= 1u << k;
        position[i] = vec4(walls.onto(x, on), position[i].w);
    }
};

}  // namespace coalesce
