#include "view/viewport/gizmo.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

namespace {

constexpr float kShare = 0.13f;  // length of an arrow as a share of the viewport's height
constexpr float kPlaneNear = 0.3f, kPlaneFar = 0.5f;  // corners of the squares, in arrow lengths
constexpr float kRing = 1.15f;                        // radius of the rings, in arrow lengths
constexpr float kHitDistance = 8;                     // [px] from a line
constexpr float kCenterRadius = 10;                   // [px]
constexpr int kRingPoints = 49;
constexpr float kMinCosine = 0.08f;  // between view and normal, below which a plane cannot be hit
constexpr float kSnapTurn = 3.14159265f / 12;

glm::vec3 axis(int k) {
    glm::vec3 a(0);
    a[k] = 1;
    return a;
}

float distanceToSegment(glm::vec2 p, glm::vec2 a, glm::vec2 b) {
    const glm::vec2 ab = b - a;
    const float length2 = glm::dot(ab, ab);
    const float t = length2 > 0 ? std::clamp(glm::dot(p - a, ab) / length2, 0.0f, 1.0f) : 0.0f;
    return glm::distance(p, a + t * ab);
}

// Even-odd rule.
bool isInside(glm::vec2 p, const std::vector<glm::vec2>& corners) {
    bool inside = false;
    for (size_t k = 0, j = corners.size() - 1; k < corners.size(); j = k++) {
        const glm::vec2 a = corners[k], b = corners[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside;
}

std::optional<glm::vec3> onPlane(const Ray& ray, glm::vec3 point, glm::vec3 normal) {
    const float slope = glm::dot(ray.direction, normal);
    if (std::abs(slope) < 1e-4f) return {};
    const float t = glm::dot(point - ray.origin, normal) / slope;
    if (t <= 0) return {};
    return ray.origin + t * ray.direction;
}

// The point of the line through `point` that is nearest to the ray.
std::optional<glm::vec3> onLine(const Ray& ray, glm::vec3 point, glm::vec3 along) {
    const float b = glm::dot(ray.direction, along), parallel = 1 - b * b;
    if (parallel < 1e-4f) return {};
    const glm::vec3 w = point - ray.origin;
    const float t = (b * glm::dot(w, ray.direction) - glm::dot(w, along)) / parallel;  // along the line
    if (glm::dot(w + t * along, ray.direction) <= 0) return {};                        // behind the eye
    return point + t * along;
}

glm::vec3 snapped(glm::vec3 value, float step) {
    return step > 0 ? step * glm::round(value / step) : value;
}

}  // namespace

int axisOf(GizmoHandle handle) {
    return handle == GizmoHandle::Center ? -1 : int(handle) % 3;
}

bool isRing(GizmoHandle handle) {
    return handle == GizmoHandle::RingX || handle == GizmoHandle::RingY || handle == GizmoHandle::RingZ;
}

float gizmoSize(const Camera& camera, glm::vec3 position, ViewportSize viewport) {
    const float depth = glm::dot(position - camera.eye, axes(camera).forward);
    const float aspect = float(viewport.width) / float(std::max(viewport.height, 1));
    return depth <= 0 ? 0 : 2 * kShare * halfExtent(camera, depth, aspect).y;
}

std::vector<glm::vec3> gizmoOutline(const Camera& camera, glm::vec3 position, GizmoHandle handle,
                                    ViewportSize viewport) {
    const float size = gizmoSize(camera, position, viewport);
    if (handle == GizmoHandle::Center) return {position};
    const int k = axisOf(handle);
    const glm::vec3 along = axis(k), u = axis((k + 1) % 3), v = axis((k + 2) % 3);
    if (handle <= GizmoHandle::AxisZ) return {position, position + size * along};
    if (!isRing(handle)) {
        const auto corner = [&](float a, float b) { return position + size * (a * u + b * v); };
        return {corner(kPlaneNear, kPlaneNear), corner(kPlaneFar, kPlaneNear), corner(kPlaneFar, kPlaneFar),
                corner(kPlaneNear, kPlaneFar)};
    }
    // the half that faces the eye begins and ends across the view; all of it where the view is along the axis
    const glm::vec3 toEye = -directionTo(camera, position);
    const glm::vec3 front = toEye - glm::dot(toEye, along) * along;
    const bool whole = glm::length(front) < 0.35f;
    const float middle = std::atan2(glm::dot(front, v), glm::dot(front, u));
    const float span = whole ? 6.2831853f : 3.14159265f;
    std::vector<glm::vec3> points;
    for (int i = 0; i < kRingPoints; ++i) {
        const float angle = middle + span * (float(i) / (kRingPoints - 1) - 0.5f);
        points.push_back(position + kRing * size * (std::cos(angle) * u + std::sin(angle) * v));
    }
    return points;
}

std::optional<GizmoHandle> gizmoHandleAt(const Camera& camera, glm::vec3 position, glm::vec2 cursor,
                                         ViewportSize viewport, bool rings) {
    if (gizmoSize(camera, position, viewport) <= 0) return {};
    const auto onScreen = [&](glm::vec3 p) {
        return glm::vec2(project(camera, p, viewport.width, viewport.height));
    };
    if (glm::distance(cursor, onScreen(position)) < kCenterRadius) return GizmoHandle::Center;
    std::optional<GizmoHandle> best;
    float least = kHitDistance;
    for (const GizmoHandle handle : kGizmoHandles) {
        if (handle == GizmoHandle::Center || (isRing(handle) && !rings)) continue;
        const glm::vec3 normal = axis(axisOf(handle)), view = directionTo(camera, position);
        const float cosine = std::abs(glm::dot(normal, view));
        const bool plane = handle >= GizmoHandle::PlaneX && handle <= GizmoHandle::PlaneZ;
        // an arrow seen end-on, a square seen edge-on
        if ((handle <= GizmoHandle::AxisZ && cosine > 1 - kMinCosine * kMinCosine) ||
            (plane && cosine < kMinCosine))
            continue;
        std::vector<glm::vec2> points;
        for (const glm::vec3& p : gizmoOutline(camera, position, handle, viewport))
            points.push_back(onScreen(p));
        if (plane) {
            // a line within the hit distance takes precedence
            if (isInside(cursor, points) && least >= kHitDistance)
                best = handle, least = kHitDistance - 1e-3f;
            continue;
        }
        for (size_t k = 0; k + 1 < points.size(); ++k)
            if (const float d = distanceToSegment(cursor, points[k], points[k + 1]); d < least)
                best = handle, least = d;
    }
    return best;
}

GizmoDrag::GizmoDrag(GizmoHandle handle, const GizmoPose& start, const Camera& camera, glm::vec2 cursor,
                     ViewportSize viewport)
    : m_handle(handle), m_start(start), m_cursor(cursor) {
    m_grabbed = pointUnder(camera, cursor, viewport);
}

std::optional<glm::vec3> GizmoDrag::pointUnder(const Camera& camera, glm::vec2 cursor,
                                               ViewportSize viewport) const {
    const Ray ray = rayThrough(camera, cursor, viewport.width, viewport.height);
    if (m_handle == GizmoHandle::Center) return onPlane(ray, m_start.position, axes(camera).forward);
    const glm::vec3 along = axis(axisOf(m_handle));
    return m_handle <= GizmoHandle::AxisZ ? onLine(ray, m_start.position, along)
                                          : onPlane(ray, m_start.position, along);
}

std::optional<GizmoPose> GizmoDrag::at(const Camera& camera, glm::vec2 cursor, ViewportSize viewport,
                                       float step) const {
    GizmoPose pose = m_start;
    if (!isRing(m_handle)) {
        const auto point = pointUnder(camera, cursor, viewport);
        if (!point || !m_grabbed) return {};
        pose.position = snapped(m_start.position + *point - *m_grabbed, step);
        // coordinates that the handle does not move stay bit-exact
        const int k = axisOf(m_handle);
        for (int other = 0; k >= 0 && other < 3; ++other)
            if ((other == k) == (m_handle >= GizmoHandle::PlaneX))
                pose.position[other] = m_start.position[other];
        return pose;
    }
    const int k = axisOf(m_handle);
    const glm::vec3 along = axis(k), u = axis((k + 1) % 3), v = axis((k + 2) % 3);
    const glm::vec3 view = directionTo(camera, m_start.position);
    float angle = 0;
    const auto point = pointUnder(camera, cursor, viewport);
    if (std::abs(glm::dot(view, along)) > 0.25f && m_grabbed && point) {
        const auto angleOf = [&](glm::vec3 p) {
            return std::atan2(glm::dot(p - m_start.position, v), glm::dot(p - m_start.position, u));
        };
        angle = angleOf(*point) - angleOf(*m_grabbed);
    } else {
        // seen edge-on: turned by its rim, like a wheel
        const glm::vec3 rim = glm::normalize(glm::cross(along, -view));
        const glm::vec2 from = glm::vec2(project(camera, m_start.position, viewport.width, viewport.height));
        const float size = kRing * gizmoSize(camera, m_start.position, viewport);
        const glm::vec2 tangent =
            glm::vec2(project(camera, m_start.position + size * rim, viewport.width, viewport.height)) - from;
        angle = glm::dot(cursor - m_cursor, tangent) / std::max(glm::dot(tangent, tangent), 1e-6f);
    }
    if (step > 0) angle = kSnapTurn * std::round(angle / kSnapTurn);
    pose.rotation = glm::normalize(glm::angleAxis(angle, along) * m_start.rotation);
    return pose;
}

}  // namespace coalesce
