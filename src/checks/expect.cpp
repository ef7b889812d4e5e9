#include "checks/expect.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "checks/measure.h"
#include "checks/result_text.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"

namespace coalesce {

namespace {

// The kind that is measured: for `order` that of its measure.
const CheckKind* measuredKind(const Check& check) {
    const auto measure = check.words.find("measure");
    return findCheckKind(check.kind == "order" && measure != check.words.end() ? measure->second
                                                                               : check.kind);
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
        return fmt::format("{} … {}{}", shortNumber(*limits.min), shortNumber(*limits.max), unit);
    if (limits.min) return fmt::format(">= {}{}", shortNumber(*limits.min), unit);
    if (limits.max) return fmt::format("<= {}{}", shortNumber(*limits.max), unit);
    return "";
}

// Adds the undisturbed rest shape of bodies that start jittered or deformed, for the particles of `start`
// that lack it.
void addRestShapes(const Scene& scene, const GroupNames& groups, ParticleSnapshot& start) {
    const size_t known = start.form.size();
    start.form.insert(start.form.end(), start.x.begin() + std::ptrdiff_t(known), start.x.end());
    for (size_t begin = known, end; begin < start.id.size(); begin = end) {
        // the ids of a group are consecutive
        const uint32_t group = groupOf(start.phase[begin]);
        for (end = begin; end < start.id.size() && groupOf(start.phase[end]) == group;) ++end;
        if (!groups.isOfBody(group)) continue;
        const GroupNames::BodyCopy source = groups.bodyOf(group);
        const Body& body = scene.bodies[source.body];
        if (body.jitter == 0 && body.deform == Vec3{1, 1, 1}) continue;
        const auto form = formOf(scene, body);
        const std::vector<Vec3> positions = positionsOf(scene, source.body, source.copy, *form, false);
        for (size_t k = 0; k < positions.size() && begin + k < end; ++k)
            start.form[begin + k] = toDouble(positions[k]);
    }
}

}  // namespace

std::string shortNumber(double value) {
    return fmt::format("{:.5g}", value);
}

std::string resultLine(const CheckResult& r, const std::string& unit) {
    const char* verdict = r.verdict == Verdict::Passed   ? "ok"
                          : r.verdict == Verdict::Failed ? "FAILED"
                                                         : "not reached";
    std::string text = fmt::format("{}: {}", r.check, verdict);
    if (r.measured) text += fmt::format(", {}{}", shortNumber(*r.measured), unit);
    if (!r.limits.empty()) text += fmt::format(" ({})", r.limits);
    return text;
}

struct Expectations::Watch {
    static constexpr double kTimeEpsilon = 1e-6;  // [s] times are sums of rounded steps

    explicit Watch(const Scene& of) : scene(of), groups(scene) {}

    struct Tracked {
        const Check* check;
        const CheckKind* kind;
        const CheckKind* measured;  // differs for `order`
        MeasureState state;
        std::optional<double> low, high;
        bool done = false;
    };
    Scene scene;  // a copy: the caller's may be destroyed
    GroupNames groups;
    std::vector<Tracked> tracked;
    ParticleSnapshot start;  // each particle at its spawn time
    bool started = false;
    size_t observed = 0;
    uint64_t births = 0;  // World::births when `start` was last completed

    // built-in checks
    size_t nonFinite = 0, mostOutside = 0;
    int64_t unbalanced = 0;
    bool overflow = false;
    std::string finiteText, insideText, overflowText;

