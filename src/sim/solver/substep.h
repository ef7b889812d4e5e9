// The parts of a substep that several methods share. Each method has a file of its own, which calls them.
#pragma once

#include "sim/solver/stages.h"

namespace coalesce {

// All methods: external forces, prediction, neighbors, contacts with shapes; constraints of cloth and bodies.
void beginSubstep(Stages& stages, const StepContext& step);

// Methods that solve for positions: contacts between particles, densities, and the overlaps at the start,
// which are resolved without changing velocities.
void stabilize(Stages& stages, const StepContext& step);
// The same methods, after the constraints: what is left inside shapes, velocities from positions, loads,
// restitution.
void updateMotion(Stages& stages, const StepContext& step);

// All methods: viscosity, vorticity, diffusion, poses of bodies.
void finishSubstep(Stages& stages, const StepContext& step);

}  // namespace coalesce
