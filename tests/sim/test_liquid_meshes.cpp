// Surface meshes of simulated liquids.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/make_world.h"
#include "sim/surface/liquid_meshes.h"
#include "sim/surface/liquid_walls.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr float kD = 0.05f;  // [m]

class LiquidMeshTest : public EachBackend {};
FOR_EACH_BACKEND(LiquidMeshTest);

// A tank 0.6 m × 0.5 m, filled to 0.4 m.
void buildTank(World& world) {
    addMaterial(world, water(kD));
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.position = {0.3f, 0.5f, 0.25f}, tank.halfExtents = {0.3f, 0.5f, 0.25f};
    world.shapes.push_back(tank);
    addBlock(world, {.nx = 12, .ny = 8, .nz = 10});
}

// Distance to the nearest vertex.
double distanceTo(const SurfaceMesh& mesh, Vec3 p) {
    double nearest = 1e9;
    for (const Vec3 q : mesh.position) nearest = std::min(nearest, double(dot(p - q, p - q)));
    return std::sqrt(nearest);
}

TEST_P(LiquidMeshTest, StillTankStaysStill) {
    World world(exec);
    buildTank(world);
    Solver solver(world);
    LiquidMesher mesher(exec);
    for (int frame = 0; frame < 240; ++frame) solver.step();
    SurfaceMesh before = mesher.build(world, {})[0].mesh;
    double speed = 0, change = 0;  // [d per frame]
    constexpr int kFrames = 8;
    for (int frame = 0; frame < kFrames; ++frame) {
        solver.step();
        const LiquidMesh now = mesher.build(world, {})[0];
        const auto n = double(now.mesh.position.size());
        for (size_t i = 0; i < now.mesh.position.size(); ++i) {
            speed += length(now.mesh.velocity[i]) / (world.parameters.solver.frameRate * kD * n * kFrames);
            change += distanceTo(before, now.mesh.position[i]) / (kD * n * kFrames);
        }
        EXPECT_NEAR(volumeOf({now.mesh.position, {}, now.mesh.triangle}) / now.volume, 1, 0.025);
        const float lowest = std::ranges::min(now.mesh.position, {}, &Vec3::y).y;
        EXPECT_NEAR(lowest, 0, 1e-6);
        before = now.mesh;
    }
    EXPECT_LT(speed, 0.01);
    EXPECT_LT(change, 0.01);
}

// Walls count that hold all of a liquid, at their present places.
TEST_P(LiquidMeshTest, WallsAreFlatShapesThatHoldAllOfALiquid) {
    World world(exec);
    buildTank(world);
    world.shapes[0].rotation = quatFromNormal({0.6f, 0.8f, 0});
    world.shapes[0].velocity = {1, 0, 0};
    world.time = 2;
    Shape floor;
    floor.position = {0, 0.1f, 0};
    world.shapes.push_back(floor);
    Shape obstacle;
    obstacle.kind = ShapeKind::box;
    world.shapes.push_back(obstacle);
    SurfaceWalls walls = wallsOf(world, 0);
    ASSERT_EQ(walls.count, 7);
    const auto isClose = [](Vec4 a, Vec4 b) {
        return length(xyz(a) - xyz(b)) < 1e-5f && std::abs(a.w - b.w) < 1e-5f;
    };
    EXPECT_TRUE(isClose(walls.plane[6], {0, 1, 0, -0.1f}));
    // the tank's bottom: its center is at (2.3, 0.5, 0.25), and the normal points 0.5 m from the bottom to it
    bool found = false;
    for (int k = 0; k < 6; ++k) {
        EXPECT_GT(walls.distance(k, {2.3f, 0.5f, 0.25f}), 0.2f);
        found |= isClose(walls.plane[k], {0.6f, 0.8f, 0, 0.5f - (0.6f * 2.3f + 0.8f * 0.5f)});
    }
    EXPECT_TRUE(found);
    // some particles pass it, those of another liquid, none can meet it
    addMaterial(world, water(kD));
    world.groups.resize(2);
    world.groups[0].collisionMask = 1;
    world.groups[1].material = 1, world.groups[1].collisionMask = 2;
    world.shapes[1].collisionMask = 1;
    EXPECT_EQ(wallsOf(world, 0).count, 7);
    EXPECT_EQ(wallsOf(world, 1).count, 6);
    world.groups[1].material = 0;
    EXPECT_EQ(wallsOf(world, 0).count, 6);
    world.groups.clear();
    world.shapes[1].trigger = true;
    EXPECT_EQ(wallsOf(world, 0).count, 6);
    world.shapes.assign(20, floor);
    EXPECT_EQ(wallsOf(world, 0).count, kMostWalls);
}

TEST_P(LiquidMeshTest, EachLiquidHasItsMeshAndAttributes) {
    World world(exec);
    addMaterial(world, water(kD));
    addMaterial(world, water(0.04f));
    MaterialProperties sand = water(kD);
    sand.kind = MaterialKind::grains;
    addMaterial(world, sand);
    world.particles.attributes.emplace_back(exec, AttributeInfo{.name = "dye", .initial = {0.25, 0, 0}});
    world.particles.attributes.emplace_back(
        exec, AttributeInfo{.name = "origin", .type = AttributeType::vector, .initial = {1, 2, 3}});
    addBlock(world, {.low = {0, 0, 0}, .velocity = {1, 0, 0}});
    addBlock(world, {.low = {2, 0, 0}, .material = 1});
    addBlock(world, {.low = {4, 0, 0}, .material = 2});
    const std::vector<LiquidMesh> liquids = LiquidMesher(exec).build(world, {});
    ASSERT_EQ(liquids.size(), 2u);
    EXPECT_EQ(liquids[0].material, world.materials[0].name);
    for (size_t k = 0; k < 2; ++k) {
        const LiquidMesh& liquid = liquids[k];
        const Box box = boundsOf({liquid.mesh.position, {}, liquid.mesh.triangle});
        EXPECT_EQ(liquid.particles, 512u);
        EXPECT_NEAR(box.low.x, 2 * float(k), 0.3f * kD);
        EXPECT_NEAR(box.high.y, 8 * (k == 0 ? kD : 0.04f), 0.3f * kD);
        EXPECT_NEAR(liquid.mesh.velocity.at(0).x, k == 0 ? 1 : 0, 1e-5);
        ASSERT_EQ(liquid.attributes.size(), 2u);
        ASSERT_EQ(liquid.attributes[0].values.size(), liquid.mesh.position.size());
        ASSERT_EQ(liquid.attributes[1].values.size(), 3 * liquid.mesh.position.size());
        EXPECT_NEAR(liquid.attributes[0].values.back(), 0.25f, 1e-5);
        EXPECT_NEAR(liquid.attributes[1].values.back(), 3, 1e-5);
    }
}

}  // namespace
}  // namespace coalesce::test
