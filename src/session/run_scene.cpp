#include "session/run_scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "checks/measure.h"
#include "checks/scene_warnings.h"
#include "core/counted.h"
#include "core/whole_file.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

bool isNamed(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool hasCheck(const Scene& scene, const char* kind) {
    return std::any_of(scene.expect.begin(), scene.expect.end(),
                       [&](const Check& check) { return check.kind == kind; });
}

// A control case must fail the checks it names, and no others; one that was stopped need not have come to that.
bool judge(const CaseReport& report) {
    return std::all_of(report.checks.begin(), report.checks.end(), [&](const CheckResult& check) {
        if (isNamed(report.control, check.check)) return report.stopped || check.verdict != Verdict::Passed;
        return check.verdict != Verdict::Failed;
    });
}

// A differing state has ended the run earlier, see ReplayPlayer::check().
CheckResult replayed(const ReplayPlayer& player) {
    CheckResult r{"replay", "replay", {}, "equal hashes", Verdict::Passed, {}};
    r.text = fmt::format("replay: ok; {} state hashes are equal", player.compared());
    return r;
}

// The cache that a run writes or continues.
struct CacheRun {
    CacheRun(const CacheOptions& options, const Scene& scene, World& world)
        : writer(options, scene), player(writer.reader(), scene, world) {}

    void finish(CaseReport& report) {
        const size_t written = writer.finish();
        report.notes.push_back(fmt::format("cache: {} written", counted(written, "frame")) +
                               (writer.kept() ? fmt::format(", {} were there", writer.kept()) : "") +
                               (writer.damaged() ? fmt::format(", {} {} damaged", writer.damaged(),
                                                               writer.damaged() == 1 ? "was" : "were")
                                                 : ""));
        if (!jumped) return;
        report.checks.clear();
        report.control.clear();
        report.checked = false;
        report.notes.emplace_back("the run was continued, so the checks of the scene were not evaluated");
    }

    CacheWriter writer;
    CachePlayer player;
    bool jumped = false;  // over frames that were in the cache
};

// Which of the cases that are run, from 1.
struct CaseNumber {
    size_t number, of;
};

// One run from start to end. Without a number it is silent: it calls nothing back.
CaseReport runOnce(const Scene& scene, const RunOptions& options, std::optional<CaseNumber> run) {
    const bool silent = !run;
    Exec exec(options.exec);
    World world(exec);
    buildWorld(scene, world);
    if (!silent && options.onBuilt) options.onBuilt(world);
    auto solver = std::make_unique<Solver>(world);
    if (!silent && options.onSolver) options.onSolver(scene, world, solver.get());
    auto timeline = std::make_unique<Timeline>(scene);
    std::optional<CacheRun> cache;
    if (options.cache && !silent) {
        CacheOptions of = *options.cache;
        if (options.replay) of.replay = readFile(options.replay->file);
        cache.emplace(of, scene, world);
    }
    timeline->catchUp(world);
    std::optional<ReplayPlayer> player;
    if (options.replay) {
        player.emplace(*options.replay, scene);
        player->begin(world);
    }
    Expectations expectations(scene);
    world.watchConvergence = options.convergence || hasCheck(scene, "objective_falls");

    CaseReport report;
    report.caseName = scene.caseName;
    report.size = scene.size;
    report.control = scene.control;
    for (const std::string& note : scene.notes) addOnce(report.notes, note);
    if (!silent) report.warnings = briefWarningsOf(scene);
    if (!report.warnings.empty() && options.onWarnings) options.onWarnings(scene, report.warnings);
    addOnce(report.notes, noteOfMethod(world));
    report.device = exec.description();
    report.frames = player && !options.frames && !options.duration
                        ? player->last() - std::min(player->last(), world.frame)
                        : framesOf(scene, options);
    const auto notify = [&](const Status& status, uint64_t frame, double ms) {
        expectations.observe(world, status);
        if (const std::string note = status.message(); !note.empty())
            addOnce(report.notes, fmt::format("frame {}: {}", frame, note));
        if (silent) return;
        if (cache) cache->writer.take(world);
        if (options.onHash) options.onHash(scene, frame, stateHash(world));
        if (options.onFrame)
            options.onFrame({scene, world, status, run->number, run->of, frame, report.frames, ms});
    };
    notify({}, 0, 0);
    const uint64_t firstStep = world.step;
    double total = 0;  // [ms]
    uint64_t simulated = 0;
    for (uint64_t frame = 1; frame <= report.frames; ++frame) {
        if (options.stop && options.stop()) {
            report.stopped = true;
            report.notes.push_back(fmt::format("stopped after {} of {} frames", frame - 1, report.frames));
            report.frames = frame - 1;
            break;
        }
        using Clock = std::chrono::steady_clock;
        if (const auto to = cache ? cache->writer.jumpFrom(frame - 1, report.frames) : std::nullopt) {
            solver.reset();  // it knows the storage order of the particles
            cache->writer.jump(*to, cache->player);
            solver = std::make_unique<Solver>(world);
            if (options.onSolver) options.onSolver(scene, world, solver.get());
            timeline = std::make_unique<Timeline>(scene);
            timeline->catchUp(world);
            if (player) {
                player.emplace(*options.replay, scene);
                player->begin(world);  // the values that the input before this frame has set
            }
            frame = *to;
            cache->jumped = true;
            continue;
        }
        const auto begin = Clock::now();
        if (player) player->advance(world);
        timeline->advance(world);
        const Status status = solver->step();
        exec.synchronize("frame");
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        total += ms;
        ++simulated;
        if (player) player->check(world);
        if (options.convergence)
            report.convergence.push_back(
                {world.time, world.convergence, world.globalStep, world.strainViscosity});
        notify(status, frame, ms);
    }
    report.msPerFrame = simulated ? total / double(simulated) : 0;
    report.particles = world.count();
    report.substeps = world.step - firstStep;
    report.simulated = world.time;
    report.bytesPerParticle = solver->bytesPerParticle();
    report.hash = stateHash(world);
    report.checks = expectations.results();
    if (cache) cache->finish(report);
    if (hasCheck(scene, "same_places")) report.places = takeSnapshot(world).x;
    if (player) {
        // what the user throws or pours may start outside the bounds, and leave them
        const auto adds = [](const InputEvent& event) {
            const auto* command = std::get_if<UserCommand>(&event.content);
            return command &&
                   (std::holds_alternative<Throw>(*command) || std::holds_alternative<Pour>(*command));
        };
        if (std::ranges::any_of(options.replay->events, adds))
            std::erase_if(report.checks, [](const CheckResult& check) { return check.check == "inside"; });
        report.checks.push_back(replayed(*player));
    }
    if (!silent && options.onSolver) options.onSolver(scene, world, nullptr);
    if (!silent && options.onDone) options.onDone(world);
    return report;
}

CheckResult repeatable(uint64_t first, uint64_t second) {
    CheckResult r{"repeatable",
                  "repeatable",
                  {},
                  "equal hashes",
                  first == second ? Verdict::Passed : Verdict::Failed,
                  {}};
    r.text =
        fmt::format("repeatable: {}; {:016x}, {:016x}", first == second ? "ok" : "FAILED", first, second);
    return r;
}

const char* word(Verdict verdict) {
    return verdict == Verdict::Passed ? "passed" : verdict == Verdict::Failed ? "failed" : "not reached";
}

nlohmann::ordered_json toJson(const std::vector<CheckResult>& checks,
                              const std::vector<std::string>& control) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const CheckResult& c : checks) {
        nlohmann::ordered_json entry{
            {"check", c.check}, {"kind", c.kind}, {"limits", c.limits}, {"verdict", word(c.verdict)}};
        if (c.measured && std::isfinite(*c.measured))
            entry["measured"] = *c.measured;
        else
            entry["measured"] = nullptr;
        entry["control"] = isNamed(control, c.check);
        list.push_back(std::move(entry));
    }
    return list;
}

