// What validate says of mesh files, on a plate of known size.
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/build/mesh_summary.h"
#include "scene_text.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MeshFiles : public ::testing::Test {
protected:
    // A plate of 200 x 4 x 100 [cm], Z up: without its top when open.
    void writePlate(bool open = false) {
        std::ofstream out(folder / "plate.obj");
        for (const int z : {0, 4})
            for (const int y : {0, 100})
                for (const int x : {0, 200}) out << fmt::format("v {} {} {}\n", x, y, z);
        out << "f 1 3 4 2\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n" << (open ? "" : "f 5 6 8 7\n");
    }
    Scene read(const std::string& body, const std::string& shape = "", const std::string& kind = "rigid") {
        return readSceneText(R"({"materials": {"stone": {"kind": ")" + kind +
                                 R"(", "spacing": 0.05}}, "bodies": [{"name": "top", )" + body +
                                 R"(}], "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}})" +
                                 shape + "]}",
                             folder / "scene.json");
    }
    const std::string inCentimeters = R"("mesh": "plate.obj", "metersPerUnit": 0.01, "upAxis": "z")";
    TemporaryFolder folder;
};

TEST_F(MeshFiles, AreDescribedWithTheirSizeAndWall) {
    writePlate();
    const auto meshes = meshSummaries(read(inCentimeters));
    ASSERT_EQ(meshes.size(), 1u);
    EXPECT_EQ(
        meshes[0].text,
        "bodies.top: plate.obj: 12 triangles, 2 x 0.04 x 1 m, 1 part, closed, 0.08 m3, thinnest wall 0.04 m");
    ASSERT_EQ(meshes[0].warnings.size(), 1u);
    EXPECT_THAT(meshes[0].warnings[0], HasSubstr("thinner than the spacing of its particles, 0.05 m"));
}

TEST_F(MeshFiles, AGridThatDoesNotHoldAWallIsNamed) {
    writePlate();
    const auto of = [&](const char* more) {
        return meshSummaries(read(R"("shape": "sphere")",
                                  R"(, {"name": "lid", "sdf": {)" + inCentimeters + more + "}}"))
            .at(0);
    };
    EXPECT_THAT(of(R"(, "cell": 0.03)").warnings.at(0),
                HasSubstr("thinner than two cells of its grid, 0.06 m"));
    EXPECT_THAT(of(R"(, "cell": 0.02)").warnings, IsEmpty());
    // 80, 2 and 40 cells, three more to either side
    EXPECT_THAT(of(R"(, "cell": 0.025)").text, HasSubstr("grid of 87 x 9 x 47 nodes, 0.147 MB"));
    EXPECT_THAT(of(R"(, "cell": 0.03, "shell": true)").warnings, IsEmpty());
}

TEST_F(MeshFiles, TheScaleOfAShapeCounts) {
    writePlate();
    const auto meshes = meshSummaries(
        read(R"("shape": "sphere")",
             R"(, {"name": "lid", "scale": [0.5, 2, 3], "sdf": {"cell": 0.03, )" + inCentimeters + "}}"));
    EXPECT_THAT(meshes.at(0).text,
                HasSubstr("1 x 0.08 x 3 m, 1 part, closed, 0.24 m3, thinnest wall 0.08 m"));
    // the grid is scaled with the mesh, and its cells resolve the wall no better
    EXPECT_THAT(meshes.at(0).warnings.at(0), HasSubstr("a wall of 0.04 m"));
    EXPECT_THAT(meshes.at(0).warnings.at(0), HasSubstr("0.06 m, all before the scale"));
}

TEST_F(MeshFiles, SequencesAreDescribedWithTheirMemory) {
    writePlate();
    for (const char* frame : {"plate_1.obj", "plate_2.obj", "plate_3.obj"})
        std::filesystem::copy_file(folder / "plate.obj", folder / frame);
    const auto meshes = meshSummaries(read(R"("shape": "sphere")",
                                           R"(, {"name": "lid", "sdf": {"mesh": "plate_#.obj", "cell": 0.025,
        "metersPerUnit": 0.01, "upAxis": "z", "animation": {"rate": 24}}})"));
    ASSERT_EQ(meshes.size(), 1u);
    // 3 x 8 corners of 12 bytes; 16 bytes per node
    EXPECT_EQ(meshes[0].text,
              "shapes.lid: plate_#.obj: 3 frames of 12 triangles, 0.000288 MB, the first 2 x 0.04 x 1 m, "
              "closed, grid of 87 x 9 x 47 nodes, 0.589 MB");
}

