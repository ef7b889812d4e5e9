// Stack height: height of a particle above the ground that supports it.  [UPP14] 5.2
//
// The propagated value is the height of the ground below: a particle on a shape uses the height of that
// contact, a particle resting on another inherits the ground of that particle, and all particles of a body
// share the highest. One round per substep, warm-started with the heights of the last substep.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/search/neighbor_lists.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

constexpr float kNoGround = -1e30f;

struct FindSupportHeights {
    Contacts shapes;
    NeighborLists pairs;
    View<const Vec4> x, v;  // v.w: previous height [m]
    View<const uint32_t> id, phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<float> ground;           // written, by slot [m]
    View<int32_t> clusterGround;  // atomic max, by cluster; ordered bits
    Vec3 up;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        float highest = kNoGround;
        if (!m.fluid) {
            const Vec3 p = xyz(x[i]);
            for (uint32_t k = shapes.begin(i); k < shapes.end(i); ++k) {
                const Vec3 n = xyz(shapes.planes[k]);
                if (dot(n, up) < 0.3f || dot(n, p) - shapes.planes[k].w > 0.1f * m.spacing) continue;
                highest = max(highest, dot(up, p));
            }
            for (int k = 0; k < pairs.count[i]; ++k) {
                const int j = pairs.at(k, i, true);
                const MaterialConstants& other = materials[materialOf(phase[j])];
                const Vec3 d = p - xyz(x[j]);
                const float contact = 0.5f * (m.spacing + other.spacing), distance = length(d);
                // j supports i if it touches from below
                if (other.fluid || distance > 1.05f * contact || dot(up, d) < 0.3f * distance) continue;
                highest = max(highest, dot(up, xyz(x[j])) - v[j].w);
            }
        }
        ground[i] = highest;
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        if (cluster != kNoRow && highest > kNoGround)
            atomicMax(&clusterGround[cluster], orderedBits(asInt(highest)));
    }
};

struct UpdateStackHeights {
    View<const Vec4> x;
    View<const uint32_t> id, phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const float> ground;
    View<const int32_t> clusterGround;
    View<Vec4> v;  // w of solids written: height [m]
    Vec3 up;

    HD void operator()(int i) const {
        if (materials[materialOf(phase[i])].fluid) return;
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        const float below = cluster == kNoRow ? ground[i] : asFloat(orderedBits(clusterGround[cluster]));
        v[i].w = below > kNoGround ? max(dot(up, xyz(x[i])) - below, 0.0f) : 0.0f;
    }
};

// Height above a plane perpendicular to gravity.
struct WriteHeightsAbovePlane {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> v;  // w of solids written: height [m]
    Vec3 up;
    float ground;  // [m]
    HD void operator()(int i) const {
        if (!materials[materialOf(phase[i])].fluid) v[i].w = max(dot(up, xyz(x[i])) - ground, 0.0f);
    }
};

}  // namespace coalesce
