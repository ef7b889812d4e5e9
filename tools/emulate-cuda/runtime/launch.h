// Runs kernels: grids, blocks, warps, barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device.h"

namespace emulated {

constexpr uint32_t kMaxThreads = 1024;  // of a block

const Kernel* findKernel(const char* name);

// Runs all threads of a launch. params: the bytes of the kernel's parameters.
void runKernel(const Kernel& kernel, uint32_t grid, uint32_t block, const std::vector<uint8_t>& params,
               size_t dynamicShared);

// Which accesses of a launch nothing orders, as far as is followed here: those of different threads; where a
// block has barriers, those of different blocks; in CUB, whose blocks wait for each other by flags, none.
enum class Unordered { threads, blocks, none };

// Of the launch that runs now, for messages and checks.
const Kernel* runningKernel();
Unordered unordered();
const Thread* runningThread();
uint32_t launchNumber();

}  // namespace emulated
