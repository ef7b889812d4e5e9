#include "record/recorder.h"

#include <cmath>
#include <utility>

#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "cache/cache_reader.h"
#include "core/counted.h"
#include "record/image_drawer.h"
#include "record/image_recorder.h"
#include "record/join_images.h"
#include "record/progress.h"
#include "render/gl/gl.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/film_camera.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"

namespace coalesce {

// Frames per second that are every frame, every second, …
static std::string ratesOf(double frameRate) {
    std::string rates = fmt::format("{:g}", frameRate);
    for (int n = 2; n <= 6; ++n)
        if (std::fmod(frameRate, n) == 0) rates += fmt::format(", {:g}", frameRate / n);
    return rates;
}

uint64_t framesPerImage(double frameRate, std::optional<double> fps) {
    if (!fps) return 1;
    const double ratio = frameRate / *fps, whole = std::round(ratio);
    if (whole < 1 || std::abs(ratio - whole) > 1e-6 * ratio)
        fail(
            Exit::Usage, fmt::format("--fps {:g}", *fps),
            fmt::format(
                "the scene has {:g} simulation frames per second, which is not a multiple of this rate",
                frameRate),
            fmt::format("Choose {}, or change the frame rate of the simulation: --set solver.frameRate={:g}.",
                        ratesOf(frameRate), *fps));
    return uint64_t(whole);
}

namespace {

void checkOutputs(const RecordOptions& o, double fps) {
    if (o.video.empty() && o.images.empty() && !o.strip)
        fail(Exit::Usage, "coalesce record", "no output was given",
             "Give --video out.mp4, --images DIR, or both; --poster FILE.png draws one image.");
    if (o.width < 1 || o.height < 1 || o.width > 16384 || o.height > 16384)
        fail(Exit::Usage, fmt::format("--resolution {}x{}", o.width, o.height), "out of range",
             "Give a width and height from 1 to 16384, e.g. 1920x1080.");
    if (!o.video.empty()) checkVideo({o.video, o.width, o.height, fps, o.videoDepth});
}

}  // namespace

// A run whose frames are drawn: simulated, or of a cache.
struct RecordedRun {
    explicit RecordedRun(const RecordOptions& options)
        : o(options),
          cache(openCache(o)),
          scene(cache ? sceneOf(cache->info()) : readScene(o.scene, o.choice)) {}

    // After all options are checked.
    void begin() {
        exec.emplace(o.exec);
        context.emplace(asGraphicsErrors([&] {
            EglOptions egl{.choice = o.gl};
            egl.cudaDevice = exec->cudaDevice();
            return EglContext(egl);
        }));
        if (!o.quiet && !cache) printRemarks(scene);
        world.emplace(*exec);
        buildWorld(scene, *world);
        if (cache) fromCache.emplace(*cache, scene, *world);
        solver.emplace(*world);
        timeline.emplace(scene);
        if (!o.loadState.empty()) loadState(*world, o.loadState);
        if (const std::string note = noteOfMethod(*world); !note.empty() && !o.quiet)
            fmt::print(stderr, "{}\n", note);
        timeline->catchUp(*world);
        if (o.replay) {
            player.emplace(*o.replay, scene);
            player->begin(*world);
        }
        if (o.onFrame && !cache) o.onFrame(scene, *world);
    }

    // Whether the first image of this recording is ahead in this run.
    bool leadsTo(const RecordOptions& next, uint64_t frame) const {
        const SceneChoice &a = o.choice, &b = next.choice;
        const bool same = o.scene == next.scene && a.size == b.size && a.caseName == b.caseName &&
                          a.sets == b.sets && a.seed == b.seed && a.film == b.film &&
                          o.fromCache == next.fromCache && o.loadState == next.loadState && !o.replay &&
                          !next.replay;
        return same && (cache || frame >= world->frame);
    }

    // stopIf: called before each frame; it throws to end the recording.
    template <class StopIf>
    Status goTo(uint64_t frame, const StopIf& stopIf) {
        Status status;
        if (cache) {
            cachedHash = fromCache->show(frame).hash;
            solver->stateReplaced();
            if (o.onFrame) o.onFrame(scene, *world);
        }
        while (world->frame < frame) {
            stopIf();
            if (player) player->advance(*world);
            timeline->advance(*world);
            status = solver->step();
            if (player) player->check(*world);
            if (o.onFrame) o.onFrame(scene, *world);
        }
        return status;
    }
    uint64_t hash() const { return cache ? cachedHash : stateHash(*world); }

    static std::optional<CacheReader> openCache(const RecordOptions& o) {
        return o.fromCache.empty() ? std::optional<CacheReader>() : std::optional<CacheReader>(o.fromCache);
    }

