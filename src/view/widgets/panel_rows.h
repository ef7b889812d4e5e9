// Lines of the panel that show values and let them be changed: a name, a widget, and a way back to the
// scene's own value. Knows no value by name. Dear ImGui only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/session.h"
#include "view/widgets/widget_rect.h"

namespace coalesce {

class PanelRows {
public:
    struct Value {
        Tunable now;
        Edit original;  // of the scene file
        bool fixed = false;

        const std::string& path() const { return now.value.path; }
        bool changed() const { return !(now.value == original); }
    };

    // Before the rows of a picture: all values as they are.
    void begin(Session& session, std::vector<WidgetRect>& placed);
    const std::vector<Value>& values() const { return m_values; }

    using Wanted = std::function<bool(const Value&)>;
    int count(const Wanted& wanted) const;
    int changed(const Wanted& wanted) const;
    // A table of the values that are wanted, in the order of the manifests. What is changed goes into the
    // session.
    void draw(const char* id, const Wanted& wanted);
    // The same under a heading that folds; nothing where no value is wanted.
    void drawFolded(const std::string& heading, const char* id, bool open, const Wanted& wanted);

    // Notes where the last widget is.
    void place(const std::string& path);
    // What the path leads to, as it may be pasted into a command line, goes to the clipboard.
    void copyAsSet(const std::vector<Edit>& edits) const;

private:
    void drawRow(const Value& value);
    void drawMenu(const Value& value);
    std::string describe(const Value& value) const;
    // The widget; true: it gave `edit` another value.
    bool widget(const Tunable& tunable, Edit& edit);
    bool turnWidget(const Tunable& tunable, Edit& edit);

    Session* m_session = nullptr;
    std::vector<WidgetRect>* m_placed = nullptr;
    std::vector<Value> m_values;
    // angles of a rotation while they are dragged: they do not follow from the rotation alone
    std::string m_turned;
    float m_angles[3] = {};
};

// ---- what pages share ----

// In words: "0.01", "0, -9.81, 0", "bilateral", "on".
std::string wordsOf(const Edit& edit);
// Beside the window of the last widget where there is room.
void wrappedTooltip(const std::string& text);
void wrappedText(const std::string& text);
// A button for one line of text, and one that is pressed.
bool choiceButton(const char* label, bool chosen, float width);
// Begins a table of names and values; row() then begins a line of it.
bool beginRows(const char* id);
void row(const char* label);
// The same with room for a resetButton() behind each value.
bool beginValues(const char* id);
bool resetButton();
// Begins a table of names and values to read; fact() is a line of it.
bool beginFacts(const char* id);
void fact(const char* name, const std::string& value, const char* about = nullptr);

}  // namespace coalesce
