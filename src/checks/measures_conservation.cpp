// Checks of conserved quantities: energy, momentum, angular momentum.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "checks/check_options.h"
#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// Kinetic and potential energy [J]; potential is 0 at the origin.
double energyOf(const ParticleSnapshot& of, const std::vector<uint32_t>& particles, double& kinetic) {
    double potential = 0;
    kinetic = 0;
    for (const uint32_t i : particles) {
        kinetic += 0.5 * of.mass[i] * dot(of.v[i], of.v[i]);
        potential -= of.mass[i] * dot(of.pull[i], of.x[i]);
    }
    return kinetic + potential;
}

// Potential energy [J] of the particles `before` of the start, with the gravity `pulls`, relative to the
// lowest position: the corner of the bounds, or the lowest particle.
double fallOf(const MeasureContext& s, const std::vector<uint32_t>& before, const std::vector<Vec3d>& pulls) {
    std::map<std::array<double, 3>, double> floors;  // by gravity
    double fall = 0;
    for (size_t n = 0; n < before.size(); ++n) {
        const Vec3d& gravity = pulls[n];
        const auto [floor, fresh] = floors.try_emplace({gravity[0], gravity[1], gravity[2]}, 0);
        if (fresh && s.scene.bounded) {
            const Vec3d low = toDouble(s.scene.boundsMin), high = toDouble(s.scene.boundsMax);
            for (int k = 0; k < 3; ++k)
                floor->second += std::min(-gravity[k] * low[k], -gravity[k] * high[k]);
        } else if (fresh) {
            floor->second = std::numeric_limits<double>::infinity();
            for (const uint32_t i : before)
                floor->second = std::min(floor->second, -dot(gravity, s.start.x[i]));
        }
        const uint32_t i = before[n];
        fall += s.start.mass[i] * std::max(0.0, -dot(gravity, s.start.x[i]) - floor->second);
    }
    return fall;
}

struct Momenta {
    double mass = 0;
    Vec3d linear{}, center{};
    double linearScale = 0;   // M v_rms: |P| cannot exceed it
    Vec3d angular{};          // about the center of mass
    double angularScale = 0;  // √(Σ m r² · Σ m u²), u relative to the center: |L| cannot exceed it
};
Momenta momentaOf(const ParticleSnapshot& of, const std::vector<uint32_t>& particles) {
    Momenta m;
    double square = 0;
    for (const uint32_t i : particles) {
        m.linear += of.mass[i] * of.v[i], m.center += of.mass[i] * of.x[i];
        m.mass += of.mass[i], square += of.mass[i] * dot(of.v[i], of.v[i]);
    }
    m.linearScale = std::sqrt(m.mass * square);
    m.center /= m.mass;
    double arms = 0, speeds = 0;
    for (const uint32_t i : particles) {
        const Vec3d r = of.x[i] - m.center;
        const Vec3d u = of.v[i] - m.linear / m.mass;
        m.angular += of.mass[i] * cross(r, u);
        arms += of.mass[i] * dot(r, r), speeds += of.mass[i] * dot(u, u);
    }
    m.angularScale = std::sqrt(arms * speeds);
    return m;
}

// Growth [%] of the energy, as a share of the energy at the start relative to the lowest position. Excludes
// the energy that a change of gravity adds or removes.
Measured energy(const MeasureContext& s) {
    const ParticleSnapshot& last = s.state.since.id.empty() ? s.start : s.state.since;
    std::vector<Vec3d> then, now;  // gravity on the particles of the start
    std::vector<uint32_t> before;
    for (const uint32_t i : s.selected) {
        if (const auto j = findId(last, s.now.id[i]))
            s.state.workOfGravity -= last.mass[*j] * dot(s.now.pull[i] - last.pull[*j], last.x[*j]);
        if (const auto j = findId(s.start, s.now.id[i]))
            before.push_back(*j), then.push_back(s.start.pull[*j]), now.push_back(s.now.pull[i]);
    }
    double kinetic = 0, kineticNow = 0;
    const double atStart = energyOf(s.start, before, kinetic),
                 present = energyOf(s.now, s.selected, kineticNow) - s.state.workOfGravity,
                 scale = kinetic + std::max(fallOf(s, before, then), fallOf(s, before, now));
    s.state.since = s.now;
    double reference = atStart;
    if (s.word("since", "start") == "lowest") {
        s.state.number = std::min(s.state.number.value_or(atStart), present);
        reference = *s.state.number;
    }
    return scale > 0 ? 100 * (present - reference) / scale : 0;
}

