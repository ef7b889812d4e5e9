// Eye inside a liquid: the surface from below, according to Snell and Fresnel.
#include <cmath>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kSize = 240;
constexpr double kSpacing = 0.08;

class Within : public Drawing {
protected:
    // A wide pool, 0.64 m deep, without ground.
    Within() {
        Particles p;
        fillBox(p, {-2, 0, -2}, {2, 0.64, 2}, kSpacing);
        computeEllipsoids(p, kSpacing);
        frame = publish(p, buffers, kSpacing, true);
        frame.materials[0].absorption = {0.3f, 0.1f, 0.05f};
        frame.materials[0].scatter = {0, 0, 0};
        frame.boundsMin = {-2, 0, -2}, frame.boundsMax = {2, 0.64f, 2};
        options.background = Background::Overcast;
        options.ground = Ground::None;
        options.fxaa = false;
    }
    DumpedImage light() { return dumpAfter(frame, buffers, camera, options, kSize, kSize, "sceneColor"); }
    // The pixel at an angle to the right of the view direction.
    float greenAt(const DumpedImage& image, double degrees) const {
        const double slope = std::tan(degrees * M_PI / 180) / double(halfExtent(camera, 1, 1).y);
        const int x = int(kSize / 2.0 * (1 + slope));
        return image.at(x, kSize / 2)[1];
    }

    GlBuffers buffers;
    RenderFrame frame;
    DrawOptions options;
    Camera camera{.eye = {0, 0.24f, 0}, .look = {0, 1, 0}, .up = {0, 0, -1}, .fov = fovOfSquare(140)};
};

// The whole sky lies within asin(1/n) of the vertical; beyond it the surface mirrors what is below.
TEST_F(Within, SnellsWindowHasTheCriticalAngle) {
    frame.materials[0].absorption = {8, 8, 8};  // mirrored light travels far and is dark
    for (const float index : {1.333f, 1.6f}) {
        frame.materials[0].refractiveIndex = index;
        const DumpedImage image = light();
        const double critical = std::asin(1 / index) * 180 / M_PI;
        // compared with the transmittance of 0.4 m of liquid, upwards
        const auto share = [&](double degrees) {
            return greenAt(image, degrees) * std::exp(8 * 0.4 / std::cos(degrees * M_PI / 180));
        };
        const float up = share(0);
        EXPECT_GT(up, 0.5f);
        EXPECT_GT(share(critical - 9), 0.5f * up) << "index " << index;
        EXPECT_LT(share(critical + 5), 0.2f * up) << "index " << index;
    }
}

TEST_F(Within, EqualIndicesHaveNoVisibleSurface) {
    frame.materials[0].refractiveIndex = 1.0001f;
    frame.materials[0].absorption = {0, 0, 0};
    const DumpedImage with = light();
    const RenderFrame wet = frame;
    frame.particles = 0;
    const DumpedImage without = light();
    double most = 0, sum = 0;
    for (double degrees = 0; degrees < 55; degrees += 2.5) {
        const double step = std::abs(greenAt(with, degrees) - greenAt(without, degrees));
        most = std::max(most, step), sum += step;
    }
    EXPECT_LT(sum / 22, 0.02);
    EXPECT_LT(most, 0.06);
}

// A red plate on the bottom is visible a second time in the surface, where the mirrored ray hits it.
TEST_F(Within, SurfaceMirrorsTheLiquidBeyondTheCriticalAngle) {
    camera = {.eye = {-1, 0.3f, 0}, .look = {0.2f, 0.34f, 0}, .fov = fovOfSquare(90)};
    frame.materials[0].absorption = {0, 0, 0};
    DrawShape plate = box({0.4f, 0.15f, 0}, {0.2f, 0.15f, 0.6f});
    plate.color = {0.9f, 0.02f, 0.02f};
    const DumpedImage without = light();
    frame.shapes = {plate};
    const DumpedImage with = light();
    // its front, at a height of 0.2 m, is mirrored by the surface as if at 1.08 m
    const glm::vec3 at = project(camera, {0.2f, 2 * 0.64f - 0.2f, 0}, kSize, kSize);
    const int x = int(at.x), y = kSize - 1 - int(at.y);
    const auto redness = [&](const DumpedImage& image) { return image.at(x, y)[0] - image.at(x, y)[1]; };
    EXPECT_GT(redness(with), redness(without) + 0.1f);
}

