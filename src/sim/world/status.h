// Status of a frame: overflows with the capacity they needed, values that were not finite, limited speeds.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/particles/status_block.h"

namespace coalesce {

struct Status {
    StatusBlock worst;       // over the frame
    int redone = 0;          // how often the frame was redone with larger lists
    bool truncated = false;  // policy clamp: lists were cut
    int ballsBlocked = 0;    // thrown balls that had no free space
    int jetsBlocked = 0;     // poured jets that had no free space
    int substeps = 0;        // of the frame
    int substepsNeeded = 0;  // by the CFL condition; more than `substeps`: solver.maxSubsteps is too small
    // One line for overlay and log; empty when nothing happened.
    std::string message() const;
};

// The linear solver of projective dynamics in a frame.
struct LinearSolverReport {
    uint32_t solves = 0, iterations = 0;
    uint32_t residuals = 0;   // solves by cg, whose residual is known
    uint32_t breakdowns = 0;  // of these, ended by pᵀAp ≤ 0 or values out of range
    double residual = 0;      // largest |r|/|b| at the end of a solve by cg [-]
};

}  // namespace coalesce
