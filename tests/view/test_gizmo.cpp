// The gizmo: hit tests and drags. Expected positions come from
// projecting points, not from the rays that the gizmo uses.
#include <gtest/gtest.h>

#include "support/every_value.h"
#include "view/tools/gizmo_tool.h"

namespace coalesce::test {
namespace {

constexpr ViewportSize kViewport{800, 600};

class Gizmos : public ::testing::Test {
protected:
    glm::vec2 pixel(glm::vec3 p) const {
        return glm::vec2(project(camera, p, kViewport.width, kViewport.height));
    }
    // a point on an arrow, a square or a ring that nothing else covers
    glm::vec2 on(GizmoHandle handle, glm::vec3 position) const {
        const std::vector<glm::vec3> points = gizmoOutline(camera, position, handle, kViewport);
        if (handle == GizmoHandle::Center) return pixel(points[0]);
        if (handle <= GizmoHandle::AxisZ) return pixel(glm::mix(points[0], points[1], 0.9f));
        if (isRing(handle)) return pixel(points[points.size() / 2 + 3]);
        return pixel(0.5f * (points[0] + points[2]));
    }
    Camera camera{.eye = {3, 2.5f, 4}, .look = {0, 0.5f, 0}};
    GizmoPose start{{0.2f, 0.6f, -0.1f}, glm::angleAxis(0.3f, glm::normalize(glm::vec3(1, 2, 3)))};
};

TEST_F(Gizmos, FindThePartUnderTheCursor) {
    for (const GizmoHandle handle : kGizmoHandles)
        EXPECT_EQ(gizmoHandleAt(camera, start.position, on(handle, start.position), kViewport, true), handle)
            << int(handle);
    EXPECT_FALSE(gizmoHandleAt(camera, start.position, {5, 5}, kViewport, true));
    const auto without =
        gizmoHandleAt(camera, start.position, on(GizmoHandle::RingY, start.position), kViewport, false);
    EXPECT_NE(without, GizmoHandle::RingY) << "what cannot be turned has no rings";
    Camera away = camera;
    away.look = 2.0f * camera.eye - camera.look;
    EXPECT_FALSE(gizmoHandleAt(away, start.position, {400, 300}, kViewport, true)) << "behind the eye";
}

TEST_F(Gizmos, AreAsLargeInThePictureAtEveryDistance) {
    for (const float distance : {1.0f, 5.0f, 60.0f}) {
        Camera c = camera;
        c.eye = c.look + distance * glm::normalize(glm::vec3(1, 0.5f, 1));
        const glm::vec3 right = gizmoSize(c, c.look, kViewport) * axes(c).right;
        const float px = project(c, c.look + right, 800, 600).x - project(c, c.look, 800, 600).x;
        EXPECT_NEAR(px, 78, 1) << distance;
        const Camera flat = withOrthographic(c, true, 3);
        EXPECT_NEAR(
            project(flat, c.look + gizmoSize(flat, c.look, kViewport) * axes(c).right, 800, 600).x - 400, 78,
            1);
    }
}

TEST_F(Gizmos, ArrowsLeadAlongTheirAxis) {
    for (int k = 0; k < 3; ++k) {
        const auto handle = static_cast<GizmoHandle>(k);
        glm::vec3 grabbed = glm::mix(start.position,
                                     gizmoOutline(camera, start.position, handle, kViewport)[1], 0.9f),
                  to = grabbed;
        to[k] -= 0.35f;
        const GizmoDrag drag(handle, start, camera, pixel(grabbed), kViewport);
        const auto pose = drag.at(camera, pixel(to), kViewport);
        ASSERT_TRUE(pose);
        for (int axis = 0; axis < 3; ++axis) {
            if (axis == k)
                EXPECT_NEAR(pose->position[axis], start.position[axis] - 0.35f, 1e-3);
            else
                EXPECT_EQ(pose->position[axis], start.position[axis]) << "to the last bit";
        }
        EXPECT_EQ(pose->rotation, start.rotation);
        const auto round = drag.at(camera, pixel(to), kViewport, 0.1f);
        EXPECT_NEAR(std::remainder(round->position[k], 0.1f), 0, 1e-6);
    }
}

TEST_F(Gizmos, SquaresLeadInTheirPlane) {
    for (int k = 0; k < 3; ++k) {
        const auto handle = static_cast<GizmoHandle>(3 + k);
        const glm::vec3 grabbed = gizmoOutline(camera, start.position, handle, kViewport)[0];
        glm::vec3 way(0.15f, -0.1f, 0.2f);
        way[k] = 0;
        const auto pose = GizmoDrag(handle, start, camera, pixel(grabbed), kViewport)
                              .at(camera, pixel(grabbed + way), kViewport);
        ASSERT_TRUE(pose);
        EXPECT_LT(glm::distance(pose->position, start.position + way), 2e-3) << k;
        EXPECT_EQ(pose->position[k], start.position[k]);
    }
}

TEST_F(Gizmos, TheCenterMovesInTheViewPlane) {
    const glm::vec3 way = 0.4f * axes(camera).right - 0.2f * axes(camera).up;
    const auto pose = GizmoDrag(GizmoHandle::Center, start, camera, pixel(start.position), kViewport)
                          .at(camera, pixel(start.position + way), kViewport);
    ASSERT_TRUE(pose);
    EXPECT_LT(glm::distance(pose->position, start.position + way), 2e-3);
}

TEST_F(Gizmos, RingsTurnAboutTheirAxis) {
    for (int k = 0; k < 3; ++k) {
        const auto handle = static_cast<GizmoHandle>(6 + k);
        glm::vec3 along(0);
        along[k] = 1;
        const glm::vec3 rim = gizmoOutline(camera, start.position, handle, kViewport)[20] - start.position;
        const glm::quat turn = glm::angleAxis(0.25f, along);
        const GizmoDrag drag(handle, start, camera, pixel(start.position + rim), kViewport);
        const auto pose = drag.at(camera, pixel(start.position + turn * rim), kViewport);
        ASSERT_TRUE(pose);
        EXPECT_GT(std::abs(glm::dot(pose->rotation, turn * start.rotation)), 1 - 1e-5f) << k;
        EXPECT_EQ(pose->position, start.position);
        const auto round = drag.at(camera, pixel(start.position + turn * rim), kViewport, 0.1f);
        EXPECT_GT(
            std::abs(glm::dot(round->rotation, glm::angleAxis(glm::radians(15.0f), along) * start.rotation)),
            1 - 1e-6f);
    }
}

TEST_F(Gizmos, RingsSeenFromTheirEdgeTurnAsWheels) {
    camera = {.eye = {0, 0.6f, 5}, .look = {0, 0.6f, 0}};
    start.position = {0, 0.6f, 0};
    // the y ring is seen edge-on: its front goes to the right as it turns counterclockwise from above
    const auto pose = GizmoDrag(GizmoHandle::RingY, start, camera, pixel(start.position), kViewport)
                          .at(camera, pixel(start.position) + glm::vec2(20, 0), kViewport);
    ASSERT_TRUE(pose);
    const glm::quat turn = pose->rotation * glm::conjugate(start.rotation);
    EXPECT_GT(turn.y / turn.w, 0.05f);
    EXPECT_NEAR(turn.x, 0, 1e-6);
}

TEST_F(Gizmos, LeadNowhereBeyondTheHorizon) {
    camera = {.eye = {0, 1, 5}, .look = {0, 1, 0}};
    const GizmoDrag drag(GizmoHandle::PlaneY, {{0, 0, 0}, {1, 0, 0, 0}}, camera, pixel({0.1f, 0, 0.1f}),
                         kViewport);
    EXPECT_TRUE(drag.at(camera, {400, 400}, kViewport));
    EXPECT_FALSE(drag.at(camera, {400, 100}, kViewport)) << "the sky";
}

// ---- the gizmo of a session ----

class GizmoTools : public Gizmos {
protected:
    bool use(glm::vec2 cursor, bool left) {
        return tool.use(session, selection, camera, {.cursor = cursor, .left = left}, kViewport);
    }
    void drag(GizmoHandle handle, glm::vec2 by) {
        const glm::vec3 at = poseOf(session, selection)->position;
        const glm::vec2 from = on(handle, at);
        use(from, false);
        EXPECT_TRUE(use(from, true));
        EXPECT_TRUE(use(from + 0.5f * by, true));
        EXPECT_TRUE(use(from + by, true));
        use(from + by, false);
    }
    TemporaryFolder folder;
    Session session{sceneOfEverything(folder), {}, {.backend = "cpu"}};
    Selection selection;
    GizmoTool tool;
};

TEST_F(GizmoTools, MoveAndTurnEveryThingThatHasAPlace) {
    camera = {.eye = {-3, 7, 15}, .look = {1, 0, 0}};
    for (const Selection& thing :
         {Selection{"shapes", "gate"}, Selection{"shapes", "floor"}, Selection{"sinks", "drain"},
          Selection{"emitters", "tap"}, Selection{"fields", "breeze"}}) {
        selection = thing;
        const GizmoPose before = *poseOf(session, selection);
        drag(GizmoHandle::AxisY, {0, -40});
        const GizmoPose moved = *poseOf(session, selection);
        EXPECT_GT(moved.position.y, before.position.y + 0.1f) << thing.path();
        EXPECT_EQ(moved.position.x, before.position.x) << thing.path();
        drag(GizmoHandle::RingX, {0, 25});
        const GizmoPose turned = *poseOf(session, selection);
        EXPECT_GT(glm::length(turned.rotation * glm::vec3(0, 1, 0) - before.rotation * glm::vec3(0, 1, 0)),
                  0.05f)
            << thing.path();
        // each drag is an undo step
        ASSERT_TRUE(session.undo());
        const GizmoPose back = *poseOf(session, selection);
        EXPECT_LT(glm::length(back.rotation * glm::vec3(0, 1, 0) - before.rotation * glm::vec3(0, 1, 0)),
                  1e-4f);
        EXPECT_EQ(back.position, moved.position) << thing.path();
        ASSERT_TRUE(session.undo());
        EXPECT_LT(glm::distance(poseOf(session, selection)->position, before.position), 1e-5f)
            << thing.path();
        EXPECT_FALSE(session.undo());
    }
}

TEST_F(GizmoTools, LeaveTheButtonToOtherToolsOutsideTheGizmo) {
    selection = {"shapes", "gate"};
    use({5, 5}, false);
    EXPECT_FALSE(use({5, 5}, true));
    EXPECT_FALSE(use({30, 5}, true));
    use({30, 5}, false);
    EXPECT_FALSE(selection.isEmpty()) << "a drag is no click";
    EXPECT_TRUE(session.differences().empty());
}

TEST_F(GizmoTools, AClickSelectsTheShapeUnderItOrNothing) {
    camera = {.eye = {-4, 1.5f, 4}, .look = {-1, 0.5f, 0.3f}};
    const auto click = [&](glm::vec2 at) {
        use(at, false);
        use(at, true);
        use(at, false);
    };
    click(pixel({-1, 0.5f, 0.3f}));
    EXPECT_EQ(selection, (Selection{"shapes", "gate"}));
    click({3, 590});
    EXPECT_TRUE(selection.isEmpty()) << "the floor is everywhere";
    use(pixel({-1, 0.5f, 0.3f}), true);
    tool.cancelClick();
    use(pixel({-1, 0.5f, 0.3f}), false);
    EXPECT_TRUE(selection.isEmpty()) << "another tool used the button";
}

TEST_F(GizmoTools, AnimatedAndInfiniteShapesHaveNoGizmo) {
    EXPECT_FALSE(poseOf(session, {"shapes", "lift"}));
    EXPECT_FALSE(poseOf(session, {"sinks", "old"}));
    EXPECT_FALSE(poseOf(session, {"shapes", "none"}));
}

}  // namespace
}  // namespace coalesce::test
