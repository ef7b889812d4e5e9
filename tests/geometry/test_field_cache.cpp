// Distance fields on disk: equal to those that are built, and never broken ones.
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

#include "core/config_folder.h"
#include "geometry/shapes/field_cache.h"
#include "meshes.h"
#include "support/temporary_folder.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

constexpr float kCell = 0.04f;  // a grid of 57³ nodes around a ball of radius 1
SurfaceFieldSpec ballSpec() {
    return {.cell = kCell, .margin = 3 * kCell};
}

std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) files.push_back(entry.path());
    return files;
}
void expectEqual(const SurfaceField& a, const SurfaceField& b) {
    EXPECT_EQ(a.volume.origin, b.volume.origin);
    EXPECT_EQ(a.volume.cell, b.volume.cell);
    EXPECT_EQ(a.volume.nx, b.volume.nx);
    EXPECT_EQ(a.volume.ny, b.volume.ny);
    EXPECT_EQ(a.volume.nz, b.volume.nz);
    EXPECT_TRUE(a.volume.distance == b.volume.distance);
    EXPECT_TRUE(a.motion == b.motion);
}

// A file that a cache reads is no longer old: so a field that is read can be told from one that is built.
void makeOld(const fs::path& file) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(48));
}
bool isOld(const fs::path& file) {
    return fs::last_write_time(file) < fs::file_time_type::clock::now() - std::chrono::hours(24);
}

TEST(FieldCache, ReturnsWhatWasBuilt) {
    const test::TemporaryFolder folder;
    const TriangleMesh ball = test::ballMesh(16);
    std::vector<Vec3> before = ball.vertices;
    for (Vec3& v : before) v.x += 0.1f * v.y;
    for (const bool moving : {false, true}) {
        const std::span<const Vec3> earlier =
            moving ? std::span<const Vec3>(before) : std::span<const Vec3>();
        const SurfaceField built = bakeSurface(ball, ballSpec(), earlier);
        ASSERT_GE(built.volume.distance.size(), FieldCache::kFewestNodes);
        const fs::path place = folder / (moving ? "moving" : "resting");
        expectEqual(FieldCache(place, 1 << 30).surface(ball, ballSpec(), earlier), built);
        ASSERT_EQ(filesIn(place).size(), 1u);
        makeOld(filesIn(place)[0]);
        expectEqual(FieldCache(place, 1 << 30).surface(ball, ballSpec(), earlier), built);
        EXPECT_FALSE(isOld(filesIn(place)[0])) << "the field was not taken from the file";
    }
}

TEST(FieldCache, DistinguishesAllThatAFieldDependsOn) {
    const test::TemporaryFolder folder;
    FieldCache cache(folder.path(), 1 << 30);
    TriangleMesh ball = test::ballMesh(16);
    std::vector<Vec3> before = ball.vertices;
    before[7].y += 0.01f;
    std::vector<SurfaceFieldSpec> specs(5, ballSpec());
    specs[1].cell *= 0.99f, specs[2].margin *= 1.5f, specs[3].offset = 0.01f, specs[4].shell = true;
    for (const SurfaceFieldSpec& spec : specs)
        expectEqual(cache.surface(ball, spec), bakeSurface(ball, spec));
    expectEqual(cache.surface(ball, ballSpec(), before), bakeSurface(ball, ballSpec(), before));
    ball.vertices[200].x *= 0.999f;
    expectEqual(cache.surface(ball, ballSpec()), bakeSurface(ball, ballSpec()));
    std::swap(ball.triangles[5][0], ball.triangles[5][1]);
    cache.surface(ball, ballSpec());
    EXPECT_EQ(filesIn(folder.path()).size(), 8u);
}

TEST(FieldCache, BuildsAnewWhatIsBroken) {
    const test::TemporaryFolder folder;
    const TriangleMesh ball = test::ballMesh(16);
    const SurfaceField built = FieldCache(folder.path(), 1 << 30).surface(ball, ballSpec());
    const fs::path file = filesIn(folder.path()).at(0);
    const std::string whole = test::readText(file);
    std::vector<std::string> broken = {"",
                                       "x",
                                       whole.substr(0, 63),
                                       whole.substr(0, whole.size() - 4),
                                       whole + "more",
                                       std::string(whole.size(), '\xff')};
    for (const size_t at :
         {0, 8, 20, 30, 50, 56, 60, 1000}) {  // a bit of each part of the header, and of a value
        broken.push_back(whole);
        broken.back()[at] ^= 1;
    }
    for (const std::string& bytes : broken) {
        test::writeText(file, bytes);
        const SurfaceField field = FieldCache(folder.path(), 1 << 30).surface(ball, ballSpec());
        EXPECT_TRUE(field.volume.distance == built.volume.distance);
        EXPECT_EQ(field.volume.nx, built.volume.nx);
        EXPECT_EQ(test::readText(file), whole) << "the file was not written again";
    }
}

TEST(FieldCache, StaysWithinItsSize) {
    const test::TemporaryFolder folder;
    const TriangleMesh ball = test::ballMesh(16);
    const auto specOf = [](int k) {
        SurfaceFieldSpec spec = ballSpec();
        spec.offset = 1e-4f * float(k);
        return spec;
    };
    const auto bytes = [&] {
        uintmax_t sum = 0;
        for (const fs::path& file : filesIn(folder.path())) sum += fs::file_size(file);
        return sum;
    };
    constexpr uintmax_t kMost = 2'500'000;  // three fields of 57³ floats
    for (int k = 0; k < 5; ++k) {
        FieldCache(folder.path(), kMost).surface(ball, specOf(k));
        EXPECT_LE(bytes(), kMost);
        for (const fs::path& file : filesIn(folder.path()))
            if (!isOld(file)) makeOld(file);
    }
    EXPECT_EQ(filesIn(folder.path()).size(), 3u);
    // a program does not replace what it used itself
    FieldCache cache(folder.path(), kMost);
    for (int k = 5; k < 8; ++k) cache.surface(ball, specOf(k));
    const std::vector<fs::path> files = filesIn(folder.path());
    for (int k = 8; k < 11; ++k) cache.surface(ball, specOf(k));
    const std::vector<fs::path> later = filesIn(folder.path());
    EXPECT_EQ(std::set(files.begin(), files.end()), std::set(later.begin(), later.end()));
    // too large for the whole cache
    const test::TemporaryFolder other;
    FieldCache(other.path(), 1000).surface(ball, ballSpec());
    EXPECT_TRUE(filesIn(other.path()).empty());
}

TEST(FieldCache, WorksWithoutAFolder) {
    const test::TemporaryFolder folder;
    test::writeText(folder / "file", "not a folder");
    const TriangleMesh ball = test::ballMesh(16);
    expectEqual(FieldCache(folder / "file", 1 << 30).surface(ball, ballSpec()),
                bakeSurface(ball, ballSpec()));
}

TEST(FieldCache, KeepsNoSmallFields) {
    const test::TemporaryFolder folder;
    FieldCache(folder.path(), 1 << 30).surface(test::ballMesh(8), {.cell = 0.1f, .margin = 0.3f});
    EXPECT_TRUE(filesIn(folder.path()).empty());
}

}  // namespace
}  // namespace coalesce
