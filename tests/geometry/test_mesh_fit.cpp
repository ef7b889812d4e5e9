// Mesh files in other units and with another axis up, against the same mesh in meters with Y up.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/shapes/mesh_fit.h"
#include "geometry/shapes/sample.h"
#include "geometry/shapes/solid.h"
#include "geometry/shapes/surface_animation.h"
#include "meshes.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

// A ball of radii 1, 0.5 and 0.25 along x, y and z, about (3, 4, 5).
TriangleMesh ellipsoid() {
    TriangleMesh mesh = ballMesh(8, 1, {});
    for (Vec3& v : mesh.vertices) v = Vec3{v.x, 0.5f * v.y, 0.25f * v.z} + Vec3{3, 4, 5};
    return mesh;
}

class MeshUnits : public ::testing::Test {
protected:
    // Writes the mesh with each vertex changed.
    template <class Change>
    std::filesystem::path file(const std::string& name, Change&& change) {
        std::ofstream out(folder / name);
        for (const Vec3& v : ellipsoid().vertices) {
            const Vec3 p = change(v);
            out << fmt::format("v {} {} {}\n", p.x, p.y, p.z);
        }
        for (const Triangle& t : ellipsoid().triangles)
            out << fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
        return folder / name;
    }
    // [m] from a point to the closest vertex as it was written; the reader merges and reorders them.
    static float awayFromFile(Vec3 p) {
        float least = 1e30f;
        for (const Vec3& v : ellipsoid().vertices) least = std::min(least, length(v - p));
        return least;
    }
    TemporaryFolder folder;
};

TEST_F(MeshUnits, AFileKeepsItsOwnSize) {
    const auto meters = file("m.obj", [](Vec3 v) { return v; });
    const auto centimeters = file("cm.obj", [](Vec3 v) { return 100.0f * v; });
    const auto solid = makeSolid({.mesh = meters, .metersPerUnit = 1});
    EXPECT_LT(length(solid->bounds().high - Vec3{1, 0.5f, 0.25f}), 1e-5f);
    EXPECT_LT(length(solid->bounds().low + Vec3{1, 0.5f, 0.25f}), 1e-5f) << "centered";
    const auto same = makeSolid({.mesh = centimeters, .metersPerUnit = 0.01f});
    EXPECT_NEAR(same->volume(), solid->volume(), 1e-5 * solid->volume());
    EXPECT_NEAR(same->distance({0.3f, 0.8f, 0.1f}), solid->distance({0.3f, 0.8f, 0.1f}), 1e-5f);
    // a height scales whatever the unit
    EXPECT_NEAR(makeSolid({.mesh = centimeters, .height = 3})->bounds().high.x, 3, 1e-4f);
}

TEST_F(MeshUnits, AnotherAxisUpIsATurn) {
    const auto y = makeSolid({.mesh = file("y.obj", [](Vec3 v) { return v; }), .metersPerUnit = 1});
    // the same model as Blender (Z up) and others (X up) write it: a turn, so that it is not mirrored
    const auto z = makeSolid({.mesh = file("z.obj",
                                           [](Vec3 v) {
                                               return Vec3{v.x, -v.z, v.y};
                                           }),
                              .up = UpAxis::z,
                              .metersPerUnit = 1});
    const auto x = makeSolid({.mesh = file("x.obj",
                                           [](Vec3 v) {
                                               return Vec3{v.y, -v.x, v.z};
                                           }),
                              .up = UpAxis::x,
                              .metersPerUnit = 1});
    EXPECT_EQ(y->mesh().vertices, z->mesh().vertices) << "to the last bit";
    EXPECT_EQ(y->mesh().vertices, x->mesh().vertices);
    EXPECT_GT(z->volume(), 0) << "not inside out";
    // normals turn, too
    for (const auto& solid : {z, x}) {
        ASSERT_EQ(y->mesh().normals.size(), solid->mesh().normals.size());
        for (size_t i = 0; i < y->mesh().normals.size(); ++i)
            EXPECT_LT(length(y->mesh().normals[i] - solid->mesh().normals[i]), 1e-5f);
    }
}

TEST_F(MeshUnits, SequencesAreReadAlike) {
    for (int k = 1; k < 3; ++k) {
        const auto moved = [&](Vec3 v) { return Vec3{v.x + float(k), v.y, v.z}; };
        file(fmt::format("meters_{}.obj", k), moved);
        file(fmt::format("walk_{}.obj", k), [&](Vec3 v) {
            const Vec3 p = moved(v);
            return 1000.0f * Vec3{p.x, -p.z, p.y};
        });
    }
    const AnimatedSurface meters({.rate = 1, .wave = {}, .walk = {}},
                                 {.mesh = folder / "meters_#.obj", .metersPerUnit = 1});
    const AnimatedSurface walk({.rate = 1, .wave = {}, .walk = {}},
                               {.mesh = folder / "walk_#.obj", .up = UpAxis::z, .metersPerUnit = 0.001f});
    EXPECT_NEAR(boundsOf(meters.rest()).high.x, 1, 1e-5);
    for (const double t : {0.0, 1.0}) {
        const std::vector<Vec3> expected = meters.verticesAt(t), found = walk.verticesAt(t);
        ASSERT_EQ(expected.size(), found.size());
        for (size_t i = 0; i < found.size(); ++i) EXPECT_LT(length(found[i] - expected[i]), 1e-4f);
    }
    EXPECT_LT(length(walk.verticesAt(1)[0] - walk.verticesAt(0)[0] - Vec3{1, 0, 0}), 1e-4f);
}