// One list per quantity, of one value per frame; null: not known in that frame.
nlohmann::ordered_json toJson(const std::vector<CaseReport::Convergence>& frames) {
    nlohmann::ordered_json columns;
    for (const CaseReport::Convergence& frame : frames) {
        const ConvergenceReport& c = frame.constraints;
        const auto add = [&](const char* name, bool known, double value) {
            columns[name].push_back(known ? nlohmann::ordered_json(value) : nullptr);
        };
        add("time", true, frame.time);
        add("densityErrorMean", true, c.densityErrorMean);
        add("densityErrorMax", true, c.densityErrorMax);
        add("objectiveFirst", c.rounds > 0, c.objectiveFirst);
        add("objective", c.rounds > 0, c.objectiveLast);
        add("objectiveRise", c.objectiveRise.has_value(), c.objectiveRise.value_or(0));
        const auto addSolves = [&](const LinearCounts& l, const char* residual, const char* iterations) {
            add(residual, l.residuals > 0, double{l.residual});
            add(iterations, l.solves > 0, l.solves > 0 ? double(l.iterations) / double(l.solves) : 0);
        };
        addSolves(frame.globalStep, "residual", "cgIterations");
        addSolves(frame.strainViscosity, "strainResidual", "strainIterations");
    }
    return columns;
}

}  // namespace

