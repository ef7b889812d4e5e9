// Impulses of the density constraint of liquids on shapes.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"

namespace coalesce {

// How the density constraint of a liquid particle acts on the shapes that it touches.
struct WallImpulses {
    View<const Vec4> wall;        // w: φ_wall
    View<const float> steepness;  // by contact, see FindWallDensity
    View<const Vec3> sampled;     // by contact, the same; empty: no boundary particles

    // λ ∇φ of contact k, which has the normal n: its part in the impulse on particle i
    HD Vec3 of(int i, uint32_t k, Vec3 n, float lambda) const {
        if (lambda == 0 || !(wall[i].w > 0)) return {0, 0, 0};  // nothing has written the arrays by contact
        const float pressed = lambda * (1 - wall[i].w);
        const Vec3 impulse = -pressed * steepness[k] * n;
        return sampled.size > 0 ? impulse + lambda * sampled[k] : impulse;
    }
};

}  // namespace coalesce
