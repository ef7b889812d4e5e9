// Exported OpenVDB files against closed forms, of a ball and of the volume of particles,
// read by the library itself and by the program.
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

#include "core/error.h"
#include "export/exporter.h"
#include "export/vdb_file.h"
#include "geometry/mesh/mesh_reader.h"
#include "geometry/mesh/mesh_vdb.h"
#include "geometry/shapes/solid.h"
#include "sim/make_world.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

constexpr float kVoxel = 0.05f, kRadius = 0.5f;
const Vec3 kCenter{1, 2, -3}, kSpin{0, 2, 0};  // [m], [rad/s]

std::map<std::string, openvdb::GridBase::Ptr> gridsOf(const std::filesystem::path& path) {
    openvdb::initialize();
    openvdb::io::File file(path.string());
    file.open();
    std::map<std::string, openvdb::GridBase::Ptr> grids;
    const openvdb::GridPtrVecPtr all = file.getGrids();
    for (const openvdb::GridBase::Ptr& grid : *all) grids[grid->getName()] = grid;
    return grids;
}

// A ball that turns about the y axis; its triangles lie within 0.001 r of it.
LiquidVolume turningBall() {
    LiquidVolume ball{{.material = "water", .mesh = {}, .attributes = {}}, kVoxel};
    const TriangleMesh mesh = makeSolid({.shape = "icosphere", .height = 2 * kRadius, .numbers = {}})->mesh();
    ball.liquid.mesh.triangle = mesh.triangles;
    for (const Vec3& v : mesh.vertices) {
        const Vec3 out = normalizeOr(v, {0, 1, 0});
        ball.liquid.mesh.position.push_back(kCenter + kRadius * out);
        ball.liquid.mesh.normal.push_back(out);
        ball.liquid.mesh.velocity.push_back(cross(kSpin, kRadius * out));
    }
    return ball;
}

TEST(Vdb, LevelSetOfABall) {
    const TemporaryFolder folder;
    const std::string bytes = encodeVdb({7, 0.5, {turningBall()}, {}, 0});
    EXPECT_EQ(bytes, encodeVdb({7, 0.5, {turningBall()}, {}, 0}));
    writeText(folder / "ball.vdb", bytes);
    auto grids = gridsOf(folder / "ball.vdb");
    ASSERT_EQ(grids.size(), 2u);
    const auto levelSet = openvdb::gridPtrCast<openvdb::FloatGrid>(grids.at("water"));
    ASSERT_TRUE(levelSet);
    EXPECT_EQ(levelSet->getGridClass(), openvdb::GRID_LEVEL_SET);
    const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grids.at("velocity"));
    ASSERT_TRUE(velocity);
    EXPECT_EQ(velocity->activeVoxelCount(), levelSet->activeVoxelCount());
    size_t voxels = 0;
    for (auto it = levelSet->cbeginValueOn(); it; ++it, ++voxels) {
        const openvdb::Vec3d p = levelSet->indexToWorld(it.getCoord());
        const Vec3 r{float(p.x()) - kCenter.x, float(p.y()) - kCenter.y, float(p.z()) - kCenter.z};
        // two voxels away the library may keep a triangle that is not the closest one
        const float distance = length(r) - kRadius;
        EXPECT_NEAR(*it, distance, (std::abs(distance) < 1.5f * kVoxel ? 0.05f : 0.5f) * kVoxel);
        const openvdb::Vec3s v = velocity->tree().getValue(it.getCoord());
        const Vec3 wanted = cross(kSpin, kRadius * normalizeOr(r, {0, 1, 0}));
        if (std::abs(distance) < 1.5f * kVoxel) {
            EXPECT_LT(length(Vec3{v.x(), v.y(), v.z()} - wanted), 0.01f);  // of 1 m/s
        }
    }
    // a band of six voxels around the sphere
    const double expected = 4 * std::numbers::pi * kRadius * kRadius * 6 / (double(kVoxel) * kVoxel);
    EXPECT_NEAR(double(voxels), expected, 0.1 * expected);
}

TEST(Vdb, TheProgramReadsItsOwnFile) {
    const TemporaryFolder folder;
    writeText(folder / "ball.vdb", encodeVdb({7, 0.5, {turningBall()}, {}, 0}));
    const TriangleMesh mesh = readMesh(folder / "ball.vdb");
    ASSERT_GT(mesh.vertices.size(), 500u);
    EXPECT_TRUE(isClosed(mesh));
    EXPECT_NEAR(volumeOf(mesh), 4 / 3.0 * std::numbers::pi * std::pow(kRadius, 3), 0.02);
    const auto velocity = VdbVelocity::read(readText(folder / "ball.vdb"), "ball");
    ASSERT_TRUE(velocity);
    for (size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3 r = mesh.vertices[i] - kCenter;
        EXPECT_NEAR(length(r), kRadius, 0.2f * kVoxel);
        EXPECT_GT(dot(mesh.normals[i], normalizeOr(r, {0, 1, 0})), 0.98f);
        EXPECT_LT(length(velocity->at(toDouble(mesh.vertices[i])) - toDouble(cross(kSpin, r))), 0.1);
    }
}

