#include "sim/shapes.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

namespace {

struct DoubleQuat {
    double x, y, z, w;
};

DoubleQuat wide(Quat q) {
    return {q.x, q.y, q.z, q.w};
}
Quat narrow(DoubleQuat q) {
    const double scale = 1 / std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {static_cast<float>(q.x * scale), static_cast<float>(q.y * scale), static_cast<float>(q.z * scale),
            static_cast<float>(q.w * scale)};
}
DoubleQuat multiply(DoubleQuat a, DoubleQuat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// spherical linear interpolation, the short way round
Quat slerp(Quat from, Quat to, double u) {
    const DoubleQuat a = wide(from);
    DoubleQuat b = wide(to);
    double cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (cosine < 0) b = {-b.x, -b.y, -b.z, -b.w}, cosine = -cosine;
    double s = 1 - u, t = u;
    if (cosine < 1 - 1e-9) {
        const double angle = std::acos(cosine), sine = std::sin(angle);
        s = std::sin(s * angle) / sine, t = std::sin(t * angle) / sine;
    }
    return narrow({s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w});
}

float mixed(float a, float b, double u) {
    return static_cast<float>(a + (static_cast<double>(b) - a) * u);
}

}  // namespace

Pose poseAt(const Shape& shape, double t) {
    if (!shape.keys.empty()) {
        const auto after =
            std::find_if(shape.keys.begin(), shape.keys.end(), [t](const ShapeKey& k) { return k.t > t; });
        if (after == shape.keys.begin()) return {after->position, after->rotation};
        const ShapeKey& a = *(after - 1);
        if (after == shape.keys.end()) return {a.position, a.rotation};
        const double u = (t - a.t) / (after->t - a.t);
        return {{mixed(a.position.x, after->position.x, u), mixed(a.position.y, after->position.y, u),
                 mixed(a.position.z, after->position.z, u)},
                slerp(a.rotation, after->rotation, u)};
    }
    Pose pose{{static_cast<float>(shape.position.x + shape.velocity.x * t),
               static_cast<float>(shape.position.y + shape.velocity.y * t),
               static_cast<float>(shape.position.z + shape.velocity.z * t)},
              shape.rotation};
    const Vec3 w = shape.angularVelocity;
    const double rate = std::sqrt(double{w.x} * w.x + double{w.y} * w.y + double{w.z} * w.z);
    if (rate > 0) {
        const double half = 0.5 * rate * t, s = std::sin(half) / rate;
        pose.rotation = narrow(multiply({w.x * s, w.y * s, w.z * s, std::cos(half)}, wide(shape.rotation)));
    }
    return pose;
}

Quat quatFromEuler(double x, double y, double z) {
    const DoubleQuat qx{std::sin(x / 2), 0, 0, std::cos(x / 2)}, qy{0, std::sin(y / 2), 0, std::cos(y / 2)},
        qz{0, 0, std::sin(z / 2), std::cos(z / 2)};
    return narrow(multiply(qz, multiply(qy, qx)));
}

Quat quatFromNormal(Vec3 normal) {
    const double l =
        std::sqrt(double{normal.x} * normal.x + double{normal.y} * normal.y + double{normal.z} * normal.z);
    const double x = normal.x / l, y = normal.y / l, z = normal.z / l;
    if (y < -1 + 1e-12) return {1, 0, 0, 0};  // upside down: half a turn about x
    // half-way between +y and the normal: axis y × n, real part 1 + y·n
    return narrow({z, 0, -x, 1 + y});
}

}  // namespace coalesce