TEST_F(MeshUnits, AFileKeepsItsOrigin) {
    // about (3, 4, 5) with Y up; Blender writes this as (3, -5, 4)
    const auto y = makeSolid(
        {.mesh = file("y.obj", [](Vec3 v) { return v; }), .metersPerUnit = 0.1f, .keepOrigin = true});
    const auto z = makeSolid({.mesh = file("z.obj",
                                           [](Vec3 v) {
                                               return Vec3{v.x, -v.z, v.y};
                                           }),
                              .up = UpAxis::z,
                              .metersPerUnit = 0.1f,
                              .keepOrigin = true});
    EXPECT_EQ(y->mesh().vertices, z->mesh().vertices);
    for (const Vec3& v : y->mesh().vertices) EXPECT_LT(awayFromFile(10.0f * v), 1e-5f);
    EXPECT_LT(length(y->bounds().low - Vec3{0.2f, 0.35f, 0.475f}), 1e-6f);
    EXPECT_LT(length(y->bounds().high - Vec3{0.4f, 0.45f, 0.525f}), 1e-6f);
    EXPECT_NEAR(y->distance({0.3f, 0.4f, 0.5f + 0.1f}), 0.075f, 1e-3f);
    EXPECT_LT(y->distance({0.3f, 0.4f, 0.5f}), 0);
    // particles lie where the solid is
    for (const Sample& s : sampleSolid(*y, 0.02f)) EXPECT_LT(y->distance(s.x), 0.01f);
    // also where a height scales the file, about its origin
    const auto high = makeSolid({.mesh = folder / "y.obj", .keepOrigin = true, .height = 2});
    EXPECT_LT(length(high->bounds().low - Vec3{4, 7, 9.5f}), 1e-5f);
    // the same file in its place and in the middle are two solids
    EXPECT_LT(length(makeSolid({.mesh = folder / "y.obj", .metersPerUnit = 0.1f})->bounds().low +
                     Vec3{0.1f, 0.05f, 0.025f}),
              1e-6f);
}

TEST_F(MeshUnits, ASequenceKeepsItsOrigin) {
    for (int k = 1; k < 3; ++k)
        file(fmt::format("walk_{}.obj", k), [&](Vec3 v) { return v + Vec3{float(k), 0, 0}; });
    const AnimatedSurface walk({.rate = 1, .wave = {}, .walk = {}},
                               {.mesh = folder / "walk_#.obj", .metersPerUnit = 2, .keepOrigin = true});
    for (const double t : {0.0, 0.5, 1.0})
        for (const Vec3& v : walk.verticesAt(t))
            EXPECT_LT(awayFromFile(0.5f * v - Vec3{1 + float(t), 0, 0}), 1e-5f);
}

TEST_F(MeshUnits, AnOriginFarAwayIsNamed) {
    const auto far = file("far.obj", [](Vec3 v) { return v + Vec3{0, 0, 20000}; });
    try {
        makeSolid({.mesh = far, .metersPerUnit = 1, .keepOrigin = true});
        ADD_FAILURE();
    } catch (const Error& error) {
        const std::string said = error.what();
        EXPECT_NE(said.find("2e+04 m away from its origin"), std::string::npos) << said;
        EXPECT_NE(said.find("Remove keepOrigin"), std::string::npos) << said;
    }
    EXPECT_NO_THROW(makeSolid({.mesh = far, .metersPerUnit = 1}));
}

TEST_F(MeshUnits, WrongUnitsAreNamed) {
    const auto mesh = file("m.obj", [](Vec3 v) { return v; });
    const auto complaint = [](const SolidSpec& spec) -> std::string {
        try {
            makeSolid(spec);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint({.mesh = mesh, .metersPerUnit = 1e6f}).find("2 units, which are 2e+06 m"),
              std::string::npos);
    EXPECT_NE(complaint({.mesh = mesh, .metersPerUnit = 1e-7f}).find("metersPerUnit"), std::string::npos);
    // a sheet in the plane of x and y, which lies once Z points up
    const auto sheet = file("sheet.obj", [](Vec3 v) { return Vec3{v.x, v.y, 0}; });
    EXPECT_NE(complaint({.mesh = sheet, .up = UpAxis::z, .surfaceOnly = true}).find("flat"),
              std::string::npos);
    EXPECT_EQ(complaint({.mesh = sheet, .surfaceOnly = true}), "");
    EXPECT_EQ(complaint({.mesh = sheet, .up = UpAxis::z, .metersPerUnit = 1, .surfaceOnly = true}), "");
    EXPECT_NE(complaint({.mesh = sheet, .metersPerUnit = 1}).find("encloses no volume"), std::string::npos);
}

}  // namespace
}  // namespace coalesce::test
