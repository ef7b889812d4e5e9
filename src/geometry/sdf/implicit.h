// Implicit shapes: functions that are negative inside, zero on the surface and positive outside, with a
// gradient of about one near the surface. Their unions, intersections and blends are implicit shapes, too.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "geometry/math/vec3d.h"

namespace coalesce {

using Implicit = std::function<double(Vec3d)>;

// ---- primitives; exact distances unless noted ----

double sphereDistance(Vec3d p, double radius);
double boxDistance(Vec3d p, Vec3d halfExtents);
// First order near the surface: f / |∇f| of f = |p / r| - 1, scaled to be valid everywhere.
double ellipsoidDistance(Vec3d p, Vec3d radii);
// |x/a|^n + |y/b|^n + |z/c|^n = 1: between an ellipsoid (n = 2) and a box. First order near the surface, like
// an ellipsoid.
double superquadricDistance(Vec3d p, Vec3d radii, double n);
// Axis y, from y = 0 to `height`.
double cylinderDistance(Vec3d p, double radius, double height);
// Axis y, base at y = 0, tip at y = height.
double coneDistance(Vec3d p, double radius, double height);
// Axis z; ring: radius of the center line; tube: radius of the tube.
double torusDistance(Vec3d p, double ring, double tube);

// A ball swept along a polyline with linearly interpolated radius. A lower bound where the radius changes.
struct Bead {
    Vec3d at;
    double radius;
};
double sweepDistance(Vec3d p, std::span<const Bead> beads);

// A closed polygon in the half plane (r, y), r >= 0, revolved about the y axis.
struct ProfilePoint {
    double r, y;
};
double revolvedDistance(Vec3d p, std::span<const ProfilePoint> polygon);
// An open polyline, thickened by `wall` / 2 on either side and revolved.
double revolvedWallDistance(Vec3d p, std::span<const ProfilePoint> polyline, double wall);

// ---- combinations ----

// Polynomial smooth minimum: a fillet where |a - b| < k; between min(a, b) - k / 4 and min(a, b).
double smoothUnion(double a, double b, double k);

// Rotation about the x axis by an angle [rad].
class TurnX {
public:
    explicit TurnX(double angle) : m_cos(std::cos(angle)), m_sin(std::sin(angle)) {}
    Vec3d operator()(Vec3d p) const {
        return {p.x(), m_cos * p.y() - m_sin * p.z(), m_sin * p.y() + m_cos * p.z()};
    }

private:
    double m_cos, m_sin;
};

// Central differences with step `step`; not normalized.
Vec3d implicitGradient(const Implicit& f, Vec3d p, double step);

}  // namespace coalesce
