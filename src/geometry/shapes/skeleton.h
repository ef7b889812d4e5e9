// Bones of a solid with legs, and the skin that follows them as it walks.
#pragma once

#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"

namespace coalesce {

struct SurfaceWalk;

// y up, z forward. The ground is at the lowest hoof.
struct Skeleton {
    // A cone with round ends, about as thick as what follows it.
    struct Bone {
        Vec3d from, to;               // at rest
        double fromRadius, toRadius;  // [m]
    };
    struct Leg {
        size_t upper, lower;  // bones: from the body to the knee, from there to the hoof
        double phase;         // [periods] at which it touches the ground
    };
    std::vector<Bone> bones;
    std::vector<Leg> legs;
    size_t neck = 0, head = 0, tail = 0;  // bones; all others but those of legs do not rotate

    // x = scale (p - origin).
    void transform(Vec3d scale, Vec3d origin);
};

// Linear blend skinning: each vertex moves by a mean of the motions of the bones next to it, with weights
//     w_b = exp(-(d_b - min d) / width),   d_b the distance to the surface of the bone.
class WalkingSkin {
public:
    // Fails (Exit::Scene, at `where`) when the legs do not reach as far as a stride needs.
    WalkingSkin(const Skeleton& skeleton, const SurfaceWalk& walk, const std::vector<Vec3>& rest,
                const std::string& where);

    std::vector<Vec3> verticesAt(double t) const;

private:
    // Rotation about x by an angle, about the upper end of the bone, and a displacement after it.
    struct Motion {
        double angle = 0;
        Vec3d shift{};
    };
    std::vector<Motion> motionsAt(double t) const;
    Vec3d hoofPath(const Skeleton::Leg& leg, double t) const;
    double heave(double t) const;  // [m] of the body

    struct Weight {
        uint32_t bone;
        float share;
    };
    Skeleton m_skeleton;
    double m_period, m_stride;  // [s], [m]
    double m_drop = 0;          // [m] the body walks lower than it stands, so that its legs reach
    double m_lift = 0;          // [m] of a hoof at the middle of its step
    std::vector<Vec3> m_rest;
    std::vector<Weight> m_weights;        // by vertex
    std::vector<uint32_t> m_firstWeight;  // of each vertex, and the end
};

}  // namespace coalesce
