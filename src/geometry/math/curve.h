// Smooth curves through points.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/math/vec3d.h"

namespace coalesce {

// Shares of four control points at t in 0 … 1 between the middle two. Uniform Catmull-Rom spline: it passes
// through all points, and its direction at each is that from the one before to the one after.
std::array<double, 4> splineWeights(double t);

// A spline through two or more points, by its length.
class Curve {
public:
    explicit Curve(std::span<const Vec3> points);

    double length() const { return m_way.back(); }  // [m]
    struct Place {
        Vec3d at;         // [m]
        Vec3d direction;  // unit; (0, 0, 1) where the curve has no length
    };
    // The place `way` meters along the curve, held to its ends.
    Place at(double way) const;

private:
    std::vector<Vec3d> m_points;
    std::vector<double> m_way;  // [m] from the start to each of them
};

}  // namespace coalesce
