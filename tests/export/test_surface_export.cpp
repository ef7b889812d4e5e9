// Files of surface meshes, read back by the readers of scene meshes.
#include <cstring>
#include <gtest/gtest.h>

#include "export/surface_exporter.h"
#include "geometry/mesh/mesh_reader.h"
#include "sim/make_world.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

void addTwoLiquids(World& world) {
    addMaterial(world, water(0.05f));
    addMaterial(world, water(0.05f));
    world.particles.attributes.emplace_back(world.exec,
                                            AttributeInfo{.name = "dye", .initial = {0.25, 0, 0}});
    addBlock(world, {.nx = 5, .ny = 5, .nz = 5, .velocity = {1, 2, 3}});
    addBlock(world, {.low = {1, 0, 0}, .nx = 3, .ny = 3, .nz = 3, .material = 1});
}

TEST(SurfaceExport, FilesHoldTheMesh) {
    TemporaryFolder folder;
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    addTwoLiquids(world);
    SurfaceExporter exporter({.formats = {SurfaceFormat::ply, SurfaceFormat::obj},
                              .every = 1,
                              .folder = folder.path(),
                              .surface = {}});
    exporter.take(world, "tank");
    EXPECT_EQ(exporter.finish(), 4u);
    const std::vector<LiquidMesh> liquids = LiquidMesher(exec).build(world, {});
    for (const LiquidMesh& liquid : liquids)
        for (const char* ending : {"ply", "obj"}) {
            const auto file = folder / ("tank_" + liquid.material + "_000000." + ending);
            SCOPED_TRACE(file.string());
            const TriangleMesh read = readMesh(file);
            ASSERT_EQ(read.vertices.size(), liquid.mesh.position.size());
            ASSERT_GT(read.vertices.size(), 50u);
            ASSERT_EQ(read.triangles.size(), liquid.mesh.triangle.size());
            // the readers may number the vertices anew
            for (size_t t = 0; t < read.triangles.size(); ++t)
                for (int k = 0; k < 3; ++k) {
                    const uint32_t got = read.triangles[t][k], wanted = liquid.mesh.triangle[t][k];
                    EXPECT_TRUE(read.vertices[got] == liquid.mesh.position[wanted]);
                    if (read.normals.empty()) continue;
                    EXPECT_GT(dot(read.normals[got], liquid.mesh.normal[wanted]), 0.99999f);
                }
        }
    // velocity and attribute: the first vertex, after the header
    const std::string ply = readText(folder / ("tank_" + liquids[0].material + "_000000.ply"));
    float row[10];
    std::memcpy(row, ply.data() + ply.find("end_header\n") + 11, sizeof row);
    EXPECT_EQ(row[6], liquids[0].mesh.velocity[0].x);
    EXPECT_NEAR(row[7], 2, 1e-5);
    EXPECT_NEAR(row[9], 0.25f, 1e-5);
}

TEST(SurfaceExport, PiecesOfTwoBalls) {
    const TemporaryFolder folder;
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    addMaterial(world, water(0.05f));
    // lattice balls of 3 and 5 spacings, 1 m apart; the smaller one is stored first
    std::vector<ParticleDef> births;
    for (const auto& [radius, aside] : {std::pair{3, 0.0f}, {5, 1.0f}})
        for (int k = 0; k < 1000; ++k) {
            const Vec3 at{float(k % 10) - 4.5f, float(k / 10 % 10) - 4.5f, float(k / 100) - 4.5f};
            if (dot(at, at) < float(radius * radius)) births.push_back({.x = Vec3{aside, 0, 0} + 0.05f * at});
        }
    world.addParticles(births);
    const LiquidMesh liquid = LiquidMesher(exec).build(world, {}).front();
    const std::string ply = encode(liquid, SurfaceFormat::ply, 0, 0);
    EXPECT_NE(ply.find("property int piece\nelement face"), std::string::npos);
    const char* row = ply.data() + ply.find("end_header\n") + 11;
    size_t ofLarge = 0;
    for (size_t i = 0; i < liquid.mesh.position.size(); ++i, row += 9 * sizeof(float) + sizeof(int32_t)) {
        float x;
        int32_t piece;
        std::memcpy(&x, row, sizeof x);
        std::memcpy(&piece, row + 9 * sizeof(float), sizeof piece);
        EXPECT_EQ(piece, x > 0.5f ? 0 : 1) << i;
        ofLarge += piece == 0;
    }
    EXPECT_GT(ofLarge, liquid.mesh.position.size() / 2);
    EXPECT_LT(ofLarge, liquid.mesh.position.size());
}

TEST(SurfaceExport, AnUnwritableFolderIsReported) {
    try {
        SurfaceExporter({.formats = {SurfaceFormat::ply}, .every = 1, .folder = "/proc/none", .surface = {}});
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
    }
}

}  // namespace
}  // namespace coalesce::test
