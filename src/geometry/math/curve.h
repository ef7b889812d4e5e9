// Smooth curves through points.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/math/vec3d.h"

namespace coalesce {

// Weights of four control points at t in 0 … 1 between the middle two. Uniform Catmull-Rom spline: passes
// through all points; its tangent at each is parallel to the line from the previous to the next.
std::array<double, 4> splineWeights(double t);

// A spline through two or more points, parameterized by arc length.
class Curve {
public:
    explicit Curve(std::span<const Vec3> points);

    double length() const { return m_way.back(); }  // [m]
    struct Place {
        Vec3d at;         // [m]
        Vec3d direction;  // unit; (0, 0, 1) where the curve has no length
    };
    // The point `way` meters along the curve, clamped to its ends.
    Place at(double way) const;

private:
    std::vector<Vec3d> m_points;
    std::vector<double> m_way;  // [m] arc length from the start, by point
};

}  // namespace coalesce
