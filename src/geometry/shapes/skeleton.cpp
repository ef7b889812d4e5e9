#include "geometry/shapes/skeleton.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "core/error.h"
#include "geometry/shapes/surface_animation.h"

namespace coalesce {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kStance = 0.65;     // share of the period that a hoof is on the ground; above 0.5: a walk
constexpr double kStraight = 0.995;  // of a leg's length, at most: a straight knee would snap
constexpr double kDeepest = 0.15;    // of a leg's height: the most that the body may be lowered
constexpr double kLift = 0.16;       // of a leg's height
constexpr double kHeave = 0.01;      // of a leg's height, twice per period
constexpr double kNod = 0.06, kSway = 0.12;  // [rad] of the neck and the tail
constexpr double kWidth = 0.03;              // of a leg's height: width of the blend between bones
constexpr float kLeastShare = 1e-3f;

double distanceTo(const Skeleton::Bone& bone, Vec3d p) {
    const Vec3d axis = bone.to - bone.from;
    const double u = std::clamp(dot(p - bone.from, axis) / dot(axis, axis), 0.0, 1.0);
    return length(p - bone.from - u * axis) - (bone.fromRadius + u * (bone.toRadius - bone.fromRadius));
}

// About x: y turns toward z.
Vec3d turnedX(double angle, Vec3d p) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {p.x(), c * p.y() - s * p.z(), s * p.y() + c * p.z()};
}
double angleOf(Vec3d p) {
    return std::atan2(p.z(), p.y());
}
// In the plane of y and z.
double lengthAcross(Vec3d p) {
    return std::hypot(p.y(), p.z());
}

double periodic(double u) {
    return u - std::floor(u);
}

}  // namespace

void Skeleton::transform(Vec3d scale, Vec3d origin) {
    const double thickness = std::cbrt(scale.x() * scale.y() * scale.z());
    for (Bone& bone : bones) {
        bone.from = scale.cwiseProduct(bone.from - origin), bone.to = scale.cwiseProduct(bone.to - origin);
        bone.fromRadius *= thickness, bone.toRadius *= thickness;
    }
}

WalkingSkin::WalkingSkin(const Skeleton& skeleton, const SurfaceWalk& walk, const std::vector<Vec3>& rest,
                         const std::string& where)
    : m_skeleton(skeleton), m_period(double(walk.period)), m_stride(double(walk.stride)), m_rest(rest) {
    CHECK(!skeleton.legs.empty() && m_period > 0);
    const auto& bones = m_skeleton.bones;
    // as low as the leg needs that is the shortest for its height
    const double half = 0.5 * kStance * m_stride;
    double height = 1e30, farthest = 1e30;
    for (const Skeleton::Leg& leg : m_skeleton.legs) {
        const Vec3d whole = bones[leg.upper].from - bones[leg.lower].to;
        const double high = whole.y(),
                     reach = kStraight * (lengthAcross(bones[leg.upper].to - bones[leg.upper].from) +
                                          lengthAcross(bones[leg.lower].to - bones[leg.lower].from));
        const double across = half + std::abs(whole.z()), heaves = kHeave * high;
        height = std::min(height, high);
        const double lowest = (1 - kDeepest) * high;
        farthest = std::min(farthest,
                            std::sqrt(std::max(reach * reach - lowest * lowest, 0.0)) - std::abs(whole.z()));
        if (across < reach)
            m_drop = std::max(m_drop, high + heaves - std::sqrt(reach * reach - across * across));
    }
    if (half > farthest)
        fail(Exit::Scene, where,
             fmt::format("the legs do not reach as far as a stride of {:.3g} m", m_stride),
             fmt::format("A stride may measure up to {:.3g} m.", farthest / (0.5 * kStance)));
    m_lift = kLift * height;

    const double width = kWidth * height;
    std::vector<double> away(bones.size());
    for (const Vec3& v : m_rest) {
        m_firstWeight.push_back(uint32_t(m_weights.size()));
        for (size_t b = 0; b < bones.size(); ++b) away[b] = distanceTo(bones[b], toDouble(v));
        const double nearest = *std::ranges::min_element(away);
        double sum = 0;
        for (const double d : away) sum += std::exp((nearest - d) / width);
        float kept = 0;
        for (size_t b = 0; b < bones.size(); ++b)
            if (const auto share = float(std::exp((nearest - away[b]) / width) / sum); share > kLeastShare)
                m_weights.push_back({uint32_t(b), share}), kept += share;
        for (size_t k = m_firstWeight.back(); k < m_weights.size(); ++k) m_weights[k].share /= kept;
    }
    m_firstWeight.push_back(uint32_t(m_weights.size()));
}

