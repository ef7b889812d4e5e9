#include "session/edit_history.h"

#include <algorithm>
#include <fmt/format.h>

namespace coalesce {

void EditHistory::add(Change change) {
    if (!m_open || m_done < m_steps.size() || m_done == 0) {
        m_steps.resize(m_done);
        if (m_steps.size() == kMaxSteps) m_steps.erase(m_steps.begin());
        m_steps.emplace_back();
        m_done = m_steps.size();
        m_open = true;
    }
    std::vector<Change>& step = m_steps.back().changes;
    const auto earlier = std::find_if(step.begin(), step.end(),
                                      [&](const Change& c) { return c.after.path == change.after.path; });
    if (earlier == step.end()) {
        step.push_back(std::move(change));
        return;
    }
    earlier->after = std::move(change.after);
    // a drag that returns to its start has changed nothing
    if (earlier->after == earlier->before) step.erase(earlier);
    if (step.empty()) m_steps.pop_back(), m_done = m_steps.size(), m_open = false;
}

void EditHistory::addText(const std::string& what, const std::string& before, const std::string& after) {
    m_steps.resize(m_done);
    if (m_steps.size() == kMaxSteps) m_steps.erase(m_steps.begin());
    m_steps.push_back({.what = what, .before = before, .after = after});
    m_done = m_steps.size();
    m_open = false;
}

std::vector<Edit> EditHistory::undo() {
    m_open = false;
    if (m_done == 0) return {};
    const std::vector<Change>& step = m_steps[--m_done].changes;
    std::vector<Edit> edits;
    for (auto change = step.rbegin(); change != step.rend(); ++change) edits.push_back(change->before);
    return edits;
}

std::vector<Edit> EditHistory::redo() {
    m_open = false;
    if (m_done == m_steps.size()) return {};
    std::vector<Edit> edits;
    for (const Change& change : m_steps[m_done++].changes) edits.push_back(change.after);
    return edits;
}

void EditHistory::clear() {
    m_steps.clear();
    m_done = 0;
    m_open = false;
}

size_t EditHistory::bytes() const {
    size_t bytes = 0;
    for (const Step& step : m_steps)
        bytes += sizeof(Step) + step.changes.size() * sizeof(Change) + step.before.size() + step.after.size();
    return bytes;
}

void EditHistory::replaceTexts(const std::function<std::string(const std::string&)>& replace) {
    for (Step& step : m_steps)
        if (step.isOfText()) step.before = replace(step.before), step.after = replace(step.after);
}

void EditHistory::removeTexts() {
    const auto isOfText = [](const Step& step) { return step.isOfText(); };
    m_done -= size_t(std::count_if(m_steps.begin(), m_steps.begin() + std::ptrdiff_t(m_done), isOfText));
    std::erase_if(m_steps, isOfText);
}

void EditHistory::forEachEdit(const std::function<void(Edit&)>& visit) {
    for (Step& step : m_steps)
        for (Change& change : step.changes) visit(change.before), visit(change.after);
}

std::string EditHistory::describe(const Step& step) {
    if (step.isOfText()) return step.what;
    const size_t count = step.changes.size();
    return count == 1 ? step.changes[0].after.path : fmt::format("{} values", count);
}

}  // namespace coalesce
