// The time step: length of a frame, and its number of substeps.
#pragma once

#include "sim/world/world.h"

namespace coalesce {

// Substeps of a frame with timeStep fixed: substeps · timeScale, rounded up. They keep
// their length in slow motion where that product is whole, and are shorter otherwise, so
// that no frame of a slow motion repeats another.
int fixedSubsteps(const Parameters::Solver& solver);
// [s] simulated in a frame, as the solver adds it to the time of a world: timeScale / frameRate.
double frameLength(const Parameters::Solver& solver);
// [s] the same as one quotient, without the rounding of a sum of substeps; for velocities of motions.
inline double nominalFrameLength(const Parameters::Solver& solver) {
    return double{solver.timeScale} / double{solver.frameRate};
}
// [s] of the longest substep that a frame may have.
double longestSubstep(const Parameters::Solver& solver);
// [s] of a substep of a frame that has so many.
double substepLength(const Parameters::Solver& solver, int substeps);

// Substeps of a frame. With timeStep cfl the least number n for which no particle moves farther than `cfl`
// radii in a substep, between minSubsteps and maxSubsteps:
//     (|v| + |g| T) T/n ≤ cfl r,   T: length of the frame, r = d/2
// |v| is that at the end of the last frame, and of particles added since; |g| T is the speed that gravity may
// add. Nothing is read back for it.
struct SubstepPlan {
    int substeps;
    int needed;  // by the condition alone
    double dt;   // [s]
};
SubstepPlan planSubsteps(const World& world);
// Substeps of the last frame; before the first, of the coming one.
int substepsOf(const World& world);

// A simulated time for reports and files, without the rounding errors of the sum of its frames.
double wholeNanoseconds(double seconds);

// World::crossingTime from the velocities of all particles; for a world in which it is not known.
float measureCrossingTime(const World& world);

}  // namespace coalesce
