#include "record/poster.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "cache/cache_reader.h"
#include "record/png.h"
#include "record/progress.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"

namespace coalesce {

namespace {

// Camera and color, by the settings of the scene.
PosterChoice viewOf(const Scene& scene, const std::string& camera) {
    PosterChoice out;
    out.camera =
        camera.empty() && scene.poster.view
            ? cameraOf(*scene.poster.view)
            : cameraOf(scene.cameras[findCamera(scene, camera.empty() ? scene.poster.camera : camera)]);
    if (camera.empty()) out.fill = scene.poster.fill;
    out.color = scene.poster.color;
    return out;
}

double timeOf(const Scene& scene) {  // [s]
    return scene.poster.time.value_or(scene.duration * 2 / 3);
}

// Frames the particles, but for the few that have flown off.
Camera framed(const PosterChoice& poster, const World& world, float aspect) {
    if (poster.fill <= 0) return poster.camera;
    std::vector<glm::vec3> points;
    for (const Vec4& x : world.particles.x.download()) points.emplace_back(x.x, x.y, x.z);
    float spacing = 0;  // [m]
    for (const Material& m : world.materials) spacing = std::max(spacing, m.properties.spacing);
    return framePoints(poster.camera, points, spacing / 2, aspect, float(poster.fill), 0.003f);
}

}  // namespace

PosterChoice posterOf(const std::filesystem::path& file, const SceneChoice& choice,
                      std::optional<double> time, const std::string& camera) {
    const Scene asWritten = readScene(file, choice);
    const Poster& wanted = asWritten.poster;
    SceneChoice chosen = choice;
    if (chosen.size.empty()) chosen.size = wanted.size.empty() ? asWritten.size : wanted.size;
    if (chosen.caseName.empty()) chosen.caseName = wanted.caseName;
    const Scene scene = readScene(file, chosen);
    PosterChoice out = viewOf(scene, camera);
    out.choice = chosen;
    const double rate = scene.parameters.solver.frameRate;
    out.time = std::round(time.value_or(timeOf(scene)) * rate) / rate;
    return out;
}

PosterChoice posterOfCache(const std::filesystem::path& folder, std::optional<uint64_t> frame,
                           const std::string& camera) {
    const CacheReader cache(folder);
    const Scene scene = sceneOf(cache.info());
    PosterChoice out = viewOf(scene, camera);
    const double rate = cache.info().frameRate;
    if (!frame && !cache.frames().empty())
        frame = *std::ranges::min_element(
            cache.frames(), {}, [&](uint64_t k) { return std::abs(double(k) - timeOf(scene) * rate); });
    const uint64_t drawn = frame.value_or(0);
    out.time = double(cache.range(drawn, drawn).front()) / rate;
    return out;
}

RecordReport recordPoster(const RecordOptions& o, const PosterChoice& poster,
                          const std::filesystem::path& file) {
    std::optional<CacheReader> cache;
    if (!o.fromCache.empty()) cache.emplace(o.fromCache);
    const Scene scene = cache ? sceneOf(cache->info()) : readScene(o.scene, poster.choice);
    if (!o.quiet && !cache) printRemarks(scene);
    const Focus focus(scene, o.accumulation);  // a wrong name is refused before the simulation
    Exec exec(o.exec);
    EglContext context = asGraphicsErrors([&] {
        EglOptions egl{.choice = o.gl};
        egl.cudaDevice = exec.cudaDevice();
        return EglContext(egl);
    });
    World world(exec);
    buildWorld(scene, world);
    std::optional<CachePlayer> player;
    if (cache) player.emplace(*cache, scene, world);
    Solver solver(world);
    if (o.quantity == Quantity::Pressure) solver.watchPressure();  // it is drawn only at the end
    Timeline timeline(scene);
    timeline.catchUp(world);
    const auto frames = uint64_t(std::llround(poster.time * scene.parameters.solver.frameRate));
    const uint64_t simulated = cache ? 0 : frames;
    const auto draws = uint64_t(std::max(o.accumulation.samples, 1));
    Progress progress(simulated + draws, o.quiet);
    uint64_t done = 0, hash = 0;
    const auto goOn = [&] {
        if (o.stop && o.stop())
            fail(Exit::Failure, "coalesce record --poster",
                 done < simulated ? fmt::format("stopped after {} of {} frames", done, simulated)
                                  : std::string("stopped before the image was drawn"),
                 "No image was written.");
    };
    for (; done < simulated; ++done) {
        goOn();
        timeline.advance(world);
        const Status status = solver.step();
        progress.show(done + 1, status.message());
    }
    if (player) {
        hash = player->show(frames).hash;
        solver.stateReplaced();
    } else {
        hash = stateHash(world);
    }
    ImageDrawer drawer(scene, world, solver, o.imageOptions(1 / double(scene.parameters.solver.frameRate)),
                       [&](const std::string& line) {
                           if (!o.quiet) fmt::print(stderr, "{}\n", line);
                       });
    const Camera camera = framed(poster, world, float(o.width) / float(o.height));
    uint64_t drawn = 0;
    const OutputTarget image = drawer.draw([&](double) { return camera; },
                                           [&] {
                                               goOn();
                                               progress.show(simulated + drawn, "drawing");
                                               ++drawn;
                                           });
    writePng(file, readPixels(image), o.width, o.height, Rows::TopDown);
    progress.show(simulated + draws, "");
    progress.finish();
    return {.images = 1,
            .particles = world.count(),
            .hash = hash,
            .renderer = context.description(),
            .path = drawer.path()};
}

}  // namespace coalesce
