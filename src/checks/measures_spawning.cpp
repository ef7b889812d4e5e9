// Checks of spawning: counts of particles, emitters, sinks, memory.
#include <algorithm>
#include <cmath>

#include "checks/check_options.h"
#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// By `statistic`: count: the value itself; change: relative change since the first frame of the window; rate:
// increase per second since then.
Measured overWindow(const MeasureContext& s, double value) {
    const std::string statistic = s.word("statistic", "count");
    if (s.state.path.empty()) s.state.path.push_back({s.now.time, value});
    const auto [since, first] = s.state.path.front();
    if (statistic == "count") return value;
    if (statistic == "change") return first != 0 ? Measured((value - first) / first) : Measured();
    return s.now.time > since ? Measured((value - first) / (s.now.time - since)) : Measured();
}

Measured count(const MeasureContext& s) {
    return overWindow(s, double(s.selected.size()));
}

Measured drops(const MeasureContext& s) {
    return double(std::count_if(s.selected.begin(), s.selected.end(),
                                [&](uint32_t i) { return (s.now.phase[i] & kDrop) != 0; }));
}

Measured emitted(const MeasureContext& s) {
    const std::string name = s.word("emitter", "");
    double sum = 0;
    for (size_t k = 0; k < s.now.emitters.size(); ++k)
        if (name.empty() || s.scene.emitters[k].name == name) sum += double(s.now.emitters[k].emitted);
    return overWindow(s, sum);
}

Measured removedBySink(const MeasureContext& s) {
    const std::string name = s.word("sink", "");
    if (name.empty()) return overWindow(s, double(s.now.deaths));
    double sum = 0;
    for (size_t k = 0; k < s.now.removedBySink.size(); ++k)
        if (s.scene.sinks[k].name == name) sum += double(s.now.removedBySink[k]);
    return overWindow(s, sum);
}

// Spray, foam, bubbles and smoke.
Measured passive(const MeasureContext& s) {
    const std::string statistic = s.word("statistic", "count"), kind = s.word("class", "any");
    if (statistic == "born") return double(s.now.passiveCounters.born);
    if (statistic == "displaced") return double(s.now.passiveCounters.displaced);
    const Region region = s.region();
    double count = 0;
    for (size_t k = 0; k < s.now.passive.size(); ++k)
        count += isOfClass(s.now.passiveTags[k], kind) && region.has(s.now.passive[k]);
    return count;
}

Measured memory(const MeasureContext& s) {
    return overWindow(s, s.now.megabytes);
}

Measured bytesPerParticle(const MeasureContext& s) {
    return s.now.bytesPerParticle;
}

const LinearCounts& linearSolves(const MeasureContext& s) {
    return s.word("solve", "globalStep") == "globalStep" ? s.now.globalStep : s.now.strainViscosity;
}

Measured linearIterations(const MeasureContext& s) {
    const LinearCounts& counts = linearSolves(s);
    if (counts.solves == 0) return {};
    return double(counts.iterations) / double(counts.solves);
}

Measured linearResidual(const MeasureContext& s) {
    const LinearCounts& counts = linearSolves(s);
    if (counts.residuals == 0) return {};  // only cg knows it
    return double{counts.residual};
}

// Negative: it fell in every round. Unknown without rounds to compare.
Measured objectiveRise(const MeasureContext& s) {
    return s.now.convergence.objectiveRise;
}

CheckOption countOrRate() {
    return wordOption("statistic", "count (default): since the start; rate: per second of the window.",
                      {"count", "rate"});
}

CheckOption whichSolve() {
    return wordOption(
        "solve",
        "globalStep (default): of a round of projective dynamics; strainViscosity: of a substep of "
        "viscous liquids.",
        {"globalStep", "strainViscosity"});
}

}  // namespace

std::vector<CheckKind> spawningChecks() {
    return {
        {.name = "count",
         .unit = "particles",
         .measures = "number of particles in the world",
         .value = count,
         .options = {wordOption("statistic",
                                "count (default); change: relative change since the beginning of the window.",
                                {"count", "change"})},
         .allowsEmptyGroup = true},
        {.name = "drops",
         .unit = "particles",
         .measures = "number of ballistic drops of liquid (velocity.splashes)",
         .value = drops,
         .allowsEmptyGroup = true},
        {.name = "emitted",
         .unit = "particles",
         .measures = "number of particles, or bodies, added by emitters",
         .over = CheckKind::Window::Whole,
         .value = emitted,
         .options = {wordOption("emitter", "Name of an emitter; all of them when omitted."), countOrRate()},
         .allowsEmptyGroup = true},
        {.name = "sunk",
         .unit = "particles",
         .measures = "number of particles removed by a sink",
         .over = CheckKind::Window::Whole,
         .value = removedBySink,
         .options = {wordOption("sink",
                                "Name of a sink; when omitted all removed particles, including those whose "
                                "life ended."),
                     countOrRate()},
         .allowsEmptyGroup = true},
        {.name = "passive",
         .unit = "particles",
         .measures = "number of passive particles: spray, foam, bubbles, markers of smoke and dye",
         .value = passive,
         .options = {wordOption(
                         "statistic",
                         "count (default): those that exist, in the region; born: made since the start; "
                         "displaced: removed because passive.capacity was reached.",
                         {"count", "born", "displaced"}),
                     wordOption("class",
                                "Counts only spray, foam, bubble or smoke; all of them when omitted.",
                                {"spray", "foam", "bubble", "smoke"}),
                     regionMin(), regionMax()},
         .allowsEmptyGroup = true},
        {.name = "memory",
         .unit = "MB",
         .measures = "device memory in use; in a window, at its end",
         .over = CheckKind::Window::Whole,
         .value = memory,
         .options = {wordOption("statistic",
                                "count (default): all of it; change: relative change since the beginning of "
                                "the window.",
                                {"count", "change"})},
         .allowsEmptyGroup = true},
        {.name = "bytes_per_particle",
         .unit = "B",
         .measures = "peak device memory / particles",
         .value = bytesPerParticle},
        {.name = "cg_iterations",
         .measures = "iterations of a linear solver, mean of the last frame",
         .value = linearIterations,
         .options = {whichSolve()}},
        {.name = "residual",
         .measures = "largest residual at the end of a linear solve in the last frame, relative to its begin",
         .value = linearResidual,
         .options = {whichSolve()}},
        {.name = "objective_falls",
         .measures =
             "largest rise of the objective of projective dynamics from one round to the next, from the "
             "second "
             "round on, in the last frame; over its largest value in the substep; negative: it fell in every "
             "round",
         .value = objectiveRise},
    };
}

}  // namespace coalesce::measures
