// Commands: what a hand, the window or a timeline asks of the coming frame. They are read at its start.
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

// A hand takes hold of a particle, and with it of the body that the particle belongs to.
struct Grab {
    uint32_t hand = 0;  // below kMaxMouseConstraints
    uint32_t id = 0;    // of the particle
    Vec3 at{};          // [m] where the hand is
};
// A hand moves there in the course of the frame.
struct MoveGrab {
    uint32_t hand = 0;
    Vec3 to{};  // [m]
};
struct Release {
    uint32_t hand = 0;
};
// In this frame a brush goes from one point to another; hand.brushRadius and hand.brushStrength say how.
struct Brush {
    Vec3 from{}, to{};  // [m]
};
// A stroke of a knife: what crosses this triangle is cut. Two rays of a view from the point `a` span it.
struct Cut {
    Vec3 a{}, b{}, c{};  // [m]
};
// In the course of the frame a shape goes to another place, and pushes what is in its way. Afterwards it
// stays there, or moves on as it did. Not for one that follows keys.
struct MoveShape {
    uint32_t shape = 0;  // of World::shapes
    Vec3 to{};           // [m]
    Quat rotation{};     // world from shape
};
// A ball flies off. It is of the scene's first rigid material, or of wood where there is none.
struct Throw {
    Vec3 from{}, velocity{};  // [m], [m/s]
};
// In this frame liquid or grains come out of a round mouth, as a full jet at rest density.
struct Pour {
    uint32_t material = 0;    // of World::materials
    Vec3 from{}, velocity{};  // [m], [m/s]
};
// In this frame air blows from a point on along a line: it drags what stands in its way by its cross section.
struct Gust {
    Vec3 from{}, velocity{};  // [m], [m/s]
};
using UserCommand = std::variant<Grab, MoveGrab, Release, Brush, Cut, MoveShape, Throw, Pour, Gust>;

// A hand that holds something.
struct MouseConstraint {
    uint32_t number = 0;
    uint32_t id = 0;    // of the particle
    Vec3 from{}, to{};  // [m] at the start of the present frame and at its end
};

// What is wrong with a command for itself: numbers that are not finite, a hand that is none, a cut along a
// line. Empty: nothing.
std::string malformed(const UserCommand& command);

// What keeps this world from doing it, and what can be done about that. Empty: nothing.
std::string validateCommand(const World& world, const UserCommand& command);

// Where a hand will be at the end of the coming frame; nullopt: it holds nothing.
std::optional<Vec3> targetOf(const World& world, uint32_t hand);

}  // namespace coalesce
