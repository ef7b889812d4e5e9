#include "geometry/math/curve.h"

#include <algorithm>

namespace coalesce {

namespace {

constexpr int kPieces = 64;  // linear pieces per segment: relative error of the length 1e-4

}  // namespace

std::array<double, 4> splineWeights(double t) {
    const double t2 = t * t, t3 = t2 * t;
    return {(-t + 2 * t2 - t3) / 2, (2 - 5 * t2 + 3 * t3) / 2, (t + 4 * t2 - 3 * t3) / 2, (-t2 + t3) / 2};
}

Curve::Curve(std::span<const Vec3> points) {
    const int last = static_cast<int>(points.size()) - 1;
    const auto control = [&](int k) { return toDouble(points[std::clamp(k, 0, last)]); };
    m_points.push_back(control(0));
    for (int k = 0; k < last; ++k)
        for (int piece = 1; piece <= kPieces; ++piece) {
            const auto weight = splineWeights(static_cast<double>(piece) / kPieces);
            Vec3d sum;
            for (int j = 0; j < 4; ++j) sum = sum + weight[j] * control(k - 1 + j);
            m_points.push_back(sum);
        }
    m_way.push_back(0);
    for (size_t i = 1; i < m_points.size(); ++i)
        m_way.push_back(m_way.back() + coalesce::length(m_points[i] - m_points[i - 1]));
}

Curve::Place Curve::at(double way) const {
    way = std::clamp(way, 0.0, length());
    const auto after = std::upper_bound(m_way.begin() + 1, m_way.end() - 1, way);
    const auto i = static_cast<size_t>(after - m_way.begin());
    const Vec3d step = m_points[i] - m_points[i - 1];
    const double whole = m_way[i] - m_way[i - 1];
    return {m_points[i - 1] + (whole > 0 ? (way - m_way[i - 1]) / whole : 0.0) * step,
            normalizeOr(step, {0, 0, 1})};
}

}  // namespace coalesce
