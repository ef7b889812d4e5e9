// Splat geometry against rays and ellipsoids intersected in double.
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;

DrawOptions rawDepth(Quality quality) {
    DrawOptions options;
    options.quality = quality;
    options.filterIterations = 0;
    return options;
}

struct Ellipsoid {
    glm::dvec3 center;
    glm::dmat3 axes;     // columns, unit
    glm::dvec3 lengths;  // [m]
};

// Eye depth of the front of an ellipsoid in pixel (x, y) from the lower left; 0 where missed. `rim`: 0 at the
// silhouette, 1 through the center.
double analyticDepth(const Ellipsoid& e, const Camera& camera, int x, int y, double& rim) {
    const Ray ray = rayThrough(camera, {float(x) + 0.5f, float(kHeight - y) - 0.5f}, kWidth, kHeight);
    const glm::dvec3 d(ray.direction);
    const glm::dvec3 o = (glm::transpose(e.axes) * (glm::dvec3(ray.origin) - e.center)) / e.lengths;
    const glm::dvec3 q = (glm::transpose(e.axes) * d) / e.lengths;
    const double a = glm::dot(q, q), b = glm::dot(q, o), c = glm::dot(o, o) - 1;
    const double s = b * b - a * c;
    rim = s / a;
    if (s < 0) return 0;
    const double t = (-b - std::sqrt(s)) / a;
    return t * glm::dot(d, glm::dvec3(axes(camera).forward));
}

class Splats : public Drawing {
protected:
    // One particle with these axes.
    RenderFrame one(const Ellipsoid& e, double spacing) {
        Particles p;
        p.add(e.center);
        p.smooth = {glm::vec4(glm::vec3(e.center), 30)};
        p.axis1 = {glm::vec4(glm::vec3(e.axes[0]), e.lengths[0])};
        p.axis2 = {glm::vec4(glm::vec3(e.axes[1]), e.lengths[1])};
        p.axis3 = {glm::vec4(glm::vec3(e.axes[2]), e.lengths[2])};
        return publish(p, buffers, spacing, true);
    }

    // Compares every pixel; in the last hundredth before the silhouette either result is accepted.
    void compare(const Ellipsoid& e, const RenderFrame& frame, const Camera& camera, Quality quality) {
        const DumpedImage eye =
            dumpAfter(frame, buffers, camera, rawDepth(quality), kWidth, kHeight, "eyeDepthRaw");
        int covered = 0;
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                double rim = 0;
                const double depth = analyticDepth(e, camera, x, y, rim);
                if (std::abs(rim) < 0.01) continue;
                // 2e-4 m: float depth at 2 m resolves 2e-7; the square root near the rim loses the rest,
                // 1e-4 m in software, where it is rounded correctly, and 1.7e-4 m on GPUs
                EXPECT_NEAR(-*eye.at(x, y), depth, 2e-4) << "pixel " << x << ", " << y;
                covered += depth > 0;
            }
        }
        EXPECT_GT(covered, 50);
    }

    GlBuffers buffers;
};

const glm::dmat3 kTurned = glm::mat3_cast(glm::normalize(glm::dquat(0.8, 0.3, -0.4, 0.2)));

TEST_F(Splats, SphereEqualsAnalyticRays) {
    const double d = 0.2;
    const Ellipsoid sphere{{0.1, 0.3, 0.2}, glm::dmat3(1), glm::dvec3(0.85 * d)};
    Camera camera;
    camera.eye = {0.5f, 0.8f, 2.0f};
    camera.look = {0, 0.3f, 0};
    compare(sphere, one(sphere, d), camera, Quality::Fast);
}

TEST_F(Splats, EqualAxesMakeASphereInAnyRotation) {
    const Ellipsoid sphere{{0.1, 0.3, 0.2}, kTurned, glm::dvec3(0.17)};
    Camera camera;
    camera.eye = {0.5f, 0.8f, 2.0f};
    camera.look = {0, 0.3f, 0};
    compare(sphere, one(sphere, 0.2), camera, Quality::Standard);
}

TEST_F(Splats, EllipsoidEqualsAnalyticRaysAtTheCornerOfAWideView) {
    const Ellipsoid flat{{0.3, 0.2, 0.0}, kTurned, {0.3, 0.16, 0.07}};
    Camera camera;
    camera.fov = 90;
    camera.eye = {1.4f, 0.8f, 0.8f};
    camera.look = {0.6f, 0.2f, -0.9f};
    compare(flat, one(flat, 0.2), camera, Quality::Standard);
}

TEST_F(Splats, ParticlesCenteredOutsideTheImageAreDrawn) {
    const Ellipsoid sphere{{0, 0, 0}, glm::dmat3(1), glm::dvec3(0.34)};
    Camera camera;
    camera.eye = {0, 0, 2};
    camera.look = {-1.65f, 0, 0.2f};  // the center is outside the image, to the right
    ASSERT_GT(project(camera, {0, 0, 0}, kWidth, kHeight).x, kWidth);
    compare(sphere, one(sphere, 0.4), camera, Quality::Standard);
}

TEST_F(Splats, NothingIsDrawnInFrontOfTheNearPlane) {
    // a row of overlapping spheres through the eye and beyond
    Particles p;
    for (int k = -20; k < 40; ++k) p.add({0.02 * (k % 3), 0.01 * (k % 5), -0.05 * k});
    computeEllipsoids(p, 0.1);
    const RenderFrame frame = publish(p, buffers, 0.1, true);
    Camera camera;
    camera.eye = {0, 0, 0};
    camera.look = {0, 0, -1};
    camera.near = 0.1f;
    for (const Quality quality : {Quality::Fast, Quality::Standard}) {
        const DumpedImage eye =
            dumpAfter(frame, buffers, camera, rawDepth(quality), kWidth, kHeight, "eyeDepthRaw");
        for (const float z : eye.pixels) {
            ASSERT_TRUE(std::isfinite(z));
            ASSERT_TRUE(z == 0 || z <= -camera.near) << z;
        }
    }
}

TEST_F(Splats, ParticlesSmallerThanAPixelAreDrawn) {
    Particles p;
    for (int k = 0; k < 20; ++k) p.add({0.05 * k - 0.5, 0.013 * k, 0});
    const RenderFrame frame = publish(p, buffers, 1e-4, false);
    Camera camera;
    camera.eye = {0, 0.2f, 3};
    camera.look = {0, 0.2f, 0};
    const DumpedImage eye =
        dumpAfter(frame, buffers, camera, rawDepth(Quality::Fast), kWidth, kHeight, "eyeDepthRaw");
    for (const glm::vec4& x : p.position) {
        const glm::vec3 at = project(camera, glm::vec3(x), kWidth, kHeight);
        EXPECT_NEAR(*eye.at(int(at.x), kHeight - 1 - int(at.y)), -3, 0.02) << "particle at " << x.x;
    }
}

TEST_F(Splats, SolidsInFrontHideTheLiquid) {
    const Ellipsoid sphere{{0, 0.3, 0}, glm::dmat3(1), glm::dvec3(0.17)};
    RenderFrame frame = one(sphere, 0.2);
    frame.shapes.push_back(box({0, 0.3f, 0.5f}, {0.3f, 0.3f, 0.05f}));
    Camera camera;
    camera.eye = {0, 0.3f, 2};
    camera.look = {0, 0.3f, 0};
    const DumpedImage eye =
        dumpAfter(frame, buffers, camera, rawDepth(Quality::Standard), kWidth, kHeight, "eyeDepthRaw");
    for (const float z : eye.pixels) ASSERT_EQ(z, 0);
}

}  // namespace
}  // namespace coalesce::test
