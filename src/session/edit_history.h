// Undo and redo of edits, and of changes of the scene's text, step by step. Independent of what they change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

class EditHistory {
public:
    struct Change {
        Edit before, after;  // of the same path
    };
    // Edits; or one change of the text.
    struct Step {
        std::vector<Change> changes = {};
        std::string what = {};  // the change of the text, for display; empty: edits
        std::string before = {}, after = {};

        bool isOfText() const { return !what.empty(); }
    };

    // Adds a change to the open step, or opens one. Per path a step keeps the first `before` and the last
    // `after`. A change clears the steps that could be redone.
    void add(Change change);
    // A step of its own.
    void addText(const std::string& what, const std::string& before, const std::string& after);
    void closeStep() { m_open = false; }

    // The step that undo or redo would apply next; null: none.
    const Step* undoable() const { return m_done > 0 ? &m_steps[m_done - 1] : nullptr; }
    const Step* redoable() const { return m_done < m_steps.size() ? &m_steps[m_done] : nullptr; }
    // The edits that undo the last step, or redo the next one, in order; empty: no such step, or one of text.
    std::vector<Edit> undo();
    std::vector<Edit> redo();
    void clear();
    // Changes the texts of all steps.
    void replaceTexts(const std::function<std::string(const std::string&)>& replace);
    // Forgets the changes of the text, which another text has replaced.
    void removeTexts();
    // Both edits of every change.
    void forEachEdit(const std::function<void(Edit&)>& visit);
    size_t done() const { return m_done; }  // number of steps that are applied
    size_t bytes() const;                   // memory that it takes

    // For display: "materials.water.viscosity", "3 values".
    static std::string describe(const Step& step);

private:
    static constexpr size_t kMaxSteps = 1000;

    std::vector<Step> m_steps;
    size_t m_done = 0;  // number of steps that are applied; those after it can be redone
    bool m_open = false;
};

}  // namespace coalesce
