// Ambient occlusion against the open fraction of the sky at a wall, which is known in closed form.
#include <cmath>

#include "fixture.h"

namespace coalesce::test {

namespace {

constexpr int kWidth = 320, kHeight = 240;

class Occlusion : public Drawing {
protected:
    Occlusion() {
        options.fxaa = options.legend = false;
        options.shadows = false;
        options.quality = Quality::Final;  // 2 x 2 samples: the map of half size has one texel per pixel
        frame.boundsMin = {-1, 0, -1};
        frame.boundsMax = {1, 2, 1};
        frame.shapes = {plane(0), box({0, 1, -1.5f}, {3, 1, 0.5f})};  // a wall whose face is z = -1
        camera = {.eye = {0, 1.5f, 0.8f}, .look = {0, 0, -0.8f}};
    }

    // Light from all around by its direction, without a sun.
    template <class Light>
    void lightBy(const Light& light) {
        constexpr int kHeight = 32;
        std::vector<glm::vec3> pixels;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < 2 * kHeight; ++x)
                pixels.emplace_back(
                    light(directionOf({(float(x) + 0.5f) / (2 * kHeight), (float(y) + 0.5f) / kHeight})));
        options.environment =
            std::make_shared<const EnvironmentMap>(environmentOf(2 * kHeight, kHeight, std::move(pixels)));
        // a body as the floor, since the ground would light the wall from below
        options.ground = Ground::None;
        frame.shapes[0] = box({0, -0.5f, 0}, {4, 0.5f, 4});
    }
    // Fraction of that light that arrives on the floor, at a distance from the wall [m].
    float openAt(const DumpedImage& image, float distance) {
        const glm::vec4 clip = projectionMatrix(camera, float(kWidth) / kHeight) * viewMatrix(camera) *
                               glm::vec4(0.3f, 0, -1 + distance, 1);
        const glm::vec2 uv = 0.5f + 0.5f * glm::vec2(clip) / clip.w;
        float sum = 0;  // the mean of a square of 4 x 4, in which directions and distances differ
        for (int k = 0; k < 16; ++k)
            sum += *image.at(int(uv.x * float(image.width)) + k % 4 - 2,
                             int(uv.y * float(image.height)) + k / 4 - 2) /
                   16;
        return sum;
    }

    RenderFrame frame;
    GlBuffers buffers;
    Camera camera;
    DrawOptions options;
};

// A wall of height H hides (1 - x / sqrt(x² + H²)) / 2 of the cosine-weighted sky at
// distance x: the form factor of an infinite strip. What is farther than the reach does
// not count, which opens the sky with distance.
TEST_F(Occlusion, AtTheFootOfAWallHalfOfTheSkyIsOpen) {
    lightBy([](glm::vec3) { return 1.0f; });
    const DumpedImage image = dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "ambientOcclusion");
    EXPECT_NEAR(openAt(image, 0.02f), 0.55, 0.06);
    float before = 0;
    for (const float x : {0.02f, 0.06f, 0.12f, 0.2f, 0.3f}) {
        const float open = openAt(image, x), unlimited = 0.5f + 0.5f * x / std::hypot(x, 2.0f);
        EXPECT_GT(open, before) << x;
        EXPECT_GT(open, unlimited - 0.05f) << x;
        before = open;
    }
    EXPECT_GT(openAt(image, 0.8f), 0.97) << "beyond the reach the floor is open";
}

// Seen from the side a wall is as deep as it is long, and yet one surface. Taken as gaps, 0.8 of the light would come at its foot.
TEST_F(Occlusion, AWallDoesNotOpenWhereItIsSeenFromTheSide) {
    lightBy([](glm::vec3) { return 1.0f; });
    for (const Quality quality : {Quality::Final, Quality::Standard})
        for (const float degrees : {0.0f, 50.0f, 65.0f, 75.0f}) {
            options.quality = quality;
            const float angle = degrees * float(M_PI) / 180;
            const glm::vec3 foot{0.3f, 0, -1};
            camera = {.eye = foot + glm::vec3(1.5f * std::sin(angle), 1.2f, 1.5f * std::cos(angle)),
                      .look = foot};
            const DumpedImage image =
                dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "ambientOcclusion");
            // (fewer samples miss more of what is near: 0.65)
            EXPECT_NEAR(openAt(image, 0.03f), quality == Quality::Final ? 0.58 : 0.65, 0.07)
                << degrees << "°, quality " << int(quality);
        }
}

