// Camera mathematics: plain values in, plain values out. World: right-handed, Y up, meters; eye space looks
// along -Z.
#pragma once

#include <glm/glm.hpp>

namespace coalesce {

struct Camera {
    glm::vec3 eye{2.4f, 1.6f, 3.2f};   // [m]
    glm::vec3 look{0.0f, 0.5f, 0.0f};  // [m] the point that orbit and dolly refer to
    glm::vec3 up{0.0f, 1.0f, 0.0f};    // unit
    float fov = 45.0f;                 // vertical opening [degrees]
    float near = 0.02f;                // [m]
    float far = 200.0f;                // [m]
};

struct Ray {
    glm::vec3 origin;     // [m]
    glm::vec3 direction;  // unit
};

struct Axes {  // of the camera, unit, in world space
    glm::vec3 right, up, forward;
};

Axes axes(const Camera& camera);
glm::mat4 viewMatrix(const Camera& camera);
glm::mat4 projectionMatrix(const Camera& camera, float aspect);  // NDC z in [-1,1]

// Turns the eye around the look point [radians]; positive yaw moves the eye to its right, positive pitch up.
// The pitch stops short of the poles.
Camera orbit(Camera camera, float yaw, float pitch);
// Turns the look point around the eye [radians]; positive yaw looks right, positive pitch looks up.
Camera turn(Camera camera, float yaw, float pitch);
// Shifts eye and look so that the look plane follows the cursor by this many pixels (y down, as the mouse
// counts).
Camera pan(Camera camera, glm::vec2 pixels, int height);
// Scales the distance to an anchor: factor < 1 comes closer. Never reaches it.
Camera dolly(Camera camera, float factor, glm::vec3 anchor);
Camera dolly(Camera camera, float factor);  // towards the look point
// Moves in camera axes (right, up, forward) [m].
Camera fly(Camera camera, glm::vec3 move);
// Same direction of view, distance chosen so that the box fills the picture; near and far fitted generously.
Camera frameBounds(Camera camera, glm::vec3 lower, glm::vec3 upper, float aspect);
// Ray through a pixel; (0,0) is the upper left corner of the picture and (0.5,0.5) the middle of its first
// pixel.
Ray rayThrough(const Camera& camera, glm::vec2 pixel, int width, int height);
// Pixel of a world point (same convention), and its distance along the view direction in z [m]; z <= 0 lies
// behind.
glm::vec3 project(const Camera& camera, glm::vec3 point, int width, int height);
// The world point of such a pixel and distance.
glm::vec3 unproject(const Camera& camera, glm::vec3 pixel, int width, int height);

}  // namespace coalesce