// An opaque liquid in front of the eye is seen through the liquid around the eye.
TEST_F(Within, OtherLiquidsAreSeenThroughTheSurroundingOne) {
    Particles p;
    fillBox(p, {-1, 0, -1}, {0.5, 0.64, 1}, kSpacing);
    fillBox(p, {0.5, 0, -1}, {1.2, 0.64, 1}, kSpacing, 1);
    computeEllipsoids(p, kSpacing);
    const DrawMaterial clear = frame.materials[0];
    frame = publish(p, buffers, kSpacing, true);
    frame.materials = {clear, clear};
    frame.materials[1].turbidity = 5000;
    frame.materials[1].scatter = {0.8f, 0.02f, 0.02f};
    camera = {.eye = {-0.4f, 0.3f, 0}, .look = {1, 0.3f, 0}, .fov = fovOfSquare(60)};
    const DumpedImage image = light();
    for (const int y : {kSize / 2, kSize / 2 - 20, kSize / 2 + 20}) {
        const float* c = image.at(kSize / 2, y);
        EXPECT_GT(c[0], 3 * c[1]) << y;
    }
}

// Through a container wall the sky is seen without the dents left by particles.
TEST_F(Within, LiquidIsFlatAtContainerWalls) {
    frame.materials[0].absorption = {0, 0, 0};
    options.background = Background::Sunset;  // changes linearly with the height
    camera = {.eye = {1.1f, 0.3f, 0.1f}, .look = {2, 0.3f, 0.1f}, .fov = fovOfSquare(40)};
    // the second difference along a row distinguishes dents from a linear change
    const auto roughness = [&] {
        const DumpedImage image = light();
        double sum = 0;
        for (int y = kSize / 3; y < 2 * kSize / 3; y += 5)
            for (int x = kSize / 3; x < 2 * kSize / 3; ++x)
                sum += std::abs(image.at(x - 4, y)[0] - 2 * image.at(x, y)[0] + image.at(x + 4, y)[0]);
        return sum;
    };
    const double without = roughness();
    frame.shapes = {box({0, 1, 0}, {2, 1, 2}, true)};
    EXPECT_LT(roughness(), 0.5 * without);
}

// No such effect where the eye is in the air.
TEST_F(Within, EyeAboveTheLiquidSeesItFromAbove) {
    camera = {.eye = {0, 1.4f, 1.5f}, .look = {0, 0.6f, 0}, .fov = fovOfSquare(50)};
    light();
    const auto eyeDepth = renderer().dump("eyeDepth");
    ASSERT_TRUE(eyeDepth);
    const glm::vec3 middle = camera.look - camera.eye;
    const float z = eyeDepth->at(kSize / 2, kSize / 2)[0];
    EXPECT_NEAR(-z, glm::length(middle), 0.1f);
    // from inside, where it ends above: half a radius too low, as ellipsoids are
    camera = {.eye = {0, 0.24f, 0}, .look = {0, 1, 0}, .up = {0, 0, -1}, .fov = fovOfSquare(60)};
    light();
    EXPECT_NEAR(-renderer().dump("eyeDepth")->at(kSize / 2, kSize / 2)[0], 0.4f, 0.06f);
    // a mesh is where it is
    LiquidArrays all;
    addLiquidMesh(frame, buffers, all, 0, boxMesh({-2, 0, -2}, {2, 0.64f, 2}));
    light();
    EXPECT_NEAR(-renderer().dump("eyeDepth")->at(kSize / 2, kSize / 2)[0], 0.4f, 1e-4f);
    EXPECT_NEAR(renderer().dump("normal")->at(kSize / 2, kSize / 2)[1], -1, 1e-3f);  // faces the eye
}

}  // namespace
}  // namespace coalesce::test
