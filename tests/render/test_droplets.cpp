// How isolated particles of a liquid are drawn.
#include <algorithm>
#include <cmath>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;

class Droplets : public Drawing {
protected:
    GlBuffers buffers;
};

TEST_F(Droplets, ShowTheSurroundingsUpsideDown) {
    Particles p;
    p.add({0, 0.3, 0});
    computeEllipsoids(p, 0.2);
    RenderFrame frame = publish(p, buffers, 0.2, true);
    frame.shapes.push_back(plane());
    Camera camera;
    camera.eye = {0, 0.3f, 2};
    camera.look = {0, 0.3f, 0};
    const DumpedImage image = dumpAfter(frame, buffers, camera, DrawOptions{}, kWidth, kHeight, "sceneColor");
    // the drawn ball has a radius of at least 0.4 * 0.85 * 0.2 = 0.068 m
    const glm::vec3 above = colorAt(image, camera, {0, 0.34f, 0}),
                    below = colorAt(image, camera, {0, 0.26f, 0});
    EXPECT_GT(below.b / below.r, 1.2f * above.b / above.r);  // blue sky below, gray ground above
}

// One drop at rest, several at speed, whose volumes add up to its own within their random sizes; one from afar.
TEST_F(Droplets, BreakUpAtSpeed) {
    struct Drops {
        int number = 0, covered = 0;  // connected parts; pixels
    };
    const auto draw = [&](float speed, float distance) {
        Particles p;
        p.add({0, 0, 0}, 0, {speed, 0, 0});
        computeEllipsoids(p, 0.2);
        RenderFrame frame = publish(p, buffers, 0.2, true);
        Camera camera;
        camera.eye = {0, 0, distance};
        camera.look = {0, 0, 0};
        const DumpedImage depth = dumpAfter(frame, buffers, camera, DrawOptions{}, 320, 240, "eyeDepthRaw");
        Drops drops;
        std::vector<bool> seen(depth.pixels.size());
        for (int at = 0; at < int(seen.size()); ++at) {
            if (seen[size_t(at)] || depth.pixels[size_t(at)] == 0) continue;
            ++drops.number;
            std::vector<int> open{at};
            seen[size_t(at)] = true;
            while (!open.empty()) {
                const int pixel = open.back();
                open.pop_back(), ++drops.covered;
                for (const int next : {pixel - 1, pixel + 1, pixel - 320, pixel + 320}) {
                    if (next < 0 || next >= int(seen.size()) || seen[size_t(next)]) continue;
                    if (depth.pixels[size_t(next)] == 0) continue;
                    seen[size_t(next)] = true;
                    open.push_back(next);
                }
            }
        }
        return drops;
    };
    const Drops slow = draw(0.1f, 2), fast = draw(5, 2);
    EXPECT_EQ(slow.number, 1);
    EXPECT_GE(fast.number, 3) << "some of six may hide each other";
    EXPECT_LE(fast.number, 6);
    // six of a sixth of the volume cover 6^(1/3) = 1.8 times the area, less where they overlap
    EXPECT_GT(fast.covered, slow.covered);
    EXPECT_LT(fast.covered, 3 * slow.covered);
    const Drops far = draw(5, 25);
    EXPECT_EQ(far.number, 1);
    EXPECT_EQ(far.covered, draw(0, 25).covered);
}

// A drop over a dark pool shows the pool, not the ground below it.
TEST_F(Droplets, AreAsDarkAsTheLiquidBehindThem) {
    Camera camera;
    camera.eye = {0.01f, 3, 0};
    camera.look = {0, 0, 0};
    const auto over = [&](bool pool) {
        Particles p;
        if (pool) fillBox(p, {-0.6, 0, -0.6}, {0.6, 0.4, 0.6}, 0.05);
        p.add({0, 0.8, 0});
        computeEllipsoids(p, 0.05);
        RenderFrame frame = publish(p, buffers, 0.05, true);
        frame.shapes.push_back(plane());
        frame.materials[0].absorption = {20, 8, 4};
        const DumpedImage image =
            dumpAfter(frame, buffers, camera, DrawOptions{}, kWidth, kHeight, "sceneColor");
        return std::pair{colorAt(image, camera, {0, 0.8f, 0}), colorAt(image, camera, {0.25f, 0.4f, 0.1f})};
    };
    const auto [drop, water] = over(true);
    const auto [alone, ground] = over(false);
    EXPECT_LT(water.r, 0.3f * ground.r);
    EXPECT_LT(drop.r, 0.5f * alone.r);
    EXPECT_NEAR(drop.b / water.b, 1, 0.4);
    EXPECT_NEAR(alone.b / ground.b, 1, 0.6);  // control
}

// Seen along parallel rays, the path of a ray in a sphere is 2 √(R² −
// (x/n)²) at a distance x from its axis: Snell's law.
TEST_F(Droplets, AbsorbAlongTheChordOfTheirSize) {
    constexpr double kPixel = 1.25e-3, kIndex = 1.333, kSigma = 10;  // [m], [-], [1/m]
    Camera camera;
    camera.eye = {0, 0, 2};
    camera.look = {0, 0, 0};
    camera.orthographicHeight = float(kPixel * 240);
    DrawOptions options;
    options.background = Background::Plain;
    options.shadows = options.occlusion = false;
    double smallest = 1, largest = 0;
    for (uint32_t id = 0; id < 6; ++id) {
        Particles p;
        p.add({0, 0, 0});
        computeEllipsoids(p, 0.2);
        RenderFrame frame = publish(p, buffers, 0.2, true);
        buffers.upload(Slot::Id, &id, sizeof id);
        DrawMaterial& water = frame.materials[0];
        water.refractiveIndex = kIndex;
        water.scatter = {0, 0, 0};
        water.absorption = {0, 0, 0};
        const DumpedImage clear = dumpAfter(frame, buffers, camera, options, 320, 240, "sceneColor");
        const DumpedImage depth = *renderer().dump("eyeDepthRaw");
        water.absorption = {kSigma, kSigma, kSigma};
        const DumpedImage tinted = dumpAfter(frame, buffers, camera, options, 320, 240, "sceneColor");
        int covered = 0;
        for (const float z : depth.pixels) covered += z != 0;
        const double radius = kPixel * std::sqrt(covered / M_PI);
        smallest = std::min(smallest, radius), largest = std::max(largest, radius);
        for (const double part : {0.0, 0.4, 0.7}) {
            const int pixel = int(160 + part * radius / kPixel);
            const double x = kPixel * (pixel + 0.5 - 160);
            const double expected =
                std::exp(-kSigma * 2 * std::sqrt(radius * radius - x * x / (kIndex * kIndex)));
            // the radius is measured to half a pixel, and normals come from differences of depth
            EXPECT_NEAR(tinted.at(pixel, 120)[1] / clear.at(pixel, 120)[1], expected, 0.02)
                << id << " " << part;
        }
    }
    // 0.55 to 1 times 0.72 draw radii
    EXPECT_GT(smallest, 0.55 * 0.72 * 0.17 - kPixel);
    EXPECT_LT(largest, 0.72 * 0.17 + kPixel);
    EXPECT_GT(largest, 1.2 * smallest);
}

}  // namespace
}  // namespace coalesce::test
