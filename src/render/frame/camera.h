// Camera mathematics on plain values. World: right-handed, Y up, meters; eye space looks along -Z.
#pragma once

#include <glm/glm.hpp>
#include <span>

namespace coalesce {

struct Camera {
    glm::vec3 eye{2.4f, 1.6f, 3.2f};   // [m]
    glm::vec3 look{0.0f, 0.5f, 0.0f};  // [m] center of orbit and dolly
    glm::vec3 up{0.0f, 1.0f, 0.0f};    // unit
    float fov = 45.0f;                 // vertical field of view [degrees]
    float orthographicHeight = 0;      // [m] of an orthographic image; 0: perspective
    float near = 0.02f;                // [m]
    float far = 200.0f;                // [m]
    glm::vec2 shift{0};                // [NDC] of the image, by a projection whose axis is off its center
};

struct Ray {
    glm::vec3 origin;     // [m]
    glm::vec3 direction;  // unit
};

struct Axes {  // camera axes, unit, in world space
    glm::vec3 right, up, forward;
};

// Images with a smaller ratio of width to height show as much in width as one of this ratio, and more in
// height, so that a view that was composed for a screen keeps its subject in a narrow window.
inline constexpr float kNarrowAspect = 4.0f / 3;

Axes axes(const Camera& camera);
// Half the width and height of the image [m] at a distance along the view direction [m].
glm::vec2 halfExtent(const Camera& camera, float distance, float aspect);
// Unit direction in which the camera sees a point.
glm::vec3 directionTo(const Camera& camera, glm::vec3 point);
glm::mat4 viewMatrix(const Camera& camera);
glm::mat4 projectionMatrix(const Camera& camera, float aspect);  // NDC z in [-1,1]

// Rotates the eye around the look point [radians]; positive yaw moves the eye right, positive pitch up. The
// pitch stops short of the poles.
Camera orbit(Camera camera, float yaw, float pitch);
// Rotates the look point around the eye [radians]; positive yaw looks right, positive pitch looks up.
Camera turn(Camera camera, float yaw, float pitch);
// Moves eye and look point by this many pixels of the look plane (y down, like mouse coordinates).
Camera pan(Camera camera, glm::vec2 pixels, int width, int height);
// Scales the distance to an anchor, or the height of an orthographic image around it:
// factor < 1 moves closer and never reaches it.
Camera dolly(Camera camera, float factor, glm::vec3 anchor);
Camera dolly(Camera camera, float factor);  // towards the look point
// Moves along the camera axes (right, up, forward) [m].
Camera fly(Camera camera, glm::vec3 move);
// A pinhole beside the center of a lens, by `offset` along right and up [m]: the points of the plane at the
// distance `focus` along the view direction [m] stay where they are in the image. The mean over the disc of a
// lens is its image. An orthographic camera has no lens: it stays.
Camera throughLens(Camera camera, glm::vec2 offset, float focus, float aspect);
// Keeps the view direction and chooses the distance, or the height of an orthographic image, so that the box
// fills the image; near and far planes get a wide margin.
Camera frameBounds(Camera camera, glm::vec3 lower, glm::vec3 upper, float aspect);
// Keeps the view direction and chooses the eye, or the height of an orthographic image, so that balls of a
// radius [m] around points [m] fill the share `fill` of its width or height and lie around its center. Beyond
// each of the four sides may be the share `outside` of them, so that a few that fly far do not make the
// others small.
Camera framePoints(Camera camera, std::span<const glm::vec3> points, float radius, float aspect, float fill,
                   float outside = 0);
// The same view with or without perspective: what is as far away as the look point keeps its
// size. An orthographic camera stands back from the look point by at least `reach` [m], so that
// nothing of a scene of this size is behind it.
Camera withOrthographic(Camera camera, bool orthographic, float reach);
// Looks along a world axis: from the side that the unit vector `from`
// points to, at the same look point and distance.
Camera alongAxis(Camera camera, glm::vec3 from);
// Ray through a pixel; (0,0) is the upper left corner of the image, (0.5,0.5) the center of the first pixel.
Ray rayThrough(const Camera& camera, glm::vec2 pixel, int width, int height);
// Pixel of a world point (same convention), with the distance along the view direction in z [m]; z <= 0:
// behind the camera.
glm::vec3 project(const Camera& camera, glm::vec3 point, int width, int height);
// World point of such a pixel and distance; inverse of project.
glm::vec3 unproject(const Camera& camera, glm::vec3 pixel, int width, int height);

}  // namespace coalesce
