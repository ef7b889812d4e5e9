// Classes and constants of passive particles.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// spray: in the air, ballistic; foam: at the surface, carried along; bubble: in the liquid, rises. [IAAT12]
// smoke: markers of smoke and dye, carried by whatever is around them. [UPP14] 7.2.1
enum class PassiveClass : uint32_t { spray, foam, bubble, smoke };

// tag: bits 0-7 class, 8-15 material, 16-31 look
HD uint32_t makeTag(PassiveClass kind, uint32_t material) {
    return static_cast<uint32_t>(kind) | material << 8;
}
HD PassiveClass classOf(uint32_t tag) {
    return static_cast<PassiveClass>(tag & 0xffu);
}
HD uint32_t materialOfTag(uint32_t tag) {
    return tag >> 8 & 0xffu;
}

// What spray, foam and bubbles are drawn as: shares of kLookUnit of foam and of bubble, the rest is spray. It
// follows the class within kLookTime, so that a particle whose number of neighbors varies about a limit does
// not flicker. In the tag: bits 16-23 share of foam + 1, 24-31 of bubble + 1; 0: that of the class, as of the
// newborn, and in states of older versions.
struct PassiveLook {
    int foam, bubble;
};
constexpr int kLookUnit = 254;
constexpr float kLookTime = 0.15f;  // [s]

HD PassiveLook lookOf(PassiveClass kind) {
    return {kind == PassiveClass::foam ? kLookUnit : 0, kind == PassiveClass::bubble ? kLookUnit : 0};
}
HD PassiveLook lookOf(uint32_t tag) {
    if (tag >> 16 == 0) return lookOf(classOf(tag));
    return {static_cast<int>(tag >> 16 & 0xffu) - 1, static_cast<int>(tag >> 24) - 1};
}
HD bool isLook(PassiveLook look) {
    return look.foam >= 0 && look.bubble >= 0 && look.foam + look.bubble <= kLookUnit;
}

// The tag of a particle that now is of this class, and whose shares change by at most `turn`.
HD uint32_t turnLook(uint32_t tag, PassiveClass kind, int turn) {
    const PassiveLook look = lookOf(tag), goal = lookOf(kind);
    const auto towards = [turn](int from, int to) {
        return from + (to - from > turn ? turn : to - from < -turn ? -turn : to - from);
    };
    const auto foam = static_cast<uint32_t>(towards(look.foam, goal.foam) + 1);
    const auto bubble = static_cast<uint32_t>(towards(look.bubble, goal.bubble) + 1);
    return makeTag(kind, materialOfTag(tag)) | foam << 16 | bubble << 24;
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

    // of spray, foam and bubbles with n liquid neighbors
    HD PassiveClass classAt(float n) const {
        return n < sprayBelow    ? PassiveClass::spray
               : n > bubbleAbove ? PassiveClass::bubble
                                 : PassiveClass::foam;
    }
    HD bool makesSmoke() const { return smoke > 0 || smokeSeeds > 0; }
    HD bool makesFoam() const { return trappedAir > 0 || waveCrest > 0 || vorticity > 0; }
};

}  // namespace coalesce
