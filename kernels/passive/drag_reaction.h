// Reaction of liquids with foamMass to the drag of foam and bubbles, once per frame, before these move.
//
// A bubble of mass m_i (half of the liquid that it displaces, its added mass, at the usual k_b = 2) exchanges
// momentum with the liquid around it, the mean v_f of [UPP14] eq. 28, by the drag of [IAAT12] eq. 9-11. Implicit in
// both velocities, with a = dt k_d and b = −dt k_b g:
//     v_i' = v_i + b − q_i,    q_i = a (v_i' − v_f'),    v_f' = v_f + λ_i q_i
//     so  q_i = a (v_i + b − v_f)/(1 + a (1 + λ_i));     foam: a → ∞, b = 0
//     λ_i = Σ_j w_ij L_j/W_i,    L_j = 1/m_j Σ_i m_i w_ij/W_i,    W_i = Σ_j w_ij
//     v_j' = v_j + 1/m_j Σ_i m_i q_i w_ij/W_i
// λ is the mass of foam and bubbles per mass of liquid around a particle: the system of all foam is coupled, and λ
// stands for its rows as if all had the same q. So v_f' is an estimate; momentum is exact all the same. With it all of them
// together reverse no relative velocity, however many they are. The weights that average v_f also spread the momentum,
// so the exchange conserves it, and takes no energy from nowhere: Σ_j Δp_ij·v_j = m_i q_i·v_f.
//
// Buoyancy is an external force, without a reaction: the liquid that a bubble displaces presses down in its place,
// and here it is still there, with its weight, because bubbles take no room.
//
// Promise: sums over bubbles are in fixed point, so their order does not matter.
#pragma once

#include "kernels/math/fixed_point_sum.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/passive_particle.h"

namespace coalesce {

// What both kernels read of foam and bubbles.
struct DragPartners {
    FluidGrid grid;
    View<const uint32_t> order;   // sorted position -> index
    View<const Vec4> point;       // of PlacePassive, by index
    View<const Vec4> around;      // of DiscountShapes, by index
    View<const float> weightSum;  // W_i, by index
    View<const uint32_t> tag;     // by index
    View<const PassiveConstants> materials;

    // [kg] 0: spray, markers, those without neighbors, and those of liquids without foamMass
    HD float massOf(uint32_t index) const {
        if (classOf(tag[index]) == PassiveClass::smoke || !(weightSum[index] > 0)) return 0;
        const PassiveConstants& m = materials[materialOfTag(tag[index])];
        return m.classAt(around[index].w) == PassiveClass::spray ? 0.0f : m.mass;
    }
    // visit(slot, w_ij/W_i) for all liquid particles j around it, always in the same order
    template <class Visit>
    HD void forEachShare(uint32_t index, Visit&& visit) const {
        const Vec4 p = point[index];
        const float scale = -1 / (p.w * p.w), inverse = 1 / weightSum[index];
        grid.forEachWithin(xyz(p), p.w, [&](uint32_t k, float r2, bool) {
            if (grid.isGas.size > 0 && grid.isGas[k] != 0) return;
            const float a = fma(scale, r2, 1.0f), a2 = a * a;
            visit(grid.source[k], a2 * a2 * inverse);
        });
    }
};

// L_j m_j: the mass of foam and bubbles at each particle of the liquid.
struct SpreadFoamMass {
    DragPartners foam;
    View<int64_t> load;  // in units of 1/perKilogram, added to, by slot
    float perKilogram;

    HD void operator()(int i) const {
        const uint32_t index = foam.order[i];
        const float mass = foam.massOf(index);
        if (mass == 0) return;
        foam.forEachShare(index, [&](uint32_t slot, float share) {
            atomicAddFixed(&load[slot], toFixed(perKilogram * mass * share));
        });
    }
};

// Gives the liquid the momentum m_i q_i, and foam and bubbles v_f' in place of v_f: MovePassive, with it, gives them
// v_i' as above.
struct ExchangeDrag {
    DragPartners foam;
    View<const Vec4> x;        // of the liquid; w: 1/m_j
    View<const int64_t> load;  // of SpreadFoamMass
    View<const Vec4> v;        // of foam and bubbles, by index
    View<Vec4> aroundNew;      // [m/s] updated, by index: `around`
    FixedPointSums momentum;   // [kg m/s] added to, by slot
    float perKilogram;
    Vec3 gravity;  // [m/s²]
    float dt;      // [s] of the frame
    bool planar;

    HD void operator()(int i) const {
        const uint32_t index = foam.order[i];
        const float mass = foam.massOf(index);
        if (mass == 0) return;
        const PassiveConstants& m = foam.materials[materialOfTag(foam.tag[index])];
        const Vec4 found = foam.around[index];
        float ratio = 0;  // λ
        foam.forEachShare(index, [&](uint32_t slot, float share) {
            ratio = fma(share, x[slot].w * (static_cast<float>(load[slot]) / perKilogram), ratio);
        });
        Vec3 apart = xyz(v[index]) - xyz(found), q;
        if (m.classAt(found.w) == PassiveClass::bubble) {
            const float a = dt * m.drag;
            apart = fma(-dt * m.buoyancy * m.gravityScale, gravity, apart);
            q = a / (1 + a * (1 + ratio)) * apart;
        } else {
            q = 1 / (1 + ratio) * apart;
        }
        if (planar) q.z = 0;
        foam.forEachShare(index, [&](uint32_t slot, float share) { momentum.add(slot, mass * share * q); });
        aroundNew[index] = vec4(fma(ratio, q, xyz(found)), found.w);
    }
};

struct ApplyDragReaction {
    View<const Vec4> x;  // w: 1/m [1/kg]
    View<const uint32_t> phase;
    FixedPointSums momentum;  // [kg m/s] of ExchangeDrag
    View<Vec4> v;             // [m/s] updated

    HD void operator()(int i) const {
        if ((phase[i] & kFrozen) != 0) return;
        const Vec4 before = v[i];
        v[i] = vec4(fma(x[i].w, momentum.get(static_cast<size_t>(i)), xyz(before)), before.w);
    }
};

}  // namespace coalesce
