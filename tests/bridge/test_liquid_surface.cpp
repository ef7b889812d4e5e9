// Ellipsoids of particles. Reference: matrices composed from known axes, and properties of a flat layer and a
// lattice.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "core/hash.h"
#include "kernels/draw/ellipsoid.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "sim/solver/solver.h"
#include "sim/surface/anisotropic_kernels.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

double uniform(uint64_t seed, uint64_t k) {
    return double(mixIn(mix(seed), k) >> 11) * 0x1p-53;
}

TEST(Diagonalize, RecoversAxesAndValuesOfComposedMatrices) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        // a rotation from a random quaternion, and three values of up to four orders of magnitude
        double q[4], norm = 0;
        for (int k = 0; k < 4; ++k) q[k] = 2 * uniform(seed, k) - 1, norm += q[k] * q[k];
        for (double& c : q) c /= std::sqrt(norm);
        const auto [x, y, z, w] = q;
        const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                                {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                                {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
        double value[3] = {std::pow(10, -4 * uniform(seed, 5)), 0, 0};
        value[1] = value[0] * uniform(seed, 6);
        value[2] = value[1] * uniform(seed, 7);
        const auto entry = [&](int a, int b) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += value[k] * r[a][k] * r[b][k];
            return float(sum);
        };
        const Eigen3 e = diagonalize<float>(
            {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)});
        for (int k = 0; k < 3; ++k) {
            // single precision, relative to the largest value
            EXPECT_NEAR(e.value[k], value[k], 2e-6 * value[0]) << "seed " << seed;
            EXPECT_NEAR(dot(e.axis[k], e.axis[k]), 1, 1e-5);
            EXPECT_NEAR(dot(e.axis[k], e.axis[(k + 1) % 3]), 0, 1e-5);
        }
        if (value[0] > 1.5 * value[1]) {
            const double along = e.axis[0].x * r[0][0] + e.axis[0].y * r[1][0] + e.axis[0].z * r[2][0];
            EXPECT_NEAR(std::abs(along), 1, 1e-5) << "seed " << seed;
        }
    }
}

TEST(Diagonalize, HandlesDegenerateMatrices) {
    const Eigen3 zero = diagonalize<float>({});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(zero.value[k], 0);
    const Eigen3 ones = diagonalize<float>({1, 1, 1, 0, 0, 0});
    for (int k = 0; k < 3; ++k) EXPECT_EQ(ones.value[k], 1);
    EXPECT_EQ(dot(ones.axis[0], ones.axis[1]), 0);
    const Eigen3 line = diagonalize<float>({1, 1, 1, 1, 1, 1});  // along (1,1,1)
    EXPECT_NEAR(line.value[0], 3, 1e-6);
    EXPECT_NEAR(std::abs(line.axis[0].x), 1 / std::sqrt(3), 1e-6);
}

// Points with all neighbors within h; lists by brute force.
struct Fitted {
    std::vector<Vec4> smooth;
    std::array<std::vector<Vec4>, 3> axis;
};
Fitted fit(const std::vector<Vec4>& x, float spacing, Vec3 velocity = {0, 0, 0}, uint32_t flags = 0,
           bool planar = false) {
    const size_t n = x.size();
    const std::vector<Vec4> v(n, vec4(velocity, 0.0f));
    const float h = 2 * spacing;
    std::vector<int> count(n), entries(n * 64);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            if (i != j && length(xyz(x[i]) - xyz(x[j])) < h) entries[count[i]++ * n + i] = int(j);
    std::vector<uint32_t> phase(n, flags);
    std::vector<MaterialConstants> materials(1);
    materials[0].spacing = spacing;
    materials[0].support = h;
    materials[0].fluid = 1;
    Fitted f;
    f.smooth.resize(n);
    for (auto& axis : f.axis) axis.resize(n);
    const FitEllipsoids kernel{.x = {x.data(), n},
                               .v = {v.data(), n},
                               .phase = {phase.data(), n},
                               .neighbors = {{count.data(), n}, {entries.data(), entries.size()}, int64_t(n)},
                               .materials = {materials.data(), 1},
                               .planar = planar,
                               .smooth = {f.smooth.data(), n},
                               .axis = {{f.axis[0].data(), n}, {f.axis[1].data(), n}, {f.axis[2].data(), n}}};
    for (size_t i = 0; i < n; ++i) kernel(int(i));
    return f;
}

// a slightly disordered lattice of nx × ny × nz, far from the origin
std::vector<Vec4> lattice(int nx, int ny, int nz, float d) {
    std::vector<Vec4> x;
    for (int k = 0; k < nx * ny * nz; ++k) {
        const float jitter = 0.1f * d;
        x.push_back({10 + d * (k % nx) + jitter * float(uniform(1, 3 * k) - 0.5),
                     20 + d * (k / nx % ny) + jitter * float(uniform(1, 3 * k + 1) - 0.5),
                     -5 + d * (k / nx / ny) + jitter * float(uniform(1, 3 * k + 2) - 0.5), 1});
    }
    return x;
}

TEST(Ellipsoids, InteriorOnesAreNearlySpheresOfTheDrawRadius) {
    const float d = 0.05f;
    const std::vector<Vec4> x = lattice(9, 9, 9, d);
    const Fitted f = fit(x, d);
    const size_t center = 4 + 9 * (4 + 9 * 4);
    EXPECT_GT(f.smooth[center].w, 26);
    for (const auto& axis : f.axis) EXPECT_NEAR(axis[center].w, 0.85f * d, 0.12f * 0.85f * d);
    EXPECT_LT(length(xyz(f.smooth[center]) - xyz(x[center])), 0.1f * d);
}

