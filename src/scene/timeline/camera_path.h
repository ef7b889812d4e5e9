// The pose of a camera at a time of the film: by keys on a spline, on an orbit, standing; relative to a
// moving center, and aimed at one. Plain math, in double.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/format/scene.h"

namespace coalesce {

// A view as the film sees it.
struct FilmView {
    Vec3d eye = Vec3d::Zero(), look = Vec3d::Zero();  // [m]
    double fov = 45;                                  // vertical [deg]
    double orthographicHeight = 0;                    // [m]; 0: perspective
    double roll = 0;                                  // [deg]
};

// A curve through points at times. Each segment is a cubic in u from 0 to 1:
//   catmullRom  centripetal: knots t_{i+1} = t_i + |p_{i+1} − p_i|^{1/2}; it has no cusps and no loops within
//   a
//               segment (Yuksel, Schaefer, Keyser 2011). Tangent at p_1, times the length of its segment:
//               m = ((p1 − p0)/d0 − (p2 − p0)/(d0 + d1) + (p2 − p1)/d1) d1
//   hermite     tangents (p_{i+1} − p_{i−1})/(t_{i+1} − t_{i−1}), one-sided at the ends: velocity continuous
//   linear      straight
class PathCurve {
public:
    PathCurve(const std::vector<Vec3d>& points, const std::vector<double>& times, CameraSpline spline);

    Vec3d pointAt(size_t segment, double u) const;
    Vec3d pointAtWay(double way) const;                             // [m] along the curve
    const std::vector<double>& wayAtKeys() const { return m_way; }  // [m]
    double length() const { return m_way.back(); }                  // [m]

private:
    static constexpr int kParts = 16;  // of a segment, for the table of its length
    struct Cubic {
        Vec3d p, m, q, n;  // ends and derivatives by u
    };
    double lengthBetween(size_t segment, double from, double to) const;  // [m]

    Vec3d m_start;
    std::vector<Cubic> m_cubics;  // per segment
    std::vector<double> m_parts;  // [m] way at the parts of all segments
    std::vector<double> m_way;    // [m] way at each key
};

// A path through the keys of a camera between two cuts. Eye and look point have a curve each. On a catmullRom
// path they reach each key at its time, and the way in between is a monotone cubic of time, so that
// velocities are continuous and never turn back. With constantSpeed only the first and the last time count: a
// key in between is reached when the eye comes by.
class CameraPath {
public:
    // keys: at least one, by time; the camera has the fov, the height and the roll where a key has none
    CameraPath(std::vector<CameraKey> keys, const CameraView& camera);

    double begin() const { return m_times.front(); }
    FilmView at(double t) const;  // [s] of film; held before the first and after the last key
    double length() const { return m_eye.length(); }  // [m] of the eye

private:
    Vec3d pointOn(const PathCurve& curve, double t) const;
    Ease easeOf(size_t k) const { return m_constantSpeed ? Ease::spline : m_keys[k].ease; }

    std::vector<CameraKey> m_keys;
    std::vector<double> m_times;  // [s] at which the keys are reached
    CameraSpline m_spline;
    bool m_constantSpeed;
    double m_fov, m_orthographicHeight, m_roll;
    PathCurve m_eye, m_look;
};

// Center of a group or shape [m]; nullopt: it has no particles.
using CenterOf = std::function<std::optional<Vec3d>(const std::string& name)>;

// A camera of the scene.
class CameraMotion {
public:
    explicit CameraMotion(const CameraView& camera);
    // film: [s], also of `centerOf`; later: [s] how the view has moved by then, without a cut in between
    FilmView at(double film, const CenterOf& centerOf, double later = 0) const;

private:
    CameraView m_camera;
    std::vector<CameraPath> m_paths;  // by time, separated by cuts
};

// From one view to another; share 0 to 1. Between perspective and
// an orthographic view it switches in the middle.
FilmView blended(const FilmView& from, const FilmView& to, double share);
// As a view of the scene without motion.
CameraView toCameraView(const FilmView& view, const std::string& name);
FilmView toFilmView(const CameraView& view);

}  // namespace coalesce