// A wave needs a displacement at each node, whether its solid comes from a file or not.
TEST_F(MeshFiles, WavesAreCountedWithTheirDisplacements) {
    writePlate();
    const auto of = [&](const std::string& sdf) {
        return meshSummaries(read(R"("shape": "sphere")", R"(, {"name": "lid", "sdf": {)" + sdf + "}}"));
    };
    const std::string file = inCentimeters + R"(, "cell": 0.025)", form = R"("shape": "cube", "cell": 0.125)",
                      wave = R"(, "animation": {"wave": {"amplitude": 0.1}})";
    const auto still = of(file), waving = of(file + wave);
    ASSERT_EQ(waving.size(), 1u);
    EXPECT_THAT(still.at(0).text, HasSubstr("grid of 87 x 9 x 47 nodes, 0.147 MB"));
    EXPECT_THAT(waving.at(0).text, HasSubstr("grid of 87 x 9 x 47 nodes, 0.589 MB"));
    // 8 cells, three more to either side
    EXPECT_EQ(of(form).at(0).text, "shapes.lid: cube, 1 x 1 x 1 m, grid of 15 x 15 x 15 nodes, 0.0135 MB");
    EXPECT_EQ(of(form + wave).at(0).text,
              "shapes.lid: cube that deforms, 1 x 1 x 1 m, grid of 15 x 15 x 15 nodes, 0.054 MB");
}

TEST_F(MeshFiles, ABodyStandsWhereItsFilePutsIt) {
    writePlate();
    const Scene scene = read(inCentimeters + R"(, "keepOrigin": true, "center": [10, 0, 0])");
    const Box box = boxesOf(scene, 0).at(0);
    // 2 x 0.04 x 1 m; Y of the file is -z of the scene
    EXPECT_LT(length(box.low - Vec3{10, 0, -1}), 1e-5f);
    EXPECT_LT(length(box.high - Vec3{12, 0.04f, 0}), 1e-5f);
}

TEST_F(MeshFiles, AWrongUnitIsSuspected) {
    writePlate();
    const auto meshes =
        meshSummaries(read(R"("shape": "sphere")", R"(, {"name": "lid", "mesh": {"mesh": "plate.obj",
        "metersPerUnit": 1}})"));
    EXPECT_THAT(meshes.at(0).warnings.at(0), HasSubstr("it measures 200 m. If the file is in centimeters"));
    try {
        countParticles(read(R"("mesh": "plate.obj", "metersPerUnit": 1)"));
        ADD_FAILURE() << "a body of 200 m";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("has too many particles"));
        EXPECT_THAT(error.what(), HasSubstr("If the file is in centimeters, metersPerUnit is 0.01."));
    }
}

TEST_F(MeshFiles, AShapeThatReplacesAMissingFileIsNone) {
    EXPECT_THAT(meshSummaries(read(R"("shape": "sphere", "mesh": "missing.obj")")), IsEmpty());
}

TEST_F(MeshFiles, ClothMayBeAnOpenMesh) {
    writePlate(true);
    const Scene scene = read(inCentimeters, "", "cloth");
    EXPECT_THAT(meshSummaries(scene).at(0).text, HasSubstr("1 hole"));
    EXPECT_THAT(meshSummaries(scene).at(0).warnings, IsEmpty());
    EXPECT_EQ(formOf(scene, scene.bodies[0])->cloth.triangles.size(), 10u);
    EXPECT_NEAR(boundsOf(scene, scene.bodies[0]).high.x, 1, 1e-5);
}

TEST_F(MeshFiles, KeysAreCheckedAndWrittenBack) {
    writePlate();
    const Scene scene = read(inCentimeters);
    EXPECT_EQ(scene.bodies[0].solid.up, UpAxis::z);
    EXPECT_EQ(readSceneText(scene.text, folder / "scene.json").text, scene.text);
    EXPECT_EQ(scene.text.find("\"height\""), std::string::npos);
    const Scene kept = read(inCentimeters + R"(, "keepOrigin": true)");
    EXPECT_TRUE(kept.bodies[0].solid.keepOrigin);
    EXPECT_EQ(readSceneText(kept.text, folder / "scene.json").text, kept.text);
    const auto complains = [&](const std::string& body, const char* what) {
        try {
            read(body);
            ADD_FAILURE() << body;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr(what)) << body;
        }
    };
    complains(inCentimeters + R"(, "height": 1)", "either its own unit, or a height or size");
    complains(R"("shape": "sphere", "upAxis": "z")", "applies to mesh files only");
    complains(R"("shape": "sphere", "keepOrigin": true)", "keepOrigin: applies to mesh files only");
    complains(R"("mesh": "plate.obj", "keepOrgin": true)", "Did you mean \"keepOrigin\"?");
    complains(R"("mesh": "plate.obj", "upAxis": "w")", "Choose y, z or x");
    complains(R"("mesh": "plate.obj", "metersPerUnit": -1)", "metersPerUnit");
    complains(R"("mesh": "plate.obj", "metersPerUnits": 1)", "Did you mean \"metersPerUnit\"?");
}

}  // namespace
}  // namespace coalesce::test
