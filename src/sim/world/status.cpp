#include "sim/world/status.h"

#include <fmt/format.h>

namespace coalesce {

std::string Status::message() const {
    std::string text;
    const auto say = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
    if (worst.nonFinite > 0)
        say(fmt::format("{} particles are not finite and were frozen, first id {}; try more substeps.",
                        worst.nonFinite, worst.firstBadId));
    if (worst.flags & kDomainOverflow)
        say("Particles are 2^20 cells or more from the origin; their neighbors are not found.");
    if (truncated)
        say(fmt::format("Neighbor lists were truncated; {} entries were needed, and {} for contacts.",
                        worst.requiredNeighbors, worst.requiredPairs));
    if (ballsBlocked > 0) say("A thrown ball was not spawned: its place was occupied.");
    if (jetsBlocked > 0) say("A poured jet was not spawned: its place was occupied.");
    if (worst.clamped > 0) say(fmt::format("{} speeds were limited to solver.maxSpeed.", worst.clamped));
    if (worst.globalStep.breakdowns > 0)
        say(fmt::format("Conjugate gradients broke down in {} solves; reduce stiffness or pressure.",
                        worst.globalStep.breakdowns));
    if (worst.strainViscosity.breakdowns > 0)
        say(fmt::format("Conjugate gradients of strainViscosity broke down in {} solves; reduce it.",
                        worst.strainViscosity.breakdowns));
    if (strainResidual > 0)
        say(fmt::format(
            "strainViscosity was solved to a residual of {:.2g} only: the liquid is thinner; raise "
            "fluid.strainIterations.",
            strainResidual));
    if (substepsNeeded > substeps)
        say(fmt::format("The CFL condition needs {} substeps; solver.maxSubsteps allows {}.", substepsNeeded,
                        substeps));
    return text;
}

}  // namespace coalesce
