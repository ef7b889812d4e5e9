// Micro-benchmarks of what is computed on the host when a scene is read, or for a surface that deforms.
//
//     bench_geometry [options of Google Benchmark]
//
// On one thread, by CPU time, as other programs may run.
#include <benchmark/benchmark.h>
#include <cmath>
#include <tbb/global_control.h>

#include "geometry/sdf/polygonize.h"
#include "geometry/shapes/solid.h"
#include "geometry/shapes/surface_field.h"

namespace coalesce {

namespace {

constexpr double kTriangles = 5e4;
constexpr int kNodes = 128;  // to the power of three, as nearly as whole numbers of nodes allow

// The triangles of a figure, in such cells that there are about kTriangles.
TriangleMesh figure(const char* name) {
    const auto solid = makeSolid({.shape = name});
    const Box3d box{toDouble(solid->bounds().low), toDouble(solid->bounds().high)};
    double cell = 0.01;
    TriangleMesh mesh;
    for (int round = 0; round < 3; ++round) {
        mesh =
            polygonize([&](Vec3d p) { return solid->distanceAt(p); }, box, {.cell = cell, .normals = false});
        cell *= std::sqrt(double(mesh.triangles.size()) / kTriangles);
    }
    return mesh;
}
// Removes the triangles around twelve vertices.
TriangleMesh withHoles(TriangleMesh mesh) {
    const auto step = uint32_t(mesh.vertices.size() / 12);
    std::erase_if(mesh.triangles, [&](const Triangle& t) {
        return t[0] % step == 0 || t[1] % step == 0 || t[2] % step == 0;
    });
    return mesh;
}
// The smallest cell with at most kNodes³ nodes.
float cellFor(const TriangleMesh& mesh) {
    const Box box = boundsOf(mesh);
    const Vec3d size = toDouble(box.high - box.low);
    float cell = 1e-3f;
    const auto nodes = [&](double extent) { return std::ceil(extent / cell + 6) + 1; };
    while (nodes(size.x()) * nodes(size.y()) * nodes(size.z()) > std::pow(kNodes, 3)) cell *= 1.001f;
    return cell;
}

enum class Kind { closed, holes, moves };

void distanceField(benchmark::State& state, const char* name, Kind kind) {
    const tbb::global_control oneThread(tbb::global_control::max_allowed_parallelism, 1);
    const TriangleMesh whole = figure(name), mesh = kind == Kind::holes ? withHoles(whole) : whole;
    const float cell = cellFor(mesh);
    std::vector<Vec3> before;
    if (kind == Kind::moves)
        for (const Vec3& v : mesh.vertices) before.push_back(v + Vec3{0, 0.3f * cell * std::sin(5 * v.x), 0});
    const SurfaceFieldSpec spec{.cell = cell, .margin = 3 * cell, .closed = kind != Kind::holes};
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(bakeSurface(mesh, spec, before));
    state.counters["triangles"] = double(mesh.triangles.size());
}

void registerAll() {
    using benchmark::RegisterBenchmark;
    for (const char* name : {"bunny", "serpent"})
        for (const auto& [what, kind] : {std::pair("closed", Kind::closed), std::pair("holes", Kind::holes),
                                         std::pair("moves", Kind::moves)})
            RegisterBenchmark((std::string("distance field/") + name + "/" + what).c_str(), distanceField,
                              name, kind)
                ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace coalesce

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    coalesce::registerAll();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