double WalkingSkin::heave(double t) const {
    return kHeave * m_lift / kLift * std::sin(2 * kTurn * periodic(t / m_period)) - m_drop;
}

// On the ground, a hoof moves backward as fast as the body moves forward. In the air it returns by a cubic
// with the same velocity at both ends.
Vec3d WalkingSkin::hoofPath(const Skeleton::Leg& leg, double t) const {
    const double u = periodic(t / m_period - leg.phase), half = 0.5 * kStance * m_stride;
    Vec3d hoof = m_skeleton.bones[leg.lower].to;
    if (u < kStance) {
        hoof.z() += half - m_stride * u;
        return hoof;
    }
    const double s = (u - kStance) / (1 - kStance), slope = -m_stride * (1 - kStance);
    hoof.z() += half * (2 * s * s * (3 - 2 * s) - 1) + slope * s * (1 - s) * (1 - 2 * s);
    hoof.y() += m_lift * 16 * s * s * (1 - s) * (1 - s);
    return hoof;
}

std::vector<WalkingSkin::Motion> WalkingSkin::motionsAt(double t) const {
    const auto& bones = m_skeleton.bones;
    std::vector<Motion> motions(bones.size());
    const Vec3d shift{0, heave(t), 0};
    for (Motion& motion : motions) motion.shift = shift;
    const double beat = kTurn * periodic(t / m_period);
    motions[m_skeleton.tail].angle = kSway * std::sin(beat);
    // the head follows the neck
    const double nod = kNod * std::sin(2 * beat + 1);
    const auto& neck = bones[m_skeleton.neck];
    motions[m_skeleton.neck].angle = motions[m_skeleton.head].angle = nod;
    const Vec3d poll = bones[m_skeleton.head].from - neck.from;
    motions[m_skeleton.head].shift += turnedX(nod, poll) - poll;
    for (const Skeleton::Leg& leg : m_skeleton.legs) {
        const Skeleton::Bone &upper = bones[leg.upper], &lower = bones[leg.lower];
        const Vec3d thigh = upper.to - upper.from, shank = lower.to - lower.from;
        const double a = lengthAcross(thigh), b = lengthAcross(shank);
        // the triangle of hip, knee and hoof; its knee stays on the side where it is at rest
        const Vec3d way = hoofPath(leg, t) - (upper.from + shift);
        const double c = std::clamp(lengthAcross(way), std::abs(a - b), a + b);
        const double atHip = std::acos(std::clamp((a * a + c * c - b * b) / (2 * a * c), -1.0, 1.0));
        const Vec3d whole = thigh + shank;
        const double side = whole.y() * thigh.z() - whole.z() * thigh.y() > 0 ? 1 : -1;
        const double direction = angleOf(way) + side * atHip;
        const Vec3d knee = upper.from + shift + a * Vec3d{0, std::cos(direction), std::sin(direction)};
        motions[leg.upper].angle = direction - angleOf(thigh);
        motions[leg.lower].angle = angleOf(upper.from + shift + way - knee) - angleOf(shank);
        motions[leg.lower].shift = Vec3d{0, knee.y() - lower.from.y(), knee.z() - lower.from.z()};
    }
    return motions;
}

std::vector<Vec3> WalkingSkin::verticesAt(double t) const {
    const std::vector<Motion> motions = motionsAt(t);
    std::vector<Vec3> vertices(m_rest.size());
    for (size_t i = 0; i < m_rest.size(); ++i) {
        const Vec3d p = toDouble(m_rest[i]);
        Vec3d sum;
        for (uint32_t k = m_firstWeight[i]; k < m_firstWeight[i + 1]; ++k) {
            const auto [bone, share] = m_weights[k];
            const Vec3d joint = m_skeleton.bones[bone].from;
            const Motion& motion = motions[bone];
            sum += double(share) * (joint + motion.shift + turnedX(motion.angle, p - joint));
        }
        vertices[i] = toFloat(sum);
    }
    return vertices;
}

}  // namespace coalesce
