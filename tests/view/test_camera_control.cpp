#include <gtest/gtest.h>

#include "view/viewport/camera_control.h"

namespace coalesce::test {
namespace {

Camera somewhere() {
    Camera camera;
    camera.eye = {2, 1.5f, 3};
    camera.look = {0.2f, 0.4f, -0.1f};
    return camera;
}

CameraInput dragged(float x, float y) {
    CameraInput in;
    in.moved = {x, y};
    return in;
}

TEST(CameraControl, NothingHeldMovesNothing) {
    const Camera before = somewhere(), after = moveCamera(before, dragged(100, 50), 1280, 720);
    EXPECT_EQ(after.eye, before.eye);
    EXPECT_EQ(after.look, before.look);
    // nor does a button alone, bit-exactly
    CameraInput still;
    still.left = still.right = true;
    EXPECT_EQ(moveCamera(before, still, 1280, 720).eye, before.eye);
    EXPECT_EQ(moveCamera(before, still, 1280, 720).look, before.look);
}

TEST(CameraControl, LeftDragTurnsAroundTheLookPoint) {
    CameraInput in = dragged(180, 0);  // a quarter of the height: 45 degrees
    in.left = true;
    const Camera before = somewhere(), after = moveCamera(before, in, 1280, 720);
    EXPECT_EQ(after.look, before.look);
    EXPECT_NEAR(glm::length(after.eye - after.look), glm::length(before.eye - before.look), 1e-4);
    EXPECT_NEAR(after.eye.y, before.eye.y, 1e-4);
    const glm::vec2 a = glm::normalize(glm::vec2(before.eye.x - before.look.x, before.eye.z - before.look.z));
    const glm::vec2 b = glm::normalize(glm::vec2(after.eye.x - after.look.x, after.eye.z - after.look.z));
    EXPECT_NEAR(glm::dot(a, b), std::cos(glm::radians(45.0)), 1e-4);
    // a point in front of the look point follows the mouse to the right
    const glm::vec3 near = before.look + 0.2f * (before.eye - before.look);
    EXPECT_GT(project(after, near, 1280, 720).x, project(before, near, 1280, 720).x);
}

TEST(CameraControl, DraggingDownLooksFromAbove) {
    CameraInput in = dragged(0, 60);
    in.left = true;
    EXPECT_GT(moveCamera(somewhere(), in, 1280, 720).eye.y, somewhere().eye.y);
}

TEST(CameraControl, PanKeepsTheLookPlaneUnderTheCursor) {
    for (const bool middle : {true, false}) {
        CameraInput in = dragged(40, -25);
        in.middle = middle;
        in.left = in.shift = !middle;
        const Camera before = somewhere(), after = moveCamera(before, in, 1280, 720);
        const glm::vec3 was = project(before, before.look, 1280, 720),
                        is = project(after, before.look, 1280, 720);
        EXPECT_NEAR(is.x - was.x, 40, 0.1);
        EXPECT_NEAR(is.y - was.y, -25, 0.1);
        EXPECT_NEAR(glm::length((after.eye - after.look) - (before.eye - before.look)), 0, 1e-5);
    }
}

TEST(CameraControl, WheelZoomsToTheCursor) {
    const Camera before = somewhere();
    const Ray ray = rayThrough(before, {900, 200}, 1280, 720);
    const glm::vec3 forward = axes(before).forward;
    const glm::vec3 point = ray.origin + ray.direction * (glm::dot(before.look - before.eye, forward) /
                                                          glm::dot(ray.direction, forward));
    CameraInput in;
    in.cursor = {900, 200};
    in.wheel = 2;
    const Camera after = moveCamera(before, in, 1280, 720);
    EXPECT_LT(glm::length(after.eye - point), 0.8f * glm::length(before.eye - point));
    const glm::vec3 pixel = project(after, point, 1280, 720);
    EXPECT_NEAR(pixel.x, 900, 0.1);
    EXPECT_NEAR(pixel.y, 200, 0.1);
}

TEST(CameraControl, OnlyFlightGoesThroughTheFloor) {
    const float floor = 0.1f;
    CameraInput up = dragged(30, -500);  // the eye goes down
    up.left = true, up.floor = floor;
    const Camera before = somewhere();
    const Camera orbited = moveCamera(before, up, 1280, 720);
    EXPECT_GT(orbited.eye.y, floor);
    EXPECT_LT(orbited.eye.y, floor + 0.2f) << "down to the floor";
    EXPECT_EQ(orbited.look, before.look);
    EXPECT_NEAR(glm::distance(orbited.eye, orbited.look), glm::distance(before.eye, before.look), 1e-4);
    const Camera further = moveCamera(orbited, up, 1280, 720);
    EXPECT_NEAR(further.eye.y, orbited.eye.y, 1e-4) << "the limit does not creep";

    CameraInput pan = dragged(0, -900);
    pan.middle = true, pan.floor = floor;
    EXPECT_GT(moveCamera(before, pan, 1280, 720).eye.y, floor);
    CameraInput zoom;
    zoom.wheel = 100, zoom.floor = floor, zoom.cursor = {640, 719};
    EXPECT_GT(moveCamera(before, zoom, 1280, 720).eye.y, floor);

    up.floor.reset();
    EXPECT_LT(moveCamera(before, up, 1280, 720).eye.y, floor) << "no floor, no limit";
    CameraInput flight;
    flight.right = true, flight.fly = {0, -1, 0}, flight.seconds = 5, flight.floor = floor;
    const Camera below = moveCamera(before, flight, 1280, 720);
    EXPECT_LT(below.eye.y, floor);
    up.floor = floor;
    EXPECT_LT(moveCamera(below, up, 1280, 720).eye.y, floor) << "below it the camera is free";
    EXPECT_GT(aboveFloor(below, floor).eye.y, floor);
    const Camera high = aboveFloor(before, floor);
    EXPECT_EQ(high.eye, before.eye);
}

TEST(CameraControl, RightButtonFliesWithItsKeys) {
    CameraInput in;
    in.fly = {0, 0, 1};
    in.seconds = 0.5f;
    const Camera before = somewhere();
    EXPECT_EQ(moveCamera(before, in, 1280, 720).eye, before.eye)
        << "without the button the keys mean something else";
    in.right = true;
    const auto distance = [&] { return glm::length(moveCamera(before, in, 1280, 720).eye - before.eye); };
    const float usual = distance();
    EXPECT_NEAR(usual, 0.5f * glm::length(before.look - before.eye), 1e-4);
    in.shift = true;
    EXPECT_NEAR(distance(), 4 * usual, 1e-3);
    in.shift = false, in.ctrl = true;
    EXPECT_NEAR(distance(), usual / 4, 1e-4);
}

TEST(CameraControl, PerspectiveIsBackAfterOrbitingAwayFromAnAxis) {
    ViewSettings view;
    view.camera = somewhere();
    const auto drag = [&](const CameraInput& in) {
        const Camera before = view.camera;
        view.camera = moveCamera(before, in, 1280, 720);
        leaveAxis(view, before);
    };
    lookAlong(view, {1, 0, 0}, {-1, 0, -1}, {1, 2, 1});
    const float height = view.camera.orthographicHeight;
    EXPECT_GT(height, 0);
    EXPECT_GT(view.camera.eye.x, 1) << "nothing is behind the eye";
    CameraInput pan = dragged(50, 20), orbit = dragged(50, 20);
    pan.middle = orbit.left = true;
    drag(pan);
    EXPECT_EQ(view.camera.orthographicHeight, height);
    drag(orbit);
    EXPECT_EQ(view.camera.orthographicHeight, 0);
    EXPECT_NEAR(2 * halfExtent(view.camera, glm::distance(view.camera.eye, view.camera.look), 2).y, height,
                1e-4);
    // an orthographic view that the user chose stays
    switchPerspective(view, {-1, 0, -1}, {1, 2, 1});
    lookAlong(view, {0, 1, 0}, {-1, 0, -1}, {1, 2, 1});
    drag(orbit);
    EXPECT_GT(view.camera.orthographicHeight, 0);
}

}  // namespace
}  // namespace coalesce::test
