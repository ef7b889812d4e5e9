// `coalesce record`: renders a scene to a video or images, without a window.
#include <csignal>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/display_options.h"
#include "app/export_options.h"
#include "app/options.h"
#include "record/poster.h"
#include "record/recorder.h"

namespace coalesce {

namespace {

struct RecordArguments {
    SceneOptions scene;
    LengthOptions length;
    DisplayOptions display;
    ExportChoice exports;
    CacheChoice cache;
    FromCache from;
    std::optional<double> fps;
    std::filesystem::path video, images, poster, hashLog, replay;
};

volatile std::sig_atomic_t interrupted = 0;

// The first Ctrl+C stops the recording cleanly, without leaving a partial video; the second ends the program
// at once.
void stopInOrder() {
    const auto note = [](int signal) {
        interrupted = 1;
        std::signal(signal, SIG_DFL);
    };
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
}

void applyDisplayOptions(const DisplayOptions& display, RecordOptions& r) {
    r.width = display.width();
    r.height = display.height();
    r.draw = display.draw();
    r.quantity = display.quantity();
    r.lines = display.lineSet();
}

// The command line overrides the scene's poster settings.
int posterCommand(RecordArguments& o) {
    RecordOptions r;
    r.scene = o.scene.file();
    r.exec = o.scene.exec;
    r.gl = o.display.glChoice();
    r.quiet = o.scene.quiet;
    const PosterChoice poster = posterOf(r.scene, o.scene.choice, o.length.duration, o.display.camera);
    if (!poster.color.empty() && o.display.color == DisplayOptions().color)
        o.display.chooseColor(poster.color);
    applyDisplayOptions(o.display, r);
    r.stop = [] { return interrupted != 0; };
    stopInOrder();
    const RecordReport report = recordPoster(r, poster, o.poster);
    if (!o.scene.quiet)
        fmt::print("{} at {:g} s, {} particles: {}  hash {:016x}\n", r.scene.stem().string(), poster.time,
                   report.particles, o.poster.string(), report.hash);
    return 0;
}

int recordCommand(RecordArguments o) {
    requireFolderOf("--video", o.video);
    requireFolderOf("--images", o.images);
    requireFolderOf("--poster", o.poster);
    requireFolderOf("--hash-log", o.hashLog);
    requireFolderOf("--save-state", o.scene.saveState);
    if (!o.poster.empty()) return posterCommand(o);
    HashLog log(o.hashLog);
    RecordOptions r;
    r.replay = takeReplay(o.replay, o.scene);
    r.scene = o.scene.file();
    r.choice = o.scene.choice;
    r.exec = o.scene.exec;
    r.frames = o.length.frames;
    r.duration = o.length.duration;
    r.fps = o.fps;
    applyDisplayOptions(o.display, r);
    r.camera = o.display.camera;
    r.video = o.video;
    r.images = o.images;
    r.gl = o.display.glChoice();
    r.quiet = o.scene.quiet;
    r.loadState = o.scene.loadState;
    r.saveState = o.scene.saveState;
    r.fromCache = o.from.folder;
    r.firstFrame = o.from.frames().first, r.lastFrame = o.from.frames().last;
    if (log.wanted())
        r.onHash = [&](const Scene& scene, uint64_t frame, uint64_t hash) { log.write(scene, frame, hash); };
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);
    std::optional<CacheWriter> cache;
    r.onFrame = [&](const Scene& scene, const World& world) {
        if (exporter) exporter->take(world, exportName(scene), stageCameras(scene));
        if (o.cache.folder.empty()) return;
        if (!cache) cache.emplace(*cacheOptions(o.cache), scene);
        cache->take(world);
    };
    r.stop = [] { return interrupted != 0; };
    stopInOrder();
    const RecordReport report = record(r);
    log.finish();
    const size_t cached = cache ? cache->finish() : 0;
    const size_t files = exporter ? exporter->finish() : 0;
    if (!o.scene.quiet) {
        std::string where = o.video.string();
        if (!o.images.empty()) where += (where.empty() ? "" : " and ") + o.images.string();
        if (cache) where += fmt::format(", {} frames in {}", cached, o.cache.folder.string());
        if (exporter) where += fmt::format(", {} files in {}", files, o.exports.folder.string());
        fmt::print("{} images of {} particles: {}  hash {:016x}\n", report.images, report.particles, where,
                   report.hash);
    }
    return 0;
}

}  // namespace

void addRecordCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<RecordArguments>();
    CLI::App* command =
        app.add_subcommand("record", "Renders a scene to a video or images, without a window");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene, by name");
    addReplayOption(*command, o->replay);
    addLengthOptions(*command, o->length);
    addDisplayOptions(*command, o->display);
    addExportOptions(*command, o->exports);
    addCacheOptions(*command, o->cache);
    addFromCacheOptions(*command, o->from, "Draws");
    // what a cache holds is chosen when it is written
    for (const char* other : {"scene", "--size", "--case", "--set", "--preset", "--seed", "--replay",
                              "--frames", "--duration", "--load-state", "--save-state", "--cache"})
        command->get_option("--from-cache")->excludes(command->get_option(other));
    // a cache holds one run from its start; coalesce run continues it
    for (const char* other : {"--replay", "--load-state"})
        command->get_option("--cache")->excludes(command->get_option(other));
    command->remove_option(command->get_option("--resume"));
    command->add_option("--fps", o->fps, "Images per simulated second; default: one per simulation frame")
        ->check(CLI::Range(1e-3, 1e4));
    command->add_option("--video", o->video, "Writes a video (.mp4, .mov)")->type_name("FILE");
    command->add_option("--images", o->images, "Writes frame_000000.png, frame_000001.png, …")
        ->type_name("DIR");
    command
        ->add_option("--poster", o->poster,
                     "Writes one image of the scene, with time, size, case and camera from the scene file "
                     "unless --duration, --size, --case or --camera is given")
        ->type_name("FILE")
        ->excludes("--video", "--images", "--frames", "--fps", "--replay");
    command->add_option("--hash-log", o->hashLog, "Writes the state hash of every image")->type_name("FILE");
    // the contents of the poster depend on the scene only
    for (const char* other :
         {"--hash-log", "--load-state", "--save-state", "--export", "--cache", "--from-cache"})
        command->get_option("--poster")->excludes(command->get_option(other));
    command->callback([o, &result] { result.run = [o] { return recordCommand(*o); }; });
}

}  // namespace coalesce
