// Rows of the panel that show and edit tunable values: label, widget, and a reset button. Knows no value by
// name. Dear ImGui only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "view/widgets/widgets.h"

namespace coalesce {

class PanelRows {
public:
    struct Value {
        Tunable now;
        Edit original;       // value in the scene file
        bool fixed = false;  // at spawn: edits apply after a restart
        bool used = true;    // by solver.method

        const std::string& path() const { return now.value.path; }
        bool changed() const { return !(now.value == original); }
    };

    // To be called before the rows of a frame: collects all values.
    void begin(Session& session);
    const std::vector<Value>& values() const { return m_values; }

    using Filter = std::function<bool(const Value&)>;
    int count(const Filter& filter) const;
    int changed(const Filter& filter) const;
    // A table of the values that pass the filter, in the order of the manifests. Edits go into the session.
    void draw(const char* id, const Filter& filter);
    // The same under a heading that folds; nothing if no value passes.
    void drawFolded(const std::string& title, const char* id, bool open, const Filter& filter);

    // Copies the edits to the clipboard as --set options.
    void copyAsSet(const std::vector<Edit>& edits) const;

private:
    void drawRow(const Value& value);
    void apply(const Edit& edit);
    void drawMenu(const Value& value);
    bool isUnused(const Value& value) const;
    std::string describe(const Value& value) const;
    // Each draws the widget of its type; true: `edit` has another value.
    bool widget(const Tunable& tunable, Edit& edit);
    bool rotationWidget(const Tunable& tunable, Edit& edit);

    Session* m_session = nullptr;
    std::vector<Value> m_values;
    // What has been typed into the text field with the keyboard: Dear ImGui reports a value after every key, so
    // that 150 begins as 1. It applies when the field is left, and not after Esc.
    std::optional<Edit> m_typed;
    // The last edit, if it was refused: shown at its field until a time of Dear ImGui [s].
    struct Refusal {
        std::string path, why;
        double until = 0;
    };
    Refusal m_refusal;
    // The Euler angles of the rotation that is being dragged, which the quaternion does not determine.
    std::string m_draggedRotation;
    float m_angles[3] = {};
};

// For display: "0.01", "0, -9.81, 0", "bilateral", "on".
std::string textOf(const Edit& edit);

}  // namespace coalesce
