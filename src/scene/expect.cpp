#include "scene/expect.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "scene/measure.h"

namespace coalesce {

namespace {

using Type = CheckOption::Type;

// A check that must see every frame, whatever the time of its verdict.
bool isContinuous(const CheckKind& kind) {
    const std::string_view name = kind.name;
    return name == "energy" || name == "arrival" || name == "drift";
}

std::string number(double value) {
    return fmt::format("{:.5g}", value);
}

std::string unitOf(const CheckKind& kind, const Check& check) {
    const auto it = check.words.find("unit");
    const std::string unit = it != check.words.end() ? it->second : kind.unit;
    return unit == "-" ? "" : " " + unit;
}

// The bounds of a check, expected and tolerance included.
struct Limits {
    std::optional<double> min, max;
};
Limits limitsOf(const Check& check) {
    Limits limits{check.min, check.max};
    if (const auto it = check.numbers.find("expected"); it != check.numbers.end()) {
        const double half = std::abs(it->second) * check.numbers.at("tolerance");
        limits.min = std::max(limits.min.value_or(it->second - half), it->second - half);
        limits.max = std::min(limits.max.value_or(it->second + half), it->second + half);
    }
    return limits;
}
std::string limitText(const Limits& limits, const std::string& unit) {
    if (limits.min && limits.max)
        return fmt::format("{} … {}{}", number(*limits.min), number(*limits.max), unit);
    if (limits.min) return fmt::format(">= {}{}", number(*limits.min), unit);
    if (limits.max) return fmt::format("<= {}{}", number(*limits.max), unit);
    return "";
}

std::string line(const CheckResult& r, const std::string& unit) {
    const char* verdict = r.verdict == Verdict::Passed   ? "ok"
                          : r.verdict == Verdict::Failed ? "FAILED"
                                                         : "not reached";
    std::string text = fmt::format("{}: {}", r.check, verdict);
    if (r.measured) text += fmt::format(", {}{}", number(*r.measured), unit);
    if (!r.limits.empty()) text += fmt::format(" ({})", r.limits);
    return text;
}

}  // namespace

const std::vector<CheckKind>& checkKinds() {
    const CheckOption regionMin{"regionMin", Type::Point, "Lower corner of the region that counts [m].", {}};
    const CheckOption regionMax{"regionMax", Type::Point, "Upper corner of the region that counts [m].", {}};
    const CheckOption inSpacings{"unit", Type::Word, "\"d\": the value is given in spacings.", {"d"}};
    const CheckOption axis{"axis", Type::Word, "Direction; x when left out.", {"x", "y", "z"}};
    const CheckOption mode{"mode",
                           Type::Word,
                           "percentile (default): of the positions; connected: what hangs together with the "
                           "hindmost particle over gaps of 1.5 d.",
                           {"percentile", "connected"}};
    const CheckOption percentile{"percentile", Type::Number, "Which percentile; 99 when left out.", {}};
    const CheckOption needed{"measure", Type::Word, "Name of the check that is compared.", {}, true};
    static const std::vector<CheckKind> kinds{
        {"density_error",
         "-",
         "max(0, φ − 1) over fluid particles; φ from a plain sum over particles, walls add nothing",
         false,
         false,
         {{"statistic", Type::Word, "mean (default) or max over the particles.", {"mean", "max"}},
          regionMin,
          regionMax}},
        {"level",
         "m",
         "height of the free surface: highest particle of each column 2 d wide, averaged, plus d/2",
         false,
         false,
         {regionMin, regionMax, inSpacings}},
        {"rest", "m/s", "RMS speed", false, false, {}},
        {"speed",
         "m/s",
         "speed",
         false,
         false,
         {{"statistic", Type::Word, "max (default) or mean over the particles.", {"max", "mean"}}}},
        {"energy",
         "%",
         "growth of kinetic plus potential energy, as a share of what there was at the start above the "
         "lowest place",
         false,
         false,
         {{"since",
           Type::Word,
           "start (default): growth over the start; lowest: over the least so far.",
           {"start", "lowest"}}}},
        {"momentum",
         "-",
         "change of the total momentum since the start, as a share of M·v_rms",
         false,
         false,
         {}},
        {"height", "-", "vertical extent of the group / its extent at the start", false, false, {}},
        {"width", "-", "larger horizontal extent of the group / its extent at the start", false, false, {}},
        {"spread", "m", "RMS horizontal distance from the center of mass", false, false, {inSpacings}},
        {"splash",
         "m",
         "mean height of the highest 1 % of the particles; over a window its peak",
         true,
         false,
         {inSpacings}},
        {"spacing",
         "-",
         "mean distance to the nearest neighbor / d; farther than 2 d counts as 2",
         false,
         false,
         {}},
        {"contains", "-", "share of the group inside the region", false, false, {regionMin, regionMax}},
        {"outside",
         "particles",
         "number outside the region, or outside the scene's bounds",
         false,
         false,
         {regionMin, regionMax}},
        {"front",
         "m",
         "how far the group has come along an axis",
         true,
         false,
         {axis, mode, percentile, inSpacings}},
        {"arrival",
         "s",
         "time at which the front passes a position",
         false,
         false,
         {{"position", Type::Number, "Where along the axis [m].", {}, true}, axis, mode, percentile}},
        {"rise",
         "m",
         "largest height of a particle above its start, or above a surface; over a window its peak",
         true,
         false,
         {{"surface", Type::Number, "Height of the surface [m]; the particle's own start when left out.", {}},
          inSpacings}},
        {"drift",
         "m",
         "RMS displacement of the particles",
         false,
         false,
         {{"since", Type::Number, "Since this time [s]; the start when left out.", {}}, inSpacings}},
        {"bytes_per_particle", "B", "peak memory of the machine / particles", false, false, {}},
        {"compare",
         "-",
         "relation of a measure between cases",
         false,
         true,
         {needed,
          {"relation",
           Type::Word,
           "< or >: of against factor · to, by margin; ~: equal within tolerance; grows, falls: along cases; "
           "converges: |of − to| <= factor · |base − to|.",
           {"<", ">", "~", "grows", "falls", "converges"},
           true},
          {"of", Type::Word, "Case on the left.", {}},
          {"to", Type::Word, "Case on the right.", {}},
          {"base", Type::Word, "converges: the case that is far off.", {}},
          {"cases", Type::Words, "~, grows, falls: the cases in order.", {}},
          {"factor", Type::Number, "1 when left out.", {}},
          {"margin", Type::Number, "At least by so much, in the unit of the measure; 0 when left out.", {}},
          {"tolerance",
           Type::Number,
           "~: share of the larger value, 0.05 when left out; grows, falls: share by which a step may go "
           "back, 0 when left out.",
           {}}}},
        {"hash",
         "-",
         "equality of the state hashes at the end between cases",
         false,
         true,
         {{"cases", Type::Words, "The cases; all when left out.", {}}}},
    };
    return kinds;
}

const CheckKind* findCheckKind(const std::string& name) {
    for (const CheckKind& kind : checkKinds())
        if (name == kind.name) return &kind;
    return nullptr;
}

struct Expectations::Watch {
    struct Tracked {
        const Check* check;
        const CheckKind* kind;
        MeasureState state;
        std::optional<double> low, high;
        bool done = false;
    };
    Scene scene;  // a copy: the caller's may go
    std::vector<Tracked> tracked;
    Snapshot start;
    bool started = false;
    size_t observed = 0;

