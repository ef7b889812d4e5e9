// Particles of solids and of their surfaces.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

#include "core/error.h"
#include "geometry/sdf/polygonize.h"
#include "geometry/shapes/sample.h"
#include "geometry/shapes/solid.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

using test::shape;

// How many different values a coordinate takes.
std::array<size_t, 3> layersOf(const std::vector<Sample>& samples, float spacing) {
    std::set<long> x, y, z;
    for (const Sample& s : samples) {
        x.insert(std::lround(2 * s.x.x / spacing));
        y.insert(std::lround(2 * s.x.y / spacing));
        z.insert(std::lround(2 * s.x.z / spacing));
    }
    return {x.size(), y.size(), z.size()};
}

TEST(SampleSolid, GivesBoxesExactLayers) {
    const std::array<int, 3> layers[] = {{1, 1, 1},   {2, 2, 2}, {3, 3, 3},  {1, 8, 1},
                                         {12, 12, 1}, {2, 4, 2}, {2, 12, 2}, {4, 4, 4},
                                         {10, 20, 5}, {1, 1, 7}, {33, 2, 18}};
    for (const float d : {0.05f, 0.1f, 0.15f, 0.0325f, 1.7f})
        for (const auto& [x, y, z] : layers) {
            SCOPED_TRACE(fmt::format("{} x {} x {} of {}", x, y, z, d));
            for (const char* name : {"brick", "sheet"}) {
                const auto samples = sampleSolid(
                    *shape(name, 1,
                           {static_cast<float>(x) * d, static_cast<float>(y) * d, static_cast<float>(z) * d}),
                    d);
                EXPECT_EQ(samples.size(), static_cast<size_t>(x * y * z));
                EXPECT_EQ(layersOf(samples, d), (std::array{static_cast<size_t>(x), static_cast<size_t>(y),
                                                            static_cast<size_t>(z)}));
                for (const Sample& s : samples) EXPECT_LE(s.distance, -0.49f * d);
            }
        }
}

// sampled_sizes: N grows as size³ within 15 %, and from 8 d up the sampled volume is that of the shape within
// 10 %.
TEST(SampleSolid, CountIsProportionalToVolume) {
    for (const char* name : {"bunny", "sphere", "cube", "torus", "octopus", "rock", "teapot"}) {
        SCOPED_TRACE(name);
        const float d = 0.05f;
        for (const int n : {4, 8, 16, 32}) {
            const auto solid = shape(name, static_cast<float>(n) * d);
            const double sampled = static_cast<double>(sampleSolid(*solid, d).size()) * d * d * d;
            EXPECT_NEAR(sampled / solid->volume(), 1, n < 8 ? 0.15 : 0.10) << n << " spacings high";
        }
    }
}

TEST(SampleSolid, GivesSmallAndThinBodiesParticles) {
    // the shape, its height in spacings, how many particles at least and at most
    const std::tuple<const char*, float, size_t, size_t> cases[] = {
        {"bunny", 1 / 0.15f, 34, 46}, {"bunny", 1 / 0.145f, 40, 48},
        {"banana", 7, 8, 11},         {"rod", 8, 8, 8},
        {"disc", 10, 76, 84},         {"cup", 12, 200, 330},
        {"hourglass", 20, 500, 900},  {"torus_knot", 10, 55, 90},
        {"bunny", 0.5f, 1, 1},        {"banana", 1, 1, 1},
        {"figure", 6, 8, 18},         {"bowl", 6, 80, 140}};
    for (const auto& [name, height, least, most] : cases) {
        const auto solid = shape(name, height);
        const auto samples = sampleSolid(*solid, 1);
        EXPECT_GE(samples.size(), least) << name << " of " << height;
        EXPECT_LE(samples.size(), most) << name << " of " << height;
        for (const Sample& s : samples) {
            EXPECT_LE(s.distance, 0);
            EXPECT_LE(solid->distance(s.x), 0.5f) << name << ": at most half a spacing outside";
        }
    }
}

