// Contacts between particles: grains, bodies, and liquids against those.
//
//     C = |x_ij| − (r_i + r_j) ≥ 0                                                       [UPP14] eq. 22
//     Δx_i = w_i/(n_i w_i + n_j w_j) (δ n − friction),  δ: depth,  n: contact normal, towards i
//     friction: removes the relative tangential displacement Δx⊥ = [(x*_i − x_i) − (x*_j − x_j)] ⊥ n: all of
//     it below μ_s δ, else the share min(μ_k δ / |Δx⊥|, 1)                                  [UPP14] eq. 23-25
//
// n_i is the number of active contacts of particle i: each is solved as if the particle's mass were split
// evenly among them. This equals the averaging Δ/n of [UPP14] eq. 12 if n_i = n_j, but the two particles of a
// contact always move by opposite momenta, so a closed bag of water cannot propel itself. [TBV12]
//
// Collision filtering happens once per substep, when the lists are built. All kernels are gathers in list
// order: each side evaluates a pair once, with equal results. Promise: cpu = gpu; atomics on integers only.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Half of each particle's pair search distance [m], as an array beside PositionsSoA.
struct SplitReach {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> reach;  // written; kCandidates elements of padding
    float margin;       // contacts.pairMargin [-]
    HD void operator()(int i) const {
        reach[i] = 0.5f * (1 + margin) * materials[materialOf(phase[i])].spacing;
    }
};

// Writes the pair list of each particle: all j nearer than contact plus margin. Excludes pairs of two liquid
// particles, pairs within a body without self-collision, and pairs that are as close in the rest shape.
struct BuildPairs {
    View<const float> x, y, z, reach;  // padded as PositionsSoA
    View<const uint32_t> cellOf;
    View<const RowRange> rows;
    View<const uint32_t> id, phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    View<const Vec4> rest;     // rest positions by row [m]
    View<int> count, entries;  // written
    int64_t stride;
    int capacity;
    StatusBlock* status;

    HD void operator()(int i) const {
        int found = 0;
        if ((cellOf[i] + 1) * kRows <= rows.size)
            forEachPair(i, [&](int j) {
                if (found < capacity) entries[found * stride + i] = j;
                ++found;
            });
        if (found > capacity) atomicOr(&status->flags, kPairOverflow);
        atomicMax(&status->requiredPairs, static_cast<uint32_t>(found));
        count[i] = found < capacity ? found : capacity;
    }

    // visit(j) for every pair (i, j), in list order
    template <class Visit>
    HD void forEachPair(int i, Visit&& visit) const {
        const Candidates px(x[i]), py(y[i]), pz(z[i]), mine(reach[i]);
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[cellOf[i] * kRows + row];
            for (uint32_t first = range.begin; first < range.end; first += kCandidates) {
                const Vec3T<Candidates> d{px - loadCandidates(&x.data[first]),
                                          py - loadCandidates(&y.data[first]),
                                          pz - loadCandidates(&z.data[first])};
                const Candidates h = mine + loadCandidates(&reach.data[first]);
                uint32_t near = bitsOf(dot(d, d) < h * h);
                const uint32_t left = range.end - first, self = static_cast<uint32_t>(i) - first;
                if (left < kCandidates) near &= (1u << left) - 1;
                if (self < kCandidates) near &= ~(1u << self);
                for (; near != 0; near &= near - 1) {
                    const int j = static_cast<int>(first) + lowestBit(near);
                    if (mayTouch(i, j)) visit(j);
                }
            }
        }
    }

private:
    HD bool mayTouch(int i, int j) const {
        const MaterialConstants &a = materials[materialOf(phase[i])], &b = materials[materialOf(phase[j])];
        if (a.fluid && b.fluid) return false;
        const uint32_t group = groupOf(phase[i]);
        if (group != groupOf(phase[j])) return true;
        const GroupConstants& g = groups[group];
        if (!g.solid) return true;
        if (!g.selfCollide) return false;
        const Vec3 d = xyz(rest[id[i] + g.rowOffset]) - xyz(rest[id[j] + g.rowOffset]);
        const float contact = 0.5f * (a.spacing + b.spacing);
        return dot(d, d) > g.restReach * contact * contact;
    }
};

