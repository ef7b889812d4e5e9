// Keys and mouse gestures, declared once: the window acts on this table and the help overlay shows it.
#pragma once

#include <span>

namespace coalesce {

enum class Action {
    Pause,
    Step,
    Reset,
    ResetAll,
    ThrowBall,
    NextPoured,
    Back,
    Forward,
    FarBack,
    FarForward,
    Slower,
    Faster,
    Browse,
    NextCase,
    AllCases,
    PreviousScene,
    NextScene,
    ToggleUi,
    ToggleHelp,
    Screenshot,
    PlainScreenshot,
    Record,
    RecordImages,
    HomeCamera,
    FrameScene,
    FocusPicked,
    NextBuffer,
    NextBackground,
    NextGround,
    ToggleVelocities,
    ToggleGizmos,
    NextCamera,
    FreezeColors,
    ShowSurface,
    ColorMaterial,
    ColorSpeed,
    ColorDensity,
    ColorNeighbors,
    ColorId,
    ColorStrain,
    ToggleWire,
    ToggleShadows,
    ToggleContacts,
    ToggleSprings,
    NextClothWay,
    NextQuality,
    Quit,
};

struct KeyBinding {
    int key;  // GLFW's code
    bool shift;
    const char* label;
    Action action;
    const char* does;
    bool repeats = false;  // while held
};
std::span<const KeyBinding> keyBindings();
// The binding of a key press; null when there is none.
const KeyBinding* findBinding(int key, bool shift);

// Held while the left button draws a cut; GLFW's code.
extern const int kKnifeKey;
// Held: a liquid is poured, a gust blows.
extern const int kPourKey, kGustKey;
// Held while the right button flies: two directions along an axis of the view.
struct FlightKeys {
    int positive, negative;
};
extern const FlightKeys kFlyRight, kFlyUp, kFlyForward;

struct Gesture {
    const char* label;
    const char* does;
};
std::span<const Gesture> gestures();

}  // namespace coalesce
