// Bodies that keep their form, and what touches them.
#include <algorithm>
#include <cmath>
#include <map>

#include "checks/measures.h"
#include "checks/shape_distance.h"

namespace coalesce::measures {

namespace {

struct BodyNow {
    uint32_t group;
    double spacing;            // [m]
    RigidFit fit, fitAtStart;  // from its undisturbed form
};

// The selected bodies, each with the best rigid transform of its particles.
std::vector<BodyNow> bodiesOf(const MeasureContext& s) {
    std::map<uint32_t, std::vector<uint32_t>> members;
    for (const uint32_t i : s.selected) members[groupOf(s.now.phase[i])].push_back(i);
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

// One value out of those of all bodies.
Measured statisticOf(const MeasureContext& s, const std::vector<double>& values, const char* otherwise) {
    if (values.empty()) return {};
    const std::string statistic = s.word("statistic", otherwise);
    if (statistic == "min") return *std::min_element(values.begin(), values.end());
    if (statistic == "max") return *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double degrees(double radians) {
    return radians * 180 / std::acos(-1.0);
}

// Angle [deg] between a direction fixed to the body and where it pointed at the start.
double tiltOf(const BodyNow& body, const Vec3d& axis) {
    const Quatd since = multiply(body.fit.rotation, body.fitAtStart.rotation.conjugate());
    return degrees(std::acos(std::clamp(dot(rotate(since, axis), axis), -1.0, 1.0)));
}

// Penetration of each touching pair of particles, in spacings. Particles of one body do not touch, except
// grains. A liquid touches nothing unless it is asked for.
std::vector<double> contactsWithParticles(const MeasureContext& s) {
    const std::string other = s.word("other", "");
    const auto kindOf = [&](uint32_t i) { return s.material(s.now, i).kind; };
    std::vector<bool> mine(s.now.x.size(), false), others(s.now.x.size(), false);
    for (const uint32_t i : s.selected) mine[i] = true;
    for (const uint32_t i : s.select(other)) others[i] = !other.empty() || kindOf(i) != MaterialKind::fluid;
    double reach = 0;
    std::vector<Vec3d> points;
    std::vector<uint32_t> index;
    for (uint32_t i = 0; i < s.now.x.size(); ++i)
        if (mine[i] || others[i]) {
            points.push_back(s.now.x[i]), index.push_back(i);
            reach = std::max(reach, s.spacing(i));
        }
    std::vector<double> depths;
    PointGrid(points, reach).forEachPair([&](uint32_t a, uint32_t b, double r2) {
        const uint32_t i = index[a], j = index[b];
        // a pair counts once, also when both are on both sides
        if (i == j || !mine[i] || !others[j] || (i > j && mine[j] && others[i])) return;
        if (other.empty() && kindOf(i) == MaterialKind::fluid) return;
        if (groupOf(s.now.phase[i]) == groupOf(s.now.phase[j]) && kindOf(i) != MaterialKind::grains) return;
        const double contact = 0.5 * (s.spacing(i) + s.spacing(j)), depth = contact - std::sqrt(r2);
        if (depth > 0) depths.push_back(depth / contact);
    });
    return depths;
}

// The same with shapes: by so much a particle's ball reaches into one.
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

const ShapeReport* reportOf(const MeasureContext& s) {
    for (size_t i = 0; i < s.scene.shapes.size() && i < s.now.reports.size(); ++i)
        if (s.scene.shapes[i].name == s.word("shape", "")) return &s.now.reports[i];
    return nullptr;
}

// Mean over the frames of the window, or the last frame; along an axis, or the length of the mean.
Measured meanOf(const MeasureContext& s, Vec3 ShapeReport::*vector) {
    const ShapeReport* report = reportOf(s);
    if (!report) return {};
    const Vec3d now = toDouble(report->*vector);
    if (s.check.from < 0) s.state.vectors.clear();
    s.state.vectors.push_back(now);
    Vec3d mean;
    for (const Vec3d& one : s.state.vectors) mean += one / double(s.state.vectors.size());
    if (s.check.words.contains("axis")) return mean[s.axis()];
    return length(mean);
}

}  // namespace

Measured load(const MeasureContext& s) {
    return meanOf(s, &ShapeReport::force);
}
Measured torque(const MeasureContext& s) {
    return meanOf(s, &ShapeReport::torque);
}
Measured entered(const MeasureContext& s) {
    const ShapeReport* report = reportOf(s);
    return report ? Measured(static_cast<double>(report->entered)) : std::nullopt;
}

Measured present(const MeasureContext& s) {
    const ShapeReport* report = reportOf(s);
    return report ? Measured(static_cast<double>(report->present)) : std::nullopt;
}

// What is left between the particles and the best rigid transform of their body's form, in spacings.
Measured pose(const MeasureContext& s) {
    double worst = 0;
    const bool max = s.word("statistic", "rms") == "max";
    for (const BodyNow& body : bodiesOf(s))
        worst = std::max(worst, (max ? body.fit.max : body.fit.rms) / body.spacing);
    return worst;
}

Measured tilt(const MeasureContext& s) {
    std::vector<double> angles;
    const Vec3d axis = Vec3d::Unit(s.axis("y"));
    for (const BodyNow& body : bodiesOf(s)) angles.push_back(tiltOf(body, axis));
    return statisticOf(s, angles, "max");
}

// Angle [deg] by which a body has turned since the start; about an axis with its sign, full turns counted.
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
        // less than half a turn from frame to frame; the share of it about the axis
        Quatd step = multiply(now, before->second.conjugate());
        if (step.w() < 0) step.coeffs() = -step.coeffs();
        const double sine = length(step.vec());
        s.state.turns[body.group] += sine > 0 ? angleOf(step) * step.vec()[axis] / sine : 0;
        before->second = now;
        angles.push_back(degrees(s.state.turns[body.group]));
    }
    return statisticOf(s, angles, about ? "mean" : "max");
}

// Bodies that fall one after the other, in the order of their numbers.
Measured wave(const MeasureContext& s) {
    const double limit = s.number("angle", 30);
    std::vector<uint32_t> row;
    for (const BodyNow& body : bodiesOf(s)) {
        row.push_back(body.group);
        if (tiltOf(body, {0, 1, 0}) > limit) s.state.fell.try_emplace(body.group, s.now.time);
    }
    const std::string statistic = s.word("statistic", "fallen");
    const auto& fell = s.state.fell;
    if (statistic == "fallen") return static_cast<double>(fell.size()) / static_cast<double>(row.size());
    if (statistic == "disorder") {
        double last = -1, disorder = 0;
        for (const auto& [group, time] : fell) {
            disorder += time < last;
            last = std::max(last, time);
        }
        return disorder;
    }
    // the first tenth of the row, in which the wave sets in, does not count
    const size_t parts = 9, first = row.size() / (parts + 1);
    std::vector<double> speeds;
    for (size_t k = 0; k < parts; ++k) {
        const size_t begin = first + k * (row.size() - 1 - first) / parts;
        const size_t end = first + (k + 1) * (row.size() - 1 - first) / parts;
        const auto a = fell.find(row[begin]), b = fell.find(row[end]);
        if (a == fell.end() || b == fell.end() || !(b->second > a->second)) return {};
        speeds.push_back(static_cast<double>(end - begin) / (b->second - a->second));
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

}  // namespace coalesce::measures