// Policy clamp: keeps the nearest particles of a full list; ties go to the lower slot.
struct KeepNearestPairs {
    BuildPairs pairs;

    HD void operator()(int i) const {
        if (pairs.count[i] < pairs.capacity) return;
        int kept = 0;
        pairs.forEachPair(i, [&](int j) {
            if (nearer(i, j) < pairs.capacity) pairs.entries[kept++ * pairs.stride + i] = j;
        });
    }

private:
    // number of pairs of i nearer than j
    HD int nearer(int i, int j) const {
        const float r2 = squaredDistance(i, j);
        int count = 0;
        pairs.forEachPair(i, [&](int k) {
            const float other2 = squaredDistance(i, k);
            count += other2 < r2 || (other2 == r2 && k < j);
        });
        return count;
    }
    HD float squaredDistance(int i, int j) const {
        const Vec3 d{pairs.x[i] - pairs.x[j], pairs.y[i] - pairs.y[j], pairs.z[i] - pairs.z[j]};
        return dot(d, d);
    }
};

// Contact data of a particle besides its position:
//     x: radius [m], y: √μ_s, z: √μ_k, so that a pair has the geometric mean; w: n w*, see WeighContacts
// and the inverse mass of the contact stage, scaled by stack height, w* = w e^(k height).  [UPP14] 5.2
struct GatherContactTraits {
    View<const Vec4> xStar;  // w: inverse mass [1/kg]
    View<const Vec4> v;      // w: stack height [m] (solids)
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const int> pairs;  // length of the lists
    View<Vec4> traits;      // written
    View<float> weight;     // w* [1/kg] written
    float particleFriction, fluidFriction;
    float
        fluidDistance;  // contact distance of liquid and solid of equal spacing, as a share of the radii [-]
    float scaling;      // k [1/m]
    bool position;      // friction acts on positions

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        // a grain with fewer than four neighbors can roll
        const float rolling = pairs[i] < 4 ? m.rollingResistance : 1.0f;
        const float share = position ? particleFriction * (m.fluid ? fluidFriction : rolling) : 0.0f;
        // ratios beyond e^16 make no difference to a contact
        const float exponent = m.fluid ? 0.0f : min(scaling * v[i].w, 16.0f);
        const float weight = scaling > 0 ? xStar[i].w * exponential(exponent) : xStar[i].w;
        const float radius = 0.5f * m.spacing * (m.fluid ? 2 * fluidDistance - 1 : 1.0f);
        traits[i] = {radius, sqrt(share * m.staticFriction), sqrt(share * m.dynamicFriction), weight};
        this->weight[i] = weight;
    }
};

// Number of active contacts of a particle: distance below contact, and below the distance at the start of the
// substep plus the allowed correction of an initial overlap.
struct CountPairs {
    NeighborLists lists;
    View<const Vec4> traits;
    View<const Vec4> x, xStar;  // [m]
    View<float> count;          // written, at least 1
    float slack;                // [-] also counts pairs farther apart by this share of the contact distance
    float mostUndone;           // [m]

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
            const R limit = length(xyz(si) - xyz(sj)) + R(mostUndone);
            const R contact = R(1.0f + slack) * (mine.x + theirs.x), reach = min(contact, limit);
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            touched += select(exists & (dot(d, d) < reach * reach), R(1.0f), R(0.0f));
        }
        put(count, i, max(touched, R(1.0f)));
    }
};

// Splits masses among contacts. Particles of rigid bodies count as heavier by the mass scale of their body
// (FindMassScale), which changes in each iteration.
struct WeighContacts {
    View<const float> weight;     // w* [1/kg]
    View<const float> massScale;  // empty: none
    View<const float> count;      // n; empty: masses are not split
    View<float> own;              // w* after mass scale; written
    View<Vec4> traits;            // w: n w*, written
    HD void operator()(int i) const {
        own[i] = massScale.size > 0 ? weight[i] / massScale[i] : weight[i];
        traits[i].w = count.size > 0 ? count[i] * own[i] : own[i];
    }
};

// Slack of touching pairs after the substep, as a share of the contact distance.
constexpr float kTouching = 0.02f;

