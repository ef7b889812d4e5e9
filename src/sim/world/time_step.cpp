#include "sim/world/time_step.h"

#include <algorithm>
#include <cmath>

#include "kernels/motion/crossing_time.h"

namespace coalesce {

namespace {

// Substeps that the CFL condition needs.
int substepsOfCfl(const World& world) {
    const Parameters::Solver& solver = world.parameters.solver;
    const double T = frameLength(solver);
    double gravity = 0;  // [radii/s²]
    for (const Material& m : world.materials)
        gravity = std::max(gravity, double{length(world.parameters.world.gravity)} *
                                        std::abs(m.properties.gravityScale) / (0.5 * m.properties.spacing));
    const double ways = T * (1 / double{world.crossingTime} + gravity * T);  // [radii] in the frame
    constexpr double kMost = 1e6;  // keeps the conversion to int defined
    return int(std::ceil(std::clamp(ways / double{solver.cfl}, 1.0, kMost)));
}

}  // namespace

int fixedSubsteps(const Parameters::Solver& solver) {
    const double wanted = double(solver.substeps) * double{solver.timeScale};
    return std::max(1, int(std::ceil(wanted - 1e-4)));  // 6 · 0.5f is 3
}

double frameLength(const Parameters::Solver& solver) {
    if (solver.timeStep == TimeStep::cfl) return double{solver.timeScale} / double{solver.frameRate};
    return longestSubstep(solver) * fixedSubsteps(solver);
}

double longestSubstep(const Parameters::Solver& solver) {
    const int substeps = solver.timeStep == TimeStep::cfl ? solver.minSubsteps : fixedSubsteps(solver);
    return double{solver.timeScale} / (double(solver.frameRate) * substeps);
}

double substepLength(const Parameters::Solver& solver, int substeps) {
    return solver.timeStep == TimeStep::cfl ? frameLength(solver) / substeps : longestSubstep(solver);
}

SubstepPlan planSubsteps(const World& world) {
    const Parameters::Solver& solver = world.parameters.solver;
    if (solver.timeStep == TimeStep::fixed) {
        const int substeps = fixedSubsteps(solver);
        return {substeps, substeps, substepLength(solver, substeps)};
    }
    const int needed = substepsOfCfl(world);
    // a maximum below the minimum is refused when a scene is read; here it must only be defined
    const int substeps = std::max(std::min(needed, solver.maxSubsteps), solver.minSubsteps);
    return {substeps, needed, substepLength(solver, substeps)};
}

int substepsOf(const World& world) {
    return world.substeps > 0 ? int(world.substeps) : planSubsteps(world).substeps;
}

float measureCrossingTime(const World& world) {
    const std::vector<Vec4> v = world.particles.v.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    float least = kNeverCrosses;
    for (size_t i = 0; i < v.size(); ++i)
        least = std::min(least,
                         crossingTimeOf(xyz(v[i]), world.materials[materialOf(phase[i])].properties.spacing));
    return least;
}

double wholeNanoseconds(double seconds) {
    return std::round(seconds * 1e9) / 1e9;
}

}  // namespace coalesce
