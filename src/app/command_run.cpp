// `coalesce run`: simulates without rendering and checks the scene's `expect`.
#include <algorithm>
#include <chrono>
#include <fmt/ranges.h>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/export_options.h"
#include "app/options.h"
#include "app/scene_folder.h"
#include "core/stop_signal.h"
#include "scene/reader.h"
#include "session/launch_log.h"
#include "session/run_scene.h"
#include "sim/state/state_file.h"

namespace coalesce {

namespace {

struct RunArguments {
    SceneOptions scene;
    LengthOptions length;
    ExportChoice exports;
    CacheChoice cache;
    std::optional<std::string> caseName;
    bool all = false, repeat = false;
    std::filesystem::path replay, stats, hashLog, hashStages;
    uint64_t stageValues = 0;
};

// Prints a line per second.
class Progress {
public:
    void show(const RunFrame& f) {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last < std::chrono::seconds(1)) return;
        m_last = now;
        std::string which = f.scene.name;
        if (!f.scene.caseName.empty()) which += "  case " + f.scene.caseName;
        if (f.runs > 1) which += fmt::format(" ({} of {})", f.run, f.runs);
        fmt::print(stderr, "{}  frame {} of {}  {} particles  {:.1f} ms\n", which, f.frame, f.frames,
                   f.world.count(), f.ms);
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

// A cache or a state is that of one run.
void requireOneRun(const RunArguments& o, const std::string& option, const std::filesystem::path& path,
                   const std::string& what) {
    const std::string where = option + " " + path.string();
    if (o.all)
        fail(Exit::Usage, where, fmt::format("{} holds one scene, --all was given", what), "Name the scene.");
    if (o.caseName || !o.replay.empty()) return;
    const std::vector<std::string> cases = readScene(o.scene.file(), o.scene.choice).cases;
    if (!cases.empty())
        fail(Exit::Usage, where,
             fmt::format("{} holds one case; the scene has {}", what, fmt::join(cases, ", ")),
             "Give --case.");
}

RunReport runFile(const std::filesystem::path& file, const RunArguments& o,
                  const std::optional<Replay>& replay, HashLog& log, LaunchLog& launches,
                  Exporter* exporter) {
    Progress progress;
    RunOptions run{.size = o.scene.choice.size,
                   .caseName = o.caseName,
                   .sets = o.scene.choice.sets,
                   .seed = o.scene.choice.seed,
                   .film = o.scene.choice.film,
                   .frames = o.length.frames,
                   .duration = o.length.duration,
                   .exec = o.scene.exec,
                   .replay = replay,
                   .cache = cacheOptions(o.cache),
                   .convergence = !o.stats.empty(),
                   .repeat = o.repeat,
                   .stop = stopRequested,
                   .onWarnings = {},
                   .onFrame = {},
                   .onHash = {},
                   .onBuilt = {},
                   .onDone = {},
                   .onSolver = {}};
    if (!o.scene.quiet)
        run.onWarnings = [](const Scene& scene, const std::vector<std::string>& warnings) {
            for (const std::string& warning : warnings)
                fmt::print(stderr, "{}{}{}  warning: {}\n", scene.name,
                           scene.caseName.empty() ? "" : "  case ", scene.caseName, warning);
        };
    run.onFrame = [&](const RunFrame& frame) {
        if (!o.scene.quiet) progress.show(frame);
        if (exporter) exportFrame(*exporter, frame.scene, frame.world);
    };
    if (log.wanted())
        run.onHash = [&](const Scene& scene, uint64_t frame, uint64_t hash) {
            log.write(scene, frame, hash);
        };
    if (launches.wanted())
        run.onSolver = [&](const Scene& scene, const World& world, const Solver* solver) {
            launches.observe(scene, world, solver);
        };
    if (!o.scene.loadState.empty()) run.onBuilt = [&](World& world) { loadState(world, o.scene.loadState); };
    if (!o.scene.saveState.empty()) run.onDone = [&](World& world) { saveState(world, o.scene.saveState); };
    return runScene(file, run);
}

int runCommand(RunArguments o) {
    if (int(o.all) + int(!o.scene.scene.empty()) + int(!o.replay.empty()) != 1)
        fail(Exit::Usage, "coalesce run",
             o.all || !o.replay.empty() ? "give only one of a scene, --all and --replay"
                                        : "no scene was given",
             "Give one scene file, e.g. scenes/dam_break.json, or --all for every scene.");
    const std::optional<Replay> replay = takeReplay(o.replay, o.scene);
    if (replay) o.caseName = replay->choice.caseName;
    const auto files = o.all ? sceneFiles() : std::vector{o.scene.file()};
    requireOutputFile("--stats", o.stats);
    requireOutputFile("--hash-log", o.hashLog);
    requireOutputFile("--save-state", o.scene.saveState);
    requireOutputFile("--hash-stages", o.hashStages);
    if (!o.hashStages.empty() && o.all)
        fail(Exit::Usage, "--hash-stages", "one scene is expected, --all was given", "Name the scene.");
    if (o.stageValues > 0 && o.hashStages.empty())
        fail(Exit::Usage, "--stage-values", "there is no log to write them to",
             "Give --hash-stages FILE, too.");
    if (!o.cache.folder.empty()) requireOneRun(o, "--cache", o.cache.folder, "a cache");
    if (!o.scene.saveState.empty()) requireOneRun(o, "--save-state", o.scene.saveState, "a state");
    HashLog log(o.hashLog);
    LaunchLog launches(o.hashStages, o.stageValues);
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);