// Contact of a pair: i is pushed along `normal` by its share of `depth`.
template <class R>
struct Meeting {
    Vec3T<R> normal;
    R depth;
};

// Spheres. d: from j to i; contact: r_i + r_j; limit: distance at the start of the substep plus the allowed
// correction of an initial overlap; side: 1 for one of the two particles, −1 for the other.
template <class R>
HD Meeting<R> meetBalls(Vec3T<R> d, R contact, R limit, R side) {
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
// Differs from the paper: its |φ| < r leaves open which of its two r is meant; here r is the contact
// distance, so that exactly the outer layer of a lattice is boundary.
template <class R>
HD Meeting<R> meetFields(Vec3T<R> d, Vec4T<R> a, Vec4T<R> b, R contact, R limit, R most, R sided, R side) {
    const Meeting<R> ball = meetBalls(d, contact, limit, side);
    const R deepA = max(a.w, -a.w), deepB = max(b.w, -b.w);
    // equally deep, as in equal bodies: the mean direction, so that j finds the opposite one
    const Vec3T<R> way = select(deepA < deepB, -xyz(a), select(deepB < deepA, xyz(b), xyz(b) - xyz(a)));
    const R deep = min(deepA, deepB), size2 = dot(way, way);
    const auto known = (deep < R(kNoSdf)) & (R(1e-6f) < size2);
    const Vec3T<R> out = rsqrt(select(known, size2, R(1.0f))) * way;
    const R along = dot(ball.normal, out);
    const auto turned = known & (along < R(0.0f)) & (R(0.0f) < sided);
    const Vec3T<R> oneSided = select(turned, ball.normal - (R(2.0f) * along) * out, ball.normal);
    const auto interior = known & (contact < deep) & (R(0.0f) < contact - length(d));
    return {select(interior, out, oneSided), select(interior, min(deep, most), ball.depth)};
}

// Input of all pair contact kernels.
template <bool Fields>
struct PairMeetings {
    NeighborLists lists;
    View<const Vec4> traits;  // see GatherContactTraits
    View<const float> own;    // w* [1/kg]
    View<const Vec4> field;   // by slot: ∇φ in world coordinates, φ [m]; only if Fields
    float mostUndone;         // [m] largest correction of an initial overlap per substep
    float oneSided;           // 1: boundary particles push outwards only; 0: spheres

    // d: from j to i [m]; contact: r_i + r_j; limit: see meetBalls
    template <class I, class J, class R>
    HD Meeting<R> meet(I i, J j, Vec3T<R> d, R contact, R limit) const {
        const R side = select(isBefore(i, j), R(1.0f), R(-1.0f));
        if constexpr (Fields) {
            const Vec4T<R> a = field[i], b = field[j];
            return meetFields(d, a, b, contact, limit, R(mostUndone), R(oneSided), side);
        } else {
            return meetBalls(d, contact, limit, side);
        }
    }
};

// Pre-stabilization: resolves initial overlap without adding velocity, by a `shift` of both x and x*.
// [UPP14] 4.4
template <bool Fields>
struct PreStabilizePairs {
    PairMeetings<Fields> contacts;
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
        const R own = contacts.own[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = x[j], theirs = contacts.traits[j];
            const R contact = mine.x + theirs.x;
            const Meeting<R> m = contacts.meet(i, j, xyz(xi) - xyz(xj), contact, contact);
            const R total = mine.w + theirs.w;
            const auto touches = exists & (R(0.0f) < m.depth) & (R(0.0f) < total);
            const R depth = min(m.depth, R(contacts.mostUndone));
            const R step = select(touches, own / select(touches, total, R(1.0f)) * depth, R(0.0f));
            sum += select(touches, step * m.normal, none);
        }
        put(shift, i, vec4(R(omega) * sum, R(0.0f)));
    }
};

struct ShiftStarts {
    View<const Vec4> shift;
    View<Vec4> x, xStar;  // updated
    HD void operator()(int i) const {
        const Vec3 s = xyz(shift[i]);
        x[i] = vec4(xyz(x[i]) + s, x[i].w);
        xStar[i] = vec4(xyz(xStar[i]) + s, xStar[i].w);
    }
};