    // always on
    size_t nonFinite = 0, mostOutside = 0;
    int64_t unbalanced = 0;
    bool overflow = false;
    std::string finiteText, insideText, overflowText;

    void alwaysOn(World& world, const Status& status);
    void track(Tracked& t, const Snapshot& now);
    bool isDue(const Tracked& t, double time) const;
    CheckResult result(const Tracked& t) const;
    std::vector<uint32_t> select(const Check& check, const Snapshot& now) const;
    double endTime() const { return scene.duration; }
};

void Expectations::Watch::alwaysOn(World& world, const Status& status) {
    if (status.worst.nonFinite > 0) {
        if (nonFinite == 0)
            finiteText = fmt::format("first at {:.4g} s, particle {}", world.time, status.worst.firstBadId);
        nonFinite = std::max<size_t>(nonFinite, status.worst.nonFinite);
    }
    const int64_t balance = static_cast<int64_t>(world.count()) - static_cast<int64_t>(world.births) +
                            static_cast<int64_t>(world.deaths);
    if (unbalanced == 0) unbalanced = balance;
    if (status.truncated || (status.worst.flags & kDomainOverflow)) {
        if (!overflow) overflowText = fmt::format("first at {:.4g} s: {}", world.time, status.message());
        overflow = true;
    }
    const std::vector<Vec4> x = world.particles.x.download();
    size_t bad = 0, out = 0, firstOut = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!isFinite(xyz(x[i]))) {
            ++bad;
            continue;
        }
        const Vec3 &low = scene.boundsMin, &high = scene.boundsMax;
        const bool in = x[i].x >= low.x && x[i].y >= low.y && x[i].z >= low.z && x[i].x <= high.x &&
                        x[i].y <= high.y && x[i].z <= high.z;
        if (scene.bounded && !in && out++ == 0) firstOut = i;
    }
    if (bad > nonFinite) {
        if (nonFinite == 0) finiteText = fmt::format("first at {:.4g} s", world.time);
        nonFinite = bad;
    }
    if (out > 0 && mostOutside == 0)
        insideText =
            fmt::format("first at {:.4g} s, particle {} at ({:.4g}, {:.4g}, {:.4g})", world.time,
                        world.particles.id.download()[firstOut], x[firstOut].x, x[firstOut].y, x[firstOut].z);
    mostOutside = std::max(mostOutside, out);
}

