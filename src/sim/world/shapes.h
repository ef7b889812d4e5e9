// Collision shapes of a world, and their poses over time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/query/bvh_builder.h"
#include "geometry/query/hull.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/solid_spec.h"
#include "geometry/shapes/surface_animation.h"
#include "geometry/shapes/surface_field.h"
#include "kernels/math/vec.h"
#include "kernels/shapes/shape_state.h"

namespace coalesce {

// Keyframe of a pose: position is interpolated linearly, rotation by slerp; constant before the first and
// after the last.
struct ShapeKey {
    double t = 0;     // [s]
    Vec3 position{};  // [m]
    Quat rotation{};  // world from shape
};

// Geometry of a convex, sdf or mesh shape, in its frame before scaling. Equal shapes share it.
struct ShapeGeometry {
    std::vector<Vec4> planes;  // convex: outward unit normal, offset [m]
    DistanceVolume volume;     // field
    // field: of a shape that deforms the displacement in the frame [m], see SurfaceField; of another one the
    // velocity [m/s] with which its surface flows in place; empty: rigid
    std::vector<Vec3> motion;
    TriangleBvh bvh;       // mesh
    TriangleMesh surface;  // for drawing
    Bounds bounds{};       // [m] of the surface
};
std::shared_ptr<const ShapeGeometry> convexGeometry(ConvexHull hull);
std::shared_ptr<const ShapeGeometry> fieldGeometry(DistanceVolume volume, TriangleMesh surface,
                                                   std::vector<Vec3> motion = {});
std::shared_ptr<const ShapeGeometry> meshGeometry(TriangleMesh mesh);

// The field of a surface that deforms: a function of time only.
struct DeformingField {
    AnimatedSurface surface;
    SurfaceFieldSpec field;
    // At time `to`, with the displacement since `from` [s].
    std::shared_ptr<const ShapeGeometry> between(double from, double to) const;
};

// Where a trigger moves entering particles: at rest, to a random position in a box.
struct SendTo {
    Vec3 position{};  // [m] center of the box
    Vec3 spread{};    // [m] half its size
};

struct Shape {
    std::string name;
    ShapeKind kind = ShapeKind::plane;
    bool container = false;              // keeps particles inside instead of outside
    Vec3 position{};                     // [m] center; plane: a point on it
    Quat rotation{};                     // world from shape; a plane's normal is its y axis
    Vec3 halfExtents{0.5f, 0.5f, 0.5f};  // [m] box
    float radius = 0.5f;                 // [m] sphere, capsule
    float halfLength = 0.5f;    // [m] capsule: from the center to either end's center, along its y axis
    SolidSpec solid;            // convex, field, mesh: source; its file is relative to the scene's folder
    std::vector<Vec3> corners;  // [m] mesh: three for each triangle, in place of a solid
    float cell = 0;             // [m] field: of the grid; 0: an eightieth of the longest extent
    bool shell = false;  // field: of the surface itself without an inside, `offset` thick on either side
    float offset = 0;    // [m] field: moves the surface outward; shell: 0: one cell
    SurfaceAnimation animation;                     // field: deforms the solid
    std::shared_ptr<const ShapeGeometry> geometry;  // convex, field, mesh: built from `solid`
    std::shared_ptr<const DeformingField>
        deforming;                               // field with an animation: gives `geometry` of each frame
    Vec3 scale{1, 1, 1};                         // of the geometry, along the axes of its frame
    float friction = 1;                          // [-] multiplies the material's friction
    uint32_t collisionMask = kAllCollisionBits;  // bit mask: collides with groups that share a bit
    bool trigger = false;                        // does not collide, but counts entering particles
    std::optional<SendTo> sendTo;                // trigger
    double since = 0;                            // [s] time of `position` and `rotation`
    Vec3 velocity{};                             // [m/s] constant motion from there
    Vec3 angularVelocity{};                      // [rad/s] constant turning, world axes, about `position`
    std::vector<ShapeKey> keys;  // kinematic motion; replaces position, rotation and velocities
    bool visible = true;
    Vec3 color{0.62f, 0.60f, 0.57f};  // linear RGB
    float opacity = 1;                // [-] fraction of light it absorbs at normal incidence; below 1: glass
};

// Measurements of a shape in the last frame.
struct ShapeReport {
    Vec3 force{};          // [N] of the particles on it, mean over the frame
    Vec3 torque{};         // [N m] about its position
    uint64_t present = 0;  // trigger: particles inside at the end of the frame
    uint64_t entered = 0;  // trigger: particles that entered since the start of the run
};

struct Pose {
    Vec3 position{};
    Quat rotation{};
};

// The pose at simulated time t [s]: from keys, or from the constant velocities.
Pose poseAt(const Shape& shape, double t);
// Restarts the constant motion from the pose at time t, so that velocities can change without a jump. A
// changed position is a jump: the path to it is not swept. No effect on shapes that follow keys.
void startAnew(Shape& shape, double t);

// Bounding box of a shape in its frame, and of its motion between two poses; for a rotating shape the latter
// is that of a sphere about its position.
Bounds boundsOf(const Shape& shape);
Bounds sweptBounds(const Bounds& bounds, const Pose& from, const Pose& to);
// Unbounded shapes.
inline bool isEverywhere(const Shape& shape) {
    return shape.kind == ShapeKind::plane || shape.container;
}

// Unit quaternion from XYZ Euler angles [rad] (turn about x, then y, then z), evaluated in double.
Quat quatFromEuler(double x, double y, double z);
// The shortest rotation that turns +y to the direction `normal`.
Quat quatFromNormal(Vec3 normal);

}  // namespace coalesce
