// Status of a frame: overflows with the capacity they needed, values that were not finite, limited speeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/particles/status_block.h"

namespace coalesce {

struct Status {
    StatusBlock worst;         // over the frame
    int redone = 0;            // how often the frame was redone with larger lists
    bool truncated = false;    // policy clamp: lists were cut
    int ballsBlocked = 0;      // thrown balls that had no free space
    int jetsBlocked = 0;       // poured jets that had no free space
    int substeps = 0;          // of the frame
    float strainResidual = 0;  // of strainViscosity, where fluid.strainIterations were too few; else 0
    int substepsNeeded = 0;    // by the CFL condition; more than `substeps`: solver.maxSubsteps is too small
    // One line for overlay and log; empty when nothing happened.
    std::string message() const;
};

// How far the constraints were solved in a frame; see World::watchConvergence.
struct ConvergenceReport {
    bool watched = false;
    double densityErrorMean = 0, densityErrorMax = 0;  // max(0, φ − 1) over liquids at the end [-]
    // objective g of projective dynamics in the last substep [J]; 0 rounds: another method
    uint32_t rounds = 0;
    double objectiveFirst = 0, objectiveLast = 0;
    std::optional<double> objectiveRise;  // largest from one round to the next, see NoteObjective [-]
};

}  // namespace coalesce
