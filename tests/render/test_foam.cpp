// Spray, foam and bubbles: hidden by solids, dimmed behind liquid, faded by age, stretched by motion.
#include <cmath>
#include <glm/glm.hpp>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kSize = 200;

// A white ground seen from the side under an even sky, so that foam of another color stands out.
class FoamDrawing : public Drawing {
protected:
    FoamDrawing() {
        frame.materials.resize(1);
        frame.materials[0].spacing = 0.1f;
        frame.materials[0].foamColor = {1, 0, 0};
        frame.materials[0].foamSize = 0.1f;
        frame.boundsMin = {-1, -1, -1}, frame.boundsMax = {1, 1, 1};
        options.background = Background::Plain;
        options.ground = Ground::None;
        options.fxaa = false;
    }
    // one particle; age and life [s]
    void place(glm::vec3 x, uint32_t kind, float age = 1, float life = 4, glm::vec3 v = {}) {
        const glm::vec4 position(x, age), velocity(v, life);
        buffers.upload(Slot::PassivePos, &position, sizeof position);
        buffers.upload(Slot::PassiveVel, &velocity, sizeof velocity);
        buffers.upload(Slot::PassiveTag, &kind, sizeof kind);
        frame.passives = 1;
    }
    // How much redder than the same image without the particle, summed over the pixels; and the extent.
    struct Shown {
        double sum = 0;
        int wide = 0, high = 0;  // [px]
    };
    Shown shown() {
        const uint32_t number = frame.passives;
        frame.passives = 0;
        const DumpedImage without = dumpAfter(frame, buffers, camera, options, kSize, kSize, "sceneColor");
        frame.passives = number;
        const DumpedImage with = dumpAfter(frame, buffers, camera, options, kSize, kSize, "sceneColor");
        Shown s;
        int low[2] = {kSize, kSize}, high[2] = {-1, -1};
        for (int y = 0; y < kSize; ++y)
            for (int x = 0; x < kSize; ++x) {
                const double change = double(without.at(x, y)[2]) - double(with.at(x, y)[2]);  // less blue
                s.sum += change;
                if (std::abs(change) < 1e-3) continue;
                low[0] = std::min(low[0], x), high[0] = std::max(high[0], x);
                low[1] = std::min(low[1], y), high[1] = std::max(high[1], y);
            }
        s.wide = std::max(0, high[0] - low[0] + 1), s.high = std::max(0, high[1] - low[1] + 1);
        return s;
    }

    GlBuffers buffers;
    RenderFrame frame;
    DrawOptions options;
    Camera camera{.eye = {0, 0, 3}, .look = {0, 0, 0}, .fov = fovOfSquare(40)};
};

TEST_F(FoamDrawing, SolidsHideIt) {
    place({0, 0, 0}, 1);
    const double seen = shown().sum;
    EXPECT_GT(seen, 10);
    frame.shapes.push_back(box({0, 0, 0.5f}, {0.4f, 0.4f, 0.1f}));
    EXPECT_EQ(shown().sum, 0);
    place({0, 0, 0.8f}, 1);  // in front of the box
    EXPECT_GT(shown().sum, 0.3 * seen);
}

TEST_F(FoamDrawing, FadesInAndOut) {
    const auto at = [&](float age) {
        place({0, 0, 0}, 0, age, 4);
        return shown().sum;
    };
    const double middle = at(2);
    EXPECT_EQ(at(0), 0);
    EXPECT_NEAR(at(0.04f) / middle, 0.5, 0.05);  // half of the time in which it appears
    EXPECT_NEAR(at(1) / middle, 1, 0.01);
    EXPECT_LT(at(3.6f) / middle, 0.35);
    EXPECT_EQ(at(4), 0);
}

TEST_F(FoamDrawing, MotionStretchesItAndKeepsItsLight) {
    place({0, 0, 0}, 0);
    frame.shutter = 0.01f;
    const Shown still = shown();
    EXPECT_NEAR(still.wide, still.high, 1);
    place({0, 0, 0}, 0, 1, 4, {30, 0, 0});  // 0.3 m in the exposure
    const Shown fast = shown();
    // 200 pixels show 2 · 3 m tan(20°) = 2.18 m
    EXPECT_NEAR(fast.wide - still.wide, 0.3 * kSize / 2.18, 4);
    EXPECT_NEAR(fast.high, still.high, 1);
    EXPECT_NEAR(fast.sum / still.sum, 1, 0.05);
    place({0, 0, 0}, 0, 1, 4, {0, 0, 30});  // towards the eye
    EXPECT_NEAR(shown().wide, still.wide, 1);
}

