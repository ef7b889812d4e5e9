// Constants of materials and groups in kernels, and the bits of a particle's phase.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

constexpr int kMaxMaterials = 256;  // eight bits of the phase

// phase: bits 0-7 material, 8-27 group, 28 frozen, 29 asleep, 30 drop, 31 few neighbors
HD uint32_t materialOf(uint32_t phase) {
    return phase & 0xffu;
}
HD uint32_t groupOf(uint32_t phase) {
    return phase >> 8 & 0xfffffu;
}
constexpr uint32_t kFrozen = 1u << 28;  // in quarantine
constexpr uint32_t kAsleep = 1u << 29;  // slower than contacts.sleepSpeed in the last substep
constexpr uint32_t kDrop = 1u << 30;    // a ballistic drop of liquid: see kernels/velocity/splash.h
constexpr uint32_t kSparse = 1u << 31;  // liquid that had few neighbors in the last substep
constexpr uint32_t kMaxGroups = 1u << 20;
HD uint32_t makePhase(uint32_t material, uint32_t group) {
    return material | group << 8;
}

struct MaterialConstants {
    float spacing;      // d [m]
    float support;      // h [m]
    float volume;       // V [m^3] volume of a particle in φ: a filled lattice of spacing d has φ = 1
    float inverseMass;  // w [1/kg]
    float
        gradientScale;  // makes Σ_j V (f_j − f_i) ∇W the exact gradient of a linear f on a filled lattice [-]
    float wallShift;      // [m] see FindWallDensity
    float denominator;    // w |∇_iC|² + Σ w |∇_kC|² of a filled neighborhood [1/(kg m²)]
    float densityWeight;  // [N/m] w of a density constraint in projective dynamics, see project_density.h; 0:
                          // not a liquid
    float viscosity;      // XSPH share of a substep [-]
    float strainViscosity;  // [kg/m] g of strain_viscosity.h
    float vorticity, spinCorrection;
    float staticFriction, dynamicFriction, restitution, maxDepenetration;
    float gravityScale, damping;
    float rollingResistance, cohesion;
    float cohesionPull, curvaturePull, adhesionPull;  // [m/s²] s, c, b of pairwise_tension.h
    float attraction;                                 // [kg m²] largest attractive λ, f(κ)/denominator
    float airDrag;                                    // [1/s]
    float drag, lift;                                 // [-] c_D, c_L of cloth triangles
    float thermalExpansion;                           // [1/K] β of the buoyancy
    float cooling;                                    // [1/s]
    float baroclinity;                                // [-] gas: β of [UPP14] eq. 31
    float turbulence, vorticityDecay;                 // [1/s] gas
    int32_t fluid;            // 1: liquid or gas, density constraint; 0: grains and bodies, contacts
    int32_t gas;              // 1: gas; airDrag acts at its free surface
    int32_t virtualMass;      // 1: the inertia may exceed the density, see inertialDensity
    uint32_t forceFieldMask;  // bit mask: force fields that act on the material
};

// Constants of a group: the particles of one body of the scene.
struct GroupConstants {
    uint32_t rowOffset;            // id + rowOffset: row in the table of rest positions; solid bodies only
    uint8_t solid;                 // 1: has rows in the tables of solid bodies
    uint8_t selfCollide;           // 1: its particles collide with each other, see restReach
    uint8_t collisionMask = 0xff;  // collides with shapes that share a bit
    float restReach =
        0;  // squared share of the contact distance: particles closer than this at rest do not collide
    float volume = 1;  // [-] volume of a particle relative to its material's, from the body's volume
    uint32_t forceFieldMask =
        0;  // bit mask: force fields that act on the group, in addition to those of the material
};

// Signed distances beyond this are undefined: the particle collides as a sphere.
constexpr float kNoSdf = 1e18f;      // [m]
constexpr float kNoBodySdf = 4e18f;  // [m] signed distance of particles that belong to no body

constexpr uint32_t kNoRow = 0xffffffffu;
constexpr uint32_t kNoSlot = 0xffffffffu;  // of a row whose particle is removed
HD uint32_t rowOf(const GroupConstants& group, uint32_t id) {
    return group.solid ? id + group.rowOffset : kNoRow;
}

}  // namespace coalesce