    const RecordOptions o;
    std::optional<CacheReader> cache;
    const Scene scene;
    std::optional<Exec> exec;
    std::optional<EglContext> context;
    std::optional<World> world;
    std::optional<CachePlayer> fromCache;
    std::optional<Solver> solver;
    std::optional<Timeline> timeline;
    std::optional<ReplayPlayer> player;
    uint64_t cachedHash = 0;
};

namespace {

// The frames of a run that become images.
struct ImagePlan {
    uint64_t stride = 1;          // frames per image
    double fps = 60;              // of the images
    uint64_t zero = 0;            // frame of image 0
    uint64_t images = 0;          // of the whole recording
    uint64_t first = 0, end = 0;  // images that are drawn, end excluded
    std::optional<size_t> camera;

    uint64_t frameOf(uint64_t image) const { return zero + image * stride; }
    uint64_t count() const { return end - first; }
};

// Checks everything that can be checked before simulating; `first` and `end` follow in countImages().
ImagePlan planImages(const RecordOptions& o, const RecordedRun& run) {
    ImagePlan plan;
    const double frameRate = run.scene.parameters.solver.frameRate;
    plan.stride = framesPerImage(frameRate, o.fps);
    plan.fps = frameRate / double(plan.stride);
    checkOutputs(o, plan.fps);
    plan.zero = uint64_t(std::llround(o.from * frameRate));
    if (!o.camera.empty()) plan.camera = findCamera(run.scene, o.camera);
    return plan;
}

// How many images the whole recording has.
uint64_t imagesOfRecording(const RecordOptions& o, const RecordedRun& run, const ImagePlan& plan) {
    const World& world = *run.world;
    if (o.frames) return *o.frames;
    // a replay is recorded to its end, also when a loaded state starts later
    if (run.player && !o.duration)
        return (run.player->last() - std::min(run.player->last(), world.frame)) / plan.stride + 1;
    return uint64_t(std::llround(o.duration.value_or(run.scene.duration) * plan.fps));
}

void countImages(const RecordOptions& o, RecordedRun& run, ImagePlan& plan) {
    uint64_t images = 0;
    if (run.cache) {
        const uint64_t last =
            o.duration ? plan.frameOf(uint64_t(std::max(1ll, std::llround(*o.duration * plan.fps))) - 1)
                       : o.lastFrame;
        const std::vector<uint64_t> cached = run.cache->range(std::max(o.firstFrame, plan.zero), last);
        if (o.duration && (cached.front() > plan.zero || cached.back() < last))
            fail(Exit::Usage, "--from-cache " + o.fromCache.string(),
                 fmt::format("the recording needs frames {} to {}, the cache has {} to {}", plan.zero, last,
                             run.cache->frames().front(), run.cache->frames().back()),
                 "Write a longer cache: coalesce run --cache DIR --resume --duration S.");
        plan.zero = cached.front();
        images = (cached.size() - 1) / plan.stride + 1;
    } else {
        // without a start and a part, the recording begins with the loaded state
        if (o.from == 0 && !o.firstImage) plan.zero = run.world->frame;
        images = imagesOfRecording(o, run, plan);
    }
    if (images == 0)
        fail(Exit::Usage, o.frames ? "--frames 0" : "coalesce record", "no image would be recorded",
             "Give a longer --duration, or --frames 1 for the start alone.");
    plan.images = images;
    plan.first = o.firstImage.value_or(0);
    plan.end = o.lastImage == UINT64_MAX ? images : std::min(images, o.lastImage + 1);
    if (o.firstImage && plan.first >= images)
        fail(Exit::Usage, fmt::format("--image-range {}:", plan.first),
             fmt::format("the recording has {}, counted from 0", counted(images, "image")),
             "Choose some of them.");
    const uint64_t needed = plan.frameOf(plan.first), present = run.world->frame;
    // the surface of a liquid is fitted to the neighbors of the
    // last substep, which a loaded state does not have
    const bool tooLate =
        present > needed || (o.firstImage && !o.loadState.empty() && present == needed && needed > 0);
    if (!run.cache && tooLate)
        fail(Exit::Usage, "--load-state " + o.loadState.string(),
             fmt::format("the state is at frame {}, the first image shows frame {}", present, needed),
             "Load an earlier state, or none.");
}

// What the first images take; the very first one, for which shaders are compiled, does not count. Only for these
// does the recording wait until an image is drawn, so that the time of drawing is known.
class FirstImages {
public:
    explicit FirstImages(const Progress& progress) : m_progress(progress) {}
    void spent(double RecordTimes::*part) {
        if (m_known) return;
        if (part == &RecordTimes::drawing) glFinish();
        const double now = m_progress.seconds();
        m_times.*part += now - std::exchange(m_counted, now);
    }
    // To be called after each image; true once.
    bool isKnown(uint64_t done) {
        if (m_known) return false;
        if (done == 1) m_times = {};
        m_images = done - 1;
        return m_known = m_images >= kLeast && m_times.total() > kLeastTime;
    }
    uint64_t images() const { return m_images; }
    const RecordTimes& times() const { return m_times; }

private:
    static constexpr uint64_t kLeast = 3;
    static constexpr double kLeastTime = 2;  // [s]