uint64_t framesOf(const Scene& scene, const RunOptions& options) {
    if (options.frames) return *options.frames;
    const double frames = options.duration.value_or(scene.duration) * scene.parameters.solver.frameRate;
    if (!(frames >= 0 && frames < 1e12))
        fail(Exit::Usage, "--duration", "the number of frames is out of range",
             "Give a duration of 0 to 1e6 seconds.");
    return uint64_t(std::llround(frames));
}

RunReport runScene(const std::filesystem::path& file, const RunOptions& options) {
    SceneChoice choice{options.size, "", options.sets, options.seed, options.film};
    std::vector<std::string> names;
    if (options.caseName) {
        names.push_back(*options.caseName);
    } else {
        names = readScene(file, choice).cases;
        if (names.empty()) names.emplace_back();
    }
    std::vector<Scene> scenes;
    for (const std::string& name : names) {
        choice.caseName = name;
        scenes.push_back(readScene(file, choice));
        // after user input the scene's checks need not hold
        if (options.replay) scenes.back().expect.clear();
    }

    RunReport report;
    report.scene = scenes.front().name;
    report.valuesSet = !options.sets.empty();
    std::vector<CaseMeasures> measures;
    for (const Scene& scene : scenes) {
        CaseReport one = runOnce(scene, options, CaseNumber{report.cases.size() + 1, scenes.size()});
        if (options.repeat && !one.stopped) {
            const CaseReport again = runOnce(scene, options, {});
            if (!again.stopped) one.checks.push_back(repeatable(one.hash, again.hash));
            one.stopped = again.stopped;
            if (again.stopped) one.notes.emplace_back("stopped before the run was repeated");
        }
        report.stopped |= one.stopped;
        one.passed = judge(one);
        measures.push_back({one.caseName, one.checks, one.hash, std::move(one.places)});
        report.cases.push_back(std::move(one));
        if (report.stopped) return report;
    }
    report.comparisons = compareCases(scenes.front(), measures);
    return report;
}

bool RunReport::passed() const {
    return std::all_of(cases.begin(), cases.end(), [](const CaseReport& c) { return c.passed; }) &&
           std::none_of(comparisons.begin(), comparisons.end(),
                        [](const CheckResult& c) { return c.verdict == Verdict::Failed; });
}

