// What all materials of a world have in common: which stages a frame needs, and the extremes of the
// constants.
#pragma once

#include <span>

#include "kernels/particles/material_constants.h"

namespace coalesce {

struct MaterialSummary {
    bool uniform = true;           // one kind, spacing, support, density, stiffness, viscosity, attraction
    bool hasFluid = false;         // any liquid
    bool hasSplashes = false;      // drops of liquid fly apart from it: method velocity, see splash.h
    bool hasVirtualMass = false;   // any virtual mass
    bool hasBuoyancy = false;      // any thermal expansion or cooling
    bool hasSolids = false;        // any grains or bodies
    bool hasAirDrag = false;       // any airDrag
    bool hasAerodynamics = false;  // any drag or lift

    float maxSpacing = 0, minSpacing = 0;  // [m]
    float maxSupport = 0;                  // [m]

    // of liquids
    float maxViscosity = 0;                 // XSPH share of a substep, over all pairs of liquids
    float maxStrainViscosity = 0;           // [kg/m]
    float maxVorticity = 0;                 // of the confinement
    float maxSpinCorrection = 0;            // [-]
    float maxDenominator = 0;               // [1/(kg m²)] of the density constraint
    float maxTension = 0, maxAdhesion = 0;  // [m/s²]
    float maxAttraction = 0;                // [kg m²]
    float maxTurbulence = 0;                // of gases
    float massRatio = 1;                    // of the heaviest and the lightest particle

    // of grains and bodies
    float minDepenetration = 0;  // [m/s]
    float maxCohesion = 0, maxRestitution = 0;
};

MaterialSummary summarize(std::span<const MaterialConstants> materials);

}  // namespace coalesce
