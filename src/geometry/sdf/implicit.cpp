#include "geometry/sdf/implicit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coalesce {

namespace {

// Signed 2D distance to a rectangle about the origin.
double rectangleDistance(double x, double y, double halfWidth, double halfHeight) {
    const double dx = std::abs(x) - halfWidth, dy = std::abs(y) - halfHeight;
    const double ox = std::max(dx, 0.0), oy = std::max(dy, 0.0);
    return std::sqrt(ox * ox + oy * oy) + std::min(std::max(dx, dy), 0.0);
}

// Squared 2D distance to the segment a b.
double segmentSquared(double r, double y, ProfilePoint a, ProfilePoint b) {
    const double er = b.r - a.r, ey = b.y - a.y, pr = r - a.r, py = y - a.y;
    const double e2 = er * er + ey * ey;
    const double t = e2 > 0 ? std::clamp((pr * er + py * ey) / e2, 0.0, 1.0) : 0.0;
    const double dr = pr - t * er, dy = py - t * ey;
    return dr * dr + dy * dy;
}

}  // namespace

double sphereDistance(Vec3d p, double radius) {
    return length(p) - radius;
}

double boxDistance(Vec3d p, Vec3d halfExtents) {
    const Vec3d d = p.cwiseAbs() - halfExtents;
    return length(d.cwiseMax(0.0)) + std::min(d.maxCoeff(), 0.0);
}

double ellipsoidDistance(Vec3d p, Vec3d radii) {
    const Vec3d q = p.cwiseQuotient(radii);
    const double k = length(q), slope = length(q.cwiseQuotient(radii));
    // at the center the slope is zero; the distance is the shortest half axis
    const double least = radii.minCoeff();
    return slope > 1e-9 ? std::max(k * (k - 1) / slope, -least) : -least;
}

double superquadricDistance(Vec3d p, Vec3d radii, double n) {
    const Vec3d u = p.cwiseAbs().cwiseQuotient(radii);
    const double size = u.maxCoeff();
    if (size < 1e-9) return -radii.minCoeff();
    // (g − 1)/|∇g| with g = (Σ u^n)^(1/n), which is 1 on the surface; scaled to avoid overflow of powers
    const Vec3d w = u / size;
    const double sum = std::pow(w.x(), n) + std::pow(w.y(), n) + std::pow(w.z(), n),
                 g = size * std::pow(sum, 1 / n);
    const double part = std::pow(sum, 1 / n - 1);
    const Vec3d slope{part * std::pow(w.x(), n - 1) / radii.x(), part * std::pow(w.y(), n - 1) / radii.y(),
                      part * std::pow(w.z(), n - 1) / radii.z()};
    return (g - 1) / length(slope);
}
double cylinderDistance(Vec3d p, double radius, double height) {
    return rectangleDistance(std::sqrt(p.x() * p.x() + p.z() * p.z()), p.y() - height / 2, radius,
                             height / 2);
}

double coneDistance(Vec3d p, double radius, double height) {
    const ProfilePoint triangle[] = {{0, 0}, {radius, 0}, {0, height}};
    return revolvedDistance(p, triangle);
}

double torusDistance(Vec3d p, double ring, double tube) {
    const double r = std::sqrt(p.x() * p.x() + p.y() * p.y()) - ring;
    return std::sqrt(r * r + p.z() * p.z()) - tube;
}

double sweepDistance(Vec3d p, std::span<const Bead> beads) {
    double nearest = std::numeric_limits<double>::max();
    for (size_t k = 0; k + 1 < beads.size(); ++k) {
        const Vec3d edge = beads[k + 1].at - beads[k].at, offset = p - beads[k].at;
        const double e2 = dot(edge, edge);
        const double t = e2 > 0 ? std::clamp(dot(offset, edge) / e2, 0.0, 1.0) : 0.0;
        const double radius = beads[k].radius + t * (beads[k + 1].radius - beads[k].radius);
        nearest = std::min(nearest, length(offset - t * edge) - radius);
    }
    return nearest;
}

double revolvedDistance(Vec3d p, std::span<const ProfilePoint> polygon) {
    const double r = std::sqrt(p.x() * p.x() + p.z() * p.z());
    double squared = std::numeric_limits<double>::max();
    bool inside = false;
    for (size_t k = 0, last = polygon.size() - 1; k < polygon.size(); last = k++) {
        const ProfilePoint a = polygon[last], b = polygon[k];
        // even-odd rule along r; an edge on the axis is not part of the surface
        if ((a.y > p.y()) != (b.y > p.y()) && r < (b.r - a.r) * (p.y() - a.y) / (b.y - a.y) + a.r)
            inside = !inside;
        if (a.r > 0 || b.r > 0) squared = std::min(squared, segmentSquared(r, p.y(), a, b));
    }
    return inside ? -std::sqrt(squared) : std::sqrt(squared);
}

double revolvedWallDistance(Vec3d p, std::span<const ProfilePoint> polyline, double wall) {
    const double r = std::sqrt(p.x() * p.x() + p.z() * p.z());
    double squared = std::numeric_limits<double>::max();
    for (size_t k = 0; k + 1 < polyline.size(); ++k)
        squared = std::min(squared, segmentSquared(r, p.y(), polyline[k], polyline[k + 1]));
    return std::sqrt(squared) - wall / 2;
}

double smoothUnion(double a, double b, double k) {
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - h * h * k / 4;
}

Vec3d implicitGradient(const Implicit& f, Vec3d p, double step) {
    const Vec3d x{step, 0, 0}, y{0, step, 0}, z{0, 0, step};
    return (1 / (2 * step)) * Vec3d{f(p + x) - f(p - x), f(p + y) - f(p - y), f(p + z) - f(p - z)};
}

}  // namespace coalesce