TEST(SampleSolid, GivesDistancesAndGradients) {
    const auto solid = shape("torus", 1);
    const auto samples = sampleSolid(*solid, 0.04f);
    ASSERT_GT(samples.size(), 1000u);
    for (const Sample& s : samples) {
        EXPECT_NEAR(s.distance, std::hypot(std::hypot(s.x.x, s.x.y) - 0.35, s.x.z) - 0.15, 1e-5);
        EXPECT_NEAR(length(s.normal), 1, 1e-4f);
        const double ring = std::hypot(s.x.x, s.x.y);
        const Vec3 out = normalizeOr(s.x - toFloat((0.35 / ring) * Vec3d{s.x.x, s.x.y, 0}), {});
        if (s.distance > -0.13f) {
            EXPECT_GT(dot(out, s.normal), 0.999f);
        }
    }
}

TEST(SampleSolid, KeepsSymmetry) {
    for (const char* name : {"bunny", "sphere", "torus", "figure", "octopus", "u_shape", "cup", "castle"})
        for (const float d : {0.25f, 0.11f, 0.05f}) {
            SCOPED_TRACE(fmt::format("{} at {}", name, d));
            const auto samples = sampleSolid(*shape(name), d);
            std::set<std::array<long, 3>> places;
            for (const Sample& s : samples)
                places.insert(
                    {std::lround(2 * s.x.x / d), std::lround(2 * s.x.y / d), std::lround(2 * s.x.z / d)});
            EXPECT_EQ(places.size(), samples.size());
            for (const auto& [x, y, z] : places) EXPECT_TRUE(places.count({-x, y, z}));
        }
}

TEST(SampleSolid, IsRepeatable) {
    for (const char* name : {"bunny", "serpent", "rock"}) {
        const auto a = sampleSolid(*shape(name, 2), 0.07f), b = sampleSolid(*shape(name, 2), 0.07f);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(Sample)), 0);
    }
}

TEST(SampleSolid, ReportsTooManyParticles) {
    EXPECT_THROW(sampleSolid(*shape("cube"), 1e-4f), Error);
    EXPECT_THROW(sampleSolid(*shape("cube"), 0), Error);
    EXPECT_THROW(sampleSurface(*shape("cube"), 1e-5f), Error);
    const auto said = [](auto&& make) {
        try {
            make();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_EQ(said([] { sampleSolid(*shape("cube"), 1e-4f, "here"); }).find("here: a solid of"), 0u);
    EXPECT_EQ(said([] { sampleSurface(*shape("cube"), 1e-5f, "here"); }).find("here: a surface of"), 0u);
    EXPECT_EQ(said([] {
                  polygonize([](Vec3d p) { return length(p) - 1; }, {{-1, -1, -1}, {1, 1, 1}},
                             {.cell = 0.001, .where = "here"});
              }).find("here: the triangles of a shape need more"),
              0u);
}

TEST(SampleSurface, CoversTheSurfaceWithMinimumDistance) {
    for (const char* name : {"sphere", "brick", "torus", "bunny", "cup", "sheet"}) {
        SCOPED_TRACE(name);
        const float d = 0.08f;
        const auto solid = shape(name);
        const auto samples = sampleSurface(*solid, d);
        const double shares = areaOf(solid->mesh()) / (d * d);
        EXPECT_GT(static_cast<double>(samples.size()), 0.8 * shares);
        EXPECT_LT(static_cast<double>(samples.size()), 1.35 * shares);
        for (size_t i = 0; i < samples.size(); ++i) {
            EXPECT_LT(std::abs(solid->distance(samples[i].x)), 2e-3f);
            for (size_t j = 0; j < i; ++j) {
                if (dot(samples[i].normal, samples[j].normal) < -0.25f) continue;
                ASSERT_GE(length(samples[i].x - samples[j].x), 0.799f * d);
            }
        }
        const TriangleMesh& mesh = solid->mesh();
        for (size_t v = 0; v < mesh.vertices.size(); v += 3) {
            float nearest = 1e9f;
            for (const Sample& s : samples) nearest = std::min(nearest, length(s.x - mesh.vertices[v]));
            EXPECT_LT(nearest, 1.1f * d);
        }
    }
}

}  // namespace
}  // namespace coalesce
