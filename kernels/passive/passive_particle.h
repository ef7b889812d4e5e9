// Classes and constants of passive particles.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// spray: in the air, ballistic; foam: at the surface, carried along; bubble: in the liquid, rises. [IAAT12]
// smoke: markers of smoke and dye, carried by whatever is around them. [UPP14] 7.2.1
enum class PassiveClass : uint32_t { spray, foam, bubble, smoke };
constexpr const char* kPassiveClassNames[] = {"spray", "foam", "bubble", "smoke"};

// tag: bits 0-7 class, 8-15 material, 16-31 display weights
HD uint32_t makeTag(PassiveClass kind, uint32_t material) {
    return static_cast<uint32_t>(kind) | material << 8;
}
HD PassiveClass classOf(uint32_t tag) {
    return static_cast<PassiveClass>(tag & 0xffu);
}
HD uint32_t materialOfTag(uint32_t tag) {
    return tag >> 8 & 0xffu;
}

// What spray, foam and bubbles are drawn as: weights of foam and of bubble, the rest of kFullWeight is spray. They
// blend towards the class within kBlendTime, so that a particle whose number of neighbors varies about a limit does
// not flicker. In the tag: bits 16-23 weight of foam + 1, 24-31 of bubble + 1; 0: that of the class, as of the
// newborn, and in states of older versions.
struct DisplayWeights {
    int foam, bubble;
};
constexpr int kFullWeight = 254;
constexpr float kBlendTime = 0.15f;  // [s]

HD DisplayWeights displayWeights(PassiveClass kind) {
    return {kind == PassiveClass::foam ? kFullWeight : 0, kind == PassiveClass::bubble ? kFullWeight : 0};
}
HD DisplayWeights displayWeights(uint32_t tag) {
    if (tag >> 16 == 0) return displayWeights(classOf(tag));
    return {static_cast<int>(tag >> 16 & 0xffu) - 1, static_cast<int>(tag >> 24) - 1};
}
HD bool areDisplayWeights(DisplayWeights w) {
    return w.foam >= 0 && w.bubble >= 0 && w.foam + w.bubble <= kFullWeight;
}

// The tag of a particle that now is of this class, and whose weights change by at most maxChange.
HD uint32_t blendTowards(uint32_t tag, PassiveClass kind, int maxChange) {
    const DisplayWeights now = displayWeights(tag), goal = displayWeights(kind);
    const auto towards = [maxChange](int from, int to) {
        return from + (to - from > maxChange ? maxChange : to - from < -maxChange ? -maxChange : to - from);
    };
    const auto foam = static_cast<uint32_t>(towards(now.foam, goal.foam) + 1);
    const auto bubble = static_cast<uint32_t>(towards(now.bubble, goal.bubble) + 1);
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
    float mass;          // [kg] of foam and bubbles; 0: the liquid does not notice them
    float airDrag;       // [1/s] of spray
    float gravityScale;  // [-]
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
