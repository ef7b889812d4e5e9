// Counters and flags that kernels update during a frame. Every update is order-independent (or, max, min,
// add; see atomics.h).
#pragma once

#include <cstdint>

#include "kernels/math/hd.h"

namespace coalesce {

constexpr float kNeverCrosses = 1e30f;  // [s] crossing time of particles at rest
constexpr float kNoRise = 1e30f;        // no two rounds were compared

// Of linear solves.
struct LinearCounts {
    uint32_t solves = 0, iterations = 0;
    uint32_t residuals = 0;   // solves by cg, whose residual is known
    uint32_t breakdowns = 0;  // of these, ended by pᵀAp ≤ 0 or values out of range
    float residual = 0;       // largest |r|/|b| at the end of a solve by cg [-]
};

// In device memory; reset every frame.
struct StatusBlock {
    uint32_t flags = 0;
    uint32_t requiredNeighbors = 0;  // length of the longest neighbor list
    uint32_t requiredPairs = 0;      // length of the longest pair list
    uint32_t requiredContacts = 0;   // total shape contacts
    uint32_t nonFinite = 0;          // particles put into quarantine
    uint32_t firstBadId = 0xffffffffu;
    uint32_t clamped = 0;        // speeds limited to solver.maxSpeed
    uint32_t torn = 0;           // springs torn
    uint32_t requiredCells = 0;  // occupied cells; 0: a dense table
    LinearCounts globalStep;     // of projective dynamics
    LinearCounts strainViscosity;
    // with World::watchConvergence; objective of projective dynamics in the last substep
    uint32_t objectiveRounds = 0;                 // rounds of the frame in which it was evaluated
    float objectiveFirst = 0, objectiveLast = 0;  // [J] in the first and in the last round
    float objectiveRise = -kNoRise;  // largest rise from round to round in the frame, see NoteObjective [-]
    float densityErrorMean = 0,
          densityErrorMax = 0;           // max(0, φ − 1) over liquids at the end of the frame [-]
    float crossingTime = kNeverCrosses;  // [s] with solver.timeStep cfl, see FindCrossingTime
    int32_t cellMin[3] = {INT32_MAX, INT32_MAX,
                          INT32_MAX};  // bounding box of all candidate positions, in cells
    int32_t cellMax[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
};

enum StatusFlag : uint32_t {
    kNeighborOverflow = 1u << 0,
    kContactOverflow = 1u << 1,
    kKeyOverflow = 1u << 2,     // a particle left the box of CellKeyLayout
    kDomainOverflow = 1u << 3,  // a particle is 2^20 cells or more from the origin
    kCellOverflow = 1u << 4,
    kPairOverflow = 1u << 5,
};

}  // namespace coalesce
