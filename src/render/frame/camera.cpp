#include "render/frame/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <vector>

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
    // looking along up: as after a turn by a pitch, from a view along −z
    if (glm::dot(side, side) < 1e-10f)
        side = std::abs(forward.x) < 0.9f ? glm::vec3(1, 0, 0) - forward.x * forward
                                          : glm::cross(forward, glm::vec3(0, 0, 1));
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

glm::vec2 halfExtent(const Camera& camera, float distance, float aspect) {
    const float composed = camera.orthographicHeight > 0 ? camera.orthographicHeight / 2
                                                         : distance * std::tan(glm::radians(camera.fov) / 2);
    const float half = composed * std::max(kNarrowAspect / aspect, 1.0f);
    return {half * aspect, half};
}

glm::vec3 directionTo(const Camera& camera, glm::vec3 point) {
    return camera.orthographicHeight > 0 ? axes(camera).forward : glm::normalize(point - camera.eye);
}

glm::mat4 projectionMatrix(const Camera& camera, float aspect) {
    const glm::vec2 half = halfExtent(camera, 1, aspect);
    if (camera.orthographicHeight > 0) {
        glm::mat4 projection = glm::ortho(-half.x, half.x, -half.y, half.y, camera.near, camera.far);
        projection[3] += glm::vec4(camera.shift, 0, 0);
        return projection;
    }
    glm::mat4 projection = glm::perspective(glm::radians(camera.fov), aspect, camera.near, camera.far);
    projection[0][0] = 1 / half.x;
    projection[1][1] = 1 / half.y;
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

Camera pan(Camera camera, glm::vec2 pixels, int width, int height) {
    const Axes a = axes(camera);
    const float distance = glm::length(camera.look - camera.eye);
    const float aspect = float(std::max(width, 1)) / float(std::max(height, 1));
    const float metersPerPixel = 2 * halfExtent(camera, distance, aspect).y / float(std::max(height, 1));
    const glm::vec3 shift = metersPerPixel * (-pixels.x * a.right + pixels.y * a.up);
    camera.eye += shift;
    camera.look += shift;
    return camera;
}

Camera dolly(Camera camera, float factor, glm::vec3 anchor) {
    factor = std::max(factor, 1e-3f);
    if (camera.orthographicHeight > 0) {
        // without perspective, the distance of the eye does not matter
        const glm::vec3 forward = axes(camera).forward, toAnchor = anchor - camera.eye;
        const glm::vec3 shift = (1 - factor) * (toAnchor - glm::dot(toAnchor, forward) * forward);
        camera.orthographicHeight *= factor;
        camera.eye += shift;
        camera.look += shift;
        return camera;
    }
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

// A point at the distance z, x beside the axis, has NDC x c/z, with c of the projection. Seen from the offset
// o it has (x − o) c/z, which is o c/F too little for the points in focus, z = F.
Camera throughLens(Camera camera, glm::vec2 offset, float focus, float aspect) {
    if (camera.orthographicHeight > 0) return camera;
    camera.shift += offset / halfExtent(camera, focus, aspect);
    return fly(camera, {offset, 0});
}

Camera frameBounds(Camera camera, glm::vec3 lower, glm::vec3 upper, float aspect) {
    const glm::vec3 center = (lower + upper) / 2.0f;
    const float radius = std::max(glm::length(upper - lower) / 2, 1e-3f);
    // the bounding sphere must fit the shorter side of the image
    const glm::vec2 half = halfExtent(camera, 1, aspect);
    const float narrow = std::min(half.x, half.y);
    const glm::vec3 forward = axes(camera).forward;
    float distance = radius / std::sin(std::atan(narrow));
    if (camera.orthographicHeight > 0) {
        camera.orthographicHeight *= radius / narrow;
        distance = std::max(glm::distance(camera.look, camera.eye), 2 * radius);
    }
    camera.look = center;
    camera.eye = center - distance * forward;
    camera.near = distance / 200;
    camera.far = std::max(camera.far, 20 * distance);
    return camera;
}

Camera framePoints(Camera camera, std::span<const glm::vec3> points, float radius, float aspect, float fill,
                   float outside) {
    if (points.empty()) return camera;
    const Axes a = axes(camera);
    std::vector<float> values(points.size());
    // how far the balls reach, but for those outside
    const auto largest = [&](glm::vec3 direction) {
        std::ranges::transform(points, values.begin(), [&](glm::vec3 p) { return glm::dot(p, direction); });
        const auto at = values.end() - 1 - std::ptrdiff_t(outside * float(values.size() - 1));
        std::ranges::nth_element(values, at);
        return *at + radius * glm::length(direction);
    };
    const float farthest = largest(a.forward), nearest = -largest(-a.forward),
                depth = (farthest + nearest) / 2;
    const bool orthographic = camera.orthographicHeight > 0;
    const glm::vec2 half = fill * halfExtent(camera, 1, aspect);
    // The sides of the image are planes through the eye e with slopes t, or parallel to the view: a point p is
    // inside where ±(p - e)·right <= t (p - e)·forward. Their intersection is the eye, as far back as both
    // pairs of sides ask for.
    const float slope = orthographic ? 0 : 1;
    const glm::vec3 across = slope * half.x * a.forward, along = slope * half.y * a.forward;
    const float right = largest(a.right - across), left = largest(-a.right - across),
                top = largest(a.up - along), bottom = largest(-a.up - along);
    float eyeDepth;
    if (orthographic) {
        const float scale = std::max({(right + left) / (2 * half.x), (top + bottom) / (2 * half.y), 1e-6f});
        camera.orthographicHeight *= scale;
        eyeDepth = depth - std::max(glm::distance(camera.look, camera.eye), farthest - nearest);
    } else {
        eyeDepth = -std::max((right + left) / (2 * half.x), (top + bottom) / (2 * half.y));
    }
    camera.eye = (right - left) / 2 * a.right + (top - bottom) / 2 * a.up + eyeDepth * a.forward;
    const float distance = std::max(depth - eyeDepth, 1e-3f);
    camera.look = camera.eye + distance * a.forward;
    camera.near = distance / 200;
    camera.far = std::max(camera.far, 20 * distance);
    return camera;
}

Camera withOrthographic(Camera camera, bool orthographic, float reach) {
    if (orthographic == (camera.orthographicHeight > 0)) return camera;
    const float tangent = std::tan(glm::radians(camera.fov) / 2);
    const glm::vec3 forward = axes(camera).forward;
    float distance = glm::distance(camera.look, camera.eye);
    if (orthographic) {
        camera.orthographicHeight = 2 * distance * tangent;
        distance = std::max(distance, reach);
        camera.far = std::max(camera.far, 2 * distance);
    } else {
        distance = camera.orthographicHeight / (2 * tangent);
        camera.orthographicHeight = 0;
    }
    camera.eye = camera.look - distance * forward;
    return camera;
}

Camera alongAxis(Camera camera, glm::vec3 from) {
    camera.eye = camera.look + glm::distance(camera.look, camera.eye) * from;
    camera.up = {0, 1, 0};
    return camera;
}

Ray rayThrough(const Camera& camera, glm::vec2 pixel, int width, int height) {
    const Axes a = axes(camera);
    const glm::vec2 half = halfExtent(camera, 1, float(width) / float(height));
    const glm::vec2 ndc(2 * pixel.x / float(width) - 1, 1 - 2 * pixel.y / float(height));
    const glm::vec2 at = half * (ndc - camera.shift);
    const glm::vec3 aside = at.x * a.right + at.y * a.up;
    if (camera.orthographicHeight > 0) return {camera.eye + aside, a.forward};
    return {camera.eye, glm::normalize(a.forward + aside)};
}

glm::vec3 project(const Camera& camera, glm::vec3 point, int width, int height) {
    const Axes a = axes(camera);
    const glm::vec3 to = point - camera.eye;
    const float z = glm::dot(to, a.forward);
    const glm::vec2 aside(glm::dot(to, a.right), glm::dot(to, a.up));
    const glm::vec2 ndc = aside / halfExtent(camera, z, float(width) / float(height)) + camera.shift;
    return {(ndc.x + 1) / 2 * float(width), (1 - ndc.y) / 2 * float(height), z};
}

glm::vec3 unproject(const Camera& camera, glm::vec3 pixel, int width, int height) {
    const Ray ray = rayThrough(camera, pixel, width, height);
    return ray.origin + pixel.z / glm::dot(ray.direction, axes(camera).forward) * ray.direction;
}

}  // namespace coalesce
