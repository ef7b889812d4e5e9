#include "view/tools/keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace coalesce {

namespace {

// clang-format off
using enum Action;

constexpr KeyBinding kKeys[] = {
    {GLFW_KEY_SPACE,         false, "Space",     Pause,           "pause or go on"},
    {GLFW_KEY_P,             false, "P",         Pause,           "pause or go on"},
    {GLFW_KEY_O,             false, "O",         Step,            "one frame (hold: repeat)", true},
    {GLFW_KEY_R,             false, "R",         Reset,           "start again, keeping camera and tweaks"},
    {GLFW_KEY_R,             true,  "Shift+R",   ResetAll,        "start again with the file's values"},
    {GLFW_KEY_B,             false, "B",         ThrowBall,       "throw a ball to where the cursor points"},
    {GLFW_KEY_V,             true,  "Shift+V",   NextPoured,      "pour another liquid, or grains"},
    {GLFW_KEY_COMMA,         false, ",",         Back,            "a frame back in time (hold: repeat)", true},
    {GLFW_KEY_PERIOD,        false, ".",         Forward,         "a frame forward again (hold: repeat)", true},
    {GLFW_KEY_COMMA,         true,  "Shift+,",   FarBack,         "farther back, to the last state that is kept", true},
    {GLFW_KEY_PERIOD,        true,  "Shift+.",   FarForward,      "farther forward, to the next state that is kept", true},
    {GLFW_KEY_MINUS,         false, "-",         Slower,          "slow motion: half as fast"},
    {GLFW_KEY_EQUAL,         false, "=",         Faster,          "twice as fast"},
    {GLFW_KEY_F2,            false, "F2",        Browse,          "all scenes, with pictures"},
    {GLFW_KEY_N,             false, "N",         NextCase,        "next case of the scene"},
    {GLFW_KEY_N,             true,  "Shift+N",   AllCases,        "its cases side by side, or one again"},
    {GLFW_KEY_LEFT_BRACKET,  false, "[",         PreviousScene,   "previous scene"},
    {GLFW_KEY_RIGHT_BRACKET, false, "]",         NextScene,       "next scene"},
    {GLFW_KEY_1,             false, "1",         ShowSurface,     "liquids as water"},
    {GLFW_KEY_2,             false, "2",         ColorMaterial,   "particles by material"},
    {GLFW_KEY_3,             false, "3",         ColorSpeed,      "particles by speed"},
    {GLFW_KEY_4,             false, "4",         ColorDensity,    "particles by density error"},
    {GLFW_KEY_5,             false, "5",         ColorNeighbors,  "particles by number of neighbors"},
    {GLFW_KEY_6,             false, "6",         ColorId,         "particles by id"},
    {GLFW_KEY_7,             false, "7",         ToggleWire,      "outlines of all shapes"},
    {GLFW_KEY_8,             false, "8",         ToggleShadows,   "shadows"},
    {GLFW_KEY_9,             false, "9",         NextQuality,     "next quality of water"},
    {GLFW_KEY_0,             false, "0",         ColorStrain,     "particles by strain of cloth and ropes"},
    {GLFW_KEY_T,             false, "T",         NextClothWay,    "cloth with its triangles, edges alone, or plain"},
    {GLFW_KEY_L,             false, "L",         ToggleSprings,   "lines along springs, by strain"},
    {GLFW_KEY_K,             false, "K",         ToggleContacts,  "lines at contacts"},
    {GLFW_KEY_M,             false, "M",         FreezeColors,    "keep the color range, or let it follow"},
    {GLFW_KEY_C,             false, "C",         NextCamera,      "next camera of the scene"},
    {GLFW_KEY_HOME,          false, "Home",      HomeCamera,      "back to the scene's camera"},
    {GLFW_KEY_HOME,          true,  "Shift+Home", FrameScene,     "show all particles"},
    {GLFW_KEY_F,             false, "F",         FocusPicked,     "look at the picked particle from near"},
    {GLFW_KEY_I,             false, "I",         NextBuffer,      "next buffer beside the picture, or none"},
    {GLFW_KEY_G,             false, "G",         NextBackground,  "next sky"},
    {GLFW_KEY_G,             true,  "Shift+G",   NextGround,      "next floor"},
    {GLFW_KEY_U,             false, "U",         ToggleVelocities, "arrows along velocities"},
    {GLFW_KEY_Y,             false, "Y",         ToggleGizmos,    "outlines of emitters and sinks while paused"},
    {GLFW_KEY_TAB,           false, "Tab",       ToggleUi,        "hide all but the picture, or show it"},
    {GLFW_KEY_H,             false, "H",         ToggleHelp,      "this help"},
    {GLFW_KEY_F1,            false, "F1",        ToggleHelp,      "this help"},
    {GLFW_KEY_F12,           false, "F12",       Screenshot,      "screenshot"},
    {GLFW_KEY_F12,           true,  "Shift+F12", PlainScreenshot, "screenshot without panel"},
    {GLFW_KEY_F9,            false, "F9",        Record,          "record a video, or end it"},
    {GLFW_KEY_F9,            true,  "Shift+F9",  RecordImages,    "record images, or end it"},
    {GLFW_KEY_ESCAPE,        false, "Esc",       Quit,            "close what is open; twice: leave"},
};

constexpr Gesture kGestures[] = {
    {"click on a particle",       "shows all that is known of it; a click beside lets go"},
    {"left drag on a particle",   "pull it, and the body it belongs to"},
    {"Shift+left drag on one",    "brush through liquid and grains"},
    {"X+left drag",               "draw a cut"},
    {"V held",                    "pour liquid or grains over where the cursor points"},
    {"J held",                    "a gust of wind to where the cursor points"},
    {"left drag beside them",     "turn around the scene; with Ctrl anywhere"},
    {"middle drag",               "shift the view; also Shift+left drag beside particles"},
    {"wheel",                     "come closer to the cursor"},
    {"right drag",                "look around; with W A S D Q E fly, Shift fast, Ctrl slow"},
    {"drop a file",               "open a scene, or let a mesh (.obj, .ply) fall into water"},
    {"right click on a value",    "reset it, copy its path, or copy it as --set"},
    {"Ctrl+Z, Ctrl+Shift+Z",      "take back what was changed in the panel or by handles; do it again (also Ctrl+Y)"},
    {"click on a shape",          "handles that move and turn it; with Ctrl in round steps"},
    {"Ctrl+click on a value",     "type a number"},
};
// clang-format on

}  // namespace

const int kKnifeKey = GLFW_KEY_X;
const int kPourKey = GLFW_KEY_V, kGustKey = GLFW_KEY_J;
const FlightKeys kFlyRight{GLFW_KEY_D, GLFW_KEY_A}, kFlyUp{GLFW_KEY_E, GLFW_KEY_Q},
    kFlyForward{GLFW_KEY_W, GLFW_KEY_S};

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
