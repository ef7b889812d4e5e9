// `coalesce record`: renders a scene to a video or images, without a window.
#include <charconv>
#include <fmt/ranges.h>
#include <functional>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/display_options.h"
#include "app/export_options.h"
#include "app/options.h"
#include "core/counted.h"
#include "core/stop_signal.h"
#include "record/join_images.h"
#include "record/poster.h"
#include "record/recorder.h"
#include "scene/format/edits.h"
#include "scene/format/overrides.h"
#include "scene/format/presets.h"
#include "scene/format/scene_files.h"
#include "scene/reader.h"

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
    std::filesystem::path video, images, poster, hashLog, replay, fromImages;
    std::string shot, imageRange, focus, imageFormat = kImageFormatNames[0], passes;
    int videoDepth = 8;
    AccumulationOptions accumulation;
    bool best = false;
    std::function<bool(const char* option)> given;  // on the command line
};

constexpr int kBestSmoothing = 8, kBestSamples = 16;  // of --best

// --samples and what it turns on. --focus is a distance, or a name.
AccumulationOptions accumulationOf(const RecordArguments& o) {
    AccumulationOptions a = o.accumulation;
    for (const char* option : {"--shutter", "--aperture", "--focus"})
        if (a.samples == 1 && o.given(option))
            fail(Exit::Usage, option, "an image has a single draw", "Give --samples N, for example 32.");
    if (o.focus.empty()) return a;
    if (a.aperture == 0)
        fail(Exit::Usage, "--focus " + o.focus, "without --aperture everything is in focus",
             "Give the diameter of the lens in meters, for example --aperture 0.05.");
    double distance = 0;
    const char* end = o.focus.data() + o.focus.size();
    const auto [read, error] = std::from_chars(o.focus.data(), end, distance);
    if (error != std::errc() || read != end) {
        a.focusOn = o.focus;
        return a;
    }
    if (!(distance > 0 && distance <= 1e6))
        fail(Exit::Usage, "--focus " + o.focus, "it must be more than 0 and at most 1e6 m",
             "Give the distance from the camera in meters, or a name.");
    a.focusDistance = distance;
    return a;
}

void applyDisplayOptions(const DisplayOptions& display, RecordOptions& r) {
    r.width = display.width();
    r.height = display.height();
    r.draw = display.draw();
    r.quantity = display.quantity();
    r.lines = display.lineSet();
    r.mesh = display.surfaceMesh();
}

// The frame of a cache that --cache-range chooses.
std::optional<uint64_t> frameOfPoster(const RecordArguments& o) {
    if (o.from.range.empty()) return {};
    const FrameRange frames = o.from.frames();
    if (frames.first != frames.last)
        fail(Exit::Usage, "--cache-range " + o.from.range, "a poster shows one frame",
             "Give its number, or --images DIR in place of --poster to draw all of them.");
    return frames.first;
}

// The command line overrides the scene's poster settings.
int posterCommand(RecordArguments& o) {
    RecordOptions r;
    r.scene = o.scene.file();
    r.exec = o.scene.exec;
    r.gl = o.display.glChoice();
    r.quiet = o.scene.quiet;
    const PosterChoice poster = o.from.folder.empty()
                                    ? posterOf(r.scene, o.scene.choice, o.length.duration, o.display.camera)
                                    : posterOfCache(o.from.folder, frameOfPoster(o), o.display.camera);
    r.fromCache = o.from.folder;
    if (!poster.color.empty() && !o.given("--color")) o.display.chooseColor(poster.color);
    applyDisplayOptions(o.display, r);
    r.accumulation = accumulationOf(o);
    r.stop = stopRequested;
    catchStopSignals();  // no partial image is left
    const RecordReport report = recordPoster(r, poster, o.poster);
    if (!o.scene.quiet)
        fmt::print("{} at {:g} s, {}: {}  hash {:016x}\n",
                   r.fromCache.empty() ? r.scene.stem().string() : readCacheInfo(r.fromCache).scene,
                   poster.time, counted(report.particles, "particle"), o.poster.string(), report.hash);
    return 0;
}

ImageFormat imageFormatOf(const RecordArguments& o) {
    return o.imageFormat == "exr" ? ImageFormat::Exr : ImageFormat::Png;
}

