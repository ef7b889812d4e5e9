// The objective that projective dynamics minimizes, at the x of a
// local step, where the p_i are projections of x:
//     g(x) = Σ_k m_k/(2 dt²) |x_k − s_k|² + Σ_i w_i/2 |D_i (S_i x − p_i)|²          [PD14] eq. 5, [PF16] eq. 4
// over the inertia of all particles, density constraints, edges and tethers, bends, members of clusters, and
// volumes, each at the linearization that the global step uses. Contacts are impulses, not constraints.
// Terms are dt² g [kg m²], like everything in
// coupled_constraints.h; their sum is in double, over a fixed tree.
#pragma once

#include "kernels/particles/status_block.h"
#include "kernels/projective/coupled_system.h"

namespace coalesce {

// One term per element, in the order particles, edges, bends, members of clusters, volumes.
struct FindObjectiveTerms {
    View<const Vec4> xStar;           // [m] by slot
    View<const Vec4> target;          // [m] s by slot; w: inverse mass
    View<const float> densityEnergy;  // [kg m²] by slot: dt² E; empty: no liquids
    CoupledSystem system;             // its rows are not used where there are no bodies
    uint32_t edges, bends, members;   // their numbers
    View<double> terms;               // [kg m²] written

    HD void operator()(int i) const {
        const double term = termOf(static_cast<uint32_t>(i));
        // a particle that is not finite is put into quarantine by the end of the substep
        terms[i] = term < 1e300 ? term : 0.0;
    }

private:
    HD double termOf(uint32_t k) const {
        const auto particles = static_cast<uint32_t>(xStar.size);
        if (k < particles) return ofParticle(k);
        k -= particles;
        if (k < edges) return energyOf(system.edges[k].along, system.edges[k].pull);
        k -= edges;
        if (k < bends) return energyOf(system.bends[k].weight, system.bends[k].pull);
        k -= bends;
        if (k < members) return ofMember(k);
        k -= members;
        return energyOf(system.volumes[k].weight, system.volumes[k].pull);
    }
    HD double ofParticle(uint32_t slot) const {
        const Vec4 s = target[slot];
        const Vec3 away = xyz(xStar[slot]) - xyz(s);
        const double inertia = s.w > 0 ? 0.5 / double{s.w} * double{dot(away, away)} : 0.0;
        return densityEnergy.size > 0 ? inertia + double{densityEnergy[slot]} : inertia;
    }
    // ½ w C² of a constraint with the pull w C
    HD static double energyOf(float weight, float pull) {
        return weight > 0 ? 0.5 * double{pull} * double{pull} / double{weight} : 0.0;
    }
    HD double ofMember(uint32_t k) const {
        const ClusterTables& t = system.clusters.tables;
        const Vec4 x = system.x[t.memberRow[k]];
        if (x.w < 0) return 0;
        const uint32_t cluster = t.memberCluster[k];
        const Vec3 away = system.residualOf(xyz(x), cluster, system.clusters.armOf(k, cluster));
        return 0.5 * double{system.clusterBlocks[cluster].stiffness * t.memberRestPosition[k].w} *
               double{dot(away, away)};
    }
};

// dt² g of the rounds of a substep [kg m²].
struct ObjectiveState {
    double first = 0, last = 0, most = 0;
};

// The start x = s of the first round may lie inside shapes: what they push out of them raises g, so that
// rises count from the second round on.

struct NoteObjective {
    View<const double> sum;       // dt² g
    View<ObjectiveState> rounds;  // of this substep, updated
    StatusBlock* status;
    float dt;
    int round;
    HD void operator()(int) const {
        const double now = sum[0];
        ObjectiveState g{now, now, now};
        if (round > 0) g = rounds[0];
        g.most = now > g.most ? now : g.most;
        if (round >= 2 && g.most > 0)
            status->objectiveRise = max(static_cast<float>((now - g.last) / g.most), status->objectiveRise);
        g.last = now;
        rounds[0] = g;
        const double perSquare = 1 / (double{dt} * double{dt});
        status->objectiveRounds += 1;
        status->objectiveFirst = static_cast<float>(perSquare * g.first);
        status->objectiveLast = static_cast<float>(perSquare * g.last);
    }
};

}  // namespace coalesce