// What turns from one class into another is drawn as both: never brighter or darker than these.
TEST_F(FoamDrawing, DisplayWeightsBlendFromOneClassToTheOther) {
    const auto light = [&](uint32_t kind, int foam, int bubble) {
        place({0, 0, 0}, kind | uint32_t(foam + 1) << 16 | uint32_t(bubble + 1) << 24);
        return shown().sum;
    };
    place({0, 0, 0}, 0);
    const double spray = shown().sum;
    EXPECT_EQ(light(1, 0, 0), spray);  // it is foam now, and does not yet look so
    place({0, 0, 0}, 1);
    const double foam = shown().sum;
    EXPECT_EQ(light(0, 254, 0), foam);
    place({0, 0, 0}, 2);
    EXPECT_EQ(light(0, 0, 254), shown().sum);
    double last = spray;
    for (int share = 25; share <= 254; share += 25) {
        const double now = light(1, share, 0);
        EXPECT_GT(now, last);
        EXPECT_LT(now - last, 0.2 * (foam - spray));
        last = now;
    }
}

// Foam of coarse liquid: a patch that is wider and fainter than the particle of foam, and flat where it is seen along the
// surface.
TEST_F(FoamDrawing, CoarseLiquidHasSoftPatches) {
    place({0, 0, 0}, 1);
    const Shown fine = shown();  // as wide as the particle: 0.4 d is less
    EXPECT_NEAR(fine.wide, fine.high, 1);
    frame.materials[0].spacing = 1;
    const Shown along = shown();
    camera = {.eye = {0, 3, 0.01f}, .look = {0, 0, 0}, .fov = fovOfSquare(40)};
    const Shown above = shown();
    const auto peak = [](const Shown& s) { return s.sum / (s.wide * s.high); };
    EXPECT_GT(above.wide, 3 * fine.wide);
    EXPECT_NEAR(above.wide, above.high, 1);
    EXPECT_NEAR(along.wide, above.wide, 2);
    // 1 - s (1 - 0.35) for the softness s = 1 - r/R of radii 0.075 and 0.4
    EXPECT_NEAR(double(along.high) / along.wide, 0.47, 0.03);
    EXPECT_LT(peak(above), 0.5 * peak(fine));
    EXPECT_GT(above.sum, fine.sum);
    // control: spray of the same liquid stays as it is
    place({0, 0, 0}, 0);
    const Shown spray = shown();
    frame.materials[0].spacing = 0.1f;
    EXPECT_EQ(shown().wide, spray.wide);
}

// Smaller than a pixel: its light falls with its area, and it does not vanish between pixel centers.
TEST_F(FoamDrawing, FarAwayItsLightFallsWithItsArea) {
    camera.far = 1000;
    place({0, 0, -40}, 0);
    const double there = shown().sum;
    place({0, 0, -83}, 0);  // twice as far from the eye
    EXPECT_NEAR(shown().sum / there, 0.25, 0.08);
}

// Above, just below and deep below the surface of a pool that is seen from above.
TEST_F(FoamDrawing, LiquidDimsWhatIsBehindItsSurface) {
    Particles p;
    fillBox(p, {-1, -1, -1}, {1, 0, 1}, 0.1);
    computeEllipsoids(p, 0.1);
    const DrawMaterial looks = frame.materials[0];
    frame = publish(p, buffers, 0.1, true);
    frame.materials[0].foamColor = looks.foamColor, frame.materials[0].foamSize = looks.foamSize;
    frame.materials[0].absorption = {4, 4, 4};
    frame.boundsMin = {-1, -1, -1}, frame.boundsMax = {1, 0, 1};
    camera = {.eye = {0, 2.5f, 0.01f}, .look = {0, 0, 0}, .fov = fovOfSquare(40)};
    const auto at = [&](float y) {
        place({0, y, 0}, 0);
        return shown().sum;
    };
    const double above = at(0.15f), below = at(-0.3f), deep = at(-0.7f);
    EXPECT_GT(above, 1);
    EXPECT_GT(below, 0.01 * above);
    EXPECT_LT(below, 0.6 * above);
    EXPECT_LT(deep, 0.5 * below);
    // continuous across the surface: a fifth of a spacing at a time
    double last = at(-0.16f), largest = 0;
    for (float y = -0.14f; y < 0.12f; y += 0.02f) {
        const double now = at(y);
        largest = std::max(largest, std::abs(now - last));
        last = now;
    }
    EXPECT_LT(largest, 0.15 * above);
}

