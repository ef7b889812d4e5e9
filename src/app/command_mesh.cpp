// `coalesce mesh`: writes surface meshes of the liquids of a run, which it simulates or reads from a cache.
#include <algorithm>
#include <sstream>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/export_options.h"
#include "app/options.h"
#include "export/surface_exporter.h"
#include "scene/build/build.h"
#include "scene/format/overrides.h"
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

std::vector<SurfaceFormat> surfaceFormats(const std::string& text) {
    const std::vector<std::string>& names = surfaceFormatNames();
    std::vector<SurfaceFormat> formats;
    std::stringstream list(text);
    for (std::string word; std::getline(list, word, ',');) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end())
            fail(Exit::Usage, "--format " + text,
                 fmt::format("there is no format \"{}\".{}", word, didYouMean(word, names)),
                 "Choose ply, obj, or ply,obj.");
        const auto format = SurfaceFormat(found - names.begin());
        if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    }
    if (formats.empty()) fail(Exit::Usage, "--format", "no format was given", "Choose ply, obj, or ply,obj.");
    return formats;
}

void requireLiquid(const Scene& scene) {
    const auto liquid = [](const Material& m) { return m.properties.kind == MaterialKind::fluid; };
    if (std::none_of(scene.materials.begin(), scene.materials.end(), liquid))
        fail(Exit::Usage, "coalesce mesh " + scene.name, "the scene has no liquid",
             "Bodies and cloth are meshes already; export grains with coalesce run --export ply.");
}

void meshCache(const FromCache& from, SurfaceExporter& exporter) {
    CacheReader reader(from.folder);
    const FrameRange wanted = from.frames();
    const std::vector<uint64_t> frames = reader.range(wanted.first, wanted.last);
    const Scene scene = sceneOf(reader.info());
    requireLiquid(scene);
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    for (const uint64_t frame : frames) {
        if (!exporter.wants(frame)) continue;
        player.show(frame);
        exporter.take(world, exportName(scene));
    }
}

void meshScene(const MeshArguments& o, SurfaceExporter& exporter) {
    RunOptions run;
    run.size = o.scene.choice.size;
    run.caseName = o.caseName;
    run.sets = o.scene.choice.sets;
    run.seed = o.scene.choice.seed;
    run.frames = o.length.frames;
    run.duration = o.length.duration;
    run.exec = o.scene.exec;
    run.onFrame = [&](const RunFrame& frame) {
        requireLiquid(frame.scene);
        exporter.take(frame.world, exportName(frame.scene));
    };
    if (!o.scene.loadState.empty()) run.onBuilt = [&](World& world) { loadState(world, o.scene.loadState); };
    if (!o.scene.saveState.empty()) run.onDone = [&](World& world) { saveState(world, o.scene.saveState); };
    runScene(o.scene.file(), run);
}

int runMesh(MeshArguments o) {
    if (o.scene.scene.empty() && o.from.folder.empty())
        fail(Exit::Usage, "coalesce mesh", "no scene was given",
             "Give one scene file, e.g. scenes/dam_break.json, or --from-cache DIR.");
    requireOutputFile("--save-state", o.scene.saveState);
    o.exports.formats = surfaceFormats(o.formats);
    SurfaceExporter exporter(o.exports);
    if (o.from.folder.empty())
        meshScene(o, exporter);
    else
        meshCache(o.from, exporter);
    const size_t files = exporter.finish();
    if (!o.scene.quiet)
        fmt::print(stderr, "{} files in {}, {:.0f} ms per frame for the meshes\n", files,
                   o.exports.folder.string(), exporter.msPerFrame());
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
    const auto addSurfaceOption = [&]<class T>(const char* name, T& value, const char* unit,
                                               const char* sentence) {
        const std::string flag = std::string("--") + name;
        if constexpr (std::is_same_v<T, bool>)
            command->add_flag(flag, value, sentence);
        else
            command
                ->add_option(flag, value,
                             std::string(sentence) + (unit[0] == '-' ? "" : std::string(" [") + unit + "]"))
                ->capture_default_str();
    };
#define OPTION(type, name, standard, low, high, unit, sentence) \
    addSurfaceOption(#name, o->exports.surface.name, unit, sentence);
#include "sim/surface/surface_options.def"
    command->callback([o, &result] { result.run = [o] { return runMesh(*o); }; });
}

}  // namespace coalesce