TEST(Vdb, FogsHoldTheVolumeOfTheirParticles) {
    const TemporaryFolder folder;
    // a marker of smoke larger than a voxel, foam smaller than one
    const std::vector<Vec3> x{{0.03f, 0.51f, -0.2f}, {0.2f, 0.2f, 0.2f}, {0.21f, 0.2f, 0.2f}};
    const std::vector<float> radius{0.3f, 0.01f, 0.02f};
    ParticleTable table{3, 0.5, 7, {}};
    std::vector<float> points;
    for (const Vec3 p : x) points.insert(points.end(), {p.x, p.y, p.z});
    table.columns.push_back({"P", 3, points});
    table.columns.push_back({"radius", 1, radius});
    table.columns.push_back({"class", 1, std::vector<uint32_t>{3, 1, 1}});
    writeText(folder / "fog.vdb", encodeVdb({7, 0.5, {}, table, kVoxel}));
    auto grids = gridsOf(folder / "fog.vdb");
    ASSERT_EQ(grids.size(), 4u);
    const auto sum = [&](const char* name, Vec3& middle) {
        const auto fog = openvdb::gridPtrCast<openvdb::FloatGrid>(grids.at(name));
        EXPECT_EQ(fog->getGridClass(), openvdb::GRID_FOG_VOLUME);
        double volume = 0;
        openvdb::Vec3d moment(0.0);
        for (auto it = fog->cbeginValueOn(); it; ++it) {
            volume += double{*it} * std::pow(double{kVoxel}, 3);
            moment += double{*it} * std::pow(double{kVoxel}, 3) * fog->indexToWorld(it.getCoord());
        }
        if (volume > 0) moment /= volume;
        middle = {float(moment.x()), float(moment.y()), float(moment.z())};
        return volume;
    };
    const auto ball = [](double r) { return 4 / 3.0 * std::numbers::pi * r * r * r; };
    Vec3 middle{};
    EXPECT_NEAR(sum("smoke", middle), ball(0.3), 1e-5 * ball(0.3));
    EXPECT_LT(length(middle - x[0]), 0.05f * kVoxel);
    const double foam = ball(0.01) + ball(0.02);
    EXPECT_NEAR(sum("foam", middle), foam, 1e-5 * foam);
    EXPECT_EQ(sum("spray", middle), 0);
    EXPECT_EQ(sum("bubbles", middle), 0);
}

TEST(Vdb, LiquidsOfAWorldHaveALevelSetEach) {
    const TemporaryFolder folder;
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    addMaterial(world, water(0.1f));
    addMaterial(world, water(0.05f));
    addBlock(world, {.nx = 6, .ny = 6, .nz = 6, .velocity = {1, 2, 3}});
    Exporter exporter({.formats = {ExportFormat::vdb}, .folder = folder.path()});
    exporter.take(world, "tank");
    EXPECT_EQ(exporter.finish(), 1u);
    auto grids = gridsOf(folder / "tank_000000.vdb");
    ASSERT_EQ(grids.size(), 4u);
    EXPECT_NEAR(grids.at("material0")->voxelSize().x(), 0.05, 1e-6);
    EXPECT_NEAR(grids.at("material1")->voxelSize().x(), 0.025, 1e-6);
    EXPECT_EQ(grids.at("material1")->activeVoxelCount(), 0u);  // no particles
    // distance to the flat faces of a block from 0 to 0.6; its edges are round
    const auto levelSet = openvdb::gridPtrCast<openvdb::FloatGrid>(grids.at("material0"));
    for (const int k : {-2, -1, 0, 1, 2})
        EXPECT_NEAR(levelSet->tree().getValue({6, 12 + k, 6}), 0.05f * float(k), 0.03f);
    const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grids.at("material0_velocity"));
    EXPECT_LT((velocity->tree().getValue({6, 12, 6}) - openvdb::Vec3s(1, 2, 3)).length(), 1e-4f);
}

// The name of a liquid is that of its grid, which must not be that of another one.
TEST(Vdb, ALiquidWithTheNameOfAnotherGridIsRefused) {
    Exec exec{ExecOptions{.backend = "cpu"}};
    for (const char* name : {"foam", "velocity", "oil_velocity"}) {
        World world(exec);
        addMaterial(world, water(0.1f));
        world.materials[0].name = name;
        addBlock(world, {.nx = 2, .ny = 2, .nz = 2});
        try {
            takeVolumeFrame(world, {}, false);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Usage);
            EXPECT_NE(std::string(error.what()).find("has the name of a grid"), std::string::npos);
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
        }
    }
}

// Fogs have the voxels of the finest liquid; grains count only where no liquid is.
TEST(Vdb, VoxelsOfFogsAreThoseOfTheFinestLiquid) {
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    addMaterial(world, water(0.1f));
    addMaterial(world, water(0.08f));
    MaterialProperties sand = water(0.02f);
    sand.kind = MaterialKind::grains;
    addMaterial(world, sand);
    addBlock(world, {.nx = 2, .ny = 2, .nz = 2});
    SurfaceOptions options;
    options.cell = 0.75f;
    EXPECT_FLOAT_EQ(takeVolumeFrame(world, options, false).fogVoxel, 0.75f * 0.08f);
}

}  // namespace
}  // namespace coalesce::test
