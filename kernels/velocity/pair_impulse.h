// Contacts between particles as velocity constraints: grains, bodies, and liquids against those.
//
//     n·(v_i − v_j) ≥ target;  P_n ≥ 0;  P_t stops the sliding velocity, |P_t| ≤ μ_s P_n, else μ_k P_n
//     ΔP_n = max(0, P_n + ω (target − n·(v_i − v_j))/(k_i + k_j)) − P_n,   k = nᵀ K n
//     v_i += w_i ΔP,   v_j −= w_j ΔP                                       K: see inverse_mass.h
// A contact that is a spring (see springContact) gives, while it is closed, with s = massScale
//     ΔP_n = ω (s (target − n·(v_i − v_j))/(k_i + k_j) − (1 − s) P_n),
// and takes back ω P_n when it opens.
//
// Impulses are accumulated over all passes of a substep, by entry of the lists. Both particles of a pair
// evaluate it, with opposite and otherwise equal results, so that no thread writes to another particle.
// All kernels are gathers in list order, written for lanes. Atomics on integers only.
#pragma once

#include "kernels/contact/particle_pairs.h"
#include "kernels/velocity/inverse_mass.h"
#include "kernels/velocity/pass.h"

namespace coalesce {

// Impulses of the contacts of a substep, by entry of the lists [kg m/s].
struct PairImpulses {
    View<float> normal, x, y, z;  // P_n, and P_t in world coordinates
    int64_t stride;
    bool first;  // nothing is stored yet

    template <class I>
    HD Vec4T<RealOf<I>> get(int k, I i) const {
        using R = RealOf<I>;
        if (first) return {R(0), R(0), R(0), R(0)};
        return {row(x, k)[i], row(y, k)[i], row(z, k)[i], row(normal, k)[i]};
    }
    template <class I, class R>
    HD void set(int k, I i, Vec4T<R> impulse) const {
        put(row(x, k), i, impulse.x), put(row(y, k), i, impulse.y), put(row(z, k), i, impulse.z);
        put(row(normal, k), i, impulse.w);
    }

private:
    HD View<float> row(View<float> all, int k) const {
        return all.subview(static_cast<size_t>(k * stride), static_cast<size_t>(stride));
    }
};

// Input of both kernels of an iteration.
template <bool Fields>
struct PairTargets {
    PairContacts<Fields> contacts;  // traits.w: see each kernel
    View<const Vec4> x;             // [m] at the start of the substep; at its end if the pass is not `biased`
    View<const Vec4> v;             // [m/s]
    PairImpulses impulses;
    ContactTarget target;

    template <class R>
    struct Of {
        Vec3T<R> normal, relative;
        R speed;   // of separation [m/s]
        R wanted;  // least speed of separation [m/s]
        R depth;   // of the overlap [m]; negative: open
    };
    template <class I, class J, class R>
    HD Of<R> of(I i, J j, Vec4T<R> xi, Vec4T<R> vi, R contact) const {
        const Vec4T<R> xj = x[j], vj = v[j];
        const PairContact<R> m = contacts.contactOf(i, j, xyz(xi) - xyz(xj), contact);
        const Vec3T<R> relative = xyz(vi) - xyz(vj);
        // an overlap is corrected by at most maxDepenetration; a spring has its whole depth
        const R corrected = target.massScale > 0 ? m.depth : min(m.depth, R(contacts.maxCorrection));
        return {m.normal, relative, dot(m.normal, relative), target(corrected), m.depth};
    }
};

// Number of contacts of a particle that press, or are about to.
template <bool Fields>
struct CountPairImpulses {
    PairTargets<Fields> pairs;
    View<float> count;  // written

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = pairs.x[i], vi = pairs.v[i], mine = pairs.contacts.traits[i];
        R found = R(0);
        const auto inList = pairs.contacts.lists.count[i];
        for (int k = 0; any(k < inList); ++k) {
            const auto exists = k < inList;
            const auto j = pairs.contacts.lists.at(k, i, exists);
            const Vec4T<R> theirs = pairs.contacts.traits[j];
            const auto c = pairs.of(i, j, xi, vi, mine.x + theirs.x);
            const Vec4T<R> held = pairs.impulses.get(k, i);
            found += select(exists & ((R(0) < held.w) | (c.speed < c.wanted)), R(1), R(0));
        }
        put(count, i, found);
    }
};

