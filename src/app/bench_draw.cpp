#include "app/bench_draw.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "app/display_options.h"
#include "app/options.h"
#include "bridge/frame_source.h"
#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"

namespace coalesce {

namespace {

struct PassTimes {
    std::string name;
    std::vector<double> ms;  // one per frame

    double quantile(double share) const {  // nearest rank
        std::vector<double> sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        const double rank = std::ceil(share * double(sorted.size()));
        return sorted[size_t(std::max(rank, 1.0)) - 1];
    }
    nlohmann::ordered_json json() const {
        return {{"name", name}, {"median_ms", quantile(0.5)}, {"p95_ms", quantile(0.95)}};
    }
    void print() const { fmt::print("{:<28} {:>10.3f} {:>10.3f}\n", name, quantile(0.5), quantile(0.95)); }
};

// Timer queries are read frames later on hardware: the first frames are not measured.
constexpr int kWarmup = 4;

}  // namespace

void addDrawBenchOptions(CLI::App& command, DrawBenchOptions& o) {
    command.add_option("--draw", o.resolution, "Also measures rendering, at this size in pixels")
        ->type_name("WxH");
    addQualityOption(command, o.quality, "Render quality for --draw");
    command.add_option("--surface", o.surface, "Surface of liquids for --draw: particles or mesh")
        ->check(oneOf({"particles", "mesh"}))
        ->type_name("KIND")
        ->capture_default_str();
    command.add_option("--draw-frames", o.frames, "Number of frames to draw for --draw")
        ->capture_default_str()
        ->check(integer(1, 1'000'000));
    command.add_option("--gl", o.gl, "OpenGL context for --draw: auto, surfaceless, or egl:N")
        ->type_name("CONTEXT")
        ->capture_default_str();
}

nlohmann::ordered_json benchDrawing(const DrawBenchOptions& o, const Scene& scene, World& world,
                                    Solver& solver) {
    DisplayOptions display;
    display.resolution = o.resolution;
    display.quality = o.quality;
    display.surface = o.surface;
    display.gl = o.gl;
    const int width = display.width(), height = display.height();
    EglContext context = asGraphicsErrors([&] {
        EglOptions egl{.choice = display.glChoice()};
        egl.cudaDevice = world.exec.cudaDevice();
        return EglContext(egl);
    });
    GlBuffers buffers;  // declared before the source, which unregisters them from CUDA on destruction
    const std::unique_ptr<FrameSource> source = makeFrameSource(world, solver, [](const std::string&) {});
    Renderer renderer = asGraphicsErrors([] { return Renderer(); });
    renderer.enableTimings(true);
    RenderTarget target(width, height);
    RenderFrame frame;
    const Camera camera = cameraOf(scene.cameras[findCamera(scene, "")]);
    const DrawOptions draw = display.draw();
    const DrawRequest request = drawRequest(draw, Quantity::Material, {}, display.surfaceMesh());

    PassTimes whole{"whole frame", {}}, publish{"publish arrays", {}};
    std::vector<PassTimes> passes;
    for (uint64_t k = 0; k < o.frames + kWarmup; ++k) {
        const auto start = std::chrono::steady_clock::now();
        source->publish(request, buffers, frame);
        asGraphicsErrors([] { glFinish(); });
        const auto published = std::chrono::steady_clock::now();
        asGraphicsErrors([&] {
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