// Markers of two colors: the weights, not the order of storage, decide.
TEST_F(FoamDrawing, SmokeBlendsInAnyOrder) {
    frame.smoke = true;
    frame.materials.resize(2, frame.materials[0]);
    frame.materials[0].smokeColor = {0.9f, 0.1f, 0.1f}, frame.materials[1].smokeColor = {0.1f, 0.1f, 0.9f};
    for (DrawMaterial& m : frame.materials) m.smokeSize = 0.2f, m.smokeGrowth = 0, m.smokeOpacity = 0.5f;
    const auto image = [&](bool swapped) {
        const glm::vec4 place[2] = {{-0.05f, 0, swapped ? 0.5f : 0, 1}, {0.05f, 0, swapped ? 0 : 0.5f, 1}};
        const glm::vec4 motion[2] = {{0, 0, 0, 4}, {0, 0, 0, 4}};
        const uint32_t first = swapped ? 1 : 0;
        const uint32_t tag[2] = {3 | first << 8, 3 | (1 - first) << 8};
        const glm::vec4 inOrder[2] = {place[0], place[1]};
        buffers.upload(Slot::PassivePos, inOrder, sizeof inOrder);
        buffers.upload(Slot::PassiveVel, motion, sizeof motion);
        buffers.upload(Slot::PassiveTag, tag, sizeof tag);
        frame.passives = 2;
        return dumpAfter(frame, buffers, camera, options, kSize, kSize, "sceneColor");
    };
    // the nearer one at the center of the image is blue in the first,
    // and blue too in the second, where it comes first
    const DumpedImage a = image(false);
    const float* middle = a.at(kSize / 2, kSize / 2);
    EXPECT_GT(middle[2], middle[0] + 0.02f);
    const DumpedImage b = image(true);
    const float* again = b.at(kSize / 2, kSize / 2);
    EXPECT_GT(again[2], again[0] + 0.02f);
}

// Above, below, and behind a pool: smoke in front of the water covers it, smoke under it or behind it is
// dimmed by the way of the light through it.
TEST_F(FoamDrawing, SmokeInFrontOfWaterAndBehindIt) {
    Particles p;
    fillBox(p, {-1, -1, -1}, {1, 0, 1}, 0.1);
    computeEllipsoids(p, 0.1);
    frame = publish(p, buffers, 0.1, true);
    DrawMaterial& m = frame.materials[0];
    m.absorption = {4, 4, 4};
    m.smokeColor = {1, 0, 0}, m.smokeSize = 0.2f, m.smokeGrowth = 0, m.smokeOpacity = 0.9f;
    frame.smoke = true;
    frame.boundsMin = {-1, -1, -1}, frame.boundsMax = {1, 0, 1};
    const auto at = [&](glm::vec3 x) {
        place(x, 3);
        return shown().sum;
    };
    camera = {.eye = {0, 2.5f, 0.01f}, .look = {0, 0, 0}, .fov = fovOfSquare(40)};
    const double above = at({0, 0.3f, 0}), below = at({0, -0.4f, 0}), deep = at({0, -0.8f, 0});
    EXPECT_GT(above, 1);
    EXPECT_GT(below, 0.005 * above);
    EXPECT_LT(below, 0.5 * above);
    EXPECT_LT(deep, 0.5 * below);
    // level with the water: before its wall, and 2 m behind it
    camera = {.eye = {0, -0.5f, 4}, .look = {0, -0.5f, 0}, .fov = fovOfSquare(40)};
    const double before = at({0, -0.5f, 1.3f}), behind = at({0, -0.5f, -1.3f});
    EXPECT_GT(before, 1);
    EXPECT_LT(std::abs(behind), 0.1 * before);
}

// In the exposure a marker moves: its light is that of the still one, spread along its way.
TEST_F(FoamDrawing, MotionStretchesSmoke) {
    frame.smoke = true;
    DrawMaterial& m = frame.materials[0];
    m.smokeColor = {1, 0, 0}, m.smokeSize = 0.1f, m.smokeGrowth = 0, m.smokeOpacity = 0.3f;
    frame.shutter = 0.01f;
    place({0, 0, 0}, 3);
    const Shown still = shown();
    place({0, 0, 0}, 3, 1, 4, {30, 0, 0});  // 0.3 m
    const Shown fast = shown();
    EXPECT_NEAR(fast.wide - still.wide, 0.3 * kSize / 2.18, 6);
    EXPECT_NEAR(fast.high, still.high, 2);
    EXPECT_NEAR(fast.sum / still.sum, 1, 0.1);
}

TEST_F(FoamDrawing, SmokeDimsTheSunOnTheGround) {
    frame.smoke = true;
    frame.materials[0].smokeColor = {0.5f, 0.5f, 0.5f};
    frame.materials[0].smokeSize = 0.3f, frame.materials[0].smokeGrowth = 0,
    frame.materials[0].smokeOpacity = 0.9f;
    frame.shapes.push_back(plane(-0.5f));
    options.background = Background::Studio;
    camera = {.eye = {0, 3, 3}, .look = {0, -0.5f, 0}, .fov = fovOfSquare(50)};
    const auto brightness = [&](bool shadows, uint32_t markers) {
        options.shadows = shadows;
        place({0, 0.2f, 0}, 3);
        frame.passives = markers;
        const DumpedImage image = dumpAfter(frame, buffers, camera, options, kSize, kSize, "sceneColor");
        double sum = 0;
        for (int y = 0; y < kSize; ++y)
            for (int x = 0; x < kSize; ++x) sum += double(image.at(x, y)[1]);
        return sum;
    };
    EXPECT_NEAR(brightness(true, 0), brightness(false, 0), 1e-3 * brightness(false, 0));
    // a shadow of about the size of the marker
    EXPECT_LT(brightness(true, 1), brightness(false, 1) - 50);
}

}  // namespace
}  // namespace coalesce::test