// Adds the contacts of the particles of bodies: their body shares its mass among them.
struct CountBodyContacts {
    View<const float> count;  // by slot
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const Vec4> x;           // w: inverse mass
    View<const int> pairs;        // length of the lists
    View<uint32_t> bodyContacts;  // by cluster, added to
    HD void operator()(int i) const {
        if (pairs[i] == 0 || x[i].w == 0) return;
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        if (cluster != kNoRow) atomicAdd(&bodyContacts[cluster], static_cast<uint32_t>(count[i]));
    }
};

// Free particles: traits.w = n w.
struct ShareParticleMass {
    View<const Vec4> x;  // w: inverse mass
    View<const float> count;
    View<Vec4> traits;  // updated
    HD void operator()(int i) const { traits[i].w = max(count[i], 1.0f) * x[i].w; }
};

template <bool Fields, bool Bodies>
struct SolvePairImpulses {
    PairTargets<Fields> pairs;
    InverseMass<Bodies> mass;
    View<const Vec4> before;        // [m/s] as predicted, before any constraint
    View<const float> restitution;  // by slot; empty: no particle has any
    View<Vec4> vNew;                // written
    float bounceSpeed;              // [m/s]
    float omega;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = pairs.x[i], vi = pairs.v[i], mine = pairs.contacts.traits[i];
        const auto ours = mass.of(i);
        // contacts without impulse add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0), R(0), R(0)};
        Vec3T<R> sum = none;
        const auto inList = pairs.contacts.lists.count[i];
        for (int k = 0; any(k < inList); ++k) {
            const auto exists = k < inList;
            const auto j = pairs.contacts.lists.at(k, i, exists);
            const Vec4T<R> theirs = pairs.contacts.traits[j];
            auto c = pairs.of(i, j, xi, vi, mine.x + theirs.x);
            const auto other = mass.of(j);
            const Vec4T<R> held = pairs.impulses.get(k, i);
            const Vec3T<R> grip = xyz(held);

            const R along = ours.along(c.normal) + other.along(c.normal);
            auto acts = exists & (R(0) < along);
            if (pairs.target.pass == VelocityPass::restitution) {
                const Vec4T<R> bi = before[i], bj = before[j];
                const R impact = dot(c.normal, xyz(bi) - xyz(bj));
                const R e = min(R(restitution[i]), R(restitution[j]));
                acts = acts & (R(0) < held.w) & (R(0) < e) & (impact < R(-bounceSpeed));
                c.wanted = -(e * impact);
            }
            const R missing = (c.wanted - c.speed) / select(acts, along, R(1));
            R change = missing;
            if (pairs.target.massScale > 0) {
                const R scale = select(R(0) < c.depth, R(pairs.target.massScale), R(0));
                change = scale * missing - (R(1) - scale) * held.w;
            }
            const R press = max(fma(R(omega), change, held.w), R(0));

            // friction against the sliding velocity, in the cone of the normal impulse
            const Vec3T<R> slide = c.relative - c.speed * c.normal;
            const R speed2 = dot(slide, slide);
            const auto slides = R(1e-30f) < speed2;
            const R inverseSpeed = rsqrt(select(slides, speed2, R(1)));
            const Vec3T<R> way = select(slides, inverseSpeed * slide, c.normal);
            const R across = ours.along(way) + other.along(way);
            const Vec3T<R> wanted = grip - select(slides & (R(0) < across),
                                                  R(omega) / select(R(0) < across, across, R(1)), R(0)) *
                                               slide;
            const R stick = mine.y * theirs.y * press, drag = mine.z * theirs.z * press;
            const R size2 = dot(wanted, wanted);
            const auto grabs = R(1e-30f) < size2;
            const R partial = min(drag * rsqrt(select(grabs, size2, R(1))), R(1));
            const R share = select(grabs, select(stick * stick < size2, partial, R(1)), R(0));

            const Vec3T<R> after = share * wanted;
            const Vec3T<R> given = (press - held.w) * c.normal + (after - grip);
            sum += select(acts, given, none);
            pairs.impulses.set(k, i, select4(acts, vec4(after, press), held));
        }
        put(vNew, i, vec4(fma(xi.w, sum, xyz(vi)), vi.w));
    }

private:
    template <class Mask, class R>
    HD static Vec4T<R> select4(Mask mask, Vec4T<R> a, Vec4T<R> b) {
        return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z),
                select(mask, a.w, b.w)};
    }
};

struct GatherPairRestitution {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> restitution;  // written
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        restitution[i] = m.fluid ? 0.0f : m.restitution;
    }
};

}  // namespace coalesce
