// A World shortly before or after its state, everything at constant velocity: the times
// at which the shutter is open, for motion blur.
#pragma once

#include "core/buffer.h"
#include "kernels/solid/cluster.h"
#include "sim/world/world.h"

namespace coalesce {

// Moves a world for drawing, and puts its state back, bit for bit, when it ends. Everything goes on
// evenly with the velocity of the state: particles by x + t v, bodies by the rotation that fits
// their particles best, shapes by their own motion. The error is that of the acceleration a in
// between, a t²/2, and a bounce within the time is not seen. Storage must not be reordered
// meanwhile: what searches for neighbors has to come before.
class MovedWorld {
public:
    explicit MovedWorld(World& world);
    ~MovedWorld();
    MovedWorld(const MovedWorld&) = delete;
    MovedWorld& operator=(const MovedWorld&) = delete;

    void moveTo(double t);  // [s] simulated, since the state; also negative

private:
    void findSlots();
    void fitPoses();

    World& m_world;
    double m_time;                // [s] of the state
    Buffer<Vec4> m_x, m_passive;  // [m] positions in the state
    Buffer<ClusterPose> m_pose;
    Buffer<Vec4> m_restCenter;
    Buffer<uint32_t> m_slotOf;
    Buffer<ClusterMoments> m_moments;
};

}  // namespace coalesce