std::vector<Pass> passesOf(const RecordArguments& o) {
    std::vector<Pass> passes;
    if (o.passes.empty()) return passes;
    if (imageFormatOf(o) != ImageFormat::Exr)
        fail(Exit::Usage, "--passes " + o.passes, "only EXR images have passes",
             "Give --images DIR --image-format exr.");
    const std::vector<std::string> names(std::begin(kPassNames), std::end(kPassNames));
    for (const size_t pass : chosenFormats("--passes", o.passes, names)) passes.push_back(Pass(pass));
    return passes;
}

// What the command line says, for one recording.
RecordOptions optionsOf(const RecordArguments& o) {
    RecordOptions r;
    r.scene = o.scene.file();
    r.choice = o.scene.choice;
    r.exec = o.scene.exec;
    r.frames = o.length.frames;
    r.duration = o.length.duration;
    r.fps = o.fps;
    applyDisplayOptions(o.display, r);
    r.accumulation = accumulationOf(o);
    r.camera = o.display.camera;
    r.video = o.video;
    r.images = o.images;
    r.imageFormat = imageFormatOf(o);
    r.passes = passesOf(o);
    r.videoDepth = o.videoDepth;
    r.gl = o.display.glChoice();
    r.quiet = o.scene.quiet;
    r.loadState = o.scene.loadState;
    r.saveState = o.scene.saveState;
    r.fromCache = o.from.folder;
    r.firstFrame = o.from.frames().first, r.lastFrame = o.from.frames().last;
    if (!o.imageRange.empty()) {
        const FrameRange range = parseRange("--image-range", o.imageRange);
        r.firstImage = range.first, r.lastImage = range.last;
    }
    r.stop = stopRequested;
    return r;
}

// The images of a recording, that several programs may have drawn, become its video.
int joinCommand(const RecordArguments& o) {
    const uint64_t images = encodeImages(o.fromImages, o.video, o.fps.value_or(60));
    if (!o.scene.quiet) fmt::print("{}: {}\n", counted(images, "image"), o.video.string());
    return 0;
}

// ---- shots ----

// The shots of --shot: one by its name, or all in file order.
std::vector<Shot> chosenShots(const Scene& scene, const std::string& name) {
    std::vector<std::string> names;
    for (const Shot& shot : scene.shots) {
        if (shot.name == name) return {shot};
        names.push_back(shot.name);
    }
    if (name == "all" && !names.empty()) return scene.shots;
    fail(Exit::Usage, "--shot " + name,
         "the scene has no " + std::string(name == "all" ? "shots" : "such shot.") + didYouMean(name, names),
         names.empty() ? "Add \"shots\" to the scene, or give a film: --film FILE."
                       : "It has: " + listOf(names) + ".");
}

// The scene whose shots are recorded.
Scene sceneOfShots(const RecordArguments& o) {
    return o.from.folder.empty() ? readScene(o.scene.file(), o.scene.choice)
                                 : sceneOf(readCacheInfo(o.from.folder));
}

// A cache holds one size and case, which a shot cannot change.
void requireShotOfCache(const RecordArguments& o, const Shot& shot, const Scene& scene) {
    if (o.from.folder.empty()) return;
    const bool other = (!shot.size.empty() && shot.size != scene.size) ||
                       (!shot.caseName.empty() && shot.caseName != scene.caseName) || !shot.preset.empty();
    if (other)
        fail(Exit::Usage, "--from-cache " + o.from.folder.string(),
             fmt::format("the shot \"{}\" has another size, case or preset than the cache", shot.name),
             "Record this shot without --from-cache.");
}

// A shot with the command line, which wins.
RecordOptions optionsOf(const RecordArguments& o, const Shot& shot, const Scene& scene) {
    requireShotOfCache(o, shot, scene);
    RecordArguments own = o;
    SceneChoice& choice = own.scene.choice;
    if (choice.size.empty()) choice.size = shot.size;
    if (choice.caseName.empty()) choice.caseName = shot.caseName;
    if (!shot.preset.empty()) {
        const Scene plain = readScene(o.scene.file(), choice);
        const std::vector<std::string> sets =
            asSets(plain, valuesFor(plain, readPreset(resolvePath(scene, shot.preset))));
        choice.sets.insert(choice.sets.begin(), sets.begin(), sets.end());
    }
    if (!shot.resolution.empty() && !o.given("--resolution")) own.display.resolution = shot.resolution;
    if (!shot.quality.empty() && !o.given("--quality") && !o.best) own.display.quality = shot.quality;
    if (own.display.camera.empty()) own.display.camera = shot.camera;
    if (!own.fps) own.fps = shot.fps;
    own.video.clear(), own.images.clear();
    const std::filesystem::path output = shot.output;
    if (!output.empty())
        (output.extension() == ".mp4" || output.extension() == ".mov" ? own.video : own.images) = output;
    RecordOptions r = optionsOf(own);
    r.from = shot.from;
    r.duration = shot.to - shot.from;
    return r;
}

