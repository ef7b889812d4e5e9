// `coalesce mesh`: writes surface meshes of the liquids of a run, which it simulates or reads from a cache.
#include <algorithm>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/export_options.h"
#include "app/options.h"
#include "core/stop_signal.h"
#include "export/surface_exporter.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "session/run_scene.h"
#include "sim/state/state_file.h"

namespace coalesce {

namespace {

struct MeshArguments {
    SceneOptions scene;
    LengthOptions length;
    FromCache from;
    std::optional<std::string> caseName;
    std::string formats = "ply";
    SurfaceExportOptions exports{.formats = {}, .every = 1, .folder = "export", .surface = {}};
};

void requireLiquid(const Scene& scene) {
    const auto liquid = [](const Material& m) { return m.properties.kind == MaterialKind::fluid; };
    if (std::none_of(scene.materials.begin(), scene.materials.end(), liquid))
        fail(Exit::Usage, "coalesce mesh " + scene.name, "the scene has no liquid",
             "Bodies and cloth are meshes already; export grains with coalesce run --export ply.");
}

SceneChoice choiceOf(const MeshArguments& o) {
    SceneChoice choice = o.scene.choice;
    choice.caseName = o.caseName.value_or("");
    return choice;
}

// Both: whether it was stopped before the last frame.
bool meshCache(const MeshArguments& o, SurfaceExporter& exporter) {
    CacheReader reader(o.from.folder);
    const FrameRange wanted = o.from.frames();
    const std::vector<uint64_t> frames = reader.range(wanted.first, wanted.last);
    const Scene scene = sceneOf(reader.info());
    Exec exec({.backend = "cpu", .threads = o.scene.exec.threads});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    for (const uint64_t frame : frames) {
        if (stopRequested()) return true;
        if (!exporter.wants(frame)) continue;
        player.show(frame);
        exporter.take(world, exportName(scene));
    }
    return false;
}

bool meshScene(const MeshArguments& o, SurfaceExporter& exporter) {
    RunOptions run;
    run.size = o.scene.choice.size;
    run.caseName = o.caseName;
    run.sets = o.scene.choice.sets;
    run.seed = o.scene.choice.seed;
    run.frames = o.length.frames;
    run.duration = o.length.duration;
    run.exec = o.scene.exec;
    run.stop = stopRequested;
    run.onFrame = [&](const RunFrame& frame) {
        requireLiquid(frame.scene);
        exporter.take(frame.world, exportName(frame.scene));
    };
    if (!o.scene.loadState.empty()) run.onBuilt = [&](World& world) { loadState(world, o.scene.loadState); };
    if (!o.scene.saveState.empty()) run.onDone = [&](World& world) { saveState(world, o.scene.saveState); };
    return runScene(o.scene.file(), run).stopped;
}

int runMesh(MeshArguments o) {
    if (o.scene.scene.empty() && o.from.folder.empty())
        fail(Exit::Usage, "coalesce mesh", "no scene was given",
             "Give one scene file, e.g. scenes/dam_break.json, or --from-cache DIR.");
    requireOutputFile("--save-state", o.scene.saveState);
    for (const size_t format : chosenFormats("--format", o.formats, surfaceFormatNames()))
        o.exports.formats.push_back(SurfaceFormat(format));
    // before the exporter, which makes the folder
    requireLiquid(o.from.folder.empty() ? readScene(o.scene.file(), choiceOf(o))
                                        : sceneOf(CacheReader(o.from.folder).info()));
    SurfaceExporter exporter(o.exports);
    catchStopSignals();  // no partial file is left
    const bool stopped = o.from.folder.empty() ? meshScene(o, exporter) : meshCache(o, exporter);
    const size_t files = exporter.finish();
    if (!o.scene.quiet)
        fmt::print(stderr, "{} files in {}, {:.0f} ms per frame for the meshes\n", files,
                   o.exports.folder.string(), exporter.msPerFrame());
    if (stopped)
        fail(Exit::Failure, "coalesce mesh", "stopped before the last frame",
             "The files that are written are kept.");
    return 0;
}

}  // namespace

void addMeshCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<MeshArguments>();
    CLI::App* command = app.add_subcommand(
        "mesh", "Writes surface meshes of the liquids of a scene or a cache, one file per frame");
    addSceneOptions(*command, o->scene, "");
    addLengthOptions(*command, o->length);
    command->add_option("--case", o->caseName, "Meshes only this case; default: all cases");
    addFromCacheOptions(*command, o->from, "Meshes");
    excludeFromCache(*command,
                     {"--case", "--film", "--frames", "--duration", "--load-state", "--save-state"});
    command->add_option("--format", o->formats, "File formats: ply, obj, or both separated by commas")
        ->type_name("FORMATS")
        ->capture_default_str();
    command->add_option("--export-every", o->exports.every, "Number of simulation frames between files")
        ->type_name("K")
        ->check(integer(1, 1'000'000'000))
        ->capture_default_str();
    command
        ->add_option("--export-to", o->exports.folder,
                     "Folder of the files SCENE_LIQUID_000000.ply etc., numbered by frame")
        ->type_name("DIR")
        ->capture_default_str();
    addSurfaceOptions(*command, o->exports.surface, "");
    command->callback([o, &result] { result.run = [o] { return runMesh(*o); }; });
}

}  // namespace coalesce