std::vector<uint32_t> Expectations::Watch::select(const Check& check, const Snapshot& now) const {
    std::vector<uint32_t> selected;
    const auto take = [&](auto&& wanted) {
        for (uint32_t i = 0; i < now.id.size(); ++i)
            if (wanted(now.phase[i])) selected.push_back(i);
    };
    if (check.group.empty()) {
        take([](uint32_t) { return true; });
        return selected;
    }
    // bodies became groups in their order
    for (uint32_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].name == check.group) {
            take([&](uint32_t phase) { return groupOf(phase) == b; });
            return selected;
        }
    for (uint32_t m = 0; m < scene.materials.size(); ++m)
        if (scene.materials[m].name == check.group)
            take([&](uint32_t phase) { return materialOf(phase) == m; });
    return selected;
}

bool Expectations::Watch::isDue(const Tracked& t, double time) const {
    constexpr double kSlack = 1e-6;  // [s] times are sums of steps
    if (t.done) return false;
    const Check& check = *t.check;
    if (check.always) return true;
    if (check.from >= 0 || check.to >= 0) return time + kSlack >= check.from;
    return time + kSlack >= (check.at >= 0 ? check.at : endTime());
}

void Expectations::Watch::track(Tracked& t, const Snapshot& now) {
    const bool due = isDue(t, now.time);
    if (!due && !isContinuous(*t.kind)) return;
    const std::optional<double> value = measure(scene, *t.check, now, start, select(*t.check, now), t.state);
    const bool isArrival = std::string_view(t.kind->name) == "arrival";
    if (value && (due || isArrival)) {
        t.low = std::min(t.low.value_or(*value), *value);
        t.high = std::max(t.high.value_or(*value), *value);
    }
    const Check& check = *t.check;
    if (isArrival)
        t.done = value.has_value() || now.time + 1e-6 >= endTime();
    else if (check.from >= 0 || check.to >= 0)
        t.done = now.time + 1e-6 >= (check.to >= 0 ? check.to : endTime());
    else if (!check.always)
        t.done = due;
}

CheckResult Expectations::Watch::result(const Tracked& t) const {
    CheckResult r{t.check->name, t.kind->name, {}, {}, Verdict::NotReached, {}};
    const Limits limits = limitsOf(*t.check);
    const std::string unit = unitOf(*t.kind, *t.check);
    r.limits = limitText(limits, unit);
    const bool reached = t.done || (t.check->always && observed > 1);
    if (t.low) {
        // the value that speaks: the peak, or the one that breaks a limit, or the one nearest to it
        const bool tooLow = !t.kind->peak && limits.min && !(*t.low >= *limits.min);
        r.measured = tooLow || (!limits.max && !t.kind->peak) ? t.low : t.high;
        const double least = t.kind->peak ? *t.high : *t.low;
        const bool good = (!limits.min || least >= *limits.min) && (!limits.max || *t.high <= *limits.max);
        if (reached) r.verdict = good ? Verdict::Passed : Verdict::Failed;
    } else if (reached) {
        r.verdict = Verdict::Failed;  // nothing to measure is no success
    }
    r.text = line(r, unit);
    return r;
}

Expectations::Expectations(const Scene& scene) : m_watch(std::make_unique<Watch>()) {
    m_watch->scene = scene;
    for (const Check& check : m_watch->scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (kind && !kind->between) m_watch->tracked.push_back({&check, kind, {}, {}, {}, false});
    }
}
Expectations::~Expectations() = default;

void Expectations::observe(World& world, const Status& status) {
    Watch& w = *m_watch;
    w.alwaysOn(world, status);
    ++w.observed;
    const bool first = !w.started;
    const bool needed =
        first || std::any_of(w.tracked.begin(), w.tracked.end(), [&](const Watch::Tracked& t) {
            return !t.done && (w.isDue(t, world.time) || isContinuous(*t.kind));
        });
    if (!needed) return;
    const Snapshot now = takeSnapshot(world);
    if (first) w.start = now, w.started = true;
    for (Watch::Tracked& t : w.tracked)
        if (!t.done) w.track(t, now);
}

