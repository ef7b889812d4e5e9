// Splashes: liquid particles that have left the liquid are drops. [SPR14], "Splashes"
//
// A particle with fewer than N liquid neighbors in two substeps, and no shape that it touches, becomes a
// drop. A drop is not part of the density constraint: it counts in no volume fraction and receives no
// pressure. It falls, is slowed down by air, and collides with shapes and solid particles like any other
// particle. With N neighbors again, or at a shape, it is liquid again. Mass stays, and its momentum goes into
// the liquid through the constraint. Differs from the slides, which remove splashes when they hit something.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Without splashes there are no drops.
struct ClearDrops {
    View<uint32_t> phase;  // updated
    HD void operator()(int i) const { phase[i] &= ~(kDrop | kSparse); }
};

struct FindDrops {
    View<const Vec4> x;  // [m]; w: inverse mass
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    NeighborLists neighbors;
    Contacts contacts;
    View<uint32_t> newPhase;  // written; neighbors read the old one
    View<Vec4> v;             // [m/s] of drops, updated
    int enough;               // N
    float kept;               // share of its velocity that a drop keeps [-]

    HD void operator()(int i) const {
        const uint32_t old = phase[i];
        const MaterialConstants& m = materials[materialOf(old)];
        uint32_t now = old & ~(kDrop | kSparse);
        if (m.fluid && x[i].w != 0 && !touchesShape(i, m) && !hasEnoughNeighbors(i)) {
            now |= kSparse;
            if (old & (kDrop | kSparse)) now |= kDrop;
        }
        newPhase[i] = now;
        if (now & kDrop) v[i] = vec4(kept * xyz(v[i]), v[i].w);
    }

private:
    HD bool touchesShape(int i, const MaterialConstants& m) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
            if (dot(xyz(contacts.planes[k]), xyz(x[i])) - contacts.planes[k].w < 0.1f * m.spacing)
                return true;
        return false;
    }
    HD bool hasEnoughNeighbors(int i) const {
        int found = 0;
        for (int k = 0; k < neighbors.count[i] && found < enough; ++k)
            found += materials[materialOf(phase[neighbors.at(k, i, true)])].fluid;
        return found >= enough;
    }
};

}  // namespace coalesce
