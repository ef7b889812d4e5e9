// `coalesce foam`: replaces spray, foam, bubbles and smoke of a cache, without simulating.
#include <algorithm>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/export_options.h"
#include "app/options.h"
#include "core/counted.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "sim/solver/solver.h"

namespace coalesce {

namespace {

struct FoamArguments {
    std::filesystem::path from;
    std::vector<std::string> sets;
    CacheChoice to;
    ExportChoice exports;
    bool quiet = false;
};

// The passive particles of a world and what counts them, outside of it.
struct Passives {
    PassiveArrays arrays;
    PassiveCounters counters;
    explicit Passives(Exec& exec)
        : arrays{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec), Buffer<uint32_t>(exec)} {}
    void swap(World& world) {
        arrays.x.swap(world.passive.x);
        arrays.v.swap(world.passive.v);
        arrays.id.swap(world.passive.id);
        arrays.tag.swap(world.passive.tag);
        std::swap(counters, world.passiveCounters);
    }
};

// The scene of a cache with other values of materials.
Scene changedScene(const CacheInfo& info, const std::vector<std::string>& sets) {
    for (const std::string& set : sets)
        if (!set.starts_with("materials.") && !set.starts_with("passive."))
            fail(Exit::Usage, "--set " + set, "only materials and the group passive can be changed",
                 "Everything else would need a new simulation: coalesce run SCENE --cache DIR.");
    Scene scene = readSceneText(info.text, info.file, {.size = {}, .caseName = {}, .sets = sets, .seed = {}});
    scene.name = info.scene;
    scene.size = info.size;
    scene.caseName = info.caseName;
    return scene;
}

int foamCommand(const FoamArguments& o) {
    CacheReader reader(o.from);
    const std::vector<uint64_t> frames = reader.range(0, UINT64_MAX);
    if (frames.front() != 0)
        fail(Exit::Scene, o.from.string(), fmt::format("the cache begins with frame {}", frames.front()),
             "Foam depends on all frames before it: write the cache from the start.");
    if (o.exports.formats.empty() && o.to.folder.empty())
        fail(Exit::Usage, "coalesce foam", "neither --export nor --cache is given",
             "Give --export ply to write files, or --cache DIR for a cache that can be drawn.");
    const Scene scene = changedScene(reader.info(), o.sets);
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);
    std::optional<CacheWriter> writer;
    if (!o.to.folder.empty())
        writer.emplace(CacheOptions{.folder = o.to.folder, .every = reader.info().every}, scene);
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    Solver solver(world);
    Passives kept(exec);
    for (const uint64_t frame : frames) {
        player.show(frame);
        if (frame > 0) {
            kept.swap(world);
            solver.stateReplaced();
            solver.advancePassives();
        }
        if (exporter) exportFrame(*exporter, scene, world, true);
        if (writer) writer->take(world);
        solver.beginPassives();
        kept.swap(world);
    }
    const size_t files = exporter ? exporter->finish() : 0, written = writer ? writer->finish() : 0;
    if (!o.quiet) {
        fmt::print("{}, {} made, {} at the end\n", counted(frames.size(), "frame"),
                   counted(kept.counters.born, "passive particle"), kept.arrays.size());
        if (exporter) fmt::print("{}\n", exportSummary(files, o.exports, *exporter));
        if (writer) fmt::print("{} in {}\n", counted(written, "frame"), o.to.folder.string());
    }
    return 0;
}

}  // namespace

void addFoamCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<FoamArguments>();
    CLI::App* command =
        app.add_subcommand("foam", "Replaces spray, foam, bubbles and smoke of a cache, without simulating");
    command->add_option("--from-cache", o->from, "Folder of the cache (coalesce run --cache)")
        ->type_name("DIR")
        ->required();
    command
        ->add_option(
            "--set", o->sets,
            "Changes a value of a material or of the group passive, e.g. materials.water.foam=beer; may "
            "be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addExportOptions(*command, o->exports);
    command
        ->add_option(
            "--cache", o->to.folder,
            "Writes a new cache with them, for --from-cache of view, record and export; the old one stays")
        ->type_name("DIR");
    command->add_flag("--quiet", o->quiet, "Prints no summary");
    command->callback([o, &result] { result.run = [o] { return foamCommand(*o); }; });
}

}  // namespace coalesce
