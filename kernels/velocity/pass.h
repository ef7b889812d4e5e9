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
    float rate;      // 1/dt [1/s]
    float biasRate;  // β/dt [1/s]

    template <class R>
    HD R operator()(R depth) const {
        return select(depth < R(0), R(rate) * depth,
                      pass == VelocityPass::biased ? R(biasRate) * depth : R(0));
    }
};

}  // namespace coalesce
