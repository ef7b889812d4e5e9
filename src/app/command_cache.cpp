// `coalesce cache`: describes a cache, checks its frames, and measures how fast they can be shown.
#include <algorithm>
#include <chrono>
#include <fmt/ranges.h>
#include <random>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/options.h"
#include "scene/build/build.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"

namespace coalesce {

namespace {

struct CacheArguments {
    std::filesystem::path folder;
    bool check = false;
    uint64_t time = 0;
    FromCache again;
};

// Shows frames in a random order, as a user does who drags the time slider.
void measure(CacheReader& reader, uint64_t shown) {
    const Scene scene = sceneOf(reader.info());
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    std::mt19937 random(1);
    std::vector<double> ms;
    for (uint64_t k = 0; k < shown; ++k) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        player.show(reader.frames()[random() % reader.frames().size()]);
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    std::sort(ms.begin(), ms.end());
    fmt::print("shown in a random order: {:.1f} ms per frame (median), {:.1f} ms (95 %)\n", ms[ms.size() / 2],
               ms[ms.size() * 95 / 100]);
}

// Simulates a range of frames from the newest full frame before it, and compares every state with the cache.
// Exit::Expect at the first one that differs.
void simulateAgain(CacheReader& reader, const FrameRange& wanted) {
    const std::vector<uint64_t> frames = reader.range(wanted.first, wanted.last);
    const std::optional<uint64_t> start = reader.fullFrameBefore(frames.front());
    if (!start)
        fail(Exit::Scene, reader.folder().string(),
             fmt::format("no full frame before frame {} is usable", frames.front()),
             "Repair the cache: coalesce run SCENE --cache DIR --resume.");
    const Scene scene = sceneOf(reader.info());
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer(reader, scene, world).show(*start);
    Solver solver(world);
    Timeline timeline(scene);
    const auto compare = [&] {
        if (world.frame < frames.front()) return;
        const uint64_t hash = stateHash(world), cached = reader.header(world.frame).hash;
        if (hash != cached)
            fail(Exit::Expect, frameFile(reader.folder(), world.frame).string(),
                 fmt::format("simulated again, its state is {:016x} and not {:016x}", hash, cached),
                 "The program or a mesh has changed since the cache was written.");
    };
    compare();
    while (world.frame < frames.back()) timeline.advance(world), solver.step(), compare();
    fmt::print("frames {} to {}, simulated again from frame {}: all states are equal\n", frames.front(),
               frames.back(), *start);
}

int cacheCommand(const CacheArguments& o) {
    CacheReader reader(o.folder);
    const CacheInfo& info = reader.info();
    fmt::print("{}{}{}, {:g} frames per second, key {:016x}\n", info.scene,
               info.caseName.empty() ? "" : ", case " + info.caseName,
               info.size.empty() ? "" : ", size " + info.size, info.frameRate, info.key());
    const std::vector<uint64_t>& frames = reader.frames();
    if (frames.empty()) {
        fmt::print("no frames\n");
        return 0;
    }
    uint64_t bytes = 0;
    std::vector<uint64_t> missing;
    for (uint64_t k = 0, frame = frames.front(); frame <= frames.back(); ++frame) {
        if (frames[k] != frame)
            missing.push_back(frame);
        else
            bytes += std::filesystem::file_size(frameFile(o.folder, frames[k++]));
    }
    fmt::print("frames {} to {}, full frames every {}; {:.2f} MB per frame, {:.1f} MB in total\n",
               frames.front(), frames.back(), info.every, 1e-6 * double(bytes) / double(frames.size()),
               1e-6 * double(bytes));
    if (!missing.empty()) fmt::print("missing: {}\n", fmt::join(missing, ", "));
    size_t broken = 0;
    for (const uint64_t frame : frames)
        if (const std::string problem = o.check ? reader.problemOf(frame) : ""; !problem.empty()) {
            fmt::print("{}\n", problem);
            ++broken;
        }
    if (o.check) fmt::print("{} of {} frames are whole\n", frames.size() - broken, frames.size());
    if (!o.again.range.empty()) simulateAgain(reader, o.again.frames());
    if (o.time > 0) measure(reader, o.time);
    return broken == 0 && missing.empty() ? 0 : int(Exit::Scene);
}

}  // namespace

void addCacheCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<CacheArguments>();
    CLI::App* command = app.add_subcommand("cache", "Describes and checks a cache of coalesce run --cache");
    command->add_option("folder", o->folder, "Folder of the cache")->type_name("DIR")->required();
    command->add_flag("--check", o->check, "Checks every frame; exit code 3 if one is damaged or missing");
    command
        ->add_option("--simulate-again", o->again.range,
                     "Simulates these frames from the newest full frame before them, and compares the states")
        ->type_name("FIRST:LAST");
    command
        ->add_option("--time", o->time,
                     "Reads this many frames in a random order, as the window does, and prints the times")
        ->type_name("N")
        ->check(integer(1, 1'000'000));
    command->callback([o, &result] { result.run = [o] { return cacheCommand(*o); }; });
}

}  // namespace coalesce
