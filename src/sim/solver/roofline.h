// Lower bound of the time of a frame of liquid on a device: memory traffic and instructions, stage by stage.
// Kernels do not overlap, so the bounds of the stages add up.
#pragma once

#include <string>

namespace coalesce {

struct World;

struct Roofline {
    double ms = 0;    // of a frame
    std::string why;  // there is no bound; empty: there is one
};
Roofline rooflineOf(const World& world);

// Throughput of a device.
struct DeviceLimits {
    double bandwidth = 0;     // [B/s] of its memory
    double instructions = 0;  // [1/s] of single threads
};
// Lower bound of a substep [s] for n particles with `neighbors` neighbors each.
double minSubstepTime(const DeviceLimits& device, double n, double neighbors, int iterations);

}  // namespace coalesce
