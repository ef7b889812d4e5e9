// Buttons, headings and other widgets as the interface uses them: each with a name, which tests find it by
// (see widget_recorder.h), and a tooltip. Dear ImGui only.
#pragma once

#include <iterator>
#include <string>

namespace coalesce {

// Arrow keys and Enter choose in combos and menus while one is open; otherwise they are keys of the program. To be
// called before each frame.
void navigatePopupsByKeys();

// `about` is the tooltip; empty: none.
bool button(const std::string& name, const std::string& label, float width = 0,
            const std::string& about = "");
// Width of a button that fits its label [ImGui's units].
float buttonWidth(const std::string& label);
bool smallButton(const std::string& name, const std::string& label);
// A button that shows whether it is chosen.
bool choiceButton(const std::string& name, const std::string& label, bool chosen, float width,
                  const std::string& about = "");
bool checkbox(const std::string& name, const char* label, bool& value, const std::string& about = "");
// A heading that folds; true: it is open.
bool heading(const std::string& name, const std::string& label, bool openByDefault,
             const std::string& about = "");
// Gives the last ImGui item, also one that is disabled, a name and a tooltip. Only for items that the
// functions above do not draw.
void nameItem(const std::string& name, const std::string& about = "");

// Whether the last item is hovered, and not in use: for tooltips that are costly to compose.
bool showsTooltip();
// Beside the window of the last item if there is room.
void wrappedTooltip(const std::string& text);
// A warning in the place of the tooltip of the last item, wherever the mouse is.
void messageAtItem(const std::string& name, const std::string& text);
void wrappedText(const std::string& text);

// An entry of a combo; the arrow keys begin at the selected one. True: it was chosen.
bool selectable(const char* label, bool selected);
// A combo over the names of an enum, in order of its values; true: another value was chosen.
bool chooseIndex(const std::string& name, int& chosen, const char* const* labels, int count,
                 const std::string& about);
template <class Enum, size_t N>
bool choose(const std::string& name, Enum& value, const char* const (&labels)[N],
            const std::string& about = "") {
    int chosen = int(value);
    if (!chooseIndex(name, chosen, labels, int(N), about)) return false;
    value = static_cast<Enum>(chosen);
    return true;
}

// ---- tables ----

// A table of labels and values; row() begins a line of it.
bool beginRows(const char* id);
void row(const char* label);
// The same with a column for a resetButton() behind each value.
bool beginValues(const char* id);
bool resetButton(const std::string& name, const std::string& about);
// A table of labels and read-only values; fact() adds a line.
bool beginFacts(const char* id);
void fact(const char* label, const std::string& value, const char* about = nullptr);

}  // namespace coalesce
