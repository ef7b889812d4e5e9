// OpenVDB files as shapes, written by the library itself, against
// closed forms of a ball and of a conveyor belt.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetPlatonic.h>
#include <openvdb/tools/LevelSetSphere.h>

#include "checks/expect.h"
#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "geometry/mesh/mesh_vdb.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "sim/make_world.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

constexpr float kVoxel = 0.05f, kRadius = 0.5f;  // [m]

std::string refusal(auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Vdb, WrongFilesAreRefused) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.vdb").string();
    openvdb::initialize();
    const auto written = [&](const openvdb::GridPtrVec& grids) {
        openvdb::io::File(path).write(grids);
        return refusal([&] { readMesh(path); });
    };
    EXPECT_NE(written({}).find("has no grid"), std::string::npos);
    const auto fog = openvdb::FloatGrid::create(0);
    fog->setName("density");
    fog->setGridClass(openvdb::GRID_FOG_VOLUME);
    const std::string message = written({fog});
    EXPECT_NE(message.find("no grid of the file is a level set"), std::string::npos) << message;
    EXPECT_NE(message.find("density"), std::string::npos) << message;
    const auto ball = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, {0, 0, 0}, kVoxel);
    const auto other = ball->deepCopy();
    ball->setName("a");
    other->setName("b");
    EXPECT_NE(written({ball, other}).find("2 level sets"), std::string::npos);
    other->setName("surface");
    EXPECT_EQ(written({ball, other}), "no error");
    const auto empty = openvdb::createLevelSet<openvdb::FloatGrid>();
    EXPECT_NE(written({empty}).find("is empty"), std::string::npos);
    const auto speed = openvdb::FloatGrid::create(0);
    speed->setName("velocity");
    written({ball, speed});
    EXPECT_NE(refusal([&] { VdbVelocity::read(readText(path), path); }).find("must be vectors"),
              std::string::npos);
    writeText(path, "this is no OpenVDB file, but long enough to hold a header of one");
    EXPECT_NE(refusal([&] { readMesh(path); }).find("not a readable OpenVDB file"), std::string::npos);
    writeText(path, readText(path).substr(0, 20));
    EXPECT_NE(refusal([&] { readMesh(path); }).find("not a readable OpenVDB file"), std::string::npos);
    // cut off in the header, in the tree, and at the last byte
    EXPECT_EQ(written({ball}), "no error");
    const std::string whole = readText(path);
    for (const size_t length : {whole.size() / 8, whole.size() / 2, whole.size() - 1}) {
        writeText(path, whole.substr(0, length));
        EXPECT_NE(refusal([&] { readMesh(path); }).find("not a readable OpenVDB file"), std::string::npos)
            << length;
    }
}

// A scene with a level set of the library as a shape.
void buildWith(World& world, const TemporaryFolder& folder, const std::string& sdf, const std::string& body) {
    writeText(folder / "scene.json", R"({ "about": "A level set.", "duration": 1,
        "materials": { "sand": { "kind": "grains", "spacing": 0.08, "staticFriction": 1, "dynamicFriction": 1 } },
        "shapes": [{ "name": "s", )" + sdf +
                                         R"( }],
        "bodies": [{ "name": "b", "material": "sand", )" +
                                         body + " }] }");
    buildWorld(readScene(folder / "scene.json", {}), world);
}

// Coordinates and velocities come from outside: what is not finite
// or too far away is refused before it is used.
TEST(Vdb, NumbersOutOfRangeAreRefused) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto far = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, {0, 0, 0}, kVoxel);
    far->setTransform(openvdb::math::Transform::createLinearTransform(1e30));
    openvdb::io::File((folder / "far.vdb").string()).write({far});
    const std::string message = refusal([&] { readMesh(folder / "far.vdb"); });
    EXPECT_NE(message.find("is out of range"), std::string::npos) << message;
    EXPECT_NE(message.find("far.vdb"), std::string::npos) << message;
}

TEST(Vdb, VelocitiesMustBeFinite) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto ball = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, {0, 0, 0}, kVoxel);
    const auto velocity = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    velocity->setName("velocity");
    velocity->setTransform(ball->transform().copy());
    velocity->fill({{-12, -12, -12}, {12, 12, 12}}, {0, std::numeric_limits<float>::quiet_NaN(), 0});
    openvdb::io::File((folder / "ball.vdb").string()).write({ball, velocity});
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    const std::string message = refusal([&] {
        buildWith(world, folder, R"("sdf": { "mesh": "ball.vdb", "metersPerUnit": 1, "cell": 0.1 })",
                  R"("points": [[0, 5, 0]])");
    });
    EXPECT_NE(message.find("velocity at the surface is not finite"), std::string::npos) << message;
    EXPECT_NE(message.find("ball.vdb"), std::string::npos) << message;
}

