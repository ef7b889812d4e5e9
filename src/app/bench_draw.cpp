#include "app/bench_draw.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "app/draw_options.h"
#include "app/options.h"
#include "bridge/frame_source.h"
#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"

namespace coalesce {

namespace {

struct PassTimes {
    std::string name;
    std::vector<double> ms;  // one per picture

    double quantile(double share) const {  // nearest rank
        std::vector<double> sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        const double rank = std::ceil(share * static_cast<double>(sorted.size()));
        return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
    }
    nlohmann::ordered_json json() const {
        return {{"name", name}, {"median_ms", quantile(0.5)}, {"p95_ms", quantile(0.95)}};
    }
    void print() const { fmt::print("{:<28} {:>10.3f} {:>10.3f}\n", name, quantile(0.5), quantile(0.95)); }
};

// Drawing time is known late on hardware (timer queries are read frames later), so pictures before these
// count.
constexpr int kWarmup = 4;

}  // namespace

void addDrawBenchOptions(CLI::App& command, DrawBenchOptions& o) {
    command.add_option("--draw", o.resolution, "Measures drawing too, at this size in pixels")
        ->type_name("WxH");
    command.add_option("--quality", o.quality, "Of --draw: points, spheres, ellipsoids or record")
        ->check(CLI::IsMember({"points", "spheres", "ellipsoids", "record"}))
        ->type_name("NAME")
        ->capture_default_str();
    command.add_option("--draw-frames", o.frames, "Pictures that are measured")
        ->capture_default_str()
        ->check(integer(1, 1'000'000));
    command.add_option("--gl", o.gl, "Of --draw: auto, surfaceless, or egl:N")
        ->type_name("WAY")
        ->capture_default_str();
}

nlohmann::ordered_json benchDrawing(const DrawBenchOptions& o, const Scene& scene, World& world,
                                    Solver& solver, const ExecOptions& exec) {
    LookOptions look;
    look.resolution = o.resolution;
    look.quality = o.quality;
    look.gl = o.gl;
    const int width = look.width(), height = look.height();
    EglContext context = orNoGraphics([&] {
        EglOptions egl{.choice = look.glChoice()};
        if (world.exec.onCuda()) egl.cudaDevice = exec.cudaDevice;
        return EglContext(egl);
    });
    GlBuffers buffers;  // before the source, which unregisters them from CUDA when it goes
    const std::unique_ptr<FrameSource> source = makeFrameSource(world, solver, [](const std::string&) {});
    Renderer renderer = orNoGraphics([] { return Renderer(); });
    renderer.enableTimings(true);
    RenderTarget target(width, height);
    RenderFrame frame;
    const Camera camera = cameraOf(scene.cameras[findCamera(scene, "")]);
    const DrawOptions draw = look.draw();
    DrawRequest request;
    request.ellipsoids = draw.quality >= Quality::Ellipsoids;

    PassTimes whole{"whole picture", {}}, publish{"publish arrays", {}};
    std::vector<PassTimes> passes;
    for (uint64_t k = 0; k < o.frames + kWarmup; ++k) {
        const auto start = std::chrono::steady_clock::now();
        source->publish(request, buffers, frame);
        orNoGraphics([] { glFinish(); });
        const auto published = std::chrono::steady_clock::now();
        orNoGraphics([&] {
            renderer.draw(frame, buffers, camera, draw, target.output());
            glFinish();
        });
        if (k < kWarmup) continue;
        using Milliseconds = std::chrono::duration<double, std::milli>;
        publish.ms.push_back(Milliseconds(published - start).count());
        whole.ms.push_back(Milliseconds(std::chrono::steady_clock::now() - published).count());
        for (const PassTime& pass : renderer.timings()) {
            auto row = std::ranges::find(passes, std::string(pass.name), &PassTimes::name);
            if (row == passes.end()) row = passes.insert(row, {pass.name, {}});
            row->ms.push_back(pass.milliseconds);
        }
    }

    fmt::print("\ndrawing at {}x{}, {}\n{}; {}\n\n", width, height, o.quality, context.description(),
               source->path());
    fmt::print("{:<28} {:>10} {:>10}\n", "pass", "median ms", "p95 ms");
    for (const PassTimes& pass : passes) pass.print();
    whole.print();
    publish.print();
    nlohmann::ordered_json out = {{"width", width},
                                  {"height", height},
                                  {"quality", o.quality},
                                  {"renderer", context.description()},
                                  {"path", source->path()},
                                  {"frames", o.frames},
                                  {"median_ms", whole.quantile(0.5)},
                                  {"p95_ms", whole.quantile(0.95)},
                                  {"publish_ms", publish.quantile(0.5)}};
    out["passes"] = nlohmann::ordered_json::array();
    for (const PassTimes& pass : passes) out["passes"].push_back(pass.json());
    return out;
}

}  // namespace coalesce
