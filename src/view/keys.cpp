#include "view/keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace coalesce {

namespace {

// clang-format off
constexpr KeyBinding kKeys[] = {
    {GLFW_KEY_SPACE,         false, "Space",     Action::Pause,           "pause or go on"},
    {GLFW_KEY_P,             false, "P",         Action::Pause,           "pause or go on"},
    {GLFW_KEY_O,             false, "O",         Action::Step,            "one frame (hold: repeat)", true},
    {GLFW_KEY_R,             false, "R",         Action::Reset,           "start again, keeping camera and tweaks"},
    {GLFW_KEY_R,             true,  "Shift+R",   Action::ResetAll,        "start again with the file's values"},
    {GLFW_KEY_LEFT_BRACKET,  false, "[",         Action::PreviousScene,   "previous scene"},
    {GLFW_KEY_RIGHT_BRACKET, false, "]",         Action::NextScene,       "next scene"},
    {GLFW_KEY_1,             false, "1",         Action::ShowSurface,     "liquids as water"},
    {GLFW_KEY_2,             false, "2",         Action::ColorMaterial,   "particles by material"},
    {GLFW_KEY_3,             false, "3",         Action::ColorSpeed,      "particles by speed"},
    {GLFW_KEY_4,             false, "4",         Action::ColorDensity,    "particles by density error"},
    {GLFW_KEY_5,             false, "5",         Action::ColorNeighbors,  "particles by number of neighbors"},
    {GLFW_KEY_6,             false, "6",         Action::ColorId,         "particles by id"},
    {GLFW_KEY_7,             false, "7",         Action::ToggleWire,      "outlines of all shapes"},
    {GLFW_KEY_8,             false, "8",         Action::ToggleShadows,   "shadows"},
    {GLFW_KEY_9,             false, "9",         Action::NextQuality,     "next quality of water"},
    {GLFW_KEY_M,             false, "M",         Action::FreezeColors,    "keep the color range, or let it follow"},
    {GLFW_KEY_C,             false, "C",         Action::NextCamera,      "next camera of the scene"},
    {GLFW_KEY_HOME,          false, "Home",      Action::FrameScene,      "show all particles"},
    {GLFW_KEY_TAB,           false, "Tab",       Action::ToggleUi,        "hide or show the panel"},
    {GLFW_KEY_H,             false, "H",         Action::ToggleHelp,      "this help"},
    {GLFW_KEY_F1,            false, "F1",        Action::ToggleHelp,      "this help"},
    {GLFW_KEY_F12,           false, "F12",       Action::Screenshot,      "screenshot"},
    {GLFW_KEY_F12,           true,  "Shift+F12", Action::PlainScreenshot, "screenshot without panel"},
    {GLFW_KEY_ESCAPE,        false, "Esc",       Action::Quit,            "close help, or leave"},
};

constexpr Gesture kGestures[] = {
    {"left drag",                 "turn around the scene"},
    {"middle or Shift+left drag", "shift the view"},
    {"wheel",                     "come closer to the cursor"},
    {"right drag",                "look around; with W A S D Q E fly, Shift fast, Ctrl slow"},
    {"right click on a value",    "reset it, copy its path"},
    {"Ctrl+click on a value",     "type a number"},
};
// clang-format on

}  // namespace

std::span<const KeyBinding> keyBindings() {
    return kKeys;
}

const KeyBinding* findBinding(int key, bool shift) {
    for (const KeyBinding& binding : kKeys)
        if (binding.key == key && binding.shift == shift) return &binding;
    return nullptr;
}

std::span<const Gesture> gestures() {
    return kGestures;
}

}  // namespace coalesce
