// Passes of the velocity-level method, and the separation speed that a contact aims at in each. [SPR14]; the
// relax pass follows Box2D v3
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// The passes of a substep, in this order. In the first two a contact that is open by a gap g may close within
// a substep: n·v ≥ −g/dt.
enum class VelocityPass {
    biased,      // at the positions of the start: overlaps are corrected by the share β
    relax,       // at the integrated positions, without bias: removes the velocity that the bias has added
    restitution  // last: contacts that were hit take on −e times the speed of the impact
};

// Least speed of separation [m/s] of a contact.  depth: of the overlap, negative: open [m]
struct ContactTarget {
    VelocityPass pass;
    float rate;           // 1/dt [1/s]
    float biasRate;       // β/dt [1/s]
    float massScale = 0;  // of a spring, see springContact [-]; 0: a constraint

    template <class R>
    HD R operator()(R depth) const {
        return select(depth < R(0), R(rate) * depth,
                      pass == VelocityPass::biased ? R(biasRate) * depth : R(0));
    }
};

// A contact that is a spring of natural frequency ω [rad/s] and
// damping ratio ζ, integrated implicitly. [CAT11]
//     target = ω depth/(2ζ + ω dt),   massScale = a/(1 + a),   a = ω dt (2ζ + ω dt)
// ω is that of a pair whose masses have no other contact.
inline ContactTarget springContact(VelocityPass pass, float omega, float zeta, float dt) {
    const float c = 2 * zeta + omega * dt, a = omega * dt * c;
    return {pass, 1 / dt, omega / c, a / (1 + a)};
}

}  // namespace coalesce
