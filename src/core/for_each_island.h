// Runs a kernel for the constraints of independent islands, color by color inside an island, in one launch: on CUDA a
// block of threads per island, which wait for one another after each color; on the CPU a task per island.
#pragma once

#include "core/for_each.h"
#include "core/island_colors.h"

namespace coalesce {

#ifdef __CUDACC__
template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) forEachIslandKernel(IslandColors colors, Kernel kernel) {
    colors.forEachColor(static_cast<int>(blockIdx.x), [&](uint32_t begin, uint32_t end) {
        for (uint32_t i = begin + threadIdx.x; i < end; i += kThreadsPerBlock) kernel(static_cast<int>(i));
        __syncthreads();
    });
}
#endif

template <class Kernel>
void forEachIsland(Exec& exec, const char* name, size_t islands, const IslandColors& colors,
                   const Kernel& kernel) {
    if (islands == 0) return;
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        forEachIslandKernel<<<unsigned(islands), kThreadsPerBlock, 0, cudaStream_t(exec.stream())>>>(colors,
                                                                                                     kernel);
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    exec.parallelFor(int64_t(islands), 1, [&](int64_t first, int64_t last) {
        for (int64_t island = first; island < last; ++island)
            colors.forEachColor(int(island), [&](uint32_t begin, uint32_t end) {
                runChunk(kernel, begin, end, visitsBackwards(exec, island, 1));
            });
    });
}

}  // namespace coalesce
