// Light that the surface of a liquid gathers and spreads, against energy conservation and paraxial optics.
#include <cmath>
#include <numbers>
#include <numeric>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr double kSpacing = 0.02, kDepth = 0.3, kHalf = 0.6;  // [m]

class Caustics : public Drawing {
protected:
    // A pool whose surface is kDepth + amplitude cos(k x) high.
    DumpedImage draw(double amplitude, double k, Quality quality = Quality::Final, bool inTank = false,
                     glm::vec3 sun = {0, 1, 0}) {
        Particles p;
        for (double x = -kHalf + kSpacing / 2; x < kHalf; x += kSpacing)
            for (double z = -kHalf / 2 + kSpacing / 2; z < kHalf / 2; z += kSpacing)
                for (double y = kDepth + amplitude * std::cos(k * x) - kSpacing / 2; y > 0; y -= kSpacing)
                    p.add({x, y, z});
        RenderFrame frame = publish(p, buffers, kSpacing, false);
        frame.shapes.push_back(plane());
        DrawShape tank;
        tank.kind = DrawShape::Kind::Box;
        tank.halfExtents = {float(kHalf), 1, float(kHalf / 2)};
        tank.position = {0, 1, 0};
        tank.container = tank.holdsLiquid = true;
        if (inTank) frame.shapes.push_back(tank);
        Camera camera;
        camera.eye = {0.4f, 1.5f, 1.5f};
        camera.look = {0, 0, 0};
        const DrawOptions options{.quality = quality, .sunDirection = sun};
        pixels = drawImage(renderer(), frame, buffers, camera, options, 160, 90);
        tau = renderer().dump("lightThickness").value();
        return renderer().dump("caustics").value_or(DumpedImage{});
    }
    // First and last column of the map that see the pool, in its middle row.
    std::pair<int, int> columns() const {
        const auto wet = [&](int x) { return tau.at(x, tau.height / 2)[3] > 0.5f * float(kDepth); };
        int first = 0, last = tau.width - 1;
        while (first < last && !wet(first)) ++first;
        while (last > first && !wet(last)) --last;
        return {first, last};
    }
    // Mean irradiance around x [m], over the middle of the pool's width.
    double irradiance(const DumpedImage& map, double x) const {
        const auto [first, last] = columns();
        const double middle = 0.5 * (first + last), perMeter = (last - first) / (2 * kHalf);
        double sum = 0;
        int number = 0;
        for (int row = int(map.height / 2 - 0.15 * perMeter); row < map.height / 2 + 0.15 * perMeter; ++row)
            for (int column = int(middle + (x - 0.03) * perMeter); column < middle + (x + 0.03) * perMeter;
                 ++column) {
                sum += *map.at(column, row);
                ++number;
            }
        return sum / number;
    }

    GlBuffers buffers;
    DumpedImage tau;
};

TEST_F(Caustics, KeepTheLightOfTheSun) {
    const DumpedImage map = draw(0.03, 2 * std::numbers::pi / 0.6);
    const double mean =
        std::accumulate(map.pixels.begin(), map.pixels.end(), 0.0) / double(map.pixels.size());
    EXPECT_NEAR(mean, 1, 0.01);
}

TEST_F(Caustics, ALevelSurfaceLightsEvenly) {
    const DumpedImage map = draw(0, 1);
    for (const double x : {-0.3, 0.0, 0.1, 0.3}) EXPECT_NEAR(irradiance(map, x), 1, 0.03) << x;
}

// A crest of curvature a k² is a lens: over the depth D its light narrows by 1 - D (1 - 1/n) a k².
TEST_F(Caustics, CrestsGatherAndTroughsSpreadLight) {
    const double k = 2 * std::numbers::pi / 0.6, a = 0.02;
    for (const bool inTank : {false, true}) {
        SCOPED_TRACE(inTank ? "in a tank" : "free");
        const DumpedImage map = draw(a, k, Quality::Final, inTank);
        const double narrowing = (1 - 1 / 1.333) * a * k * k;
        const double crest = 1 / (1 - (kDepth + a) * narrowing), trough = 1 / (1 + (kDepth - a) * narrowing);
        EXPECT_NEAR(irradiance(map, 0), crest, 0.06);
        EXPECT_NEAR(irradiance(map, 0.3), trough, 0.06);
        EXPECT_NEAR(irradiance(map, -0.3), trough, 0.06);
    }
}

// A low sun shines through the wall of a tank, where the layers of particles are no waves.
TEST_F(Caustics, WallsOfTanksDoNotRefractAsParticles) {
    const auto uneven = [&](bool inTank) {
        const DumpedImage map = draw(0, 1, Quality::Final, inTank, {0.8f, 0.6f, 0});
        return std::accumulate(map.pixels.begin(), map.pixels.end(), 0.0,
                               [](double sum, float v) { return sum + std::abs(v - 1.0); }) /
               double(map.pixels.size());
    };
    const double walled = uneven(true), free = uneven(false);
    EXPECT_LT(walled, 0.3 * free) << free;
    EXPECT_GT(free, 0.002);
}

TEST_F(Caustics, AreDrawnForRecordingsOnly) {
    EXPECT_GT(draw(0, 1).width, 0);
    EXPECT_EQ(draw(0, 1, Quality::Standard).width, 0);
}

}  // namespace
}  // namespace coalesce::test
