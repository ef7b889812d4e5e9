#include "record/recorder.h"

#include <cmath>

#include "bridge/frame_source.h"
#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "cache/cache_reader.h"
#include "record/image_recorder.h"
#include "record/progress.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/film_camera.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"

namespace coalesce {

uint64_t framesPerImage(double frameRate, std::optional<double> fps) {
    if (!fps) return 1;
    const double ratio = frameRate / *fps, whole = std::round(ratio);
    if (whole < 1 || std::abs(ratio - whole) > 1e-6 * ratio)
        fail(Exit::Usage, fmt::format("--fps {:g}", *fps),
             fmt::format(
                 "the scene has {:g} simulation frames per second, which is not a multiple of this rate",
                 frameRate),
             fmt::format("Choose {:g} or {:g}, or change the frame rate of the simulation: --set "
                         "solver.frameRate={:g}.",
                         frameRate, frameRate / 2, *fps));
    return uint64_t(whole);
}

namespace {

void checkOutputs(const RecordOptions& o, double fps) {
    if (o.video.empty() && o.images.empty() && !o.strip)
        fail(Exit::Usage, "coalesce record", "no output was given",
             "Give --video out.mp4, --images DIR, or both.");
    if (o.width < 1 || o.height < 1 || o.width > 16384 || o.height > 16384)
        fail(Exit::Usage, fmt::format("--resolution {}x{}", o.width, o.height), "out of range",
             "Give a width and height from 1 to 16384, e.g. 1920x1080.");
    if (!o.video.empty()) checkVideo({o.video, o.width, o.height, fps});
}

}  // namespace

RecordReport record(const RecordOptions& o) {
    // check all options before simulating
    std::optional<CacheReader> cache;
    if (!o.fromCache.empty()) cache.emplace(o.fromCache);
    const Scene scene = cache ? sceneOf(cache->info()) : readScene(o.scene, o.choice);
    const double frameRate = scene.parameters.solver.frameRate;
    const uint64_t stride = framesPerImage(frameRate, o.fps);
    const double fps = frameRate / double(stride);
    checkOutputs(o, fps);
    std::vector<uint64_t> cached;
    if (cache) cached = cache->range(o.firstFrame, o.lastFrame);
    const FilmCamera film(scene);
    std::optional<size_t> fixedCamera;
    if (!o.camera.empty()) fixedCamera = findCamera(scene, o.camera);
    const double seconds = o.duration.value_or(scene.duration);
    Exec exec(o.exec);
    EglContext context = asGraphicsErrors([&] {
        EglOptions egl{.choice = o.gl};
        egl.cudaDevice = exec.cudaDevice();
        return EglContext(egl);
    });
    World world(exec);
    buildWorld(scene, world);
    std::optional<CachePlayer> fromCache;
    if (cache) fromCache.emplace(*cache, scene, world);
    Solver solver(world);
    Timeline timeline(scene);
    if (!o.loadState.empty()) loadState(world, o.loadState);
    if (const std::string note = noteOfMethod(world); !note.empty() && !o.quiet)
        fmt::print(stderr, "{}\n", note);
    timeline.catchUp(world);
    std::optional<ReplayPlayer> player;
    if (o.replay) {
        player.emplace(*o.replay, scene);
        player->begin(world);
    }
    // a replay is recorded to its end, also when a loaded state starts later
    const uint64_t played =
        player ? (player->last() - std::min(player->last(), world.frame)) / stride + 1 : 0;
    const uint64_t inCache = cached.empty() ? 0 : (cached.size() - 1) / stride + 1;
    const uint64_t images =
        cache ? inCache
              : o.frames.value_or(player && !o.duration ? played : uint64_t(std::llround(seconds * fps)));

    if (images == 0)
        fail(Exit::Usage, o.frames ? "--frames 0" : "coalesce record", "no image would be recorded",
             "Give a longer --duration, or --frames 1 for the start alone.");

    const auto log = [&](const std::string& line) {
        if (!o.quiet) fmt::print(stderr, "{}\n", line);
    };
    GlBuffers buffers;  // declared before the source, which unregisters them from CUDA on destruction
    const std::unique_ptr<FrameSource> source = makeFrameSource(world, solver, log);
    Renderer renderer = asGraphicsErrors([] { return Renderer(); });
    RenderTarget target(o.width, o.height);
    RenderFrame frame;
    const DrawRequest request = o.request();
    log(fmt::format("{}\n{}; {}", exec.description(), context.description(), source->path()));

    ImageRecorder recorder({.video = o.video,
                            .images = o.images,
                            .width = o.width,
                            .height = o.height,
                            .fps = fps,
                            .stop = o.stop},
                           o.strip);
    Progress progress(images, o.quiet);
    uint64_t cachedHash = 0;
    if (o.onFrame && !cache) o.onFrame(scene, world);
    const auto firstFrame = uint64_t(std::llround(o.from * frameRate));
    if (o.from > 0 && world.frame > firstFrame)
        fail(Exit::Usage, "--load-state " + o.loadState.string(),
             fmt::format("the state is at {:g} s of the film, after the start of the shot at {:g} s",
                         filmTime(scene, world), o.from),
             "Load an earlier state, or none.");
    const auto stopIf = [&](uint64_t done) {
        if (!o.stop || !o.stop()) return;
        fail(Exit::Failure, "coalesce record",
             done > 0 ? fmt::format("stopped after {} of {} images", done, images)
                      : std::string("stopped before the first image"),
             done > 0 ? "No video was written; images written so far are kept." : "Nothing was written.");
    };
    const auto advance = [&](uint64_t done) {
        stopIf(done);
        if (player) player->advance(world);
        timeline.advance(world);
        const Status status = solver.step();
        if (player) player->check(world);
        if (o.onFrame) o.onFrame(scene, world);
        return status;
    };
    // without images up to the start of the shot
    while (!cache && world.frame < firstFrame) advance(0);
    for (uint64_t k = 0; k < images; ++k) {
        stopIf(k);
        // image 0 shows the start
        Status status;
        if (cache) {
            cachedHash = fromCache->show(cached[k * stride]).hash;
            solver.stateReplaced();
            if (o.onFrame) o.onFrame(scene, world);
        }
        for (uint64_t s = 0; !cache && k > 0 && s < stride; ++s) status = advance(k);
        const Camera camera = cameraOf(toCameraView(film.at(world, fixedCamera), ""));
        source->publish(request, buffers, frame);
        asGraphicsErrors([&] {
            renderer.draw(frame, buffers, camera, o.draw, target.output());
            recorder.take(target.output());
        });
        if (o.onHash) o.onHash(scene, k, cache ? cachedHash : stateHash(world));
        progress.show(k + 1, status.message());
    }
    recorder.finish();
    progress.finish();
    if (!o.saveState.empty()) saveState(world, o.saveState);
    return {.images = images,
            .particles = world.count(),
            .hash = cache ? cachedHash : stateHash(world),
            .renderer = context.description(),
            .path = source->path()};
}

}  // namespace coalesce
