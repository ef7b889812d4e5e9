// Constants of a material as kernels see them.
#pragma once

#include "kernels/vec.h"

namespace coalesce {

constexpr int kMaxMaterials = 256;  // eight bits of the phase

// phase: bits 0-7 material, 8-27 group, 28 frozen
HD uint32_t materialOf(uint32_t phase) {
    return phase & 0xffu;
}
HD uint32_t groupOf(uint32_t phase) {
    return phase >> 8 & 0xfffffu;
}
constexpr uint32_t kFrozen = 1u << 28;
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
    float wallShift;    // [m] see WallTerm in contact.h
    float denominator;  // w |∇_iC|² + Σ w |∇_kC|² of a filled neighborhood [1/(kg m²)]
    float viscosity, vorticity;
    float staticFriction, dynamicFriction, restitution, maxDepenetration;
    float gravityScale, damping;
};

}  // namespace coalesce
