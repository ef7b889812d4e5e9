// Classes and constants of passive particles.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// spray: in the air, ballistic; foam: at the surface, carried along; bubble: in the liquid, rises. [IAAT12]
// smoke: markers of smoke and dye, carried by whatever is around them. [UPP14] 7.2.1
enum class PassiveClass : uint32_t { spray, foam, bubble, smoke };

// tag: bits 0-7 class, 8-15 material
HD uint32_t makeTag(PassiveClass kind, uint32_t material) {
    return static_cast<uint32_t>(kind) | material << 8;
}
HD PassiveClass classOf(uint32_t tag) {
    return static_cast<PassiveClass>(tag & 0xffu);
}
HD uint32_t materialOfTag(uint32_t tag) {
    return tag >> 8 & 0xffu;
}

// Of a material, for kernels. A potential p has its full effect from its `full` value on, and none below its
// `least` value; between them it grows linearly: Φ(p) = (clamp(p, least, full) − least)/(full − least).
struct PassiveConstants {
    float support;      // h [m] of the liquid
    float spacing;      // d [m]
    int32_t liquid;     // 1: a liquid, whose markers fall in the air
    float sprayBelow;   // number of liquid neighbors below which a particle is spray
    float bubbleAbove;  // and above which it is a bubble
    float trappedAir, leastTrappedAir, fullTrappedAir;  // [1/s], [m/s], [m/s]
    float waveCrest, leastCrest, fullCrest;             // [1/s], [-], [-]
    float vorticity, leastSwirl, fullSwirl;             // [1/s], [m/s], [m/s]
    float leastEnergy, fullEnergy;                      // [m²/s²] ½ v²
    float life;                                         // [s] mean
    float buoyancy;                                     // k_b [-]
    float drag;                                         // k_d [1/s]
    float airDrag;                                      // [1/s] of spray
    float gravityScale;                                 // [-]
    uint32_t forceFieldMask;

    float smoke;       // [1/s] markers of each particle
    float smokeSeeds;  // [-] markers that each new particle brings along
    float smokeLife;   // [s] mean
    float smokeRise;   // [m/s] where nothing carries them

    HD bool makesSmoke() const { return smoke > 0 || smokeSeeds > 0; }
    HD bool makesFoam() const { return trappedAir > 0 || waveCrest > 0 || vorticity > 0; }
};

}  // namespace coalesce
