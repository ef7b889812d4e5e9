// Contacts between particles: grains, bodies, and liquids against those.
//
//     C = |x_ij| − (r_i + r_j) ≥ 0                                                       [UPP14] eq. 22
//     Δx_i = w_i/(n_i w_i + n_j w_j) (δ n − friction),  δ: depth,  n: contact normal, towards i
//     friction: removes the relative tangential displacement Δx⊥ = [(x*_i − x_i) − (x*_j − x_j)] ⊥ n: all of
//     it below μ_s δ, else the share min(μ_k δ / |Δx⊥|, 1)                                  [UPP14] eq. 23-25
//     With contacts.presliding, the slip of earlier substeps is added to Δx⊥, see slip.h.
//
// n_i is the number of active contacts of particle i: each is solved as if the particle's mass were split
// evenly among them. This equals the averaging Δ/n of [UPP14] eq. 12 if n_i = n_j, but the two particles of a
// contact always move by opposite momenta, so a closed bag of water cannot propel itself. [TBV12]
//
// Collision filtering happens once per substep, when the lists are built. All kernels are gathers in list
// order: each side evaluates a pair once, with equal results. Atomics on integers only.
#pragma once

#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Contact data of a particle besides its position:
//     x: radius [m], y: √μ_s, z: √μ_k, so that a pair has the geometric mean; w: n w*, see SplitContactMasses
// and the inverse mass of the contact stage, scaled by stack height, w* = w e^(k height).  [UPP14] 5.2
struct GatherContactTraits {
    View<const Vec4> xStar;  // w: inverse mass [1/kg]
    View<const Vec4> v;      // w: stack height [m] (solids)
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const int> pairs;    // length of the lists
    View<Vec4> traits;        // written
    View<float> inverseMass;  // w* [1/kg] written
    float particleFriction, fluidFriction;
    float
        fluidDistance;  // contact distance of liquid and solid of equal spacing, as a share of the radii [-]
    float scaling;      // k [1/m]
    bool positional;    // friction acts on positions

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        // a grain with fewer than four neighbors can roll
        const float rolling = pairs[i] < 4 ? m.rollingResistance : 1.0f;
        const float share = positional ? particleFriction * (m.fluid ? fluidFriction : rolling) : 0.0f;
        // ratios beyond e^16 make no difference to a contact
        const float exponent = m.fluid ? 0.0f : min(scaling * v[i].w, 16.0f);
        const float scaled = scaling > 0 ? xStar[i].w * exponential(exponent) : xStar[i].w;
        const float radius = 0.5f * m.spacing * (m.fluid ? 2 * fluidDistance - 1 : 1.0f);
        traits[i] = {radius, sqrt(share * m.staticFriction), sqrt(share * m.dynamicFriction), scaled};
        inverseMass[i] = scaled;
    }
};

// Number of active contacts of a particle: distance below contact, and below the distance at the start of the
// substep plus the allowed correction of an initial overlap.
struct CountActiveContacts {
    NeighborLists lists;
    View<const Vec4> traits;
    View<const Vec4> x, xStar;  // [m]
    View<float> count;          // written, at least 1
    float slack;                // [-] also counts pairs farther apart by this share of the contact distance
    float maxCorrection;        // [m]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], si = x[i], mine = traits[i];
        R touched = R(0.0f);
        const auto inList = lists.count[i];
        for (int k = 0; any(k < inList); ++k) {
            const auto exists = k < inList;
            const auto j = lists.at(k, i, exists);
            const Vec4T<R> xj = xStar[j], sj = x[j], theirs = traits[j];
            const R limit = length(xyz(si) - xyz(sj)) + R(maxCorrection);
            const R contact = R(1.0f + slack) * (mine.x + theirs.x), reach = min(contact, limit);
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            touched += select(exists & (dot(d, d) < reach * reach), R(1.0f), R(0.0f));
        }
        put(count, i, max(touched, R(1.0f)));
    }
};

// Splits masses among contacts. Particles of rigid bodies count as heavier by the mass scale of their body
// (FindMassScale), which changes in each iteration.
struct SplitContactMasses {
    View<const float> inverseMass;  // w* [1/kg]
    View<const float> massScale;    // empty: none
    View<const float> count;        // n; empty: masses are not split
    View<float> scaledInverseMass;  // w* after mass scale; written
    View<Vec4> traits;              // w: n w*, written
    HD void operator()(int i) const {
        scaledInverseMass[i] = massScale.size > 0 ? inverseMass[i] / massScale[i] : inverseMass[i];
        traits[i].w = count.size > 0 ? count[i] * scaledInverseMass[i] : scaledInverseMass[i];
    }
};

// Contact of a pair: i is pushed along `normal` by its share of `depth`.
template <class R>
struct PairContact {
    Vec3T<R> normal;
    R depth;
};