// |P − P₀| as a share of M·v_rms, the larger of now and the start.
Measured momentum(const MeasureContext& s) {
    const Momenta now = momentaOf(s.now, s.selected),
                  before = momentaOf(s.start, sameAt(s.start, s.now, s.selected));
    const double scale = std::max(now.linearScale, before.linearScale);
    return scale > 0 ? length(now.linear - before.linear) / scale : 0;
}

// |ΔP + ΔP_other|/max(|ΔP|, |ΔP_other|) [%] of two groups on which nothing else acts. Nothing to measure before
// they have exchanged a thousandth of M·v_rms.
Measured momentumExchange(const MeasureContext& s) {
    const std::vector<uint32_t> others = s.select(s.word("other", ""));
    Vec3d changes[2];
    double scale = 0;
    for (const auto& [k, group] : {std::pair(0, &s.selected), std::pair(1, &others)}) {
        const std::vector<uint32_t> then = sameAt(s.start, s.now, *group);
        if (then.empty()) return {};
        const Momenta now = momentaOf(s.now, *group), before = momentaOf(s.start, then);
        changes[k] = now.linear - before.linear;
        scale = std::max({scale, now.linearScale, before.linearScale});
    }
    const double exchanged = std::max(length(changes[0]), length(changes[1]));
    if (exchanged < 1e-3 * scale || exchanged == 0) return {};
    return 100 * length(changes[0] + changes[1]) / exchanged;
}

// |L − L₀| about the center of mass, as a share of |L₀|. Without initial rotation (|L₀| below 1 % of its
// upper bound angularScale) it is a share of that bound, now or at the start.
Measured angularMomentum(const MeasureContext& s) {
    const Momenta now = momentaOf(s.now, s.selected),
                  before = momentaOf(s.start, sameAt(s.start, s.now, s.selected));
    const double turning = length(before.angular);
    const double scale =
        turning > 0.01 * before.angularScale ? turning : std::max(now.angularScale, before.angularScale);
    return scale > 0 ? length(now.angular - before.angular) / scale : 0;
}

}  // namespace

std::vector<CheckKind> conservationChecks() {
    return {
        {.name = "energy",
         .unit = "%",
         .measures =
             "growth of kinetic plus potential energy, as a share of the energy at the start, with "
             "potential energy counted from the lowest position; excludes energy added by a change of "
             "gravity",
         .value = energy,
         .options = {wordOption("since",
                                "start (default): growth since the start; lowest: above the minimum so far.",
                                {"start", "lowest"})},
         .everyFrame = true},
        {.name = "momentum",
         .measures = "change of the total momentum since the start, as a share of M·v_rms",
         .value = momentum},
        {.name = "momentum_exchange",
         .unit = "%",
         .measures =
             "difference between the momentum that the group has gained and the one that another group has "
             "lost since the start, as a share of the larger; nothing else may act on them",
         .value = momentumExchange,
         .options = {required(wordOption("other", "The other body or material."))}},
        {.name = "angular_momentum",
         .measures = "change of the angular momentum about the center of mass since the start, as a share of "
                     "its initial value, or of √(Σ m r² · Σ m v²) if it was zero",
         .value = angularMomentum},
    };
}

}  // namespace coalesce::measures