std::string RunReport::text() const {
    const auto notReached = [](const std::vector<CheckResult>& checks) {
        return std::count_if(checks.begin(), checks.end(),
                             [](const CheckResult& check) { return check.verdict == Verdict::NotReached; });
    };
    std::string out;
    for (const CaseReport& c : cases) {
        out += fmt::format(
            "{}{}{}: {}, {} ({:.4g} s), {:.3f} ms per frame, {:.0f} bytes per particle, "
            "hash {:016x}\n",
            scene, c.size.empty() ? "" : " " + c.size, c.caseName.empty() ? "" : ", case " + c.caseName,
            counted(c.particles, "particle"), counted(c.frames, "frame"), c.simulated, c.msPerFrame,
            c.bytesPerParticle, c.hash);
        for (const std::string& note : c.notes) out += "  note: " + note + "\n";
        for (const std::string& warning : c.warnings) out += "  warning: " + warning + "\n";
        for (const CheckResult& check : c.checks) {
            const bool control = isNamed(c.control, check.check);
            const char* remark = !control                           ? ""
                                 : check.verdict == Verdict::Failed ? "  [control: must fail, and does]"
                                 : check.verdict == Verdict::Passed ? "  [CONTROL: must fail, and does not]"
                                                                    : "";
            out += "  " + check.text + remark + "\n";
        }
        const auto later = notReached(c.checks);
        out += !c.passed   ? "  NOT PASSED"
               : c.stopped ? "  stopped"
               : c.checked ? "  passed"
                           : "  not checked";
        if (later > 0) out += fmt::format(", {} of {} checks not reached", later, c.checks.size());
        out += "\n";
    }
    for (const CheckResult& check : comparisons) out += "  " + check.text + "\n";
    auto missing = notReached(comparisons);
    for (const CaseReport& c : cases) missing += notReached(c.checks);
    const bool checked = std::ranges::all_of(cases, &CaseReport::checked);
    out += fmt::format("{}: {}", scene,
                       !passed() ? "NOT PASSED"
                       : stopped ? "stopped"
                       : checked ? "passed"
                                 : "not checked");
    if (missing > 0 && checked && !stopped)
        out += fmt::format("; {} not reached: the run ended before, or a case that is compared was not run",
                           counted(missing, "check"));
    out += "\n";
    const auto expected = [](const CheckResult& check) {
        return check.verdict == Verdict::Failed && check.check != "repeatable" && check.check != "replay";
    };
    const bool fails =
        std::ranges::any_of(comparisons, expected) || std::ranges::any_of(cases, [&](const CaseReport& c) {
            return !c.passed && std::ranges::any_of(c.checks, expected);
        });
    if (fails && valuesSet)
        out += "  (The checks of a scene hold for the values in its file; --set or a preset changed some.)\n";
    return out;
}

std::string RunReport::json() const {
    nlohmann::ordered_json out{{"scene", scene},
                               {"passed", passed() && !stopped},
                               {"stopped", stopped},
                               {"cases", nlohmann::ordered_json::array()}};
    for (const CaseReport& c : cases)
        out["cases"].push_back({{"case", c.caseName},
                                {"size", c.size},
                                {"device", c.device},
                                {"particles", c.particles},
                                {"frames", c.frames},
                                {"substeps", c.substeps},
                                {"seconds", wholeNanoseconds(c.simulated)},
                                {"msPerFrame", c.msPerFrame},
                                {"bytesPerParticle", c.bytesPerParticle},
                                {"hash", fmt::format("{:016x}", c.hash)},
                                {"notes", c.notes},
                                {"warnings", c.warnings},
                                {"convergence", toJson(c.convergence)},
                                {"checks", toJson(c.checks, c.control)},
                                {"checked", c.checked},
                                {"stopped", c.stopped},
                                {"passed", c.passed && !c.stopped}});
    out["comparisons"] = toJson(comparisons, {});
    return out.dump(2) + "\n";
}

}  // namespace coalesce