// A flat layer: short axis across, long axes along it, within 5 degrees.
TEST(Ellipsoids, OfALayerAreFlat) {
    const float d = 0.05f;
    const Fitted f = fit(lattice(15, 1, 15, d), d);
    for (int k = 0; k < 225; ++k) {
        const int column = k % 15, row = k / 15;
        if (column < 3 || column > 11 || row < 3 || row > 11) continue;
        EXPECT_GT(std::abs(f.axis[2][k].y), std::cos(5 * M_PI / 180)) << k;
        EXPECT_LT(f.axis[2][k].w, 0.6f * f.axis[0][k].w);
    }
}

// Of a planar scene the sheet reaches to its corners; in space its edge, with 6 of 33 particles, is isolated.
TEST(Ellipsoids, OfAPlanarSceneAreNotIsolatedAtTheEdge) {
    const float d = 0.05f, isolated = 0.6f * 0.85f * d;
    const std::vector<Vec4> x = lattice(9, 9, 1, d);
    const auto isIsolated = [&](const Fitted& f, size_t i) {
        return std::abs(f.axis[0][i].w - isolated) < 1e-6f;
    };
    const Fitted planar = fit(x, d, {0, 0, 0}, 0, true), spatial = fit(x, d);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_FALSE(isIsolated(planar, i)) << i;
    EXPECT_TRUE(isIsolated(spatial, 0)) << "control";
}

TEST(Ellipsoids, OfAnIsolatedParticleIsASmallSphereAtItsPosition) {
    const std::vector<Vec4> x = {{3, 4, 5, 1}, {3.05f, 4, 5, 1}};
    const Fitted f = fit(x, 0.05f);
    for (const auto& axis : f.axis) EXPECT_FLOAT_EQ(axis[0].w, 0.6f * 0.85f * 0.05f);
    EXPECT_EQ(f.smooth[0].x, 3);
    EXPECT_EQ(f.smooth[0].w, 2);
}

// A ballistic drop keeps the volume d³ of its particle at every speed. Its half-length is that of the sphere
// and half the way of a hundredth of a second, up to twice its width.
TEST(Ellipsoids, DropsAreLongAlongTheirPath) {
    const float d = 0.05f, radius = 0.62f * d;
    const std::vector<Vec4> x = {{3, 4, 5, 1}};
    for (const Vec3 direction : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0.6f, 0, 0.8f}})
        for (const float speed : {0.0f, 0.5f, 2.0f, 4.0f, 30.0f}) {
            const Fitted f = fit(x, d, speed * direction, kDrop);
            const Vec4 along = f.axis[0][0], across = f.axis[1][0], third = f.axis[2][0];
            EXPECT_NEAR(double{along.w} * double{across.w} * double{third.w} * 4 * M_PI / 3, std::pow(d, 3),
                        5e-3 * std::pow(d, 3));
            EXPECT_NEAR(along.w, std::min(radius + 0.005f * speed, 1.6f * radius), 1e-6f) << speed;
            EXPECT_LE(along.w, 2.1f * across.w);
            if (speed > 0) {
                EXPECT_GT(dot(xyz(along), direction), 0.9999f);
            }
            EXPECT_NEAR(dot(xyz(along), xyz(across)), 0, 1e-6f);
            EXPECT_EQ(f.smooth[0].x, x[0].x);
        }
}

// In a ball of disordered liquid the pressure falls towards the surface, along the radius: there the short
// axis of at least nine of ten particles is within 25 degrees of it.
TEST(Ellipsoids, ShortAxesAtTheSurfaceFollowThePressureGradient) {
    const float d = 0.05f, radius = 0.3f;
    const Vec3 center{10.3f, 20.3f, -4.7f};
    std::vector<Vec4> x;
    for (const Vec4& p : lattice(13, 13, 13, d))
        if (length(xyz(p) - center) < radius) x.push_back(p);
    const Fitted f = fit(x, d);
    int atSurface = 0, along = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const Vec3 out = xyz(x[i]) - center;
        const float r = length(out);
        if (r < radius - d) continue;
        ++atSurface;
        along += std::abs(dot(xyz(f.axis[2][i]), out)) > r * float(std::cos(25 * M_PI / 180));
    }
    EXPECT_GT(atSurface, 200);
    EXPECT_GE(along, 0.9 * atSurface) << along << " of " << atSurface;
}

TEST(Ellipsoids, BitwiseEqualAcrossBackends) {
    const TemporaryFolder folder;
    const Scene scene = readScene(smallScene(folder));
    expectSameBitsOnEveryMachine([&](Exec& exec) {
        World world(exec);
        buildWorld(scene, world);
        Solver solver(world);
        for (int k = 0; k < 12; ++k) solver.step();
        AnisotropicKernels surface(exec);
        surface.fit(world, solver.neighborLists());
        std::vector<Vec4> all;
        for (const View<const Vec4> view :
             {surface.smooth(), surface.axis(0), surface.axis(1), surface.axis(2)}) {
            std::vector<Vec4> host(view.size);
            exec.copyToHost(host.data(), view.data, view.size * sizeof(Vec4));
            all.insert(all.end(), host.begin(), host.end());
        }
        return all;
    });
}

}  // namespace
}  // namespace coalesce::test
