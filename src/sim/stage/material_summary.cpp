#include "sim/stage/material_summary.h"

#include <algorithm>
#include <limits>

namespace coalesce {

namespace {

// The largest XSPH share of a particle in a substep. Between two liquids C_ij / ρ_i counts, with the harmonic
// mean C of c ρ: see BlendVelocities.
float maxViscosityOf(std::span<const MaterialConstants> materials) {
    float result = 0;
    for (const MaterialConstants& a : materials)
        for (const MaterialConstants& b : materials) {
            if (!a.fluid || !b.fluid) continue;
            const float own = a.inverseMass * a.volume, mine = a.viscosity / own,
                        theirs = b.viscosity / (b.inverseMass * b.volume);
            if (mine + theirs > 0) result = std::max(result, 2 * mine * theirs / (mine + theirs) * own);
        }
    return result;
}

}  // namespace

MaterialSummary summarize(std::span<const MaterialConstants> materials) {
    MaterialSummary s;
    s.minSpacing = s.minDepenetration = std::numeric_limits<float>::max();
    float lightest = 0, heaviest = std::numeric_limits<float>::max();  // inverse masses of liquids
    for (const MaterialConstants& m : materials) {
        const MaterialConstants& first = materials[0];
        s.uniform &= m.fluid == first.fluid && m.spacing == first.spacing && m.support == first.support &&
                     m.viscosity == first.viscosity && m.inverseMass == first.inverseMass &&
                     m.gas == first.gas && m.attraction == first.attraction &&
                     m.densityWeight == first.densityWeight;
        s.maxSupport = std::max(s.maxSupport, m.support);
        s.maxSpacing = std::max(s.maxSpacing, m.spacing);
        s.minSpacing = std::min(s.minSpacing, m.spacing);
        s.hasAirDrag |= m.airDrag > 0;
        s.hasAerodynamics |= m.drag > 0 || m.lift > 0;
        if (m.fluid) {
            s.hasFluid = true;
            s.hasVirtualMass |= m.virtualMass != 0;
            s.hasBuoyancy |= m.thermalExpansion > 0 || m.cooling > 0;
            s.maxTurbulence = std::max(s.maxTurbulence, m.turbulence);
            lightest = std::max(lightest, m.inverseMass), heaviest = std::min(heaviest, m.inverseMass);
            s.maxStrainViscosity = std::max(s.maxStrainViscosity, m.strainViscosity);
            s.maxVorticity = std::max(s.maxVorticity, m.vorticity);
            s.maxSpinCorrection = std::max(s.maxSpinCorrection, m.spinCorrection);
            s.maxDenominator = std::max(s.maxDenominator, m.denominator);
            s.maxTension = std::max({s.maxTension, m.cohesionPull, m.curvaturePull});
            s.maxAdhesion = std::max(s.maxAdhesion, m.adhesionPull);
            s.maxAttraction = std::max(s.maxAttraction, m.attraction);
        } else {
            s.hasSolids = true;
            s.minDepenetration = std::min(s.minDepenetration, m.maxDepenetration);
            s.maxCohesion = std::max(s.maxCohesion, m.cohesion);
            s.maxRestitution = std::max(s.maxRestitution, m.restitution);
        }
    }
    if (s.hasFluid) s.massRatio = lightest / heaviest;
    s.maxViscosity = maxViscosityOf(materials);
    return s;
}

}  // namespace coalesce
