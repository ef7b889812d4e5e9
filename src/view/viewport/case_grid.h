// The cases of a scene side by side: each a session of its own that keeps step with the first, all seen
// through one camera. Needs a current OpenGL context to draw, and no window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/viewport/viewport.h"

namespace coalesce {

class CaseGrid {
public:
    static constexpr size_t kMost = 4;  // cases, the first included

    explicit CaseGrid(LogLine log) : m_log(std::move(log)) {}

    // The cases of the scene that the session plays, beginning with its own; at most kMost, in its size and
    // at its time. The answer says why not; then nothing is shown. Empty: they are.
    std::string open(Session& first);
    // Reads changed files again, each case for itself; to be called now and then, after the first has done
    // so. Where the scene has other cases now, they are opened anew; the answer is that of open(), or empty.
    std::string pollFiles(Session& first);
    void close() { m_cells.clear(), m_all.reset(); }
    bool isShown() const { return !m_cells.empty(); }

    // Brings the others to the time of the first: forward by frames, back by what they keep of their past or
    // by a new start, within the patience of the first. What the way back may take of memory is shared by
    // all. Closes when the first plays another scene or case.
    void follow(Session& first);
    // All of them in one picture, the first at the upper left. False: there is nothing to draw into.
    bool draw(Renderer& renderer, Session& first, Viewport& firstPicture, const ViewSettings& look, int width,
              int height);
    std::vector<const Session*> others() const;
    const RenderTarget* target() const { return m_all ? &*m_all : nullptr; }

    // How many cells there are along each axis, also of a single picture.
    int columns() const { return m_cells.empty() ? 1 : 2; }
    int rows() const { return m_cells.size() > 1 ? 2 : 1; }
    // Names of the cases, in their cells. [ImGui's units]
    void drawNames(const Session& first, float left, float width, float height) const;

private:
    struct Cell {
        std::unique_ptr<Session> session;
        std::unique_ptr<Viewport> picture;
    };

    LogLine m_log;
    std::vector<Cell> m_cells;  // the others
    SceneChoice m_choice;       // of the first
    std::filesystem::path m_file;
    std::vector<std::string> m_names;  // of all its cases
    std::optional<RenderTarget> m_all;
};

}  // namespace coalesce