std::vector<CheckResult> Expectations::results() const {
    const Watch& w = *m_watch;
    std::vector<CheckResult> results;
    const auto alwaysOn = [&](const char* name, double measured, bool good, const char* limits,
                              const std::string& text) {
        CheckResult r{name,
                      name,
                      measured,
                      limits,
                      w.observed > 0 ? (good ? Verdict::Passed : Verdict::Failed) : Verdict::NotReached,
                      {}};
        r.text = line(r, "") + (text.empty() ? "" : "; " + text);
        results.push_back(std::move(r));
    };
    alwaysOn("finite", static_cast<double>(w.nonFinite), w.nonFinite == 0, "<= 0", w.finiteText);
    alwaysOn("balance", static_cast<double>(w.unbalanced), w.unbalanced == 0, "births - deaths", "");
    alwaysOn("no_overflow", w.overflow ? 1 : 0, !w.overflow, "<= 0", w.overflowText);
    if (w.scene.bounded)
        alwaysOn("inside", static_cast<double>(w.mostOutside), w.mostOutside == 0, "<= 0", w.insideText);
    for (const Watch::Tracked& t : w.tracked) results.push_back(w.result(t));
    return results;
}

std::vector<CheckResult> compareCases(const Scene& scene, const std::vector<CaseMeasures>& cases) {
    const auto find = [&](const std::string& name) -> const CaseMeasures* {
        for (const CaseMeasures& c : cases)
            if (c.caseName == name) return &c;
        return nullptr;
    };
    std::vector<CheckResult> results;
    for (const Check& check : scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (!kind || !kind->between) continue;
        CheckResult r{check.name, check.kind, {}, {}, Verdict::NotReached, {}};
        const auto number = [&](const char* name, double otherwise) {
            const auto it = check.numbers.find(name);
            return it == check.numbers.end() ? otherwise : it->second;
        };
        // the cases it speaks of, in order
        std::vector<std::string> names;
        if (const auto it = check.lists.find("cases"); it != check.lists.end()) names = it->second;
        for (const char* word : {"of", "to", "base"})
            if (const auto it = check.words.find(word); it != check.words.end()) names.push_back(it->second);
        if (names.empty()) names = scene.cases;

        bool complete = true;
        std::string seen;
        std::vector<double> values;
        for (const std::string& name : names) {
            const CaseMeasures* one = find(name);
            if (one && check.kind == "hash") {
                seen += fmt::format("{}{} {:016x}", seen.empty() ? "" : ", ", name, one->hash);
                values.push_back(0);
                continue;
            }
            std::optional<double> value;
            if (one)
                for (const CheckResult& other : one->checks)
                    if (other.check == check.words.at("measure") && other.verdict != Verdict::NotReached)
                        value = other.measured;
            if (!value) {
                complete = false;
                continue;
            }
            seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", name, coalesce::number(*value));
            values.push_back(*value);
        }
        if (check.kind == "hash") {
            r.limits = "equal hashes";
            if (complete && values.size() == names.size() && names.size() > 1) {
                bool equal = true;
                for (const std::string& name : names)
                    equal &= find(name) && find(name)->hash == find(names[0])->hash;
                r.verdict = equal ? Verdict::Passed : Verdict::Failed;
            }
        } else {
            const std::string& relation = check.words.at("relation");
            const double factor = number("factor", 1), margin = number("margin", 0);
            const double tolerance = number("tolerance", relation == "~" ? 0.05 : 0);
            r.limits = fmt::format("{} {}{}{}", check.words.at("measure"), relation,
                                   factor != 1 ? fmt::format(", factor {:g}", factor) : "",
                                   margin != 0 ? fmt::format(", margin {:g}", margin) : "");
            if (complete && values.size() >= 2) {
                bool good = true;
                if (relation == "<") good = values[0] < factor * values[1] - margin;
                if (relation == ">") good = values[0] > factor * values[1] + margin;
                if (relation == "~") {
                    const auto [low, high] = std::minmax_element(values.begin(), values.end());
                    good = *high - *low <= tolerance * std::max(std::abs(*low), std::abs(*high));
                }
                for (size_t i = 1; i < values.size(); ++i) {
                    if (relation == "grows")
                        good &= values[i] > values[i - 1] - tolerance * std::abs(values[i - 1]);
                    if (relation == "falls")
                        good &= values[i] < values[i - 1] + tolerance * std::abs(values[i - 1]);
                }
                if (relation == "converges") {
                    good = values.size() == 3 &&
                           std::abs(values[0] - values[1]) <= factor * std::abs(values[2] - values[1]);
                    r.measured =
                        values.size() == 3 && values[2] != values[1]
                            ? std::optional(std::abs((values[0] - values[1]) / (values[2] - values[1])))
                            : std::nullopt;
                }
                r.verdict = good ? Verdict::Passed : Verdict::Failed;
            }
        }
        r.text = line(r, "") + (seen.empty() ? "" : "; " + seen);
        results.push_back(std::move(r));
    }
    return results;
}

}  // namespace coalesce
