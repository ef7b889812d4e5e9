#include "sim/world/passive_particles.h"

#include <algorithm>

#include "sim/world/world.h"

namespace coalesce {

namespace {

constexpr float kLeastPotential = 0.25f;  // [-] of the full one; [IAAT12] uses 5 to 20 and 2 to 8
constexpr float kLeastEnergy = 0.1f;      // [-] of the full one; [IAAT12] uses 5 to 50

// Presets. Speeds follow the size of what they are for: waves of meters, glasses of decimeters.
constexpr FoamProperties kSea{.trappedAir = 600,
                              .trappedAirSpeed = 2,
                              .waveCrest = 1500,
                              .crestCurvature = 0.3f,
                              .vorticity = 200,
                              .swirlSpeed = 4,
                              .speed = 3,
                              .life = 3,
                              .buoyancy = 2,
                              .drag = 50,
                              .size = 0.01f};
// bubbles of about 1 mm rise at 0.1 m/s; the head lasts for half a minute
constexpr FoamProperties kBeer{.trappedAir = 1500,
                               .trappedAirSpeed = 0.4f,
                               .waveCrest = 0,
                               .crestCurvature = 0.3f,
                               .vorticity = 600,
                               .swirlSpeed = 0.8f,
                               .speed = 0.6f,
                               .life = 30,
                               .buoyancy = 0.6f,
                               .drag = 60,
                               .size = 0.0025f};
constexpr FoamProperties kMilk{.trappedAir = 150,
                               .trappedAirSpeed = 0.8f,
                               .waveCrest = 0,
                               .crestCurvature = 0.3f,
                               .vorticity = 0,
                               .swirlSpeed = 1,
                               .speed = 1,
                               .life = 1.2f,
                               .buoyancy = 1,
                               .drag = 60,
                               .size = 0.003f};

}  // namespace

FoamProperties foamProperties(const MaterialProperties& p) {
    if (p.kind != MaterialKind::fluid) return {};
    switch (p.foam) {
        case Foam::none:
            return {};
        case Foam::sea:
            return kSea;
        case Foam::beer:
            return kBeer;
        case Foam::milk:
            return kMilk;
        case Foam::custom:
            break;
    }
    return {.trappedAir = p.foamTrappedAir,
            .trappedAirSpeed = p.foamTrappedAirSpeed,
            .waveCrest = p.foamWaveCrest,
            .crestCurvature = p.foamCrestCurvature,
            .vorticity = p.foamVorticity,
            .swirlSpeed = p.foamSwirlSpeed,
            .speed = p.foamSpeed,
            .life = p.foamLife,
            .buoyancy = p.foamBuoyancy,
            .drag = p.foamDrag,
            .size = p.foamSize};
}

std::vector<PassiveConstants> passiveConstants(const World& world) {
    const Parameters::Passive& passive = world.parameters.passive;
    // markers of solids are carried by the coarsest fluid
    float support = 0;
    for (const Material& material : world.materials)
        if (const MaterialProperties& p = material.properties; isFluid(p))
            support = std::max(support, p.supportRatio * p.spacing);
    std::vector<PassiveConstants> constants;
    for (const Material& material : world.materials) {
        const MaterialProperties& p = material.properties;
        const FoamProperties foam = foamProperties(p);
        // neighbors of a filled lattice grow with the volume of the support, in a plane with its area
        const float wider = 0.5f * p.supportRatio,
                    share = world.parameters.solver.planar ? wider * wider * 0.38f : wider * wider * wider;
        const float energy = 0.5f * foam.speed * foam.speed;
        constants.push_back({.support = isFluid(p) ? p.supportRatio * p.spacing : support,
                             .spacing = p.spacing,
                             .liquid = p.kind == MaterialKind::fluid,
                             .sprayBelow = share * passive.sprayNeighbors,
                             .bubbleAbove = share * passive.bubbleNeighbors,
                             .trappedAir = foam.trappedAir,
                             .leastTrappedAir = kLeastPotential * foam.trappedAirSpeed,
                             .fullTrappedAir = foam.trappedAirSpeed,
                             .waveCrest = foam.waveCrest,
                             .leastCrest = kLeastPotential * foam.crestCurvature,
                             .fullCrest = foam.crestCurvature,
                             .vorticity = foam.vorticity,
                             .leastSwirl = kLeastPotential * foam.swirlSpeed,
                             .fullSwirl = foam.swirlSpeed,
                             .leastEnergy = kLeastEnergy * energy,
                             .fullEnergy = energy,
                             .life = foam.life,
                             .buoyancy = foam.buoyancy,
                             .drag = foam.drag,
                             .mass = p.kind == MaterialKind::fluid
                                         ? p.foamMass * particleMass(p, world.parameters.solver.planar)
                                         : 0.0f,
                             .airDrag = p.airDrag,
                             .gravityScale = p.gravityScale,
                             .forceFieldMask = fieldsOnMaterial(world, material.name),
                             .smoke = p.smoke,
                             .smokeSeeds = p.smokeSeeds,
                             .smokeLife = p.smokeLife,
                             .smokeRise = p.smokeRise});
    }
    return constants;
}

}  // namespace coalesce