    const Progress& m_progress;
    RecordTimes m_times;
    double m_counted = 0;  // [s] of the progress
    uint64_t m_images = 0;
    bool m_known = false;
};

// Draws the images of a plan.
void drawImages(const RecordOptions& o, const ImagePlan& plan, RecordedRun& run, ImageDrawer& drawer,
                ImageRecorder& recorder, Progress& progress) {
    World& world = *run.world;
    const FilmCamera film(run.scene);
    FirstImages first(progress);
    for (uint64_t k = plan.first; k < plan.end; ++k) {
        const auto stopIf = [&] {
            if (!o.stop || !o.stop()) return;
            const uint64_t done = k - plan.first;
            fail(Exit::Failure, "coalesce record",
                 done > 0 ? fmt::format("stopped after {} of {} images", done, plan.count())
                          : std::string("stopped before the first image"),
                 done == 0          ? "Nothing was written."
                 : o.images.empty() ? std::string()
                                    : fmt::format("The images in {} are kept.", o.images.string()));
        };
        stopIf();
        const Status status = run.goTo(plan.frameOf(k), stopIf);
        first.spent(&RecordTimes::simulation);
        const auto cameraAt = [&](double later) {
            return cameraOf(toCameraView(film.at(world, plan.camera, later), ""));
        };
        const OutputTarget image = drawer.draw(cameraAt, stopIf);
        first.spent(&RecordTimes::drawing);
        std::shared_ptr<const PassScene> scene;
        if (!o.passes.empty())
            scene = std::make_shared<PassScene>(world, cameraAt(0),
                                                1 / double{world.parameters.solver.frameRate});
        asGraphicsErrors([&] { recorder.take(image, scene); });
        first.spent(&RecordTimes::encoding);
        if (first.isKnown(k - plan.first + 1))
            progress.say(
                estimate(plan.count(), first.images(), first.times(),
                         {.width = o.width, .height = o.height, .quality = o.draw.quality, .fps = plan.fps}));
        if (o.onHash) o.onHash(run.scene, k, run.hash());
        progress.show(k - plan.first + 1, status.message());
    }
}

// Records the images of a plan.
RecordReport recordImages(const RecordOptions& o, const ImagePlan& plan, RecordedRun& run) {
    const auto log = [&](const std::string& line) {
        if (!o.quiet) fmt::print(stderr, "{}\n", line);
    };
    World& world = *run.world;
    if (!o.images.empty() && !o.strip) requireNoFurtherImages(o.images, o.imageFormat, plan.images);
    ImageDrawer drawer(run.scene, world, *run.solver, o.imageOptions(1 / plan.fps), log);
    log(fmt::format("{}\n{}; {}", run.exec->description(), run.context->description(), drawer.path()));

    ImageRecorder recorder({.video = o.video,
                            .images = o.images,
                            .format = o.imageFormat,
                            .passes = o.images.empty() ? std::vector<Pass>() : o.passes,
                            .width = o.width,
                            .height = o.height,
                            .fps = plan.fps,
                            .depth = o.videoDepth,
                            .firstNumber = plan.first,
                            .stop = o.stop},
                           o.strip);
    Progress progress(plan.count(), o.quiet);
    try {
        drawImages(o, plan, run, drawer, recorder, progress);
        recorder.finish();
    } catch (const Error& error) {
        if (!o.video.empty()) progress.say("ending the video of the images so far; Ctrl+C gives it up");
        rethrowWith(error, recorder.keepVideo());  // what took hours is not lost
    }
    progress.finish();
    return {.images = plan.count(),
            .particles = world.count(),
            .hash = run.hash(),
            .renderer = run.context->description(),
            .path = drawer.path()};
}

}  // namespace

ShotRecorder::ShotRecorder() = default;
ShotRecorder::~ShotRecorder() = default;

RecordReport ShotRecorder::record(const RecordOptions& o) {
    if (m_run) {
        const ImagePlan plan = planImages(o, *m_run);
        if (!m_run->leadsTo(o, plan.frameOf(o.firstImage.value_or(0)))) m_run.reset();
    }
    const bool goesOn = m_run != nullptr;
    if (!goesOn) m_run = std::make_unique<RecordedRun>(o);
    ImagePlan plan = planImages(o, *m_run);
    if (!goesOn) m_run->begin();
    countImages(o, *m_run, plan);
    const RecordReport report = recordImages(o, plan, *m_run);
    if (!o.saveState.empty()) saveState(*m_run->world, o.saveState);
    return report;
}

RecordReport record(const RecordOptions& o) {
    return ShotRecorder().record(o);
}

}  // namespace coalesce
