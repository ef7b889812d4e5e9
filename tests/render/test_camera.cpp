#include <glm/gtc/matrix_transform.hpp>
#include <gtest/gtest.h>

#include "render/frame/camera.h"

namespace coalesce {
namespace {

Camera sample() {
    Camera camera;
    camera.eye = {1.5f, 2.0f, 3.0f};
    camera.look = {0.2f, 0.4f, -0.1f};
    return camera;
}

void expectNear(glm::vec3 a, glm::vec3 b, float tolerance) {
    EXPECT_LT(glm::length(a - b), tolerance)
        << a.x << " " << a.y << " " << a.z << " against " << b.x << " " << b.y << " " << b.z;
}

TEST(Camera, ViewMatrixEqualsGlm) {
    const Camera c = sample();
    const glm::mat4 ours = viewMatrix(c), reference = glm::lookAt(c.eye, c.look, c.up);
    for (int k = 0; k < 4; ++k) EXPECT_LT(glm::length(ours[k] - reference[k]), 1e-5f);
}

TEST(Camera, LookingStraightDownIsNotDegenerate) {
    Camera c;
    c.eye = {0, 3, 0};
    c.look = {0, 0, 0};
    const Axes a = axes(c);
    expectNear(a.forward, {0, -1, 0}, 1e-6f);
    EXPECT_NEAR(glm::length(a.right), 1, 1e-6f);
    EXPECT_NEAR(glm::dot(a.right, a.up), 0, 1e-6f);
}

TEST(Camera, OrbitKeepsDistanceAndTurnsByTheAngle) {
    Camera c;
    c.look = {0, 0, 0};
    c.eye = {0, 0, 2};
    // a quarter turn to the right ends on the +x side
    expectNear(orbit(c, glm::half_pi<float>(), 0).eye, {2, 0, 0}, 1e-5f);
    const Camera raised = orbit(c, 0, 0.5f);
    expectNear(raised.eye, {0, 2 * std::sin(0.5f), 2 * std::cos(0.5f)}, 1e-5f);
    // back at the start
    expectNear(orbit(orbit(sample(), 0.7f, 0.2f), -0.7f, -0.2f).eye, sample().eye, 1e-5f);
}

TEST(Camera, OrbitStopsBeforeThePoles) {
    Camera c = sample();
    const float distance = glm::length(c.eye - c.look);
    for (int k = 0; k < 50; ++k) c = orbit(c, 0.3f, 0.5f);
    EXPECT_NEAR(glm::length(c.eye - c.look), distance, 1e-4f);
    EXPECT_LT(axes(c).forward.y, -0.99f);
    EXPECT_GT(axes(c).up.y, 0);  // never upside down
}

TEST(Camera, TurnLooksRightAndUp) {
    const Camera c = sample();
    EXPECT_GT(glm::dot(turn(c, 0.1f, 0).look - c.look, axes(c).right), 0);
    EXPECT_GT(glm::dot(turn(c, 0, 0.1f).look - c.look, axes(c).up), 0);
    expectNear(turn(c, 0.3f, 0.2f).eye, c.eye, 1e-7f);
}

TEST(Camera, PanMovesTheLookPointWithTheCursor) {
    const Camera c = sample();
    const glm::vec3 before = project(c, c.look, 640, 360);
    const glm::vec3 after = project(pan(c, {40, -25}, 640, 360), c.look, 640, 360);
    EXPECT_NEAR(after.x - before.x, 40, 0.01f);
    EXPECT_NEAR(after.y - before.y, -25, 0.01f);
}

TEST(Camera, DollyKeepsTheAnchorInPlace) {
    const Camera c = sample();
    const glm::vec3 anchor{0.5f, 0.1f, 0.3f};
    const Camera closer = dolly(c, 0.5f, anchor);
    const glm::vec3 before = project(c, anchor, 640, 360), after = project(closer, anchor, 640, 360);
    EXPECT_NEAR(before.x, after.x, 0.01f);
    EXPECT_NEAR(before.y, after.y, 0.01f);
    EXPECT_NEAR(after.z, before.z / 2, 1e-4f);
    expectNear(dolly(c, 0.5f).look, c.look, 1e-6f);
}

TEST(Camera, FlyMovesAlongItsAxes) {
    const Camera c = sample();
    const Camera moved = fly(c, {1, 2, 3});
    expectNear(moved.eye - c.eye, axes(c).right + 2.0f * axes(c).up + 3.0f * axes(c).forward, 1e-5f);
    expectNear(moved.look - c.look, moved.eye - c.eye, 1e-5f);
}

TEST(Camera, FrameBoundsShowsEveryCorner) {
    const glm::vec3 lower{-3, 0, -1}, upper{1, 2, 4};
    for (const glm::ivec2 size : {glm::ivec2(1280, 720), glm::ivec2(300, 900)}) {
        const float aspect = float(size.x) / float(size.y);
        const Camera c = frameBounds(sample(), lower, upper, aspect);
        for (int corner = 0; corner < 8; ++corner) {
            const glm::vec3 p{corner & 1 ? upper.x : lower.x, corner & 2 ? upper.y : lower.y,
                              corner & 4 ? upper.z : lower.z};
            const glm::vec3 at = project(c, p, size.x, size.y);
            EXPECT_GT(at.z, c.near);
            EXPECT_GE(at.x, 0);
            EXPECT_LE(at.x, float(size.x));
            EXPECT_GE(at.y, 0);
            EXPECT_LE(at.y, float(size.y));
        }
    }
}

TEST(Camera, FramesPoints) {
    std::vector<glm::vec3> points;  // a slanted bar, and one point far away
    for (int k = 0; k <= 1000; ++k) points.emplace_back(2 + 0.003f * float(k), 0.001f * float(k), -1.0f);
    points.emplace_back(50, 90, 3);
    for (const bool orthographic : {false, true})
        for (const glm::ivec2 size : {glm::ivec2(1280, 720), glm::ivec2(300, 900)}) {
            const Camera before = withOrthographic(sample(), orthographic, 0);
            const Camera c = framePoints(before, points, 0.001f, float(size.x) / float(size.y), 0.8f, 0.003f);
            expectNear(axes(c).forward, axes(before).forward, 1e-5f);
            glm::vec2 low(1e9f), high(-1e9f);
            for (size_t k = 3; k + 4 < points.size(); ++k) {
                const glm::vec3 at = project(c, points[k], size.x, size.y);
                EXPECT_GT(at.z, c.near);
                low = glm::min(low, glm::vec2(at)), high = glm::max(high, glm::vec2(at));
            }
            const glm::vec2 filled = (high - low) / glm::vec2(size);
            EXPECT_NEAR(std::max(filled.x, filled.y), 0.8f, 0.02f);
            const glm::vec2 center = (high + low) / 2.0f / glm::vec2(size);
            // (exact for the pair of sides that the points touch)
            EXPECT_NEAR(filled.x > filled.y ? center.x : center.y, 0.5f, 0.02f);
            // control: with the far point they are small
            const Camera all = framePoints(before, points, 0.001f, float(size.x) / float(size.y), 0.8f);
            const glm::vec2 bar =
                project(all, points[1000], size.x, size.y) - project(all, points[0], size.x, size.y);
            EXPECT_LT(std::max(std::abs(bar.x) / float(size.x), std::abs(bar.y) / float(size.y)), 0.2f);
        }
}

TEST(Camera, RayThroughInvertsProject) {
    const Camera c = sample();
    const glm::vec3 p{0.6f, -0.2f, 0.5f};
    const glm::vec3 at = project(c, p, 640, 360);
    const Ray ray = rayThrough(c, {at.x, at.y}, 640, 360);
    const glm::vec3 closest = ray.origin + glm::dot(p - ray.origin, ray.direction) * ray.direction;
    expectNear(closest, p, 1e-5f);
    expectNear(rayThrough(c, {320, 180}, 640, 360).direction, axes(c).forward, 1e-6f);
    expectNear(unproject(c, at, 640, 360), p, 1e-5f);
    // consistent with the matrices used for drawing
    const glm::vec4 clip = projectionMatrix(c, 640.0f / 360) * viewMatrix(c) * glm::vec4(p, 1);
    EXPECT_NEAR((clip.x / clip.w + 1) / 2 * 640, at.x, 1e-2f);
    EXPECT_NEAR((1 - clip.y / clip.w) / 2 * 360, at.y, 1e-2f);
}

// Thin lens: points in focus stay, others move by o c (1/F − 1/z), with c of the projection.
TEST(Camera, PointsInFocusStayWhereTheyAreSeenThroughALens) {
    const Camera c = sample();
    const float focus = 1.5f, aspect = 640.0f / 360;
    const glm::vec2 offset{0.03f, -0.02f};
    const Camera beside = throughLens(c, offset, focus, aspect);
    const Axes a = axes(c);
    for (const float z : {0.7f, 1.5f, 4.0f}) {
        const glm::vec3 p = c.eye + z * a.forward + 0.2f * a.right - 0.1f * a.up;
        const glm::vec3 before = project(c, p, 640, 360), after = project(beside, p, 640, 360);
        const float pixels = 180 / std::tan(glm::radians(c.fov) / 2);
        EXPECT_NEAR(after.x - before.x, offset.x * pixels * (1 / focus - 1 / z), 1e-2f) << z;
        EXPECT_NEAR(after.y - before.y, -offset.y * pixels * (1 / focus - 1 / z), 1e-2f) << z;
        const glm::vec4 clip = projectionMatrix(beside, aspect) * viewMatrix(beside) * glm::vec4(p, 1);
        EXPECT_NEAR((clip.x / clip.w + 1) / 2 * 640, after.x, 1e-2f);
        EXPECT_NEAR((1 - clip.y / clip.w) / 2 * 360, after.y, 1e-2f);
        expectNear(unproject(beside, after, 640, 360), p, 1e-5f);
    }
}

// ---- without perspective ----

TEST(Camera, OrthographicProjectionEqualsGlm) {
    Camera c = sample();
    c.orthographicHeight = 3;
    c.shift = {0.1f, -0.2f};
    const float aspect = 640.0f / 360;
    const glm::mat4 reference = glm::translate(glm::mat4(1), glm::vec3(c.shift, 0)) *
                                glm::ortho(-1.5f * aspect, 1.5f * aspect, -1.5f, 1.5f, c.near, c.far) *
                                glm::lookAt(c.eye, c.look, c.up);
    const glm::mat4 ours = projectionMatrix(c, aspect) * viewMatrix(c);
    for (int k = 0; k < 4; ++k) EXPECT_LT(glm::length(ours[k] - reference[k]), 1e-5f);
    // project, unproject and rays agree with it
    for (const glm::vec3 p : {glm::vec3(0.6f, -0.2f, 0.5f), glm::vec3(-1, 1, -2)}) {
        const glm::vec4 clip = reference * glm::vec4(p, 1);
        const glm::vec3 at = project(c, p, 640, 360);
        EXPECT_NEAR((clip.x + 1) / 2 * 640, at.x, 1e-2f);
        EXPECT_NEAR((1 - clip.y) / 2 * 360, at.y, 1e-2f);
        expectNear(unproject(c, at, 640, 360), p, 1e-5f);
        const Ray ray = rayThrough(c, {at.x, at.y}, 640, 360);
        expectNear(ray.direction, axes(c).forward, 1e-6f);
        expectNear(ray.origin + glm::dot(p - ray.origin, ray.direction) * ray.direction, p, 1e-5f);
    }
}

TEST(Camera, SwitchingPerspectiveKeepsTheSizeAtTheLookPoint) {
    const Camera c = sample(), flat = withOrthographic(c, true, 10);
    EXPECT_NEAR(glm::distance(flat.eye, flat.look), 10, 1e-5f) << "stands back";
    const glm::vec3 beside = c.look + 0.5f * axes(c).right + 0.3f * axes(c).up;
    const glm::vec3 before = project(c, beside, 640, 360), after = project(flat, beside, 640, 360);
    EXPECT_NEAR(before.x, after.x, 0.01f);
    EXPECT_NEAR(before.y, after.y, 0.01f);
    // the distance does not matter
    EXPECT_NEAR(project(flat, beside + axes(c).forward, 640, 360).x, after.x, 0.01f);
    expectNear(withOrthographic(flat, false, 0).eye, c.eye, 1e-4f);
}

TEST(Camera, OrthographicMovesKeepTheirPoints) {
    const Camera c = withOrthographic(sample(), true, 10);
    const glm::vec3 anchor{0.5f, 0.1f, 0.3f};
    const Camera closer = dolly(c, 0.5f, anchor);
    const glm::vec3 before = project(c, anchor, 640, 360), after = project(closer, anchor, 640, 360);
    expectNear(before, after, 0.01f);
    EXPECT_FLOAT_EQ(closer.orthographicHeight, c.orthographicHeight / 2);
    const glm::vec3 panned = project(pan(c, {40, -25}, 640, 360), c.look, 640, 360);
    EXPECT_NEAR(panned.x, 360, 0.01f);
    EXPECT_NEAR(panned.y, 155, 0.01f);
    const Camera framed = frameBounds(c, {-3, 0, -1}, {1, 2, 4}, 0.5f);
    EXPECT_NEAR(2 * halfExtent(framed, 1, 0.5f).x, glm::distance(glm::vec3(-3, 0, -1), glm::vec3(1, 2, 4)),
                1e-4f);
}

TEST(Camera, LooksAlongAxes) {
    struct View {
        glm::vec3 from, right, up;
    };
    for (const View& v : {View{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, View{{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}},
                          View{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, View{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}},
                          View{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}) {
        const Axes a = axes(alongAxis(sample(), v.from));
        expectNear(a.forward, -v.from, 1e-6f);
        expectNear(a.right, v.right, 1e-6f);
        expectNear(a.up, v.up, 1e-6f);
    }
    // an orbit from above continues the view: right stays right
    expectNear(axes(orbit(alongAxis(sample(), {0, 1, 0}), 0, -0.3f)).right, {1, 0, 0}, 1e-5f);
}

TEST(Camera, NarrowImagesKeepTheirWidth) {
    const Camera c = sample();
    const glm::vec2 wide = halfExtent(c, 2, 16.0f / 9), composed = halfExtent(c, 2, kNarrowAspect),
                    narrow = halfExtent(c, 2, 0.5f);
    EXPECT_FLOAT_EQ(wide.y, 2 * std::tan(glm::radians(c.fov) / 2));
    EXPECT_FLOAT_EQ(wide.y, composed.y);
    EXPECT_FLOAT_EQ(narrow.x, composed.x);
    EXPECT_FLOAT_EQ(narrow.y, 2 * narrow.x);
}

}  // namespace
}  // namespace coalesce
