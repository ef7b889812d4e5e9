// Keys that act while they are held (GLFW key codes).
#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace coalesce {

constexpr int kKnifeKey = GLFW_KEY_X;  // with the left mouse button: draws a cut
constexpr int kPourKey = GLFW_KEY_V, kGustKey = GLFW_KEY_J;

// Two directions along an axis of the view, while the right mouse button flies.
struct FlightKeys {
    int positive, negative;
};
constexpr FlightKeys kFlyRight{GLFW_KEY_D, GLFW_KEY_A}, kFlyUp{GLFW_KEY_E, GLFW_KEY_Q},
    kFlyForward{GLFW_KEY_W, GLFW_KEY_S};

}  // namespace coalesce
