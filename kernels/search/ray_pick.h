// Picking: the first particle along a ray.
#pragma once

#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

constexpr float kPickReach = 0.8f;  // [-] of a particle's radius; drawn particles overlap
constexpr float kPickMiss = 3e38f;  // [m]
constexpr int32_t kPickNone = INT32_MAX;

struct IntersectRay {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    Vec3 origin, direction;  // [m], unit
    View<float> distance;    // written: ray parameter of the closest point [m], or kPickMiss
    HD void operator()(int i) const {
        const float reach = kPickReach * 0.5f * materials[materialOf(phase[i])].spacing;
        const Vec3 r = xyz(x[i]) - origin;
        const float t = dot(r, direction);
        const Vec3 off = r - t * direction;
        distance[i] = t > 0 && dot(off, off) < reach * reach ? t : kPickMiss;
    }
};

// Of several particles at the same distance, the one of lowest id.
struct SelectNearest {
    View<const float> distance, least;
    View<const uint32_t> id;
    View<int32_t> nearest;  // written: id as an ordered int32; kPickNone if not the nearest
    HD void operator()(int i) const {
        nearest[i] = distance[i] < kPickMiss && distance[i] == least[0]
                         ? static_cast<int32_t>(id[i] ^ 0x80000000u)
                         : kPickNone;
    }
};

// Copies the position of one particle.
struct FindPosition {
    View<const Vec4> x;
    View<const uint32_t> id;
    uint32_t wanted;
    View<Vec4> position;  // 1 element, written if the particle is alive
    HD void operator()(int i) const {
        if (id[i] == wanted) position[0] = x[i];
    }
};

}  // namespace coalesce
