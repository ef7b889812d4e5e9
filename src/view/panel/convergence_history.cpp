#include "view/panel/convergence_history.h"

#include <algorithm>
#include <limits>

namespace coalesce {

void ConvergenceHistory::add(const World& world) {
    if (!world.convergence.watched) return;
    if (m_frames.size() == kFrames) m_frames.erase(m_frames.begin());
    const bool liquid = std::any_of(world.materials.begin(), world.materials.end(),
                                    [](const Material& m) { return isFluid(m.properties); });
    m_frames.push_back({world.convergence, world.globalStep, world.strainViscosity, liquid});
}

void ConvergenceHistory::clear() {
    m_frames.clear();
}

std::vector<ConvergenceHistory::Curve> ConvergenceHistory::curves() const {
    std::vector<Curve> all;
    if (m_frames.empty()) return all;
    const auto add = [&](const char* name, const char* unit, const char* tooltip, auto&& known,
                         auto&& value) {
        if (!known(m_frames.back())) return;
        Curve curve{name, unit, tooltip, {}};
        for (const Frame& frame : m_frames)
            curve.values.push_back(known(frame) ? float(value(frame))
                                                : std::numeric_limits<float>::quiet_NaN());
        all.push_back(std::move(curve));
    };
    const auto hasLiquid = [](const Frame& f) { return f.liquid; };
    add("density error", "%", "Mean of max(0, φ − 1) over the liquids at the end of a frame.", hasLiquid,
        [](const Frame& f) { return 100 * f.convergence.densityErrorMean; });
    add("largest", "%", "Largest density error.", hasLiquid,
        [](const Frame& f) { return 100 * f.convergence.densityErrorMax; });
    add(
        "objective", "J",
        "What projective dynamics minimizes, inertia and energy of all constraints, in the last round of a "
        "frame.",
        [](const Frame& f) { return f.convergence.rounds > 0; },
        [](const Frame& f) { return f.convergence.objectiveLast; });
    const auto addSolves = [&](LinearCounts Frame::*of, const char* residual, const char* iterations,
                               const char* when) {
        add(
            residual, "", "Largest residual at the end of a linear solve, relative to its begin.",
            [of](const Frame& f) { return (f.*of).residuals > 0; },
            [of](const Frame& f) { return (f.*of).residual; });
        add(
            iterations, "", when, [of](const Frame& f) { return (f.*of).solves > 0; },
            [of](const Frame& f) { return double((f.*of).iterations) / double((f.*of).solves); });
    };
    addSolves(&Frame::globalStep, "residual", "cg iterations",
              "Iterations of the linear solver in a round, mean of a frame.");
    addSolves(&Frame::strainViscosity, "strain residual", "strain iterations",
              "Iterations for strainViscosity in a substep, mean of a frame.");
    return all;
}

}  // namespace coalesce
