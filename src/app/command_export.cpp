// `coalesce export`: converts a cache to files of other programs, without simulating.
#include "app/cache_options.h"
#include "app/command.h"
#include "app/export_options.h"
#include "app/options.h"
#include "scene/build/build.h"

namespace coalesce {

namespace {

struct ExportArguments {
    FromCache from;
    ExportChoice exports;
    bool quiet = false;
};

int exportCommand(const ExportArguments& o) {
    CacheReader reader(o.from.folder);
    const FrameRange wanted = o.from.frames();
    const std::vector<uint64_t> frames = reader.range(wanted.first, wanted.last);
    const Scene scene = sceneOf(reader.info());
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    for (const uint64_t frame : frames) {
        if (frame % o.exports.every != 0) continue;
        player.show(frame);
        exportFrame(*exporter, scene, world);
    }
    const size_t files = exporter->finish();
    if (!o.quiet) fmt::print("{}\n", exportSummary(files, o.exports, *exporter));
    return 0;
}

}  // namespace

void addExportCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<ExportArguments>();
    CLI::App* command =
        app.add_subcommand("export", "Converts the frames of a cache to files of other programs");
    addFromCacheOptions(*command, o->from, "Converts");
    addExportOptions(*command, o->exports);
    command->get_option("--from-cache")->required();
    command->get_option("--export")->required();
    command->add_flag("--quiet", o->quiet, "Prints no summary");
    command->callback([o, &result] { result.run = [o] { return exportCommand(*o); }; });
}

}  // namespace coalesce