// Images per second of film.
double imageRateOf(const RecordOptions& r) {
    const Scene scene =
        r.fromCache.empty() ? readScene(r.scene, r.choice) : sceneOf(readCacheInfo(r.fromCache));
    const double frameRate = double(scene.parameters.solver.frameRate);
    return frameRate / double(framesPerImage(frameRate, r.fps));
}

// The images of a shot do not depend on which others are recorded, so that shots can be
// recorded on several machines. Shots of one run, in the order of time, are drawn in one go.
// --video and --images get all of them, joined.
int recordShots(const RecordArguments& o, const std::function<void(RecordOptions&)>& observe) {
    const Scene scene = sceneOfShots(o);
    const std::vector<Shot> shots = chosenShots(scene, o.shot);
    if (!o.imageRange.empty() && shots.size() > 1)
        fail(Exit::Usage, "--image-range " + o.imageRange,
             "images are counted in one shot, --shot all was given", "Name the shot.");
    const bool joined = !o.video.empty() || !o.images.empty();
    std::vector<RecordOptions> recordings;
    for (const Shot& shot : shots) {
        recordings.push_back(optionsOf(o, shot, scene));
        const RecordOptions &first = recordings.front(), &r = recordings.back();
        requireFolderOf("shots." + shot.name + ".output", shot.output);
        if (!joined && shot.output.empty())
            fail(Exit::Usage, "--shot " + shot.name, "the shot has no output",
                 "Give --video or --images, or \"output\" in the shot.");
        if (joined &&
            (r.width != first.width || r.height != first.height || imageRateOf(r) != imageRateOf(first)))
            fail(Exit::Usage, "--shot all",
                 fmt::format("\"{}\" has {}x{} pixels at {:g} images per second, \"{}\" {}x{} at {:g}; they "
                             "cannot be joined",
                             shots[0].name, first.width, first.height, imageRateOf(first), shot.name, r.width,
                             r.height, imageRateOf(r)),
                 "Give --resolution and --fps for all, or record each to its own output.");
    }
    std::optional<FrameWriter> strip;
    if (joined) {
        const RecordOptions& r = recordings.front();
        const Outputs outputs{.video = o.video,
                              .images = o.images,
                              .format = imageFormatOf(o),
                              .passes = passesOf(o),
                              .width = r.width,
                              .height = r.height,
                              .fps = imageRateOf(r),
                              .depth = o.videoDepth,
                              .stop = stopRequested};
        if (!outputs.video.empty())
            checkVideo({outputs.video, outputs.width, outputs.height, outputs.fps, outputs.depth});
        strip.emplace(outputs);
    }
    ShotRecorder recorder;
    uint64_t images = 0;
    for (size_t k = 0; k < recordings.size(); ++k) {
        RecordOptions& r = recordings[k];
        r.strip = strip ? &*strip : nullptr;
        observe(r);
        RecordReport report;
        try {
            report = recorder.record(r);
        } catch (const Error& error) {
            rethrowWith(error, strip ? strip->keepVideo() : std::filesystem::path());
        }
        images += report.images;
        if (!r.quiet)
            fmt::print("shot {}, {:g} to {:g} s: {} of {}{}  hash {:016x}\n", shots[k].name, shots[k].from,
                       shots[k].to, counted(report.images, "image"), counted(report.particles, "particle"),
                       shots[k].output.empty() ? "" : ": " + shots[k].output, report.hash);
    }
    if (strip) strip->finish();
    if (strip && !o.scene.quiet)
        fmt::print("{} of {}: {}\n", counted(images, "image"), counted(shots.size(), "shot"),
                   !o.video.empty() ? o.video.string() : o.images.string());
    return 0;
}

