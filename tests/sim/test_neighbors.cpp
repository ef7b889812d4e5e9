// Lists of neighbors. Reference: all pairs, in double.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_world.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class NeighborSearch : public EachBackend {};

// Every pair nearer than its reach is listed and no other is. The kernel compares squares in float, so a pair
// within 2e-6 of the reach may be seen either way: five roundings of 6e-8 each, doubled, and that of the
// cell's width.
void expectAllPairs(const OpenWorld& open) {
    const World& world = open.world;
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    const double margin = 1 + double{world.parameters.neighbors.margin};
    size_t pairs = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const std::vector<int> list = open.listOf(i);
        std::vector<char> listed(x.size(), 0);
        for (const int j : list) {
            ASSERT_GE(j, 0);
            ASSERT_LT(static_cast<size_t>(j), x.size());
            ASSERT_FALSE(listed[j]) << "slot " << i << " lists " << j << " twice";
            listed[j] = 1;
        }
        for (size_t j = 0; j < x.size(); ++j) {
            const auto h = [&](size_t k) {
                const MaterialProperties& m = world.materials[materialOf(phase[k])].properties;
                return double{m.spacing} * m.supportRatio;
            };
            const double reach = 0.5 * (h(i) + h(j)) * margin, r = length(toDouble(x[i]) - toDouble(x[j]));
            if (j == i) {
                ASSERT_FALSE(listed[j]) << "slot " << i << " lists itself";
            } else if (std::abs(r - reach) > 2e-6 * reach) {
                ASSERT_EQ(r < reach, listed[j] != 0)
                    << "slots " << i << " and " << j << ", distance " << r << ", reach " << reach;
                pairs += r < reach;
            }
        }
    }
    EXPECT_GT(pairs, 0u);
}

// Storage goes by cell (z, then y, then x), then by id; lists go in storage order.
void expectOrder(const OpenWorld& open) {
    const std::vector<Vec4> x = open.world.particles.x.download();
    const std::vector<uint32_t> id = open.world.particles.id.download();
    const float inverse = 1 / Neighbors::cellSize(open.world, open.device.summary);
    const auto place = [&](size_t i) {
        return std::array<double, 4>{std::floor(x[i].z * inverse), std::floor(x[i].y * inverse),
                                     std::floor(x[i].x * inverse), static_cast<double>(id[i])};
    };
    for (size_t i = 1; i < x.size(); ++i) ASSERT_LT(place(i - 1), place(i)) << "slot " << i;
    for (size_t i = 0; i < x.size(); ++i) {
        const std::vector<int> list = open.listOf(i);
        ASSERT_TRUE(std::is_sorted(list.begin(), list.end())) << "slot " << i;
    }
}

void addCloud(World& world, int count, Vec3 low, Vec3 size, uint32_t material = 0, uint64_t seed = 3) {
    std::vector<ParticleDef> births;
    for (int i = 0; i < count; ++i) {
        const Vec3 u = randomVec3(seed, i, 0, 1);
        births.push_back(
            {.x = {low.x + u.x * size.x, low.y + u.y * size.y, low.z + u.z * size.z}, .material = material});
    }
    world.addParticles(births);
}

TEST_P(NeighborSearch, FindsAllPairsOfARandomCloud) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        World world(exec);
        addMaterial(world, water(0.05f));
        addCloud(world, 700, {-0.3f, -0.2f, -0.4f}, {0.7f, 0.5f, 0.6f}, 0, seed);
        shuffleStorage(world, seed);
        const OpenWorld open(world);
        expectAllPairs(open);
        expectOrder(open);
    }
}

TEST_P(NeighborSearch, FindsAllPairsOfALatticeOnCellFaces) {
    // 1/16 m and support 1/8 m: every second layer lies exactly on the faces of cells, on both sides of the
    // origin
    World world(exec);
    addMaterial(world, water(0.0625f));
    addBlock(world, {.low = {-0.28125f, -0.28125f, -0.28125f}, .nx = 9, .ny = 9, .nz = 9});
    const OpenWorld open(world);
    expectAllPairs(open);
    expectOrder(open);
    // the support reaches 32 neighbors; six more lie exactly on it and are not within it
    const std::vector<Vec4> x = world.particles.x.download();
    for (size_t i = 0; i < x.size(); ++i)
        if (length(xyz(x[i])) == 0) {
            EXPECT_EQ(open.listOf(i).size(), 26u);
        }
}

TEST_P(NeighborSearch, FindsAllPairsFarFromTheOrigin) {
    // positions of 1 km have steps of 6e-5 m; the pair distances are exact all the same
    for (const Vec3 low : {Vec3{1e3f, -1e3f, 1e3f}, Vec3{-1e3f, 1e3f, 0}, Vec3{4096, 4096, 4096}}) {
        World world(exec);
        addMaterial(world, water(0.05f));
        addCloud(world, 500, low, {0.5f, 0.5f, 0.5f});
        const OpenWorld open(world);
        expectAllPairs(open);
        expectOrder(open);
        EXPECT_EQ(open.status.message(), "");
    }
}

