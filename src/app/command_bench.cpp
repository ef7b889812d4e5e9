// `coalesce bench`: time per stage. The state hash is printed with it, so that a faster but wrong result is
// noticed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/bench_draw.h"
#include "app/command.h"
#include "app/options.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"

namespace coalesce {

namespace {

struct BenchArguments {
    SceneOptions scene;
    uint64_t frames = 120, warmup = 20;
    std::filesystem::path json;
    DrawBenchOptions draw;
};

struct Sample {
    std::string name;
    std::vector<double> ms;  // one per frame
    int launches = 0;        // in a frame that was not redone

    // nearest rank: the smallest value that at least this share of all frames does not exceed
    double quantile(double share) const {
        std::vector<double> sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        const double rank = std::ceil(share * double(sorted.size()));
        return sorted[size_t(std::max(rank, 1.0)) - 1];
    }
};

struct Measured {
    Sample frame{"frame", {}, 1};
    std::vector<Sample> stages;
    // after the frames:
    double meanNeighbors = 0, bytesPerParticle = 0;
    double substeps = 0;  // per frame; under cfl the mean
    uint64_t particles = 0;
    std::string hash;
};

double meanNeighbors(const Solver& solver, World& world) {
    const View<const int> counts = solver.neighborCounts();
    if (counts.size == 0) return 0;
    std::vector<int> host(counts.size);
    world.exec.copyToHost(host.data(), counts.data, counts.size * sizeof(int));
    return std::accumulate(host.begin(), host.end(), 0.0) / double(host.size());
}

void addStages(const Profiler& profiler, std::vector<Sample>& stages) {
    for (const Profiler::Row& row : profiler.rows()) {
        auto stage =
            std::find_if(stages.begin(), stages.end(), [&](const Sample& s) { return s.name == row.name; });
        if (stage == stages.end()) stage = stages.insert(stage, {row.name, {}, row.launches});
        stage->ms.push_back(row.ms);
        stage->launches = std::min(stage->launches, row.launches);
    }
}

// Simulates the frames and saves the state. On CUDA, timing each launch takes time of its own: there, the stages are
// those of as many frames that follow.
Measured measure(const BenchArguments& o, World& world, Solver& solver, Timeline& timeline) {
    const auto step = [&] {
        const auto start = std::chrono::steady_clock::now();
        timeline.advance(world);
        solver.step();  // ends with a download, so the device has finished
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    for (uint64_t k = 0; k < o.warmup; ++k) step();
    Measured m;
    Profiler& profiler = world.exec.profiler;
    profiler.enabled = !world.exec.onCuda();
    for (uint64_t k = 0; k < o.frames; ++k) {
        m.frame.ms.push_back(step());
        if (profiler.enabled) addStages(profiler, m.stages);
    }
    m.meanNeighbors = meanNeighbors(solver, world);
    m.hash = fmt::format("{:016x}", stateHash(world));
    m.particles = world.count(), m.bytesPerParticle = solver.bytesPerParticle();
    const Parameters::Solver& s = world.parameters.solver;
    m.substeps = s.timeStep == TimeStep::cfl ? double(world.step) / double(world.frame) : double(s.substeps);
    if (!o.scene.saveState.empty()) saveState(world, o.scene.saveState);
    if (profiler.enabled) return m;
    profiler.enabled = true;
    for (uint64_t k = 0; k < o.frames; ++k) {
        step();
        addStages(profiler, m.stages);
    }
    return m;
}

int benchCommand(const BenchArguments& o) {
    requireOutputFile("--json", o.json);
    requireOutputFile("--save-state", o.scene.saveState);
    const Scene scene = readScene(o.scene.file(), o.scene.choice);
    Exec exec(o.scene.exec);
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    if (!o.scene.loadState.empty()) loadState(world, o.scene.loadState);
    if (const std::string note = noteOfMethod(world); !note.empty()) fmt::print(stderr, "{}\n", note);
    Timeline timeline(scene);
    const Measured m = measure(o, world, solver, timeline);

    const double median = m.frame.quantile(0.5), p95 = m.frame.quantile(0.95);
    const double rate = median > 0 ? double(m.particles) / (median / 1000) : 0;
    const Parameters::Solver& s = world.parameters.solver;
    const auto orFile = [](const std::string& name) { return name.empty() ? std::string("default") : name; };

    fmt::print("{}  size: {}  case: {}  {:.3g} substeps of {} iterations\n{}\n\n", scene.name,
               orFile(scene.size), orFile(scene.caseName), m.substeps, s.iterations, exec.description());
    fmt::print("{:<28} {:>10} {:>10} {:>10}\n", "stage", "median ms", "p95 ms", "launches");
    for (const Sample& stage : m.stages)
        fmt::print("{:<28} {:>10.3f} {:>10.3f} {:>10}\n", stage.name, stage.quantile(0.5),
                   stage.quantile(0.95), stage.launches);
    fmt::print("{:<28} {:>10.3f} {:>10.3f}\n\n", "whole frame", median, p95);
    fmt::print(
        "{}  {} particles  {} frames  {:.2f} ms  p95 {:.2f} ms  {:.3g} particles/s  {:.0f} bytes/particle  "
        "{:.1f} neighbors  hash {}\n",
        scene.name, m.particles, o.frames, median, p95, rate, m.bytesPerParticle, m.meanNeighbors, m.hash);

    nlohmann::ordered_json drawing;
    if (!o.draw.resolution.empty()) drawing = benchDrawing(o.draw, scene, world, solver);
    if (o.json.empty()) return 0;
    nlohmann::ordered_json out = {
        {"version", COALESCE_VERSION},
        {"scene", scene.name},
        {"size", scene.size},
        {"case", scene.caseName},
        {"device", exec.description()},
        {"particles", m.particles},
        {"substeps", m.substeps},
        {"iterations", s.iterations},
        {"frames", o.frames},
        {"warmup", o.warmup},
        {"median_ms", median},
        {"p95_ms", p95},
        {"particles_per_second", rate},
        {"bytes_per_particle", m.bytesPerParticle},
        {"mean_neighbors", m.meanNeighbors},
        {"hash", m.hash},
    };
    out["stages"] = nlohmann::ordered_json::array();
    for (const Sample& stage : m.stages)
        out["stages"].push_back({{"name", stage.name},
                                 {"median_ms", stage.quantile(0.5)},
                                 {"p95_ms", stage.quantile(0.95)},
                                 {"launches", stage.launches}});
    if (!drawing.is_null()) out["draw"] = drawing;
    writeFile(o.json, out.dump(2) + "\n");
    return 0;
}

}  // namespace

void addBenchCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<BenchArguments>();
    CLI::App* command = app.add_subcommand("bench", "Measures the time of every simulation stage");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene, by name");
    command->add_option("--frames", o->frames, "Number of measured frames")
        ->capture_default_str()
        ->check(integer(1, 1'000'000));
    command->add_option("--warmup", o->warmup, "Number of frames before the measurement")
        ->capture_default_str()
        ->check(integer(0, 1'000'000));
    command->add_option("--json", o->json, "Writes the results as JSON")->type_name("FILE");
    addDrawBenchOptions(*command, o->draw);
    command->callback([o, &result] { result.run = [o] { return benchCommand(*o); }; });
}

}  // namespace coalesce