// A recording without --case shows the scene as it is without any.
void sayWhichCase(const RecordOptions& r) {
    if (!r.choice.caseName.empty()) return;
    const std::vector<std::string> cases = readSceneFields(r.scene).cases;
    if (cases.size() > 1)
        fmt::print(stderr, "The default case; --case chooses another: {}.\n", fmt::join(cases, ", "));
}

// --best, but for what is given.
void chooseBest(RecordArguments& o) {
    if (!o.given("--quality")) o.display.quality = "final";
    if (!o.given("--surface")) o.display.surface = "mesh";
    if (!o.given("--mesh-smoothing")) o.exports.surface.smoothing = kBestSmoothing;
    if (!o.given("--samples")) o.accumulation.samples = kBestSamples;
    // alone, an image is sharp
    if (!o.poster.empty() && !o.given("--shutter")) o.accumulation.shutter = 0;
}

int recordCommand(RecordArguments o) {
    requireOutputFile("--video", o.video);
    requireFolderOf("--images", o.images);
    requirePng("--poster", o.poster);
    requireOutputFile("--poster", o.poster);
    requireOutputFile("--hash-log", o.hashLog);
    requireOutputFile("--save-state", o.scene.saveState);
    if (o.best) chooseBest(o);
    o.display.mesh = o.exports.surface;  // pictures and stages show the same surface
    if (!o.poster.empty()) return posterCommand(o);
    if (!o.fromImages.empty()) return joinCommand(o);
    HashLog log(o.hashLog);
    std::optional<Replay> replay = takeReplay(o.replay, o.scene);
    const std::unique_ptr<Exporter> exporter = makeExporter(o.exports);
    std::optional<CacheWriter> cache;
    const auto observe = [&](RecordOptions& r) {
        if (log.wanted())
            r.onHash = [&](const Scene& scene, uint64_t frame, uint64_t hash) {
                log.write(scene, frame, hash);
            };
        r.onFrame = [&](const Scene& scene, const World& world) {
            if (exporter) exportFrame(*exporter, scene, world);
            if (o.cache.folder.empty()) return;
            if (!cache) cache.emplace(*cacheOptions(o.cache), scene);
            cache->take(world);
        };
    };
    catchStopSignals();  // a recording that is stopped keeps what was drawn
    if (!o.shot.empty()) {
        const int answer = recordShots(o, observe);
        log.finish();
        return answer;
    }
    RecordOptions r = optionsOf(o);
    r.replay = std::move(replay);
    observe(r);
    if (!o.scene.quiet && o.replay.empty() && o.from.folder.empty()) sayWhichCase(r);
    const RecordReport report = record(r);
    log.finish();
    const size_t cached = cache ? cache->finish() : 0;
    const size_t files = exporter ? exporter->finish() : 0;
    if (!o.scene.quiet) {
        std::string where = o.video.string();
        if (!o.images.empty()) where += (where.empty() ? "" : " and ") + o.images.string();
        if (cache) where += fmt::format(", {} in {}", counted(cached, "frame"), o.cache.folder.string());
        if (exporter) where += ", " + exportSummary(files, o.exports, *exporter);
        fmt::print("{} of {}: {}  hash {:016x}\n", counted(report.images, "image"),
                   counted(report.particles, "particle"), where, report.hash);
    }
    return 0;
}

