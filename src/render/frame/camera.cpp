#include "render/frame/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace coalesce {

namespace {

constexpr float kPoleGap =
    0.02f;  // [rad] minimum angle between the view direction and up, where the image would flip

// Rotates a direction around up by yaw and towards up by pitch, limited near the poles.
glm::vec3 turned(glm::vec3 direction, glm::vec3 up, float yaw, float pitch) {
    const float length = glm::length(direction);
    const glm::vec3 unit = direction / length;
    const float elevation = std::asin(std::clamp(glm::dot(unit, up), -1.0f, 1.0f));
    const float limit = glm::half_pi<float>() - kPoleGap;
    glm::vec3 level = unit - up * glm::dot(unit, up);
    if (glm::length(level) < 1e-6f)
        level = std::abs(up.y) < 0.9f ? glm::cross(up, {0, 1, 0}) : glm::vec3(0, 0, 1);
    level = glm::mat3(glm::rotate(glm::mat4(1), yaw, up)) * glm::normalize(level);
    const float next = std::clamp(elevation + pitch, -limit, limit);
    return length * (std::cos(next) * level + std::sin(next) * up);
}

}  // namespace

Axes axes(const Camera& camera) {
    const glm::vec3 forward = glm::normalize(camera.look - camera.eye);
    glm::vec3 side = glm::cross(forward, camera.up);
    // looking along up: use any horizontal direction
    if (glm::dot(side, side) < 1e-10f) {
        side = glm::cross(forward, std::abs(forward.z) < 0.9f ? glm::vec3(0, 0, 1) : glm::vec3(1, 0, 0));
    }
    const glm::vec3 right = glm::normalize(side);
    return {right, glm::cross(right, forward), forward};
}

glm::mat4 viewMatrix(const Camera& camera) {
    const Axes a = axes(camera);
    glm::mat4 view(1);
    for (int k = 0; k < 3; ++k) {
        view[k][0] = a.right[k];
        view[k][1] = a.up[k];
        view[k][2] = -a.forward[k];
    }
    view[3] = {-glm::dot(a.right, camera.eye), -glm::dot(a.up, camera.eye), glm::dot(a.forward, camera.eye),
               1};
    return view;
}

glm::mat4 projectionMatrix(const Camera& camera, float aspect) {
    glm::mat4 projection = glm::perspective(glm::radians(camera.fov), aspect, camera.near, camera.far);
    // the third column is divided by −z
    projection[2][0] -= camera.shift.x;
    projection[2][1] -= camera.shift.y;
    return projection;
}

Camera orbit(Camera camera, float yaw, float pitch) {
    camera.eye = camera.look + turned(camera.eye - camera.look, camera.up, yaw, pitch);
    return camera;
}

Camera turn(Camera camera, float yaw, float pitch) {
    camera.look = camera.eye + turned(camera.look - camera.eye, camera.up, -yaw, pitch);
    return camera;
}

Camera pan(Camera camera, glm::vec2 pixels, int height) {
    const Axes a = axes(camera);
    const float distance = glm::length(camera.look - camera.eye);
    const float metersPerPixel = 2 * distance * std::tan(glm::radians(camera.fov) / 2) / std::max(height, 1);
    const glm::vec3 shift = metersPerPixel * (-pixels.x * a.right + pixels.y * a.up);
    camera.eye += shift;
    camera.look += shift;
    return camera;
}

Camera dolly(Camera camera, float factor, glm::vec3 anchor) {
    factor = std::max(factor, 1e-3f);
    camera.eye = anchor + factor * (camera.eye - anchor);
    camera.look = anchor + factor * (camera.look - anchor);
    return camera;
}

Camera dolly(Camera camera, float factor) {
    return dolly(camera, factor, camera.look);
}

Camera fly(Camera camera, glm::vec3 move) {
    const Axes a = axes(camera);
    const glm::vec3 shift = move.x * a.right + move.y * a.up + move.z * a.forward;
    camera.eye += shift;
    camera.look += shift;
    return camera;
}

// A point at the distance z, x beside the axis, has NDC x c/z, with c of the projection. Seen from the offset o it has
// (x − o) c/z, which is o c/F too little for the points in focus, z = F.
Camera throughLens(Camera camera, glm::vec2 offset, float focus, float aspect) {
    const float c = 1 / std::tan(glm::radians(camera.fov) / 2);
    camera.shift += offset * glm::vec2(c / aspect, c) / focus;
    return fly(camera, {offset, 0});
}

Camera frameBounds(Camera camera, glm::vec3 lower, glm::vec3 upper, float aspect) {
    const glm::vec3 center = (lower + upper) / 2.0f;
    const float radius = std::max(glm::length(upper - lower) / 2, 1e-3f);
    // the bounding sphere must fit the narrower field of view
    const float half = glm::radians(camera.fov) / 2;
    const float narrow = std::min(half, std::atan(std::tan(half) * aspect));
    const glm::vec3 forward = axes(camera).forward;
    const float distance = radius / std::sin(narrow);
    camera.look = center;
    camera.eye = center - distance * forward;
    camera.near = distance / 200;
    camera.far = std::max(camera.far, 20 * distance);
    return camera;
}

Ray rayThrough(const Camera& camera, glm::vec2 pixel, int width, int height) {
    const Axes a = axes(camera);
    const float tangent = std::tan(glm::radians(camera.fov) / 2);
    const float aspect = float(width) / float(height);
    const float x = (2 * pixel.x / float(width) - 1 - camera.shift.x) * tangent * aspect;
    const float y = (1 - 2 * pixel.y / float(height) - camera.shift.y) * tangent;
    return {camera.eye, glm::normalize(a.forward + x * a.right + y * a.up)};
}

glm::vec3 project(const Camera& camera, glm::vec3 point, int width, int height) {
    const Axes a = axes(camera);
    const glm::vec3 to = point - camera.eye;
    const float z = glm::dot(to, a.forward);
    const float tangent = std::tan(glm::radians(camera.fov) / 2);
    const float aspect = float(width) / float(height);
    const float x = glm::dot(to, a.right) / (z * tangent * aspect) + camera.shift.x;
    const float y = glm::dot(to, a.up) / (z * tangent) + camera.shift.y;
    return {(x + 1) / 2 * float(width), (1 - y) / 2 * float(height), z};
}

glm::vec3 unproject(const Camera& camera, glm::vec3 pixel, int width, int height) {
    const Ray ray = rayThrough(camera, pixel, width, height);
    return ray.origin + pixel.z / glm::dot(ray.direction, axes(camera).forward) * ray.direction;
}

}  // namespace coalesce