TEST_P(NeighborSearch, FindsAllPairsNearTheLastCell) {
    // cells of 1 m: 2^20 cells are 1048.6 km, where positions have steps of 1/16 m
    for (const float side : {1.0f, -1.0f}) {
        World world(exec);
        addMaterial(world, water(0.5f));
        const float edge = side > 0 ? (1 << 20) - 9.0f : -(1 << 20) + 3.0f;
        addCloud(world, 400, {edge, edge, edge}, {5, 5, 5});
        const OpenWorld open(world);
        expectAllPairs(open);
        EXPECT_EQ(open.status.worst.flags & kDomainOverflow, 0u);
    }
}

TEST_P(NeighborSearch, ReportsParticlesBeyondTheLastCell) {
    World world(exec);
    addMaterial(world, water(0.5f));
    addCloud(world, 50, {0, 0, 0}, {2, 2, 2});
    addAt(world, {1 << 21, 0, 0});
    const OpenWorld open(world);
    EXPECT_NE(open.status.worst.flags & kDomainOverflow, 0u);
    EXPECT_NE(open.status.message().find("2^20 cells"), std::string::npos) << open.status.message();
}

TEST_P(NeighborSearch, FindsAllPairsOfTwoResolutionsWithAMargin) {
    for (const float margin : {0.0f, 0.15f, 1.0f}) {
        World world(exec);
        world.parameters.neighbors.margin = margin;
        addMaterial(world, water(0.05f));
        addMaterial(world, water(0.03f));
        addCloud(world, 250, {0, 0, 0}, {0.4f, 0.4f, 0.4f}, 0, 5);
        addCloud(world, 400, {0.2f, 0, 0}, {0.4f, 0.4f, 0.4f}, 1, 6);
        const OpenWorld open(world);
        expectAllPairs(open);
        expectOrder(open);
    }
}

TEST_P(NeighborSearch, FindsAllPairsWithKeysLongerThan32Bits) {
    // three puddles 2 km apart along all axes, in cells of 0.1 m: 15 bits per axis
    World world(exec);
    addMaterial(world, water(0.05f));
    addCloud(world, 200, {-1000, -1000, -1000}, {0.3f, 0.3f, 0.3f}, 0, 1);
    addCloud(world, 200, {0, 0, 0}, {0.3f, 0.3f, 0.3f}, 0, 2);
    addCloud(world, 200, {1000, 1000, 1000}, {0.3f, 0.3f, 0.3f}, 0, 3);
    const OpenWorld open(world);
    EXPECT_GT(open.device.capacity.keys.keyBits(), 32);
    expectAllPairs(open);
    expectOrder(open);
}

// A far particle makes the box of the grid too large for a dense
// table of cells: the same lists by the other way.
TEST_P(NeighborSearch, DenseAndOccupiedCellsGiveTheSameLists) {
    World near(exec), far(exec);
    for (World* world : {&near, &far}) {
        addMaterial(*world, water(0.05f));
        addMaterial(*world, water(0.03f));
        addCloud(*world, 4000, {-0.3f, -0.2f, -0.4f}, {0.9f, 0.8f, 0.7f}, 0, 8);
        addCloud(*world, 1000, {0.1f, -0.2f, -0.4f}, {0.5f, 0.3f, 0.4f}, 1, 9);
        shuffleStorage(*world, 10);
    }
    addAt(far, {500, 500, 500});  // the last in the order of cells
    const OpenWorld dense(near), occupied(far);
    const auto isDense = [](const OpenWorld& open) {
        return Neighbors::usesDenseTable(open.device.capacity.keys, open.world.count());
    };
    ASSERT_TRUE(isDense(dense));
    ASSERT_FALSE(isDense(occupied));
    expectAllPairs(dense);
    expectOrder(dense);
    std::vector<uint32_t> ids = far.particles.id.download();
    ids.pop_back();
    EXPECT_EQ(near.particles.id.download(), ids);
    for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(dense.listOf(i), occupied.listOf(i)) << "slot " << i;
}

TEST_P(NeighborSearch, MemoryDoesNotDependOnDistance) {
    const auto peak = [&](float distance) {
        Exec own({.backend = GetParam(), .threads = 1});
        World world(own);
        addMaterial(world, water(0.05f));
        addBlock(world, {.low = {0, 0, 0}, .nx = 12, .ny = 12, .nz = 12});
        addBlock(world, {.low = {distance, 0, 0}, .nx = 12, .ny = 12, .nz = 12});
        Solver solver(world);
        stepFrames(solver, 2);
        return own.peakBytes();
    };
    // longer sort keys need some KB more of scratch memory on CUDA
    const size_t near = peak(2), far = peak(20);
    EXPECT_LE(peak(2000), far + 16 * 1024);
    // a dense table of cells in place of sort keys, occupied
    // cells and rows: either takes at most 64 bytes more
    constexpr size_t kMore = 64 * 2 * 12 * 12 * 12;
    EXPECT_LE(far, near + kMore);
    EXPECT_LE(near, far + kMore);
}