void addAccumulationOptions(CLI::App& command, RecordArguments& o) {
    AccumulationOptions& a = o.accumulation;
    command
        .add_option("--samples", a.samples,
                    "Draws per image, whose mean has motion blur, depth of field, smooth edges and soft "
                    "shadows; 1: off")
        ->check(integer(1, 256))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--shutter", a.shutter,
                    "With --samples: how long the shutter is open, in degrees; 360: from image to image")
        ->check(number(0, 360))
        ->type_name("ANGLE")
        ->capture_default_str();
    command
        .add_option("--aperture", a.aperture,
                    "With --samples: diameter of the lens in meters; 0: everything is in focus")
        ->check(number(0, 10))
        ->type_name("DIAMETER")
        ->capture_default_str();
    command
        .add_option("--focus", o.focus,
                    "With --aperture: distance in meters, or name of a body, emitter or shape that is in "
                    "focus; default: "
                    "the point that the camera looks at")
        ->type_name("DISTANCE|NAME");
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
    command->add_flag(
        "--best", o->best,
        fmt::format(
            "Short for --quality final --surface mesh --mesh-smoothing {} --samples {}, and for a poster "
            "--shutter 0, but for those that are given: the best look, at many times the time",
            kBestSmoothing, kBestSamples));
    addDisplayOptions(*command, o->display);
    addAccumulationOptions(*command, *o);
    addExportOptions(*command, o->exports);
    addCacheOptions(*command, o->cache);
    addFromCacheOptions(*command, o->from, "Draws");
    excludeFromCache(*command, {"--case", "--film", "--replay", "--frames", "--duration", "--load-state",
                                "--save-state", "--cache"});
    // a cache holds one run from its start; coalesce run continues it
    for (const char* other : {"--replay", "--load-state"})
        command->get_option("--cache")->excludes(command->get_option(other));
    command->remove_option(command->get_option("--resume"));
    command->add_option("--fps", o->fps, "Images per second of film; default: one per simulation frame")
        ->check(number(1e-3, 1e4));
    command->add_option("--video", o->video, "Writes a video (.mp4, .mov)")->type_name("FILE");
    command
        ->add_option("--video-depth", o->videoDepth,
                     "Bits per color channel of videos: 8 (H.264), or 10 (H.265) from pictures with 16 bits")
        ->check(oneOf({"8", "10"}))
        ->type_name("BITS")
        ->capture_default_str();
    command->add_option("--images", o->images, "Writes frame_000000.png, frame_000001.png, …")
        ->type_name("DIR");
    command
        ->add_option(
            "--image-format", o->imageFormat,
            "Of --images and of shots: png (display colors, 8 bits), or exr (OpenEXR: linear light in half "
            "precision, and distances as channel Z)")
        ->check(oneOf({std::begin(kImageFormatNames), std::end(kImageFormatNames)}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command
        ->add_option(
            "--passes", o->passes,
            "Further channels of EXR images, separated by commas: normal, velocity (both in world space), "
            "id (of the shape or the group of particles)")
        ->type_name("PASSES");
    command
        ->add_option("--poster", o->poster,
                     "Writes one image of the scene, with time, size, case and camera from the scene file "
                     "unless --duration, --size, --case or --camera is given; with --from-cache of the frame "
                     "of --cache-range, by default of the one nearest to the time of the scene's poster")
        ->type_name("FILE")
        ->excludes("--video", "--images", "--frames", "--fps", "--replay");
    command
        ->add_option("--shot", o->shot,
                     "Records a shot of the scene by its name, or all; --video and --images join them")
        ->type_name("NAME")
        ->excludes("--duration", "--replay", "--load-state", "--save-state", "--export", "--cache");
    command
        ->add_option("--image-range", o->imageRange,
                     "Draws only these images of the recording, both included, with their numbers in it")
        ->type_name("FIRST:LAST");
    command
        ->add_option(
            "--from-images", o->fromImages,
            "Encodes the images of this folder, drawn by one program or several, to --video; with --fps")
        ->type_name("DIR")
        ->needs("--video");
    command->get_option("--shot")->excludes(command->get_option("--poster"));
    // images have 8 bits
    for (const char* other : {"--images", "--from-images", "--poster"})
        command->get_option("--video-depth")->excludes(command->get_option(other));
    for (const char* other : {"scene", "--size", "--case", "--set", "--preset", "--seed", "--film",
                              "--replay", "--frames", "--duration", "--load-state", "--save-state", "--cache",
                              "--from-cache", "--images", "--export", "--poster", "--shot", "--image-range"})
        command->get_option("--from-images")->excludes(command->get_option(other));
    // EXR images have no display colors, and posters are PNG
    for (const char* other : {"--video", "--video-depth", "--from-images", "--poster"})
        command->get_option("--image-format")->excludes(command->get_option(other));
    command->get_option("--image-range")->excludes(command->get_option("--poster"));
    command->get_option("--split")->needs(command->get_option("--buffer"));
    o->given = [command](const char* option) { return command->count(option) > 0; };
    command->add_option("--hash-log", o->hashLog, "Writes the state hash of every image")->type_name("FILE");
    // the contents of the poster depend on the scene or the cache only
    for (const char* other :
         {"--hash-log", "--load-state", "--save-state", "--export", "--cache", "--passes"})
        command->get_option("--poster")->excludes(command->get_option(other));
    command->callback([o, &result] { result.run = [o] { return recordCommand(*o); }; });
}

}  // namespace coalesce
