// What stages share besides the particles: constants on the device, the status block, sizes that grow.
#pragma once

#include "core/buffer.h"
#include "kernels/contact/contact_planes.h"
#include "kernels/motion/force_field.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/search/grid.h"
#include "sim/stage/shapes_on_device.h"
#include "sim/world/world.h"

namespace coalesce {

// Planned sizes; each grows by itself when a frame needed more, and none changes a result.
struct Capacities {
    int neighbors = 64;     // per particle
    int pairs = 16;         // contacts with other particles, per particle
    uint32_t contacts = 0;  // of all particles
    uint32_t cells = 0;     // occupied cells of the grid
    CellKeyLayout keys;
};

// Constants and shapes of the present frame, uploaded once at its start.
struct DeviceWorld {
    explicit DeviceWorld(Exec& exec)
        : materials(exec),
          groups(exec),
          fields(exec),
          shapes(exec),
          status(exec, 1),
          xStar(exec),
          wall(exec) {}

    Buffer<MaterialConstants> materials;
    Buffer<GroupConstants> groups;
    Buffer<FieldConstants> fields;
    ShapesOnDevice shapes;
    Buffer<StatusBlock> status;
    Buffer<Vec4> xStar;  // candidate positions; w: inverse mass
    Buffer<Vec4> wall;   // ∇φ_wall, φ_wall
    Capacities capacity;
    float plannedCell = 0;  // [m] size of a cell, and number of particles, for which keys were planned
    uint32_t plannedParticles = 0;

    // properties of all materials together
    std::vector<MaterialConstants> hostMaterials;
    bool uniform = true;                                // one kind, spacing, support, density, viscosity
    bool hasFluid = false;                              // any liquid
    bool hasSolids = false;                             // any grains or bodies
    bool hasAirDrag = false;                            // any airDrag
    bool hasAerodynamics = false;                       // any drag or lift
    float largestSpacing = 0, leastSpacing = 1;         // [m]
    float leastDepenetration = 0;                       // [m/s] of grains and bodies
    float largestCohesion = 0, largestRestitution = 0;  // of grains and bodies
    float largestSupport = 0;                           // [m]
    float largestViscosity = 0;                         // XSPH share of a substep, over all pairs of liquids
    float largestVorticity = 0;
    float largestTension = 0, largestAdhesion = 0;  // [m/s²] of liquids: any at all?
    float largestAttraction = 0;                    // [kg m²] of liquids
    float largestDenominator = 0;                   // of all materials [1/(kg m²)]
};

}  // namespace coalesce