// Spheres. d: from j to i; contact: r_i + r_j; limit: distance at the start of the substep plus the allowed
// correction of an initial overlap; side: 1 for one of the two particles, −1 for the other.
template <class R>
HD PairContact<R> sphereContact(Vec3T<R> d, R contact, R limit, R side) {
    const R distance2 = dot(d, d);
    const auto apart = distance2 > R(1e-24f);
    // coincident particles separate along x
    const R inverse = rsqrt(select(apart, distance2, R(1.0f)));
    const Vec3T<R> e = select(apart, inverse * d, Vec3T<R>{side, R(0.0f), R(0.0f)});
    const R distance = select(apart, inverse * distance2, R(0.0f));
    return {e, min(contact, limit) - distance};
}

// Particles with signed distances in their bodies (a.w, b.w: signed distance; xyz: its outward gradient):
// separates along the gradient of the less deep particle. Boundary particles are one-sided spheres.
//                                                                                      [UPP14] eq. 17-20
// way: displacement of i relative to j since the start of the substep; most, mostLoose: how far an overlap of two
// bodies, and of a body with grains or liquid, is corrected in a substep. Iterations share this distance: with
// its full length in each, a particle that is caught inside a body would leave with several times the speed that
// corrections of overlaps may add.
// Differs from the paper: its |φ| < r leaves open which of its two r is meant; here r is the contact
// distance, so that exactly the outer layer of a lattice is boundary. A particle that has no φ, as of liquid or
// sand, is moved by its own depth in the body, |φ| − d·∇φ, once that exceeds half the contact distance. |φ| of its
// neighbor would eject it from the surface of a ball, whose outer layer may lie nearly a spacing deep: deeper
// than the contact distance of liquids, 0.9 spacings.
template <class R>
HD PairContact<R> sdfContact(Vec3T<R> d, Vec3T<R> way, Vec4T<R> a, Vec4T<R> b, R contact, R limit, R most,
                             R mostLoose, R sided, R side) {
    const PairContact<R> ball = sphereContact(d, contact, limit, side);
    const R deepA = max(a.w, -a.w), deepB = max(b.w, -b.w);
    // equally deep, as in equal bodies: the mean direction, so that j finds the opposite one
    const Vec3T<R> outward = select(deepA < deepB, -xyz(a), select(deepB < deepA, xyz(b), xyz(b) - xyz(a)));
    const R deep = min(deepA, deepB), size2 = dot(outward, outward);
    const auto known = (deep < R(kNoSdf)) & (R(1e-6f) < size2);
    const Vec3T<R> out = rsqrt(select(known, size2, R(1.0f))) * outward;
    const R along = dot(ball.normal, out);
    const auto turned = known & (along < R(0.0f)) & (R(0.0f) < sided);
    const Vec3T<R> oneSided = select(turned, ball.normal - (R(2.0f) * along) * out, ball.normal);
    const auto bothKnown = max(deepA, deepB) < R(kNoSdf);
    const R inside = select(bothKnown, deep, deep - dot(d, out));
    const auto interior =
        known & (contact < deep) & (R(0.5f) * contact < inside) & (R(0.0f) < contact - length(d));
    const auto loose = R(0.99f * kNoBodySdf) < max(deepA, deepB);
    const R room = select(loose, mostLoose, most) - dot(way, out);
    return {select(interior, out, oneSided), select(interior, min(inside, room), ball.depth)};
}

// Share of the tangential displacement `slide` that friction
// removes from a pair pressed together by `push` [m];
// a, b: contact traits.                                                                    [UPP14] eq. 24
template <class R>
HD R frictionShare(Vec3T<R> slide, Vec4T<R> a, Vec4T<R> b, R push) {
    const R distance2 = dot(slide, slide), stick = a.y * b.y * push, drag = a.z * b.z * push;
    const auto moves = R(1e-30f) < distance2;
    const R partial = min(drag * rsqrt(select(moves, distance2, R(1.0f))), R(1.0f));
    return select(moves, select(distance2 < stick * stick, R(1.0f), partial), R(0.0f));
}

// Input of all pair contact kernels.
template <bool Sdf>
struct PairContacts {
    NeighborLists lists;
    View<const Vec4> traits;              // see GatherContactTraits
    View<const float> scaledInverseMass;  // w* [1/kg]
    View<const Vec4> bodySdf;             // by slot: ∇φ in world coordinates, φ [m]; only if Sdf
    float maxCorrection;                  // [m] largest correction of an initial overlap per substep
    float looseCorrection;  // [m] the same of grains and liquid inside a body, in the iterations
    float oneSided;         // 1: boundary particles push outwards only; 0: spheres

