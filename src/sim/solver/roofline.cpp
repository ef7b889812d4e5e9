#include "sim/solver/roofline.h"

#include <algorithm>

#include "sim/world/time_step.h"

#ifdef COALESCE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace coalesce {

namespace {

// neighbors in a filled neighborhood of support 2 d; candidates in 27 cells of that size
constexpr double kNeighbors = 33, kCellCandidates = 216;
constexpr double kCopyShare = 0.9;             // of the nominal bandwidth, as reached by a plain copy
constexpr double kLists = 1.15, kCells = 1.3;  // divergence: warps wait for their longest list

#ifdef COALESCE_CUDA
DeviceLimits limitsOfDevice() {
    int device = 0, memoryClock = 0, busWidth = 0, processors = 0, clock = 0;  // [kHz], [bit]
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&memoryClock, cudaDevAttrMemoryClockRate, device);
    cudaDeviceGetAttribute(&busWidth, cudaDevAttrGlobalMemoryBusWidth, device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    // two transfers per clock; 128 lanes in each multiprocessor
    return {kCopyShare * 2e3 * memoryClock * busWidth / 8, 128.0 * processors * 1e3 * clock};
}
#endif

}  // namespace

double minSubstepTime(const DeviceLimits& device, double n, double neighbors, int iterations) {
    const double N = neighbors, k = iterations;
    const auto stage = [&](double bytes, double instructions) {
        return n * std::max(bytes / device.bandwidth, instructions / device.instructions);
    };
    return stage(64, 40)                                       // predict
           + stage(28, 30)                                     // cell keys, sort
           + stage(120, 60)                                    // reorder x*, x, v, phase
           + stage(20 + 4 * N, 20 * kCellCandidates * kCells)  // neighbor search
           + k * stage(4 * N + 36, 34 * N * kLists)            // density λ
           + stage(64, 20)                                     // rounding errors
           + k * stage(4 * N + 68, 31 * N * kLists)            // density deltas
           + stage(52 + 4 * N, (26 * N + 330) * kLists)        // viscosity, vorticity
           + stage(64, 70);                                    // collisions, update of velocities
}

Roofline rooflineOf(const World& world) {
    Roofline roofline;
#ifdef COALESCE_CUDA
    if (world.exec.onCuda()) {
        if (std::any_of(world.materials.begin(), world.materials.end(),
                        [](const Material& m) { return m.properties.kind != MaterialKind::fluid; })) {
            roofline.why = "Only for scenes of liquid alone.";
            return roofline;
        }
        static const DeviceLimits device = limitsOfDevice();
        if (device.bandwidth <= 0 || device.instructions <= 0) {
            roofline.why = "The driver does not report the limits of the device.";
            return roofline;
        }
        const auto& solver = world.parameters.solver;
        roofline.ms = 1e3 * substepsOf(world) *
                      minSubstepTime(device, double(world.count()), kNeighbors, solver.iterations);
        return roofline;
    }
#endif
    (void)world;
    roofline.why = "Only on a GPU.";
    return roofline;
}

}  // namespace coalesce
