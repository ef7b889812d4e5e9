// Slip: what static friction remembers of earlier substeps.
//
// Friction on the displacement of one substep forgets what has slipped before it: under a lasting tangential
// force each substep leaves a small slip, and heaps creep. So each particle keeps the
// displacement s_i relative to what supports it, of at most a share of its spacing,
// and friction acts on Δx⊥ + s⊥ instead of Δx⊥:
//
//     s_i += (x_i − x_i⁰) − Σ_k w_k Δ_k / Σ_k w_k;    |s_i| ≤ presliding d
//
// x⁰: start of the substep. k: the supports of i: touching shapes, w = 1, with the displacement Δ of their
// surface, and touching particles below i, with theirs and w = n·up. Without support s = 0. Of a pair, the
// upper particle remembers. Elastic displacement before sliding: Dahl 1968; contact forces of grains with a
// tangential spring that slides at the limit of friction: Cundall and Strack 1979. Differs from theirs: one
// displacement for each particle, not one for each contact.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/contact/particle_pairs.h"

namespace coalesce {

// Slack of a support after the substep, as a share of the contact
// distance: a particle that trembles keeps its slip.
constexpr float kSupports = 0.05f;

// Displacement of the shapes that support a particle.
struct FindSupportingShapes {
    Contacts contacts;
    View<const Vec4> x;  // [m] at the end of the substep
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> support;  // Σ w Δ [m], Σ w; written

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const Vec3 at = xyz(x[i]);
        Vec4 sum{0, 0, 0, 0};
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec4 plane = contacts.planes[k];
            if (m.fluid || m.staticFriction + m.dynamicFriction == 0 || contacts.shapeOf(k).friction == 0)
                continue;
            if (dot(xyz(plane), at) - plane.w > kSupports * m.spacing) continue;
            const Vec3 moved = at - contacts.previousPosition(k, at);
            sum = {sum.x + moved.x, sum.y + moved.y, sum.z + moved.z, sum.w + 1};
        }
        support[i] = sum;
    }
};

// The slip at the end of a substep.
struct UpdateSlip {
    NeighborLists lists;
    View<const Vec4> traits;   // see GatherContactTraits
    View<const Vec4> start;    // [m] x⁰
    View<const Vec4> x;        // [m]
    View<const Vec4> support;  // see FindSupportingShapes
    View<Vec4> slip;           // [m] updated
    Vec3 up;
    float presliding;  // [-]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], si = start[i], mine = traits[i], shapes = support[i], before = slip[i];
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)}, upward{R(up.x), R(up.y), R(up.z)};
        Vec3T<R> carried = xyz(shapes);
        R weight = shapes.w;
        const auto count = lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = lists.at(k, i, exists);
            const Vec4T<R> xj = x[j], sj = start[j], theirs = traits[j];
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R reach = R(1.0f + kSupports) * (mine.x + theirs.x), height = dot(d, upward);
            const auto supports =
                exists & (R(0.0f) < height) & (dot(d, d) < reach * reach) & (R(0.0f) < mine.y * theirs.y);
            const R w = select(supports, height / reach, R(0.0f));
            carried += select(supports, w * (xyz(xj) - xyz(sj)), none);
            weight += w;
        }
        const auto held = R(0.0f) < weight;
        const R share = R(1.0f) / select(held, weight, R(1.0f));
        const Vec3T<R> now = xyz(before) + (xyz(xi) - xyz(si)) - share * carried;
        const R most = R(2 * presliding) * mine.x, size2 = dot(now, now);
        const auto slides = most * most < size2;
        const R kept = select(slides, most * rsqrt(select(slides, size2, R(1.0f))), R(1.0f));
        put(slip, i, vec4(select(held, kept * now, none), R(0.0f)));
    }
};

}  // namespace coalesce
