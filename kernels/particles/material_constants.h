// Constants of a material as kernels see them.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

constexpr int kMaxMaterials = 256;  // eight bits of the phase

// phase: bits 0-7 material, 8-27 group, 28 frozen, 29 asleep
HD uint32_t materialOf(uint32_t phase) {
    return phase & 0xffu;
}
HD uint32_t groupOf(uint32_t phase) {
    return phase >> 8 & 0xfffffu;
}
constexpr uint32_t kFrozen = 1u << 28;  // by quarantine
constexpr uint32_t kAsleep = 1u << 29;  // did not move in the last substep: slower than contacts.sleepSpeed
constexpr uint32_t kMaxGroups = 1u << 20;
HD uint32_t makePhase(uint32_t material, uint32_t group) {
    return material | group << 8;
}

struct MaterialConstants {
    float spacing;      // d [m]
    float support;      // h [m]
    float volume;       // V [m^3] weight of a particle in φ: a filled lattice of spacing d has φ = 1
    float inverseMass;  // w [1/kg]
    float
        gradientScale;  // makes Σ_j V (f_j − f_i) ∇W the exact gradient of a linear f on a filled lattice [-]
    float wallShift;    // [m] see WallTerm in contact_planes.h
    float denominator;  // w |∇_iC|² + Σ w |∇_kC|² of a filled neighborhood [1/(kg m²)]
    float viscosity;    // XSPH share of a substep [-]
    float vorticity;
    float staticFriction, dynamicFriction, restitution, maxDepenetration;
    float gravityScale, damping;
    float rollingResistance, cohesion;
    float cohesionPull, curvaturePull, adhesionPull;  // [m/s²] s, c, b of pairwise_tension.h
    float attraction;                                 // [kg m²] largest λ that pulls, f(κ)/denominator
    float airDrag;                                    // [1/s]
    float drag, lift;                                 // [-] of the triangles of a cloth
    int32_t fluid;    // 1: held at rest density; 0: grains and bodies, held apart by contacts
    uint32_t fields;  // bit mask: force fields that act on all of it
};

// Constants of a group: what a body of the scene became.
struct GroupConstants {
    uint32_t rowOffset;         // id + rowOffset: row in the table of rest places; solid bodies only
    uint8_t solid;              // 1: a body held together by shape matching
    uint8_t selfCollide;        // 1: its particles touch each other, see restReach
    uint8_t attributes = 0xff;  // bit mask: meets shapes that share a bit
    float restReach = 0;  // nearer at rest than this share of a contact, squared: particles do not touch
    float volume = 1;     // of a particle, as a share of its material's: what the body's volume gives each
    uint32_t fields = 0;  // bit mask: force fields that act on it, besides those of the material
};

// Beyond this signed distance a particle has none: it counts as a ball.
constexpr float kNoSdf = 1e18f;  // [m]

constexpr uint32_t kNoRow = 0xffffffffu;
constexpr uint32_t kNoSlot = 0xffffffffu;  // of a row whose particle is not alive
HD uint32_t rowOf(const GroupConstants& group, uint32_t id) {
    return group.solid ? id + group.rowOffset : kNoRow;
}

}  // namespace coalesce
