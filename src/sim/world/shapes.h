// Collision shapes of a world, as its scene describes them, and where they are at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/query/bvh_builder.h"
#include "geometry/query/hull.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/solid.h"
#include "kernels/math/vec.h"
#include "kernels/shapes/shape_state.h"

namespace coalesce {

// Where a shape is at a time; between two keys position is linear, rotation spherical linear. Held outside.
struct ShapeKey {
    double t = 0;     // [s]
    Vec3 position{};  // [m]
    Quat rotation{};  // world from shape
};

// What a convex, field or mesh shape is made of, in its frame before scaling. Shapes of one form share it.
struct ShapeGeometry {
    std::vector<Vec4> planes;  // convex: outward unit normal, offset [m]
    DistanceVolume volume;     // field
    TriangleBvh bvh;           // mesh
    TriangleMesh surface;      // what is drawn
    Bounds bounds{};           // [m] of the surface
};
std::shared_ptr<const ShapeGeometry> convexGeometry(ConvexHull hull);
std::shared_ptr<const ShapeGeometry> fieldGeometry(DistanceVolume volume, TriangleMesh surface);
std::shared_ptr<const ShapeGeometry> meshGeometry(TriangleMesh mesh);

// Where a trigger sends who comes in: at rest, to a random place of a box.
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
    float halfLength = 0.5f;  // [m] capsule: from the center to either end's center, along its y axis
    SolidSpec solid;  // convex, field, mesh: what it is made of; its file counts from the scene's folder
    std::vector<Vec3> corners;  // [m] mesh: three for each triangle, in place of a solid
    float cell = 0;             // [m] field: of the grid; 0: an eightieth of the longest extent
    std::shared_ptr<const ShapeGeometry> geometry;  // convex, field, mesh: what came of it
    Vec3 scale{1, 1, 1};                            // of the geometry, along the axes of its frame
    float friction = 1;                             // [-] multiplies the material's friction
    uint32_t attributes = kAllCollisionBits;        // bit mask: meets particles of groups that share a bit
    bool trigger = false;                           // does not push, but counts who comes in
    std::optional<SendTo> sendTo;                   // trigger
    double since = 0;                               // [s] when it was at `position` and `rotation`
    Vec3 velocity{};                                // [m/s] constant motion from there
    Vec3 angularVelocity{};                         // [rad/s] constant turning, world axes, about `position`
    std::vector<ShapeKey> keys;  // kinematic motion; takes the place of position, rotation and velocities
    bool visible = true;
    Vec3 color{0.62f, 0.60f, 0.57f};  // linear RGB
    float opacity = 1;  // [-] share of the light that it stops, seen face on; below 1 it is glass
};

// What a shape told of the last frame.
struct ShapeReport {
    Vec3 force{};          // [N] of the particles on it, mean over the frame
    Vec3 torque{};         // [N m] about its position
    uint64_t present = 0;  // trigger: particles inside at the end of the frame
    uint64_t entered = 0;  // trigger: how often one came in since the start of the run
};

struct Pose {
    Vec3 position{};
    Quat rotation{};
};

// The pose at simulated time t [s]: from keys, or from the constant velocities.
Pose poseAt(const Shape& shape, double t);
// Its velocities count from where it is at time t: they may change then without a jump. A new position is
// one, and what was in between is not swept. Nothing for what follows keys.
void startAnew(Shape& shape, double t);

// The box of a shape in its frame, and the one it passes through between two poses: for one that turns, the
// room of a ball about its position.
Bounds boundsOf(const Shape& shape);
Bounds sweptBounds(const Bounds& bounds, const Pose& from, const Pose& to);
// What acts at any distance has no box.
inline bool isEverywhere(const Shape& shape) {
    return shape.kind == ShapeKind::plane || shape.container;
}

// Unit quaternion from XYZ Euler angles [rad] (turn about x, then y, then z), evaluated in double.
Quat quatFromEuler(double x, double y, double z);
// The shortest rotation that turns +y to the direction `normal`.
Quat quatFromNormal(Vec3 normal);

}  // namespace coalesce