// ---- too little room ----

// A drop and how it moves in ten frames: the hash at the end.
uint64_t hashOfADrop(Exec& exec, int capacity, int* redone) {
    World world(exec);
    world.parameters.neighbors.capacity = capacity;
    addMaterial(world, water(0.05f));
    addBlock(world, {.low = {0, 0.1f, 0}, .nx = 7, .ny = 7, .nz = 7, .jitter = 0.1f});
    addFloor(world);
    Solver solver(world);
    *redone = 0;
    for (int frame = 0; frame < 10; ++frame) *redone += solver.step().redone;
    return stateHash(world);
}

TEST_P(NeighborSearch, GrowingListsDoesNotChangeResults) {
    int grown, roomy;
    const uint64_t small = hashOfADrop(exec, 8, &grown), large = hashOfADrop(exec, 256, &roomy);
    EXPECT_GT(grown, 0);
    EXPECT_EQ(roomy, 0);
    EXPECT_EQ(small, large);
}

TEST_P(NeighborSearch, OverflowErrorNamesCountsAndRestoresTheWorld) {
    World world(exec);
    world.parameters.solver.overflow = Overflow::fail;
    world.parameters.neighbors.capacity = 8;
    addMaterial(world, water(0.05f));
    addBlock(world, {.nx = 5, .ny = 5, .nz = 5});
    const uint64_t before = stateHash(world);
    Solver solver(world);
    try {
        solver.step();
        FAIL() << "a list of 8 holds no filled neighborhood";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Simulation);
        const std::string text = error.what();
        // the lattice's 26 and what its fall rounds in
        EXPECT_NE(text.find("neighbors; the lists hold 8"), std::string::npos) << text;
        EXPECT_NE(text.find("neighbors.capacity"), std::string::npos) << text;
    }
    EXPECT_EQ(stateHash(world), before);
}

TEST_P(NeighborSearch, ClampedListsKeepTheNearest) {
    World world(exec);
    world.parameters.solver.overflow = Overflow::clamp;
    world.parameters.neighbors.capacity = 8;
    addMaterial(world, water(0.05f));
    addCloud(world, 400, {0, 0, 0}, {0.3f, 0.3f, 0.3f});
    addBlock(world, {.low = {1, 0, 0}, .nx = 5, .ny = 5, .nz = 5});  // a lattice has many equal distances
    const OpenWorld open(world);
    EXPECT_TRUE(open.status.truncated);
    EXPECT_NE(open.status.message().find("were truncated"), std::string::npos);
    const std::vector<Vec4> x = world.particles.x.download();
    const double h = double{0.05f} * 2;
    for (size_t i = 0; i < x.size(); ++i) {
        // what the eight nearest are, by distance as the kernel computes it, then by slot
        std::vector<std::pair<float, int>> all;
        for (size_t j = 0; j < x.size(); ++j) {
            const Vec3 d = xyz(x[i]) - xyz(x[j]);
            const float r2 = std::fmaf(d.x, d.x, std::fmaf(d.y, d.y, d.z * d.z));
            if (j != i && r2 < h * h * (1 - 1e-6)) all.push_back({r2, static_cast<int>(j)});
        }
        std::sort(all.begin(), all.end());
        const std::vector<int> list = open.listOf(i);
        ASSERT_EQ(list.size(), std::min<size_t>(8, all.size())) << "slot " << i;
        std::vector<int> nearest;
        for (size_t k = 0; k < list.size(); ++k) nearest.push_back(all[k].second);
        std::sort(nearest.begin(), nearest.end());
        EXPECT_EQ(list, nearest) << "slot " << i;
    }
}

TEST_P(NeighborSearch, FindsPairsOutsideThePredictedBox) {
    // 90 m/s: the particles cross a hundred planned boxes; every frame must still find their neighbors
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    addBlock(world, {.nx = 5, .ny = 5, .nz = 5, .velocity = {90, 0, 0}});
    addBlock(world, {.low = {-2, 0, 0}, .nx = 5, .ny = 5, .nz = 5, .velocity = {0, -90, 0}});
    Solver solver(world);
    for (int frame = 0; frame < 120; ++frame) ASSERT_EQ(solver.step().message(), "");
    solver.findNeighbors();
    const OpenWorld open(world);
    expectAllPairs(open);
    EXPECT_GT(positions(world)[0].x, 100);
}

FOR_EACH_BACKEND(NeighborSearch);

}  // namespace
}  // namespace coalesce::test
