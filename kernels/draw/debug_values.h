// Per-particle values for coloring: pressure, mass, state of motion, age, constraint
// residual. The others are in draw_quantities.h.
#pragma once

#include "kernels/draw/draw_quantities.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

// p = −Σλ · scale; see SumLambda. 0 for solids.
struct WritePressure {
    View<const float> lambda;
    View<const uint32_t> phase;
    View<const float> scale;  // [1/(m³ s²)] by material
    View<const MaterialConstants> materials;
    View<float> value;  // [Pa] written
    HD void operator()(int i) const {
        const int material = static_cast<int>(materialOf(phase[i]));
        value[i] = materials[material].fluid ? -lambda[i] * scale[material] : 0.0f;
    }
};

struct WriteMass {
    View<const Vec4> x;  // w: inverse mass [1/kg]
    View<float> value;   // [kg] written; 0 for pinned particles
    HD void operator()(int i) const { value[i] = x[i].w > 0 ? 1 / x[i].w : 0.0f; }
};

struct WriteMotionState {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<float> value;  // [-] written: 0 free, 1 asleep, 2 pinned, 3 frozen by quarantine
    HD void operator()(int i) const {
        value[i] = phase[i] & kFrozen ? 3.0f : !(x[i].w > 0) ? 2.0f : phase[i] & kAsleep ? 1.0f : 0.0f;
    }
};

// Ids ascend in order of spawning, so the last timestamp at or below an id gives the particle's age.
struct WriteAge {
    View<const uint32_t> id;
    View<const uint32_t> first;  // first id of each timestamp, ascending
    View<const float> age;       // [s] by timestamp
    View<float> value;           // [s] written
    HD void operator()(int i) const {
        uint32_t low = 0, high = static_cast<uint32_t>(first.size);
        while (high - low > 1) {
            const uint32_t middle = (low + high) / 2;
            (first[middle] <= id[i] ? low : high) = middle;
        }
        value[i] = age[low];
    }
};

// Largest dimensionless residual of the constraints at a particle: compression φ − 1, strain, and, divided by
// the spacing, the distance from its goal position in its body and the contact penetration.
struct WriteResidual {
    ContactQuery contactQuery;
    Contacts contacts;   // empty: none
    View<const Vec4> v;  // w: of liquids the volume fraction φ
    View<const uint32_t> id;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<float> value;  // [-] updated; holds the strain before
    HD void operator()(int i) const {
        const MaterialConstants& m = contactQuery.materials[materialOf(contactQuery.phase[i])];
        const Vec3 here = xyz(contactQuery.x[i]);
        float worst = value[i] < 0 ? -value[i] : value[i];
        const auto note = [&](float error) { worst = error > worst ? error : worst; };
        if (m.fluid) note(v[i].w - 1);
        // distance from the goal position of its body
        const uint32_t row = rowOf(groups[groupOf(contactQuery.phase[i])], id[i]);
        if (row != kNoRow && isShapeMatched(tables, row)) {
            const uint32_t member = firstMemberOf(tables, row), cluster = tables.memberCluster[member];
            if (pose[cluster].mass > 0 && tables.rowStart[row + 1] - tables.rowStart[row] == 1) {
                const Vec3 arm = xyz(tables.memberRestPosition[member]) - xyz(clusterRestCenter[cluster]);
                note(length(pose[cluster].center + rotate(pose[cluster].rotation, arm) - here) / m.spacing);
            }
        }
        contactQuery.forEachPair(i, [&](int j) {
            // between liquids only density constraints act
            if (m.fluid && contactQuery.materials[materialOf(contactQuery.phase[j])].fluid) return;
            const float reach = contactQuery.radius(i) + contactQuery.radius(j);
            note((reach - length(xyz(contactQuery.x[j]) - here)) / m.spacing);
        });
        if (contacts.start.size > 0)
            contactQuery.forEachPlane(contacts, i, [&](Vec3, float gap) { note(-gap / m.spacing); });
        value[i] = worst;
    }
};

}  // namespace coalesce
