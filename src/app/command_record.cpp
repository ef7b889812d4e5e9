// `coalesce record`: draws a scene into a video or images, without a window.
#include <csignal>

#include "app/command.h"
#include "app/draw_options.h"
#include "app/export_options.h"
#include "app/options.h"
#include "record/poster.h"
#include "record/recorder.h"

namespace coalesce {

namespace {

struct RecordArguments {
    SceneOptions scene;
    LengthOptions length;
    LookOptions look;
    ExportChoice exports;
    std::optional<double> fps;
    std::filesystem::path video, images, poster, hashLog, replay;
};

volatile std::sig_atomic_t interrupted = 0;

// The first Ctrl+C ends the recording in order, so that no half video stays; the second ends the program at
// once.
void stopInOrder() {
    const auto note = [](int signal) {
        interrupted = 1;
        std::signal(signal, SIG_DFL);
    };
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
}

void takeLook(const LookOptions& look, RecordOptions& r) {
    r.width = look.width();
    r.height = look.height();
    r.draw = look.draw();
    r.quantity = look.quantity();
    r.lines = look.lineSet();
}

// What the scene says of its poster holds where the command line says nothing.
int posterCommand(RecordArguments& o) {
    RecordOptions r;
    r.scene = o.scene.file();
    r.exec = o.scene.exec;
    r.gl = o.look.glChoice();
    r.quiet = o.scene.quiet;
    const PosterChoice poster = posterOf(r.scene, o.scene.choice, o.length.duration, o.look.camera);
    if (!poster.color.empty() && o.look.color == LookOptions().color) o.look.chooseColor(poster.color);
    takeLook(o.look, r);
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
    takeLook(o.look, r);
    r.camera = o.look.camera;
    r.video = o.video;
    r.images = o.images;
    r.gl = o.look.glChoice();
    r.quiet = o.scene.quiet;
    r.loadState = o.scene.loadState;
    r.saveState = o.scene.saveState;
    if (log.wanted())
        r.onHash = [&](const Scene& scene, uint64_t frame, uint64_t hash) { log.write(scene, frame, hash); };
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);
    if (exporter)
        r.onFrame = [&](const Scene& scene, const World& world) { exporter->take(world, exportName(scene)); };
    r.stop = [] { return interrupted != 0; };
    stopInOrder();
    const RecordReport report = record(r);
    log.finish();
    const size_t files = exporter ? exporter->finish() : 0;
    if (!o.scene.quiet) {
        std::string where = o.video.string();
        if (!o.images.empty()) where += (where.empty() ? "" : " and ") + o.images.string();
        if (exporter) where += fmt::format(", {} files in {}", files, o.exports.folder.string());
        fmt::print("{} pictures of {} particles: {}  hash {:016x}\n", report.pictures, report.particles,
                   where, report.hash);
    }
    return 0;
}

}  // namespace

void addRecordCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<RecordArguments>();
    CLI::App* command =
        app.add_subcommand("record", "Draws a scene into a video or images, without a window");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene");
    addReplayOption(*command, o->replay);
    addLengthOptions(*command, o->length);
    addLookOptions(*command, o->look);
    addExportOptions(*command, o->exports);
    command->add_option("--fps", o->fps, "Pictures per simulated second; default: every frame of the solver")
        ->check(CLI::Range(1e-3, 1e4));
    command->add_option("--video", o->video, "Writes a video (.mp4, .mov)")->type_name("FILE");
    command->add_option("--images", o->images, "Writes frame_000000.png and so on")->type_name("DIR");
    command
        ->add_option(
            "--poster", o->poster,
            "Writes the one picture that stands for the scene: its file says when, at which size and "
            "whence; --duration, --size, --case and --camera say otherwise")
        ->type_name("FILE")
        ->excludes("--video", "--images", "--frames", "--fps", "--replay");
    command->add_option("--hash-log", o->hashLog, "Writes the hash of the state of every picture")
        ->type_name("FILE");
    // the scene alone says what its poster shows
    for (const char* other : {"--hash-log", "--load-state", "--save-state", "--export"})
        command->get_option("--poster")->excludes(command->get_option(other));
    command->callback([o, &result] { result.run = [o] { return recordCommand(*o); }; });
}

}  // namespace coalesce
