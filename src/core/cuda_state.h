// Finds a CUDA device that can run this program.
#pragma once

#include <string>

namespace coalesce {

// Result of probing for a CUDA device that can run this program.
struct CudaState {
    bool built = false;   // the program contains CUDA code
    bool usable = false;  // a device runs it
    std::string device;   // name of that device, or the reason why there is none
    int index = -1;       // of that device
};
// Probes one device, or all (wanted = -1) until one is usable. Creates the device's context.
CudaState cudaState(int wanted = -1, int preferred = 0);

}  // namespace coalesce