    catchStopSignals();  // a run that is stopped keeps what it has measured, cached and exported
    std::string statistics;
    Exit worst = Exit::Success;
    bool stopped = false;
    for (const std::filesystem::path& file : files) {
        // a scene that has come to its end counts
        if (stopped || (&file != &files.front() && stopRequested())) {
            stopped = true;
            break;
        }
        try {
            const RunReport report = runFile(file, o, replay, log, launches, exporter.get());
            fmt::print("{}", report.text());
            statistics += (statistics.empty() ? "" : ",\n") + report.json();
            if (!report.passed() && worst == Exit::Success) worst = Exit::Expect;
            stopped = report.stopped;
        } catch (const Error& error) {
            // with --all, an error in one scene does not stop the others
            if (!o.all || error.code == Exit::Output) throw;
            fmt::print(stderr, "{}\n", error.what());
            if (error.code == Exit::Unavailable) continue;
            if (worst == Exit::Success || worst == Exit::Expect) worst = error.code;
        }
        std::fflush(stdout);
    }
    if (stopped) worst = Exit::Failure;
    if (stopped && !o.cache.folder.empty() && !o.scene.quiet)
        fmt::print(stderr, "The cache is kept; --resume continues it.\n");
    log.finish();
    launches.finish();
    if (exporter)
        if (const size_t files = exporter->finish(); !o.scene.quiet)
            fmt::print(stderr, "{}\n", exportSummary(files, o.exports, *exporter));
    if (!o.stats.empty()) writeFile(o.stats, o.all ? "[\n" + statistics + "\n]\n" : statistics + "\n");
    return int(worst);
}

}  // namespace

void addRunCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<RunArguments>();
    CLI::App* command =
        app.add_subcommand("run", "Simulates without rendering and checks the scene's expectations");
    addSceneOptions(*command, o->scene, "");
    addLengthOptions(*command, o->length);
    addExportOptions(*command, o->exports);
    addCacheOptions(*command, o->cache);
    command->add_option("--case", o->caseName, "Runs only this case; default: all cases");
    addReplayOption(*command, o->replay);
    command->get_option("--cache")->excludes(command->get_option("--load-state"));
    command->add_flag("--all", o->all, "Runs all scenes in scenes/");
    command->add_flag("--repeat", o->repeat, "Runs everything twice and compares the states");
    command
        ->add_option("--stats", o->stats,
                     "Writes the report as JSON, with the density error, objective, residuals and cg "
                     "iterations of every frame")
        ->type_name("FILE");
    command->add_option("--hash-log", o->hashLog, "Writes the state hash of every frame")->type_name("FILE");
    command
        ->add_option("--hash-stages", o->hashStages,
                     "Writes after every launch the hashes of the arrays that it has changed; slow. "
                     "tools/compare-backends compares two of them")
        ->type_name("FILE");
    command
        ->add_option(
            "--stage-values", o->stageValues,
            "With --hash-stages: writes the values of all arrays after this launch, and nothing after it")
        ->type_name("LAUNCH")
        ->check(integer(1, INT64_MAX));
    command->callback([o, &result] { result.run = [o] { return runCommand(*o); }; });
}

}  // namespace coalesce
