// The key table: every key with its help text and its handler. A new key is one row in keys.cpp.
#pragma once

#include <span>
#include <vector>

#include "view/app/app_context.h"
#include "view/overlay/help.h"

namespace coalesce {

enum class HelpGroup { Time, Camera, Interact, Display, Files };

struct KeyBinding {
    int key;  // GLFW key code
    bool shift;
    const char* label;
    HelpGroup group;
    const char* help;
    void (*run)(AppContext&);
    bool repeats = false;  // while held
    bool ctrl = false;     // what leaves the present run needs Ctrl, so that a stray key does not
};
std::span<const KeyBinding> keyBindings();
// Null: the key is not bound.
const KeyBinding* findBinding(int key, bool shift, bool ctrl = false);

// Mouse gestures and keys that are held. Tools and widgets implement them; the help lists them.
struct Gesture {
    const char* label;
    HelpGroup group;
    const char* help;
};
std::span<const Gesture> gestures();

// Looks from the side of a unit vector; switches between perspective and an orthographic view.
void lookAlongAxis(AppContext& app, glm::vec3 from);
void togglePerspective(AppContext& app);
// Shows the scene as in the file beside the edited one, or not any more.
void toggleComparison(AppContext& app);

// All keys and gestures, by group. Keys with the same handler share a line.
std::vector<HelpSection> helpSections();

}  // namespace coalesce
