// Checks of rigid and soft bodies: pose, rotation, contacts.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "checks/check_options.h"
#include "checks/measures.h"
#include "checks/shape_distance.h"

namespace coalesce::measures {

namespace {

struct BodyNow {
    uint32_t group;
    double spacing;            // [m]
    RigidFit fit, fitAtStart;  // from the undisturbed rest shape
};

// The selected bodies, each with the best rigid transform of its particles. Without a named group: all
// bodies, but no liquid, gas or sand, which have no pose.
std::vector<BodyNow> bodiesOf(const MeasureContext& s) {
    std::map<uint32_t, std::vector<uint32_t>> members;
    for (const uint32_t i : s.selected)
        if (!s.check.group.empty() || !isFlowing(s.material(s.now, i)))
            members[groupOf(s.now.phase[i])].push_back(i);
    std::vector<BodyNow> bodies;
    for (const auto& [group, particles] : members) {
        std::vector<Vec3d> form, start, now;
        std::vector<double> mass;
        for (const uint32_t i : particles) {
            const auto before = findId(s.start, s.now.id[i]);
            if (!before) continue;
            form.push_back(*before < s.start.form.size() ? s.start.form[*before] : s.start.x[*before]);
            start.push_back(s.start.x[*before]);
            now.push_back(s.now.x[i]);
            mass.push_back(s.now.mass[i]);
        }
        bodies.push_back(
            {group, s.spacing(particles[0]), fitRigid(form, now, mass), fitRigid(form, start, mass)});
    }
    return bodies;
}

double degrees(double radians) {
    return radians * 180 / std::numbers::pi;
}

// Angle [deg] between a body-fixed direction and the same direction at the start.
double tiltOf(const BodyNow& body, const Vec3d& axis) {
    const Quatd since = multiply(body.fit.rotation, body.fitAtStart.rotation.conjugate());
    return degrees(std::acos(std::clamp(dot(rotate(since, axis), axis), -1.0, 1.0)));
}

// Penetration of each touching pair of particles, in spacings. Particles of one body do not touch, except
// grains. Liquids count only when named explicitly.
std::vector<double> contactsWithParticles(const MeasureContext& s) {
    const std::string other = s.word("other", "");
    const auto liquid = [&](uint32_t i) { return isFluid(s.material(s.now, i)); };
    std::vector<bool> mine(s.now.x.size(), false), others(s.now.x.size(), false);
    for (const uint32_t i : s.selected) mine[i] = true;
    for (const uint32_t i : s.select(other)) others[i] = !other.empty() || !liquid(i);
    double reach = 0;
    std::vector<Vec3d> points;
    std::vector<uint32_t> index;
    for (uint32_t i = 0; i < s.now.x.size(); ++i)
        if (mine[i] || others[i]) {
            points.push_back(s.now.x[i]), index.push_back(i);
            reach = std::max(reach, s.spacing(i));
        }
    std::vector<double> depths;
    HashGrid(points, reach).forEachPair([&](uint32_t a, uint32_t b, double r2) {
        const uint32_t i = index[a], j = index[b];
        // counts a pair once, also when both particles are on both sides
        if (i == j || !mine[i] || !others[j] || (i > j && mine[j] && others[i])) return;
        if (other.empty() && liquid(i)) return;
        if (groupOf(s.now.phase[i]) == groupOf(s.now.phase[j]) &&
            s.material(s.now, i).kind != MaterialKind::grains)
            return;
        const double contact = 0.5 * (s.spacing(i) + s.spacing(j)), depth = contact - std::sqrt(r2);
        if (depth > 0) depths.push_back(depth / contact);
    });
    return depths;
}

// Penetration of particles, as balls of diameter d, into shapes, in spacings.
std::vector<double> contactsWithShapes(const MeasureContext& s, const std::string& name) {
    std::vector<double> depths;
    for (const Shape& shape : s.now.shapes) {
        if (shape.trigger || (name != "shapes" && shape.name != name)) continue;
        const ShapeDistance distance(shape, s.now.time);
        const Bounds box = boundsOf(shape);
        const double ball =
            isEverywhere(shape) ? 1e300 : std::max(length(box.low), length(box.high)) * 1.7321;
        const Vec3d center = toDouble(poseAt(shape, s.now.time).position);
        for (const uint32_t i : s.selected) {
            const Vec3d away = s.now.x[i] - center;
            if (dot(away, away) > (ball + s.spacing(i)) * (ball + s.spacing(i))) continue;
            const double d = s.spacing(i), depth = 0.5 * d - distance(s.now.x[i]);
            if (depth > 0) depths.push_back(depth / d);
        }
    }
    return depths;
}

// Residual between the particles and the best rigid transform of their body's rest shape, in spacings.
Measured pose(const MeasureContext& s) {
    std::vector<double> residuals;
    const bool max = s.word("statistic", "rms") == "max";
    for (const BodyNow& body : bodiesOf(s))
        residuals.push_back((max ? body.fit.max : body.fit.rms) / body.spacing);
    if (residuals.empty()) return {};
    return *std::max_element(residuals.begin(), residuals.end());
}

Measured tilt(const MeasureContext& s) {
    std::vector<double> angles;
    const Vec3d axis = Vec3d::Unit(s.axis("y"));
    for (const BodyNow& body : bodiesOf(s)) angles.push_back(tiltOf(body, axis));
    return statisticOf(s, angles, "max");
}

// Rotation angle [deg] since the start; about an axis with its sign, full turns counted.
Measured rotation(const MeasureContext& s) {
    std::vector<double> angles;
    const bool about = s.check.words.contains("about");
    const int axis = s.word("about", "x")[0] - 'x';
    for (const BodyNow& body : bodiesOf(s)) {
        const auto [before, fresh] = s.state.turned.try_emplace(body.group, body.fitAtStart.rotation);
        const Quatd start = body.fitAtStart.rotation, now = body.fit.rotation;
        if (!about) {
            angles.push_back(degrees(angleOf(multiply(now, start.conjugate()))));
            continue;
        }
        // assumes less than half a turn per frame; only the component about the axis counts
        Quatd step = multiply(now, before->second.conjugate());
        if (step.w() < 0) step.coeffs() = -step.coeffs();
        const double sine = length(step.vec());
        s.state.turns[body.group] += sine > 0 ? angleOf(step) * step.vec()[axis] / sine : 0;
        before->second = now;
        angles.push_back(degrees(s.state.turns[body.group]));
    }
    return statisticOf(s, angles, about ? "mean" : "max");
}

// Bodies that fall one after the other, in the order of their indices.
Measured wave(const MeasureContext& s) {
    const double limit = s.number("angle", 30);
    std::vector<uint32_t> row;
    for (const BodyNow& body : bodiesOf(s)) {
        row.push_back(body.group);
        if (tiltOf(body, {0, 1, 0}) > limit) s.state.fell.try_emplace(body.group, s.now.time);
    }
    const std::string statistic = s.word("statistic", "fallen");
    const auto& fell = s.state.fell;
    if (statistic == "fallen") return double(fell.size()) / double(row.size());
    if (statistic == "disorder") {
        double last = -1, disorder = 0;
        for (const auto& [group, time] : fell) {
            disorder += time < last;
            last = std::max(last, time);
        }
        return disorder;
    }
    // ignores the first tenth of the row, where the wave starts
    const size_t parts = 9, first = row.size() / (parts + 1);
    std::vector<double> speeds;
    for (size_t k = 0; k < parts; ++k) {
        const size_t begin = first + k * (row.size() - 1 - first) / parts;
        const size_t end = first + (k + 1) * (row.size() - 1 - first) / parts;
        const auto a = fell.find(row[begin]), b = fell.find(row[end]);
        if (a == fell.end() || b == fell.end() || !(b->second > a->second)) return {};
        speeds.push_back(double(end - begin) / (b->second - a->second));
    }
    double mean = 0, most = 0;
    for (const double speed : speeds) mean += speed / parts;
    if (statistic == "speed") return mean;
    for (const double speed : speeds) most = std::max(most, std::abs(speed / mean - 1));
    return most;
}

Measured overlap(const MeasureContext& s) {
    const std::string other = s.word("other", "");
    bool isShape = other == "shapes";
    for (const Shape& shape : s.scene.shapes) isShape |= shape.name == other;
    const std::vector<double> depths = isShape ? contactsWithShapes(s, other) : contactsWithParticles(s);
    if (depths.empty()) return 0;
    return statisticOf(s, depths, "max");
}

}  // namespace

std::vector<CheckKind> bodyChecks() {
    return {
        {.name = "pose",
         .unit = "d",
         .measures = "residual between a body's particles and the best rigid transform of its rest shape; of "
                     "the worst body",
         .value = pose,
         .options = {wordOption("statistic", "rms (default) or max over the particles of a body.",
                                {"rms", "max"})}},
        {.name = "tilt",
         .unit = "deg",
         .measures = "angle between a body-fixed direction and the same direction at the start",
         .value = tilt,
         .options = {axisOption("Body-fixed direction, given at the start; y when omitted."),
                     statisticOverBodies()}},
        {.name = "rotation",
         .unit = "deg",
         .measures = "rotation angle of a body since the start, 0 to 180",
         .value = rotation,
         .options = {wordOption("about",
                                "Only the rotation about this axis, with its sign, full turns counted.",
                                {"x", "y", "z"}),
                     wordOption("statistic",
                                "max, mean or min over the bodies; max when omitted, mean with `about`.",
                                {"max", "mean", "min"})},
         .everyFrame = true},
        {.name = "wave",
         .measures = "bodies that fall one after the other, in the order of their indices",
         .value = wave,
         .options = {wordOption(
                         "statistic",
                         "fallen (default): share of the bodies; disorder: number that fell before one "
                         "with a lower index; speed: bodies per second, mean of nine sections of the "
                         "row after its first tenth; variation: largest deviation of a section from "
                         "the mean, as a share. speed and variation need all bodies to have fallen.",
                         {"fallen", "disorder", "speed", "variation"}),
                     numberOption("angle", "Tilt at which a body counts as fallen [deg]; 30 when omitted.")},
         .everyFrame = true},
        {.name = "overlap",
         .unit = "d",
         .measures =
             "penetration depth between grains or particles of different bodies, or between particles "
             "and a shape; 0 without contacts",
         .value = overlap,
         .options = {wordOption(
                         "other",
                         "Body, material or shape on the other side, or \"shapes\" for all shapes; all "
                         "grains and bodies when omitted."),
                     wordOption("statistic", "max (default) or mean over the contacts.", {"max", "mean"})}},
        {.name = "separated",
         .unit = "d",
         .measures = "deepest penetration between the group and another",
         .value = overlap,
         .options = {required(wordOption(
             "other", "Body, material or shape on the other side, or \"shapes\" for all shapes."))}},
    };
}

}  // namespace coalesce::measures
