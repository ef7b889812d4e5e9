// What was changed by hand, step by step, so that it can be taken back and done again. Knows nothing of what
// it changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

class EditHistory {
public:
    struct Change {
        Edit before, after;  // of the same path
    };
    using Step = std::vector<Change>;

    // Changes belong to one step until it is closed; of one path the first `before` and the last `after`
    // count. What was taken back before cannot be done again after a new change.
    void add(Change change);
    void closeStep() { m_open = false; }

    // The step that undo or redo would do next; null: none.
    const Step* undoable() const { return m_done > 0 ? &m_steps[m_done - 1] : nullptr; }
    const Step* redoable() const { return m_done < m_steps.size() ? &m_steps[m_done] : nullptr; }
    // The edits that take the last step back, or do the next one again, in order; none: there is no step.
    std::vector<Edit> undo();
    std::vector<Edit> redo();
    void clear();

    // In words: "materials.water.viscosity", "3 values".
    static std::string describe(const Step& step);

private:
    static constexpr size_t kMostSteps = 1000;

    std::vector<Step> m_steps;
    size_t m_done = 0;  // steps that have not been taken back
    bool m_open = false;
};

}  // namespace coalesce