// At the foot of a wall that hides z < 0, of a light 1 + a d.z by the direction d there arrives half of the even part, and
// of the other part ∫ d.z cos θ dω / π = 2 / (3 π). One bent normal for all open directions misses that by up to 0.03.
TEST_F(Occlusion, LightFromTheOpenSideArrives) {
    const float open = 0.55f - 0.5f;  // measured by the test above, more than the half
    for (const float slope : {1.0f, -1.0f, 0.0f}) {
        lightBy([&](glm::vec3 d) { return 1 + slope * d.z; });
        const DumpedImage image =
            dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "ambientOcclusion");
        EXPECT_NEAR(openAt(image, 0.02f), 0.5f + open + slope * 2 / (3 * float(M_PI)), 0.08) << slope;
        EXPECT_NEAR(openAt(image, 0.8f), 1, 0.03) << "control: nothing hides it there";
    }
}

// A rod above the floor hides (sin b - sin a) / 2 of the cosine-weighted sky between its angles a and b from the normal,
// the form factor of an infinite strip. Light passes below it: horizons, below which all is hidden, miss that by 0.11.
TEST_F(Occlusion, LightPassesBehindARod) {
    lightBy([](glm::vec3) { return 1.0f; });
    const glm::vec2 rod{0.12f, -0.6f};  // y, z
    const float half = 0.03f;
    frame.shapes[1] = box({0, rod.x, rod.y}, {3, half, half});
    const DumpedImage image = dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "ambientOcclusion");
    for (const float z : {-0.9f, -0.87f, -0.84f, -0.54f, -0.5f, -0.45f, -0.4f}) {
        float least = 1, most = -1;  // sines of the angles of its edges
        for (const float side : {-half, half})
            for (const float end : {-half, half}) {
                const glm::vec2 edge = rod + glm::vec2(side, end) - glm::vec2(0, z);
                least = std::min(least, edge.y / glm::length(edge));
                most = std::max(most, edge.y / glm::length(edge));
            }
        EXPECT_NEAR(openAt(image, z + 1), 1 - (most - least) / 2, 0.05) << z;
    }
}

TEST_F(Occlusion, DarkensTheLightOfTheSkyOnly) {
    const auto floorLight = [&](bool occlusion, float distance) {
        options.occlusion = occlusion;
        const DumpedImage image = dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "sceneColor");
        const glm::vec4 clip = projectionMatrix(camera, float(kWidth) / kHeight) * viewMatrix(camera) *
                               glm::vec4(0.3f, 0, -1 + distance, 1);
        const glm::vec2 uv = 0.5f + 0.5f * glm::vec2(clip) / clip.w;
        const float* pixel = image.at(int(uv.x * float(image.width)), int(uv.y * float(image.height)));
        return glm::vec4(pixel[0], pixel[1], pixel[2], pixel[3]);
    };
    const glm::vec4 open = floorLight(false, 0.02f), dark = floorLight(true, 0.02f);
    ASSERT_GT(open.a, 0.05) << "part of the light comes from the sky";
    ASSERT_LT(open.a, 0.5) << "and most from the sun";
    EXPECT_NEAR(dark.g / open.g, 1 - 0.45f * open.a, 0.03);
    const glm::vec4 far = floorLight(false, 0.8f), farDark = floorLight(true, 0.8f);
    EXPECT_NEAR(farDark.g / far.g, 1, 0.01) << "control: without a wall nearby nothing changes";
}

TEST_F(Occlusion, IsNotDrawnAsPoints) {
    options.quality = Quality::Points;
    drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
    EXPECT_FALSE(renderer().dump("ambientOcclusion"));
    options.quality = Quality::Fast;
    drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
    EXPECT_TRUE(renderer().dump("ambientOcclusion"));
}

}  // namespace

}  // namespace coalesce::test