    void observeBuiltIn(World& world, const Status& status);
    void track(Tracked& t, const ParticleSnapshot& now);
    bool isDue(const Tracked& t, double time) const;
    bool needs(const Tracked& t, double time) const;
    CheckResult result(const Tracked& t) const;
    std::vector<uint32_t> select(const Check& check, const ParticleSnapshot& now) const;
    double endTime() const { return scene.duration; }
};

void Expectations::Watch::observeBuiltIn(World& world, const Status& status) {
    if (status.worst.nonFinite > 0) {
        if (nonFinite == 0)
            finiteText = fmt::format("first at {:.4g} s, particle {}", world.time, status.worst.firstBadId);
        nonFinite = std::max<size_t>(nonFinite, status.worst.nonFinite);
    }
    const int64_t balance =
        int64_t(world.count()) - int64_t(world.particlesAdded) + int64_t(world.particlesRemoved);
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

std::vector<uint32_t> Expectations::Watch::select(const Check& check, const ParticleSnapshot& now) const {
    std::vector<uint32_t> selected;
    const auto meaning = groups.find(check.group);
    for (uint32_t i = 0; meaning && i < now.id.size(); ++i)
        if (meaning->has(now.phase[i])) selected.push_back(i);
    return selected;
}

bool Expectations::Watch::isDue(const Tracked& t, double time) const {
    if (t.done) return false;
    const Check& check = *t.check;
    if (check.always) return true;
    if (check.from >= 0 || check.to >= 0) return time + kTimeEpsilon >= check.from;
    return time + kTimeEpsilon >= (check.at >= 0 ? check.at : endTime());
}

// Whether the check needs this frame.
bool Expectations::Watch::needs(const Tracked& t, double time) const {
    if (t.done) return false;
    // kinds over a whole window need all of its frames
    if (t.measured->over == CheckKind::Window::Whole) return time + kTimeEpsilon >= t.check->from;
    return isDue(t, time) || t.measured->everyFrame;
}

void Expectations::Watch::track(Tracked& t, const ParticleSnapshot& now) {
    if (!needs(t, now.time)) return;
    const bool due = isDue(t, now.time);
    const Check& check = *t.check;
    const std::optional<double> value = measure(scene, check, now, start, select(check, now), t.state);
    const bool isArrival = check.kind == "arrival", isWhole = t.measured->over == CheckKind::Window::Whole;
    if (value && (due || isArrival)) {
        t.low = isWhole ? *value : std::min(t.low.value_or(*value), *value);
        t.high = isWhole ? *value : std::max(t.high.value_or(*value), *value);
    }
    if (isArrival)
        t.done = value.has_value() || now.time + kTimeEpsilon >= endTime();
    else if (check.from >= 0 || check.to >= 0)
        t.done = now.time + kTimeEpsilon >= (check.to >= 0 ? check.to : endTime());
    else if (!check.always)
        t.done = due;
}

CheckResult Expectations::Watch::result(const Tracked& t) const {
    CheckResult r{t.check->name, t.kind->name, {}, {}, Verdict::NotReached, {}};
    const Limits limits = limitsOf(*t.check);
    const std::string unit = unitOf(*t.kind, *t.check);
    r.limits = limitText(limits, unit);
    const bool reached = t.done || (t.check->always && observed > 1);
    const bool isPeak = t.measured->over == CheckKind::Window::Peak;
    if (t.low) {
        // reports the peak, or the value that violates a limit, or the value closest to it
        const bool tooLow = !isPeak && limits.min && !(*t.low >= *limits.min);
        r.measured = tooLow || (!limits.max && !isPeak) ? t.low : t.high;
        const double least = isPeak ? *t.high : *t.low;
        const bool good = (!limits.min || least >= *limits.min) && (!limits.max || *t.high <= *limits.max);
        if (reached) r.verdict = good ? Verdict::Passed : Verdict::Failed;
    } else if (reached) {
        r.verdict = Verdict::Failed;  // without a measurement the check fails
    }
    r.text = resultLine(r, unit);
    if (reached && !t.low) r.text += "; nothing was measured";
    return r;
}

Expectations::Expectations(const Scene& scene) : m_watch(std::make_unique<Watch>(scene)) {
    for (const Check& check : m_watch->scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (kind && !kind->relatesCases())
            m_watch->tracked.push_back({&check, kind, measuredKind(check), {}, {}, {}, false});
    }
}
Expectations::~Expectations() = default;

void Expectations::observe(World& world, const Status& status) {
    Watch& w = *m_watch;
    w.observeBuiltIn(world, status);
    ++w.observed;
    const bool waiting =
        std::any_of(w.tracked.begin(), w.tracked.end(), [](const Watch::Tracked& t) { return !t.done; });
    const bool first = !w.started, spawned = waiting && world.particlesAdded != w.births;
    const bool needed = first || spawned ||
                        std::any_of(w.tracked.begin(), w.tracked.end(),
                                    [&](const Watch::Tracked& t) { return w.needs(t, world.time); });
    if (!needed) return;
    const ParticleSnapshot now = takeSnapshot(world);
    w.started = true;
    if (first || spawned) {
        addSpawned(w.start, now);
        w.start.time = 0;
        w.births = world.particlesAdded;
        addRestShapes(w.scene, w.groups, w.start);
    }
    for (Watch::Tracked& t : w.tracked)
        if (!t.done) w.track(t, now);
}

std::vector<CheckResult> Expectations::results() const {
    const Watch& w = *m_watch;
    std::vector<CheckResult> results;
    const auto addBuiltIn = [&](const char* name, double measured, bool good, const char* limits,
                                const std::string& text) {
        CheckResult r{name,
                      name,
                      measured,
                      limits,
                      w.observed > 0 ? (good ? Verdict::Passed : Verdict::Failed) : Verdict::NotReached,
                      {}};
        r.text = resultLine(r, "") + (text.empty() ? "" : "; " + text);
        results.push_back(std::move(r));
    };
    addBuiltIn("finite", double(w.nonFinite), w.nonFinite == 0, "<= 0", w.finiteText);
    addBuiltIn("balance", double(w.unbalanced), w.unbalanced == 0, "births - deaths", "");
    addBuiltIn("no_overflow", w.overflow ? 1 : 0, !w.overflow, "<= 0", w.overflowText);
    if (w.scene.bounded)
        addBuiltIn("inside", double(w.mostOutside), w.mostOutside == 0, "<= 0", w.insideText);
    for (const Watch::Tracked& t : w.tracked) results.push_back(w.result(t));
    return results;
}

}  // namespace coalesce