    // d: from j to i [m]; contact: r_i + r_j
    template <class I, class J, class R>
    HD PairContact<R> contactOf(I i, J j, Vec3T<R> d, R contact) const {
        return limited(i, j, d, contact, contact, Vec3T<R>{R(0.0f), R(0.0f), R(0.0f)}, maxCorrection);
    }
    // An overlap at the start of the substep is corrected by at most maxCorrection, that of grains and liquid inside a
    // body by at most looseCorrection. before: d at that time.
    template <class I, class J, class R>
    HD PairContact<R> contactOf(I i, J j, Vec3T<R> d, R contact, Vec3T<R> before) const {
        return limited(i, j, d, contact, length(before) + R(maxCorrection), d - before, looseCorrection);
    }

private:
    template <class I, class J, class R>
    HD PairContact<R> limited(I i, J j, Vec3T<R> d, R contact, R limit, Vec3T<R> way, float loose) const {
        const R side = select(isBefore(i, j), R(1.0f), R(-1.0f));
        if constexpr (Sdf) {
            const Vec4T<R> a = bodySdf[i], b = bodySdf[j];
            return sdfContact(d, way, a, b, contact, limit, R(maxCorrection), R(loose), R(oneSided), side);
        } else {
            return sphereContact(d, contact, limit, side);
        }
    }
};

// Pre-stabilization: resolves initial overlap without adding velocity, by a `shift` of both x and x*.
// [UPP14] 4.4
template <bool Sdf>
struct PreStabilizePairs {
    PairContacts<Sdf> contacts;
    View<const Vec4> x;  // [m]
    View<Vec4> shift;    // [m] written
    float omega;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], mine = contacts.traits[i];
        // non-touching pairs add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)};
        Vec3T<R> sum = none;
        const R own = contacts.scaledInverseMass[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = x[j], theirs = contacts.traits[j];
            const R contact = mine.x + theirs.x;
            const PairContact<R> m = contacts.contactOf(i, j, xyz(xi) - xyz(xj), contact);
            const R total = mine.w + theirs.w;
            const auto touches = exists & (R(0.0f) < m.depth) & (R(0.0f) < total);
            const R depth = min(m.depth, R(contacts.maxCorrection));
            const R step = select(touches, own / select(touches, total, R(1.0f)) * depth, R(0.0f));
            sum += select(touches, step * m.normal, none);
        }
        put(shift, i, vec4(R(omega) * sum, R(0.0f)));
    }
};

// One iteration of non-penetration, friction and cohesion. Remembers: there is a slip, see slip.h.
template <bool Sdf, bool Remembers>
struct SolveParticleContacts {
    PairContacts<Sdf> contacts;
    View<const Vec4> x;          // [m] at the start of the substep
    View<const Vec4> xStar;      // [m]
    View<const Vec4> slip;       // [m] of earlier substeps; empty if nothing remembers
    View<const float> cohesion;  // [m] largest pull of cohesion in this iteration; empty: none
    View<Vec4> xNew;             // [m] written
    Vec3 up;
    float omega;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], si = x[i], mine = contacts.traits[i];
        // non-touching pairs add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)};
        Vec3T<R> sum = none;
        const R own = contacts.scaledInverseMass[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = xStar[j], sj = x[j], theirs = contacts.traits[j];
            const Vec3T<R> d = xyz(xi) - xyz(xj), before = xyz(si) - xyz(sj);
            const R contact = mine.x + theirs.x;
            const PairContact<R> m = contacts.contactOf(i, j, d, contact, before);

            const R total = mine.w + theirs.w;
            R depth = m.depth, grip = R(0.0f);
            auto touches = exists & (R(0.0f) < total) & (R(0.0f) < depth);
            if (cohesion.size > 0) {
                // cohesion closes an opened gap up to its limit, and adds to friction
                const R ours = cohesion[i], other = cohesion[j];
                grip = min(ours, other);
                const auto held =
                    exists & (R(0.0f) < total) & (R(0.0f) < grip) & (R(0.0f) < depth + R(0.25f) * contact);
                touches = touches | held;
                depth = max(depth, -grip);
            }
            const R ratio = select(touches, own / select(touches, total, R(1.0f)), R(0.0f));

            Vec3T<R> way = d - before;
            if constexpr (Remembers) {
                // of a pair, the slip of the upper particle counts
                const R height = dot(d, Vec3T<R>{R(up.x), R(up.y), R(up.z)});
                const Vec4T<R> ours = slip[i], other = slip[j];
                way += select(R(0.0f) < height, xyz(ours), select(height < R(0.0f), -xyz(other), none));
            }
            const Vec3T<R> slide = way - dot(way, m.normal) * m.normal;
            const R share = frictionShare(slide, mine, theirs, max(depth, R(0.0f)) + grip);

            sum += select(touches, ratio * (depth * m.normal - share * slide), none);
        }
        put(xNew, i, vec4(fma(R(omega), sum, xyz(xi)), xi.w));
    }
};

// Largest cohesion pull of one iteration: cohesion dt² / iterations.
struct GatherCohesion {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> cohesion;  // [m] written
    float scale;           // dt² / iterations [s²]
    HD void operator()(int i) const { cohesion[i] = scale * materials[materialOf(phase[i])].cohesion; }
};

}  // namespace coalesce
