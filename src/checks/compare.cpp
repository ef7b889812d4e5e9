// Checks that relate the cases of a scene: compare, hash, same_places.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "checks/check_options.h"
#include "checks/expect.h"
#include "checks/measures.h"
#include "checks/result_text.h"
#include "geometry/math/hash_grid.h"

namespace coalesce {

namespace {

// The cases that a check names, in order: its list, then `of`, `to`, `base`; all cases when it names none.
std::vector<std::string> casesOf(const Scene& scene, const Check& check) {
    std::vector<std::string> names;
    if (const auto it = check.lists.find("cases"); it != check.lists.end()) names = it->second;
    for (const char* word : {"of", "to", "base"})
        if (const auto it = check.words.find(word); it != check.words.end()) names.push_back(it->second);
    return names.empty() ? scene.cases : names;
}

const CaseMeasures* findCase(const std::vector<CaseMeasures>& cases, const std::string& name) {
    for (const CaseMeasures& c : cases)
        if (c.caseName == name) return &c;
    return nullptr;
}

double numberOf(const Check& check, const char* name, double otherwise) {
    const auto it = check.numbers.find(name);
    return it == check.numbers.end() ? otherwise : it->second;
}

// "a 1, b 2"
void addValue(std::string& seen, const std::string& name, const std::string& value) {
    seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", name, value);
}

// Whether the values of the named cases satisfy the relation; `measured` is the compared ratio, if any.
bool holds(const Check& check, const std::vector<double>& values, std::optional<double>& measured) {
    const std::string& relation = check.words.at("relation");
    const bool pair = check.words.contains("of");
    const double factor = numberOf(check, "factor", 1), margin = numberOf(check, "margin", 0),
                 tolerance = numberOf(check, "tolerance", relation == "~" ? 0.05 : 0);
    if (relation == "converges") {
        if (values.size() != 3) return false;
        const double near = std::abs(values[0] - values[1]), far = std::abs(values[2] - values[1]);
        if (far > 0) measured = near / far;
        return near <= factor * far;
    }
    if (pair && values.size() == 2 && values[1] != 0) measured = values[0] / values[1];
    if (relation == "<") return values[0] < factor * values[1] - margin;
    if (relation == ">") return values[0] > factor * values[1] + margin;
    if (relation == "~") {
        std::vector<double> same = values;
        if (pair) same[1] *= factor;
        const auto [low, high] = std::minmax_element(same.begin(), same.end());
        return *high - *low <= tolerance * std::max(std::abs(*low), std::abs(*high));
    }
    for (size_t i = 1; i < values.size(); ++i) {
        const double slack = tolerance * std::abs(values[i - 1]);
        if (relation == "grows" && !(values[i] > values[i - 1] - slack)) return false;
        if (relation == "falls" && !(values[i] < values[i - 1] + slack)) return false;
    }
    return true;
}

CheckResult compareHashes(const Scene& scene, const Check& check, const std::vector<CaseMeasures>& cases) {
    CheckResult r{check.name, check.kind, {}, "equal hashes", Verdict::NotReached, {}};
    std::string seen;
    std::vector<uint64_t> hashes;
    const std::vector<std::string> names = casesOf(scene, check);
    for (const std::string& name : names)
        if (const CaseMeasures* one = findCase(cases, name)) {
            addValue(seen, name, fmt::format("{:016x}", one->hash));
            hashes.push_back(one->hash);
        }
    if (hashes.size() == names.size() && hashes.size() > 1) {
        const bool equal =
            std::all_of(hashes.begin(), hashes.end(), [&](uint64_t h) { return h == hashes[0]; });
        r.verdict = equal ? Verdict::Passed : Verdict::Failed;
    }
    r.text = resultLine(r, "") + (seen.empty() ? "" : "; " + seen);
    return r;
}

// Mirrors, rotates by quarter turns about y, and shifts.
Vec3d moved(Vec3d p, const Check& check) {
    if (const auto it = check.words.find("mirror"); it != check.words.end()) p[it->second[0] - 'x'] *= -1;
    const int quarters = ((int(numberOf(check, "turn", 0)) % 4) + 4) % 4;
    for (int k = 0; k < quarters; ++k) p = {p[2], p[1], -p[0]};
    if (const auto it = check.points.find("shift"); it != check.points.end()) p += toDouble(it->second);
    return p;
}

CheckResult comparePositions(const Scene& scene, const Check& check, const std::vector<CaseMeasures>& cases) {
    const double most = numberOf(check, "most", 0);
    CheckResult r{check.name, check.kind, {}, fmt::format("<= {:g} d", most), Verdict::NotReached, {}};
    const CaseMeasures *of = findCase(cases, check.words.at("of")),
                       *to = findCase(cases, check.words.at("to"));
    if (of && to && !of->positions.empty()) {
        double d = 0;
        for (const Material& material : scene.materials) d = std::max(d, double{material.properties.spacing});
        // distances are capped at two spacings
        const double cap = 2 * d;
        const HashGrid grid(to->positions, cap);
        double worst = 0, sum = 0;
        for (const Vec3d& p : of->positions) {
            double nearest2 = cap * cap;
            grid.forEachNear(moved(p, check),
                             [&](uint32_t, double r2) { nearest2 = std::min(nearest2, r2); });
            worst = std::max(worst, std::sqrt(nearest2)), sum += std::sqrt(nearest2);
        }
        const auto statistic = check.words.find("statistic");
        const bool mean = statistic != check.words.end() && statistic->second == "mean";
        r.measured = (mean ? sum / double(of->positions.size()) : worst) / d;
        const bool good = of->positions.size() == to->positions.size() && *r.measured <= most;
        r.verdict = good ? Verdict::Passed : Verdict::Failed;
    }
    r.text = resultLine(r, " d");
    return r;
}

CheckResult compareMeasures(const Scene& scene, const Check& check, const std::vector<CaseMeasures>& cases) {
    const std::string& measure = check.words.at("measure");
    const double factor = numberOf(check, "factor", 1), margin = numberOf(check, "margin", 0);
    CheckResult r{check.name, check.kind, {}, {}, Verdict::NotReached, {}};
    r.limits = fmt::format("{} {}{}{}", measure, check.words.at("relation"),
                           factor != 1 ? fmt::format(", factor {:g}", factor) : "",
                           margin != 0 ? fmt::format(", margin {:g}", margin) : "");
    std::string seen;
    std::vector<double> values;
    const std::vector<std::string> names = casesOf(scene, check);
    for (const std::string& name : names) {
        const CaseMeasures* one = findCase(cases, name);
        if (!one) continue;
        for (const CheckResult& other : one->checks)
            if (other.check == measure && other.verdict != Verdict::NotReached && other.measured) {
                addValue(seen, name, shortNumber(*other.measured));
                values.push_back(*other.measured);
            }
    }
    if (values.size() == names.size() && values.size() >= 2)
        r.verdict = holds(check, values, r.measured) ? Verdict::Passed : Verdict::Failed;
    r.text = resultLine(r, "") + (seen.empty() ? "" : "; " + seen);
    return r;
}

}  // namespace

std::vector<CheckResult> compareCases(const Scene& scene, const std::vector<CaseMeasures>& cases) {
    std::vector<CheckResult> results;
    for (const Check& check : scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (!kind || !kind->relatesCases()) continue;
        results.push_back(check.kind == "hash"          ? compareHashes(scene, check, cases)
                          : check.kind == "same_places" ? comparePositions(scene, check, cases)
                                                        : compareMeasures(scene, check, cases));
    }
    return results;
}

std::vector<CheckKind> caseChecks() {
    return {
        {.name = "compare",
         .measures = "relation of a measure between cases",
         .options = {required(wordOption("measure", "Name of the check that is compared.")),
                     required(
                         wordOption("relation",
                                    "< or >: of against factor · to, by margin; ~: of and factor · to, or "
                                    "all cases, equal within tolerance; grows, falls: along cases; "
                                    "converges: |of − to| <= factor · |base − to|.",
                                    {"<", ">", "~", "grows", "falls", "converges"})),
                     wordOption("of", "Case on the left."), wordOption("to", "Case on the right."),
                     wordOption("base", "converges: the coarse case."),
                     wordListOption("cases", "~, grows, falls: the cases in order."),
                     numberOption("factor", "1 when omitted."),
                     numberOption("margin", "Least difference, in the unit of the measure; 0 when omitted."),
                     numberOption("tolerance",
                                  "~: share of the larger value, 0.05 when omitted; grows, falls: allowed "
                                  "relative change in the wrong direction, 0 when omitted.")}},
        {.name = "hash",
         .measures = "equality of the state hashes at the end between cases",
         .options = {wordListOption("cases", "The cases; all when omitted.")}},
        {.name = "same_places",
         .unit = "d",
         .measures =
             "distance between the particles of two cases at the end: from each particle of `of`, after "
             "mirroring, rotating and shifting, to the nearest particle of `to`",
         .options = {required(wordOption("of", "Case whose particles are moved.")),
                     required(wordOption("to", "Case that is searched.")),
                     wordOption("mirror", "Axis whose coordinate changes its sign.", {"x", "y", "z"}),
                     numberOption("turn", "Quarter turns about y."), pointOption("shift", "Translation [m]."),
                     numberOption("most", "Limit of the distance; 0 when omitted: bitwise equal."),
                     wordOption("statistic", "max (default) or mean over the particles.", {"max", "mean"})}},
    };
}

}  // namespace coalesce
