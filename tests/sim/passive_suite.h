// Passive particles for tests of their motion.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/particles/quantized_velocity.h"
#include "kernels/passive/passive_particle.h"
#include "sim/make_world.h"
#include "support/each_backend.h"

namespace coalesce::test {

// The weight of [UPP14] eq. 28 that the fluid's velocity is averaged with.
inline double weightAround(double r, double h) {
    return r < h ? std::pow(1 - r * r / (h * h), 4) : 0;
}

// The velocity of a particle as passive particles see it: as a cache keeps it.
inline Vec3d seenVelocity(Vec4 v) {
    return toDouble(vec4(quantizedVelocity(v), 0.0f));
}

// And where it sees it: in the middle of the last of two substeps, of which it is the mean velocity.
inline Vec3d seenPlace(Vec4 x, Vec4 v) {
    return toDouble(x) - (0.25 / 60) * seenVelocity(v);
}

// Puts passive particles into a world, in place of all others.
class PassiveSuite : public EachBackend {
protected:
    static void placePassives(World& world, const std::vector<Vec3>& places, Vec3 velocity, float life,
                              PassiveClass kind = PassiveClass::spray) {
        std::vector<Vec4> x, v;
        std::vector<uint32_t> id, tag;
        for (const Vec3 place : places) {
            x.push_back(vec4(place, 0.0f));
            v.push_back(vec4(velocity, life));
            id.push_back(uint32_t(id.size()));
            tag.push_back(makeTag(kind, 0));
        }
        world.passive.x.upload(x), world.passive.v.upload(v);
        world.passive.id.upload(id), world.passive.tag.upload(tag);
        world.passiveCounters.born = id.size();
    }
};

}  // namespace coalesce::test
