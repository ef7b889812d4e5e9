// The least time that a device needs for a frame of liquid: what its memory must move and its processors
// compute, stage by stage. Kernels do not overlap, so the sum of the stages' limits counts.
#pragma once

#include <string>

namespace coalesce {

struct World;

struct Roofline {
    double ms = 0;    // of a frame
    std::string why;  // there is none; empty: there is one
};
Roofline rooflineOf(const World& world);

// What a device can do.
struct DeviceFigures {
    double bandwidth = 0;  // [B/s] of its memory
    double issue = 0;      // [1/s] instructions of single threads
};
// [s] for n particles, by the table of compulsory traffic and instructions: N neighbors of each, k
// iterations.
double leastSubstep(const DeviceFigures& device, double n, double neighbors, int iterations);

}  // namespace coalesce
