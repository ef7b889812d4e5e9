// Commands of users and timelines for the coming frame; read at its start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/math/vec.h"

namespace coalesce {

struct World;

constexpr uint32_t kMaxMouseConstraints = 8;

// Grabs a particle, and with it the body that it belongs to.
struct Grab {
    uint32_t constraint = 0;  // below kMaxMouseConstraints
    uint32_t id = 0;          // of the particle
    Vec3 at{};                // [m] target position
};
// Moves the target of a grab, linearly over the frame.
struct MoveTarget {
    uint32_t constraint = 0;
    Vec3 to{};  // [m]
};
struct Release {
    uint32_t constraint = 0;
};
// Moves a brush over the frame; see hand.brushRadius and hand.brushStrength.
struct Brush {
    Vec3 from{}, to{};  // [m]
};
// Cuts the constraints that cross this triangle, which two view rays from the point `a` span.
struct Cut {
    Vec3 a{}, b{}, c{};  // [m]
};
// Moves a shape over the frame, as a kinematic collider. Afterwards it stays there, or continues its own
// motion. Not for shapes that follow keys.
struct MoveShape {
    uint32_t shape = 0;  // of World::shapes
    Vec3 to{};           // [m]
    Quat rotation{};     // world from shape
};
// Throws a ball of the scene's first rigid material, or of wood where there is none.
struct Throw {
    Vec3 from{}, velocity{};  // [m], [m/s]
};
// Pours liquid or grains from a disc for one frame, as a full jet at rest density.
struct Pour {
    uint32_t material = 0;    // of World::materials
    Vec3 from{}, velocity{};  // [m], [m/s]
};
// Blows air along a ray for one frame; it drags particles by their cross section.
struct Gust {
    Vec3 from{}, velocity{};  // [m], [m/s]
};
using UserCommand = std::variant<Grab, MoveTarget, Release, Brush, Cut, MoveShape, Throw, Pour, Gust>;

// A mouse grab.
struct MouseConstraint {
    uint32_t number = 0;
    uint32_t id = 0;    // of the particle
    Vec3 from{}, to{};  // [m] at the start of the present frame and at its end
};

// Problem of a command by itself: numbers that are not finite, an invalid index, a degenerate cut. Empty:
// none.
std::string malformed(const UserCommand& command);

// Target of a grab at the end of the coming frame; nullopt: it holds nothing.
std::optional<Vec3> targetOf(const World& world, uint32_t constraint);

}  // namespace coalesce
