// What the stages share besides the particles: constants on the device, the status block, capacities.
#pragma once

#include "core/buffer.h"
#include "kernels/contact/contact_planes.h"
#include "kernels/motion/force_field.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/search/grid.h"
#include "sim/stage/boundary_samples.h"
#include "sim/stage/material_summary.h"
#include "sim/stage/shapes_on_device.h"
#include "sim/world/world.h"

namespace coalesce {

// Planned sizes of lists; each grows by itself when a frame needed more, and none changes a result.
struct Capacities {
    int neighbors = 64;     // per particle
    int pairs = 16;         // contacts with other particles, per particle
    uint32_t contacts = 0;  // with shapes, of all particles
    uint32_t cells = 0;     // occupied cells of the grid
    CellKeyLayout keys;

    // for which `keys` were planned: size of a cell [m], number of particles
    float plannedCell = 0;
    uint32_t plannedParticles = 0;
};

// Constants and shapes of the current frame, uploaded once at its start.
struct DeviceWorld {
    explicit DeviceWorld(Exec& e) : exec(e) {}

    Exec& exec;
    Mirror<MaterialConstants> materials{exec};
    Mirror<GroupConstants> groups{exec};
    Mirror<ForceFieldConstants> forceFields{exec};
    ShapesOnDevice shapes{exec};
    BoundarySamples boundary{exec};
    Buffer<StatusBlock> status{exec, 1};
    Buffer<Vec4> xStar{exec};  // predicted positions, corrected by the constraints; w: inverse mass
    // Of liquids and soft bodies, what x* cannot represent of the sum of prediction and corrections; method position. See
    // compensated_sum.h
    Buffer<Vec4> roundingError{exec};
    Buffer<float> ballRadius{exec};  // [m] by slot, of round bodies; see ContactSearch. Empty: there are none
    Buffer<Vec4> wall{exec};         // ∇φ_wall, φ_wall
    Capacities capacity;

    MaterialSummary summary;  // of materials
};

}  // namespace coalesce
