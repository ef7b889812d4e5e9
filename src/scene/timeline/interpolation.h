// Interpolation of keys, in double on the host; only exactly rounded operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The course of u from 0 to 1. Of step: jumps at 1. Of spline: u; the caller fits the cubic.
inline double eased(Ease ease, double u) {
    switch (ease) {
        case Ease::step:
            return u >= 1 ? 1 : 0;
        case Ease::smooth:
            return u * u * (3 - 2 * u);
        case Ease::easeIn:
            return u * u * u;
        case Ease::easeOut:
            return 1 - (1 - u) * (1 - u) * (1 - u);
        default:
            return u;
    }
}

// Cubic Hermite interpolation from p to q with derivatives m and n by u.
inline double hermite(double p, double m, double q, double n, double u) {
    const double v = u - 1;
    return p * (1 + 2 * u) * v * v + m * u * v * v + q * u * u * (3 - 2 * u) + n * u * u * v;
}
inline double hermiteDerivative(double p, double m, double q, double n, double u) {
    return 6 * u * (u - 1) * (p - q) + m * (1 + u * (3 * u - 4)) + n * u * (3 * u - 2);
}

// Slope dv/dt of a monotone cubic interpolant at a key between slopes a and b of intervals of lengths ha and
// hb: their weighted harmonic mean, 0 at an extremum, so that values between two keys stay between theirs.
// (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984, eq. 5)
inline double monotoneSlope(double ha, double a, double hb, double b) {
    if (!(a * b > 0)) return 0;
    return 3 * (ha + hb) / ((2 * hb + ha) / a + (hb + 2 * ha) / b);
}

// Value at time t of keys at times `at`, ascending, value(k): monotone cubic through all of them. k is the
// interval that holds t.
template <class At, class Value>
double monotoneCubic(size_t count, const At& at, const Value& value, size_t k, double t) {
    const auto slope = [&](size_t i) { return (value(i + 1) - value(i)) / (at(i + 1) - at(i)); };
    const auto slopeAtKey = [&](size_t i) {
        if (i == 0) return slope(0);
        if (i + 1 == count) return slope(count - 2);
        return monotoneSlope(at(i) - at(i - 1), slope(i - 1), at(i + 1) - at(i), slope(i));
    };
    const double h = at(k + 1) - at(k);
    return hermite(value(k), h * slopeAtKey(k), value(k + 1), h * slopeAtKey(k + 1), (t - at(k)) / h);
}

// Index of the interval of `count` ascending times that holds t, which lies between the first and the last.
template <class At>
size_t intervalAt(size_t count, const At& at, double t) {
    size_t k = 0;
    while (k + 2 < count && t >= at(k + 1)) ++k;
    return k;
}

// A number of keys with times and eases at time t; before the first and after the last key it is held.
template <class At, class Value, class EaseOf>
double keyedNumber(size_t count, const At& at, const Value& value, const EaseOf& easeOf, double t) {
    if (count == 1 || t <= at(0)) return value(0);
    if (t >= at(count - 1)) return value(count - 1);
    const size_t k = intervalAt(count, at, t);
    const Ease ease = easeOf(k + 1);
    if (ease == Ease::spline) return monotoneCubic(count, at, value, k, t);
    const double u = eased(ease, (t - at(k)) / (at(k + 1) - at(k)));
    return value(k) + u * (value(k + 1) - value(k));
}

// The values of a track of numbers at time t.
inline std::vector<double> valueAt(const std::vector<TrackKey>& keys, double t) {
    std::vector<double> value(keys.front().value.size());
    for (size_t c = 0; c < value.size(); ++c)
        value[c] = keyedNumber(
            keys.size(), [&](size_t k) { return keys[k].t; }, [&](size_t k) { return keys[k].value[c]; },
            [&](size_t k) { return keys[k].ease; }, t);
    return value;
}
// The word of a track of choices at time t: that of the last key that is not later.
inline const std::string& wordAt(const std::vector<TrackKey>& keys, double t) {
    size_t k = 0;
    while (k + 1 < keys.size() && keys[k + 1].t <= t) ++k;
    return keys[k].word;
}

}  // namespace coalesce