TEST(Vdb, ASequenceIsNoAnimation) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto ball = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, {0, 0, 0}, kVoxel);
    for (const char* name : {"ball_1.vdb", "ball_2.vdb"})
        openvdb::io::File((folder / name).string()).write({ball});
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    const std::string message = refusal([&] {
        buildWith(world, folder,
                  R"("sdf": { "mesh": "ball_#.vdb", "metersPerUnit": 1, "animation": { "rate": 24 } })",
                  R"("points": [[0, 5, 0]])");
    });
    EXPECT_NE(message.find("a sequence of level sets cannot be an animation"), std::string::npos) << message;
    EXPECT_NE(message.find("Give one file"), std::string::npos) << message;
}
TEST(Vdb, ShapesAreSolidsContainersAndShells) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto ball =
        openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(100 * kRadius, {700, 0, 0}, 5.0f);
    openvdb::io::File((folder / "ball.vdb").string()).write({ball});  // in centimeters, 7 m aside
    Exec exec{ExecOptions{.backend = "cpu"}};
    const std::string file = R"("mesh": "ball.vdb", "metersPerUnit": 0.01, "cell": 0.025)";
    const auto distanceAt = [](const World& world, float r) {
        return volumeDistance(world.shapes[0].geometry->volume, {0.6f * r, 0, 0.8f * r});
    };
    const std::string far = R"("points": [[0, 5, 0]])";
    World solid(exec);
    buildWith(solid, folder, R"("sdf": {)" + file + "}", far);
    EXPECT_NEAR(distanceAt(solid, 0.3f), -0.2f, 0.025f);
    EXPECT_NEAR(distanceAt(solid, 0.5f), 0, 0.025f);
    EXPECT_NEAR(distanceAt(solid, 0.55f), 0.05f, 0.025f);
    EXPECT_NEAR(distanceAt(solid, 0), -0.5f, 0.025f);  // beyond the band of the file
    World shell(exec);
    buildWith(shell, folder, R"("sdf": {)" + file + R"(, "shell": true, "offset": 0.05})", far);
    EXPECT_NEAR(distanceAt(shell, 0.3f), 0.15f, 0.025f);
    EXPECT_NEAR(distanceAt(shell, 0.5f), -0.05f, 0.025f);
    EXPECT_NEAR(distanceAt(shell, 0.6f), 0.05f, 0.025f);

    // grains fall to the bottom of the container and stay
    World container(exec);
    buildWith(container, folder, R"("container": true, "sdf": {)" + file + "}",
              R"("block": { "size": [0.3, 0.3, 0.3] }, "center": [0, 0, 0])");
    Solver solver(container);
    for (int frame = 0; frame < 60; ++frame) solver.step();
    for (const Vec4& x : positions(container)) {
        EXPECT_LT(length(xyz(x)), kRadius - 0.04f + 0.01f);
        EXPECT_LT(x.y, 0.1f);
    }
}

TEST(Vdb, FlowingSurfacesCarryGrains) {
    const TemporaryFolder folder;
    openvdb::initialize();
    // a cube of one unit, stretched to 3 m x 0.4 m x 3 m, and its velocities with it
    const auto cube = openvdb::tools::createLevelSetCube<openvdb::FloatGrid>(1, {0, 0, 0}, kVoxel);
    const auto velocity = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    velocity->setName("vel");
    velocity->setTransform(cube->transform().copy());
    velocity->fill({{-20, -20, -20}, {20, 20, 20}}, {0.5f / 3, 0, 0.25f / 3});
    openvdb::io::File((folder / "belt.vdb").string()).write({cube, velocity});
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    buildWith(world, folder, R"("sdf": { "mesh": "belt.vdb", "size": [3, 0.4, 3], "cell": 0.05 })",
              R"("points": [[0, 0.24, 0], [-0.5, 0.24, 0.3]])");
    Solver solver(world);
    for (int frame = 0; frame < 60; ++frame) {
        solver.step();
        if (frame < 12) continue;  // within 0.2 s
        for (const Vec4& v : velocities(world))
            EXPECT_LT(length(xyz(v) - Vec3{0.5f, 0, 0.25f}), 0.02f) << frame;
    }
    const std::vector<Vec4> after = positions(world);
    for (size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i].y, 0.24f, 0.01f);
    // slow motion: frames of the same number, a quarter as long
    world.parameters.solver.timeScale = 0.25f;
    for (int frame = 0; frame < 12; ++frame) solver.step();
    for (const Vec4& v : velocities(world)) EXPECT_LT(length(xyz(v) - Vec3{0.5f, 0, 0.25f}), 0.02f);
}

// A surface that flows in place stays where it is: who flies past one that turns does not pass through it.
TEST(Vdb, WhatFliesPastAFlowingSurfaceDoesNotPassIt) {
    const TemporaryFolder folder;
    openvdb::initialize();
    const auto ball = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, {0, 0, 0}, kVoxel);
    const auto velocity = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    velocity->setName("velocity");
    velocity->setTransform(ball->transform().copy());
    for (int i = -13; i <= 13; ++i)
        for (int j = -13; j <= 13; ++j)
            for (int k = -13; k <= 13; ++k)
                velocity->tree().setValue({i, j, k}, {-kVoxel * float(j), kVoxel * float(i), 0});
    openvdb::io::File((folder / "ball.vdb").string()).write({ball, velocity});
    Exec exec{ExecOptions{.backend = "cpu"}};
    World world(exec);
    buildWith(world, folder, R"("sdf": { "mesh": "ball.vdb", "metersPerUnit": 1 })",
              R"("points": [[0.55, 0, 0]])");
    Scene scene = readScene(folder / "scene.json", {});
    scene.expect = readSceneText(R"({ "materials": { "sand": { "kind": "grains", "spacing": 0.08 } },
        "bodies": [{ "points": [[0, 0, 0]] }], "expect": { "passed": { "max": 0, "always": true } } })",
                                 "t.json")
                       .expect;
    Expectations expectations(scene);
    const auto passedAt = [&](Vec4 x) {
        world.time += 1.0 / 60;
        world.particles.x.upload(std::vector{x});
        expectations.observe(world, {});
        return expectations.results().back().measured;
    };
    expectations.observe(world, {});
    EXPECT_EQ(passedAt({0.55f, 0.01f, 0, 1}), 0);
    EXPECT_EQ(passedAt({0.55f, 0.02f, 0, 1}), 0);
    EXPECT_EQ(passedAt({0.4f, 0.02f, 0, 1}), 1);
}

}  // namespace
}  // namespace coalesce::test
