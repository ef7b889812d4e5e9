#include "scene/timeline/camera_path.h"

#include <cmath>

#include "core/error.h"
#include "scene/timeline/expression.h"
#include "scene/timeline/interpolation.h"

namespace coalesce {

namespace {

constexpr double kRadiansPerDegree = 3.141592653589793 / 180;
constexpr double kShortest = 1e-9;  // [m] shorter curves have no direction

std::vector<Vec3d> pointsOf(const std::vector<CameraKey>& keys, Vec3 CameraKey::*point) {
    std::vector<Vec3d> points;
    for (const CameraKey& key : keys) points.push_back(toDouble(key.*point));
    return points;
}
std::vector<double> timesOfKeys(const std::vector<CameraKey>& keys) {
    std::vector<double> times;
    for (const CameraKey& key : keys) times.push_back(key.t);
    return times;
}

}  // namespace

PathCurve::PathCurve(const std::vector<Vec3d>& points, const std::vector<double>& times, CameraSpline spline)
    : m_start(points.front()) {
    const size_t count = points.size();
    for (size_t k = 0; k + 1 < count; ++k) {
        const Vec3d p1 = points[k], p2 = points[k + 1], chord = p2 - p1;
        // the neighbors; beyond the ends the path continues straight
        const Vec3d p0 = k > 0 ? points[k - 1] : Vec3d(p1 - chord),
                    p3 = k + 2 < count ? points[k + 2] : Vec3d(p2 + chord);
        Cubic cubic{p1, chord, p2, chord};
        const double d1 = std::sqrt(coalesce::length(chord));
        if (spline == CameraSpline::catmullRom && d1 * d1 > kShortest) {
            // an interval of length 0 beside it counts as long as this one
            const auto knot = [&](const Vec3d& a, const Vec3d& b) {
                const double d = std::sqrt(coalesce::length(b - a));
                return d * d > kShortest ? d : d1;
            };
            const double d0 = knot(p0, p1), d2 = knot(p2, p3);
            cubic.m = d1 * ((1 / d0) * (p1 - p0) - (1 / (d0 + d1)) * (p2 - p0) + (1 / d1) * chord);
            cubic.n = d1 * ((1 / d1) * chord - (1 / (d1 + d2)) * (p3 - p1) + (1 / d2) * (p3 - p2));
        } else if (spline == CameraSpline::hermite) {
            const double h = times[k + 1] - times[k];
            if (k > 0) cubic.m = (h / (times[k + 1] - times[k - 1])) * (p2 - p0);
            if (k + 2 < count) cubic.n = (h / (times[k + 2] - times[k])) * (p3 - p1);
        }
        m_cubics.push_back(cubic);
    }
    m_parts.push_back(0);
    m_way.push_back(0);
    for (size_t k = 0; k < m_cubics.size(); ++k) {
        for (int part = 0; part < kParts; ++part)
            m_parts.push_back(m_parts.back() +
                              lengthBetween(k, double(part) / kParts, double(part + 1) / kParts));
        m_way.push_back(m_parts.back());
    }
}

Vec3d PathCurve::pointAt(size_t segment, double u) const {
    const Cubic& c = m_cubics[segment];
    Vec3d point;
    for (int i = 0; i < 3; ++i) point[i] = hermite(c.p[i], c.m[i], c.q[i], c.n[i], u);
    return point;
}

// Gauss-Legendre quadrature of the speed with five points.
double PathCurve::lengthBetween(size_t segment, double from, double to) const {
    const Cubic& c = m_cubics[segment];
    const auto speed = [&](double u) {
        Vec3d derivative;
        for (int i = 0; i < 3; ++i) derivative[i] = hermiteDerivative(c.p[i], c.m[i], c.q[i], c.n[i], u);
        return coalesce::length(derivative);
    };
    const double half = 0.5 * (to - from), middle = 0.5 * (from + to);
    constexpr double kNear = 0.53846931010568309, kFarther = 0.90617984593866399;
    constexpr double kWeights[] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
    return half * (kWeights[0] * speed(middle) +
                   kWeights[1] * (speed(middle - kNear * half) + speed(middle + kNear * half)) +
                   kWeights[2] * (speed(middle - kFarther * half) + speed(middle + kFarther * half)));
}

// By bisection within the part that holds it: 50 halvings reach the last bits.
Vec3d PathCurve::pointAtWay(double way) const {
    if (!(length() > kShortest)) return m_start;
    size_t part = 0;
    while (part + 2 < m_parts.size() && way >= m_parts[part + 1]) ++part;
    const size_t segment = part / kParts;
    const double begin = double(part % kParts) / kParts, wanted = way - m_parts[part];
    double low = begin, high = begin + 1.0 / kParts;
    for (int k = 0; k < 50; ++k) {
        const double u = 0.5 * (low + high);
        (lengthBetween(segment, begin, u) < wanted ? low : high) = u;
    }
    return pointAt(segment, 0.5 * (low + high));
}

CameraPath::CameraPath(std::vector<CameraKey> keys, const CameraView& camera)
    : m_keys(std::move(keys)),
      m_times(timesOfKeys(m_keys)),
      m_spline(camera.spline),
      m_constantSpeed(camera.constantSpeed),
      m_fov(double(camera.fov)),
      m_orthographicHeight(double(camera.orthographicHeight)),
      m_roll(double(camera.roll)),
      m_eye(pointsOf(m_keys, &CameraKey::eye), m_times, m_spline),
      m_look(pointsOf(m_keys, &CameraKey::look), m_times, m_spline) {
    m_constantSpeed = m_constantSpeed && length() > kShortest;
    if (!m_constantSpeed) return;
    const double first = m_times.front(), last = m_times.back();
    for (size_t k = 0; k < m_times.size(); ++k)
        m_times[k] = first + (last - first) * (m_eye.wayAtKeys()[k] / length());
}

Vec3d CameraPath::pointOn(const PathCurve& curve, double t) const {
    const auto at = [&](size_t k) { return m_times[k]; };
    if (m_spline == CameraSpline::catmullRom || m_constantSpeed)
        return curve.pointAtWay(keyedNumber(
            m_times.size(), at, [&](size_t k) { return curve.wayAtKeys()[k]; },
            [&](size_t k) { return easeOf(k); }, t));
    // a hermite segment is a cubic of time by itself
    const size_t k = intervalAt(m_times.size(), at, t);
    return curve.pointAt(k, eased(easeOf(k + 1), (t - at(k)) / (at(k + 1) - at(k))));
}

FilmView CameraPath::at(double t) const {
    const auto numberAt = [&](const std::optional<double> CameraKey::*part, double own) {
        return keyedNumber(
            m_times.size(), [&](size_t k) { return m_times[k]; },
            [&](size_t k) { return (m_keys[k].*part).value_or(own); }, [&](size_t k) { return easeOf(k); },
            t);
    };
    FilmView view;
    view.fov = numberAt(&CameraKey::fov, m_fov), view.roll = numberAt(&CameraKey::roll, m_roll);
    view.orthographicHeight = numberAt(&CameraKey::orthographicHeight, m_orthographicHeight);
    const bool before = t <= m_times.front(), after = t >= m_times.back();
    if (before || after) {
        const CameraKey& key = before ? m_keys.front() : m_keys.back();
        view.eye = toDouble(key.eye), view.look = toDouble(key.look);
        return view;
    }
    view.eye = pointOn(m_eye, t), view.look = pointOn(m_look, t);
    return view;
}

CameraMotion::CameraMotion(const CameraView& camera) : m_camera(camera) {
    std::vector<CameraKey> keys;
    const auto close = [&] {
        if (!keys.empty()) m_paths.emplace_back(keys, camera);
        keys.clear();
    };
    for (const CameraKey& key : camera.keys) {
        if (key.cut) close();
        keys.push_back(key);
    }
    close();
}

FilmView CameraMotion::at(double film, const CenterOf& centerOf, double later) const {
    FilmView view = toFilmView(m_camera);
    size_t path = 0;
    while (path + 1 < m_paths.size() && m_paths[path + 1].begin() <= film) ++path;
    if (!m_paths.empty()) view = m_paths[path].at(film + later);
    if (!m_camera.follow.empty())
        if (const auto center = centerOf(m_camera.follow))
            view.eye = view.eye + *center, view.look = view.look + *center;
    if (!m_camera.target.empty())
        if (const auto center = centerOf(m_camera.target)) view.look = *center;
    if (m_camera.orbit != 0) {
        // seen from above, the eye circles counterclockwise about the look point
        const double angle = double(m_camera.orbit) * (film + later) * kRadiansPerDegree;
        const double c = portableCos(angle), s = portableSin(angle);
        const Vec3d arm = view.eye - view.look;
        view.eye = view.look + Vec3d(c * arm[0] + s * arm[2], arm[1], c * arm[2] - s * arm[0]);
    }
    return view;
}

FilmView blended(const FilmView& from, const FilmView& to, double share) {
    FilmView view;
    view.eye = from.eye + share * (to.eye - from.eye);
    view.look = from.look + share * (to.look - from.look);
    view.fov = from.fov + share * (to.fov - from.fov);
    const bool both = from.orthographicHeight > 0 && to.orthographicHeight > 0;
    view.orthographicHeight =
        both          ? from.orthographicHeight + share * (to.orthographicHeight - from.orthographicHeight)
        : share < 0.5 ? from.orthographicHeight
                      : to.orthographicHeight;
    view.roll = from.roll + share * (to.roll - from.roll);
    return view;
}

FilmView toFilmView(const CameraView& view) {
    return {toDouble(view.eye), toDouble(view.look), double(view.fov), double(view.orthographicHeight),
            double(view.roll)};
}

CameraView toCameraView(const FilmView& view, const std::string& name) {
    CameraView out;
    out.name = name;
    out.eye = {float(view.eye[0]), float(view.eye[1]), float(view.eye[2])};
    out.look = {float(view.look[0]), float(view.look[1]), float(view.look[2])};
    out.fov = float(view.fov), out.roll = float(view.roll);
    out.orthographicHeight = float(view.orthographicHeight);
    return out;
}

}  // namespace coalesce
