// Further numbers that pictures show of a particle: pressure, mass, what holds it, age, what is left
// unsolved.
#pragma once

#include "kernels/draw/draw_quantities.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

// p = −Σλ · scale; see SumLambda. 0 for what is no liquid.
struct TakePressure {
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

struct TakeMass {
    View<const Vec4> x;  // w: inverse mass [1/kg]
    View<float> value;   // [kg] written; 0 of what is pinned
    HD void operator()(int i) const { value[i] = x[i].w > 0 ? 1 / x[i].w : 0.0f; }
};

struct TakeFixed {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<float> value;  // [-] written: 0 free, 1 asleep, 2 pinned, 3 frozen by quarantine
    HD void operator()(int i) const {
        value[i] = phase[i] & kFrozen ? 3.0f : !(x[i].w > 0) ? 2.0f : phase[i] & kAsleep ? 1.0f : 0.0f;
    }
};

// Ids are given in order of birth, so the last mark at or below an id tells when it was born.
struct TakeAge {
    View<const uint32_t> id;
    View<const uint32_t> first;  // ascending: ids from here on …
    View<const float> age;       // [s] … are so old
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

// The largest of what the constraints at a particle have left, each without unit: compression φ − 1, strain,
// and by the spacing the distance from the place that its body gives it and how deep it is in others.
struct TakeResidual {
    Touching touching;
    Contacts contacts;   // empty: none
    View<const Vec4> v;  // w: of liquids the volume fraction φ
    View<const uint32_t> id;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<float> value;  // [-] the strain before; written
    HD void operator()(int i) const {
        const MaterialConstants& m = touching.materials[materialOf(touching.phase[i])];
        const Vec3 here = xyz(touching.x[i]);
        float worst = value[i] < 0 ? -value[i] : value[i];
        const auto note = [&](float error) { worst = error > worst ? error : worst; };
        if (m.fluid) note(v[i].w - 1);
        // where its body has it
        const uint32_t row = rowOf(groups[groupOf(touching.phase[i])], id[i]);
        if (row != kNoRow && isShapeMatched(tables, row)) {
            const uint32_t member = firstMemberOf(tables, row), cluster = tables.memberCluster[member];
            if (pose[cluster].mass > 0 && tables.rowStart[row + 1] - tables.rowStart[row] == 1) {
                const Vec3 arm = xyz(tables.memberRestPosition[member]) - xyz(clusterRestCenter[cluster]);
                note(length(pose[cluster].center + rotate(pose[cluster].rotation, arm) - here) / m.spacing);
            }
        }
        touching.forEachPair(i, [&](int j) {
            // liquid meets liquid by density alone
            if (m.fluid && touching.materials[materialOf(touching.phase[j])].fluid) return;
            const float reach = touching.radius(i) + touching.radius(j);
            note((reach - length(xyz(touching.x[j]) - here)) / m.spacing);
        });
        if (contacts.start.size > 0)
            touching.forEachPlane(contacts, i, [&](Vec3, float gap) { note(-gap / m.spacing); });
        value[i] = worst;
    }
};

}  // namespace coalesce