// One iteration of non-penetration, friction and cohesion.
template <bool Fields>
struct SolvePairs {
    PairMeetings<Fields> contacts;
    View<const Vec4> x;          // [m] at the start of the substep
    View<const Vec4> xStar;      // [m]
    View<const float> cohesion;  // [m] largest pull of cohesion in this iteration; empty: none
    View<Vec4> xNew;             // [m] written
    float omega;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], si = x[i], mine = contacts.traits[i];
        // non-touching pairs add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)};
        Vec3T<R> sum = none;
        const R own = contacts.own[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = xStar[j], sj = x[j], theirs = contacts.traits[j];
            const Vec3T<R> d = xyz(xi) - xyz(xj), before = xyz(si) - xyz(sj);
            const R contact = mine.x + theirs.x;
            const Meeting<R> m = contacts.meet(i, j, d, contact, length(before) + R(contacts.mostUndone));

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

            const Vec3T<R> way = d - before;
            const Vec3T<R> slide = way - dot(way, m.normal) * m.normal;
            const R distance2 = dot(slide, slide), push = max(depth, R(0.0f)) + grip;
            const R stick = mine.y * theirs.y * push, drag = mine.z * theirs.z * push;
            const auto moves = R(1e-30f) < distance2;
            const R partial = min(drag * rsqrt(select(moves, distance2, R(1.0f))), R(1.0f));
            const R share = select(moves, select(distance2 < stick * stick, R(1.0f), partial), R(0.0f));

            sum += select(touches, ratio * (depth * m.normal - share * slide), none);
        }
        put(xNew, i, vec4(fma(R(omega), sum, xyz(xi)), xi.w));
    }
};

// Velocity update after the substep: restitution, and, for comparison only, friction as velocity damping.
//     along n:   Δv = (−e v_impact − v_now), if positive
//     across n:  Δv = −min(μ, 1) v⊥, which has no static friction: positions have moved already  [UPP14] 6
template <bool Fields>
struct BouncePairs {
    PairMeetings<Fields> contacts;
    View<const Vec4> x, v;    // [m], [m/s] at the end of the substep
    View<const Vec4> before;  // [m/s] as predicted, before any constraint
    View<const Vec4> bounce;  // by slot; x: restitution, y: √μ of friction by damping
    View<Vec4> vNew;          // [m/s] written
    float bounceSpeed;        // [m/s]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], vi = v[i], bi = before[i], mine = contacts.traits[i], ours = bounce[i];
        // non-touching pairs add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)};
        Vec3T<R> sum = none;
        const R own = contacts.own[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = x[j], vj = v[j], bj = before[j], theirs = contacts.traits[j],
                           other = bounce[j];
            const R contact = mine.x + theirs.x;
            const Meeting<R> m = contacts.meet(i, j, xyz(xi) - xyz(xj), contact, contact);
            const R total = mine.w + theirs.w;
            const auto touches = exists & (R(0.0f) < total) & (R(-kTouching) * contact < m.depth);
            const R ratio = select(touches, own / select(touches, total, R(1.0f)), R(0.0f));

            const R impact = dot(m.normal, xyz(bi) - xyz(bj));
            const Vec3T<R> relative = xyz(vi) - xyz(vj);
            const R now = dot(m.normal, relative);
            const R wanted = -min(ours.x, other.x) * impact;
            const auto bounces = (impact < R(-bounceSpeed)) & (now < wanted);
            const Vec3T<R> across = relative - now * m.normal;
            const R damped = min(ours.y * other.y, R(1.0f));
            const Vec3T<R> change =
                ratio * (select(bounces, wanted - now, R(0.0f)) * m.normal - damped * across);
            sum += select(touches, change, none);
        }
        put(vNew, i, vec4(xyz(vi) + sum, vi.w));
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

// Restitution, and the coefficient of friction as velocity damping; see BouncePairs.
struct GatherBounce {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> bounce;  // written
    float particleFriction;
    bool damping;
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float share = damping && !m.fluid ? particleFriction : 0.0f;
        bounce[i] = {m.fluid ? 0.0f : m.restitution, sqrt(share * m.dynamicFriction), 0, 0};
    }
};

}  // namespace coalesce
