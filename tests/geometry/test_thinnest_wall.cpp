// Thinnest walls of boxes with a cavity, of which they are known.
#include <gtest/gtest.h>

#include "geometry/query/thinnest_wall.h"
#include "meshes.h"

namespace coalesce::test {
namespace {

// An axis-aligned box; inward: its normals point inward, as those of a cavity.
TriangleMesh boxMesh(Vec3 low, Vec3 high, bool inward = false) {
    TriangleMesh mesh = shape("brick", 1, {1, 1, 1})->mesh();
    for (Vec3& v : mesh.vertices)
        v = {low.x + (v.x + 0.5f) * (high.x - low.x), low.y + (v.y + 0.5f) * (high.y - low.y),
             low.z + (v.z + 0.5f) * (high.z - low.z)};
    if (inward)
        for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

TEST(ThinnestWall, OfAPlateIsItsThickness) {
    const auto wall = thinnestWall(boxMesh({0, 0, 0}, {1, 0.05f, 2}));
    ASSERT_TRUE(wall);
    EXPECT_NEAR(wall->thickness, 0.05, 1e-6);
    EXPECT_TRUE(std::abs(wall->at.y) < 1e-6f || std::abs(wall->at.y - 0.05f) < 1e-6f);
}

TEST(ThinnestWall, IsBesideACavity) {
    TriangleMesh mesh = boxMesh({0, 0, 0}, {1, 1, 1});
    append(mesh, boxMesh({0.2f, 0.1f, 0.03f}, {0.8f, 0.8f, 0.9f}, true));
    const auto wall = thinnestWall(mesh);
    ASSERT_TRUE(wall);
    EXPECT_NEAR(wall->thickness, 0.03, 1e-6);
    EXPECT_NEAR(wall->at.z, 0.015, 0.0151);
}

TEST(ThinnestWall, EdgesAndSheetsAreNone) {
    // the faces of a wedge of 30 degrees meet in an edge; the wall is between its ends
    TriangleMesh wedge;
    wedge.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0.577f, 0}, {0, 0, 5}, {1, 0, 5}, {1, 0.577f, 5}};
    wedge.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                       {0, 3, 5}, {0, 5, 2}, {1, 2, 5}, {1, 5, 4}};
    const auto wall = thinnestWall(wedge);
    ASSERT_TRUE(wall);
    EXPECT_GT(wall->thickness, 0.1);
    TriangleMesh sheet;
    sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    sheet.triangles = {{0, 1, 2}};
    EXPECT_FALSE(thinnestWall(sheet));
    EXPECT_FALSE(thinnestWall({}));
}

// Millions of triangles take no longer than thousands.
TEST(ThinnestWall, TriesASelectionOfLargeMeshes) {
    TriangleMesh mesh = ballMesh(120, 1);
    append(mesh, ballMesh(120, 0.9f));
    for (size_t k = mesh.triangles.size() / 2; k < mesh.triangles.size(); ++k)
        std::swap(mesh.triangles[k][1], mesh.triangles[k][2]);
    const auto wall = thinnestWall(mesh);
    ASSERT_TRUE(wall);
    EXPECT_NEAR(wall->thickness, 0.1, 1e-3);
}

}  // namespace
}  // namespace coalesce::test
