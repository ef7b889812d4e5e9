// Collision shapes of a world, as its scene describes them, and where they are at a time.
#pragma once

#include <string>
#include <vector>

#include "kernels/shape.h"
#include "kernels/vec.h"

namespace coalesce {

// Where a shape is at a time; between two keys position is linear, rotation spherical linear. Held outside.
struct ShapeKey {
    double t = 0;     // [s]
    Vec3 position{};  // [m]
    Quat rotation{};  // world from shape
};

struct Shape {
    std::string name;
    ShapeKind kind = ShapeKind::plane;
    bool container = false;              // keeps particles inside instead of outside
    Vec3 position{};                     // [m] center; plane: a point on it
    Quat rotation{};                     // world from shape; a plane's normal is its y axis
    Vec3 halfExtents{0.5f, 0.5f, 0.5f};  // [m] box
    float radius = 0.5f;                 // [m] sphere, capsule
    float halfLength = 0.5f;     // [m] capsule: from the center to either end's center, along its y axis
    float friction = 1;          // [-] multiplies the material's friction
    Vec3 velocity{};             // [m/s] constant motion from `position`
    Vec3 angularVelocity{};      // [rad/s] constant turning, world axes, about the center
    std::vector<ShapeKey> keys;  // kinematic motion; takes the place of position, rotation and velocities
    bool visible = true;
    Vec3 color{0.62f, 0.60f, 0.57f};  // linear RGB
};

struct Pose {
    Vec3 position{};
    Quat rotation{};
};

// The pose at simulated time t [s]: from keys, or from the constant velocities.
Pose poseAt(const Shape& shape, double t);

// Unit quaternion from XYZ Euler angles [rad] (turn about x, then y, then z), evaluated in double.
Quat quatFromEuler(double x, double y, double z);
// The shortest rotation that turns +y to the direction `normal`.
Quat quatFromNormal(Vec3 normal);

}  // namespace coalesce
