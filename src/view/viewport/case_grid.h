// The cases of a scene, a scene as edited and as in its file, or with several presets, side by side: each is a session
// that follows the first one in time; all use one camera. Needs a current OpenGL context to draw, and no window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/format/presets.h"
#include "view/viewport/viewport.h"

namespace coalesce {

class CaseGrid {
public:
    static constexpr size_t kMaxCases = 4;  // including the first

    explicit CaseGrid(LogLine log) : m_log(std::move(log)) {}

    // Opens the cases of the session's scene, at most kMaxCases, in the same size; the file's own values, if the
    // session has them, are not shown beside a case that is the same. Returns why it cannot; empty: they are shown.
    std::string open(Session& first);
    // Opens the scene as in the file, without the edits of the session, beside the session. Returns why it cannot.
    std::string openOriginal(Session& first);
    bool showsOriginal() const { return isShown() && m_shown == Shown::Original; }
    // Adds the scene as in the file with a preset to those that are shown, or takes it away. Returns why it cannot.
    std::string togglePreset(Session& first, const PresetEntry& preset);
    // The files of the presets that are shown.
    std::vector<std::filesystem::path> presets() const;
    // Reloads changed files; to be called regularly, after the first session has done so. If the list of
    // cases has changed, opens them again and returns the answer of open().
    std::string pollFiles(Session& first);
    void close() { m_cells.clear(), m_presets.clear(), m_target.reset(); }
    bool isShown() const { return !m_cells.empty(); }

    // Brings the others to the time of the first: forward by simulating, back by seeking or restarting,
    // within the first's seek budget. All share the rewind memory. Closes when the first opens another scene
    // or case.
    void follow(Session& first);
    // Draws all of them into one target, the first at the upper left, each with the name of its case, which
    // is part of the image and of recordings. False: the size is empty.
    bool draw(Renderer& renderer, Session& first, Viewport& firstViewport, const ViewSettings& view,
              int width, int height);
    std::vector<const Session*> others() const;
    const std::string& firstName() const { return m_firstName; }
    const RenderTarget* target() const { return m_target ? &*m_target : nullptr; }

    // Number of cells along each axis, none of them empty: two or three side by side, or two by two; 1 if
    // not shown.
    int columns() const { return m_cells.empty() ? 1 : m_cells.size() == 2 ? 3 : 2; }
    int rows() const { return m_cells.size() == 3 ? 2 : 1; }
    // Number of particles, time of a frame and problems of each case, at the lower right of its cell; `bar`:
    // height that the time bar covers. [ImGui's units]
    void drawNumbers(const Session& first, float left, float width, float height, float bar) const;

private:
    enum class Shown { Cases, Original, Presets };
    struct Cell {
        std::string name;
        std::unique_ptr<Session> session;
        std::unique_ptr<Viewport> viewport;
    };

    LogLine m_log;
    void addCell(const std::string& name, Scene scene, const SceneChoice& choice, const Session& first);
    std::string reopen(Session& first);
    void start(const Session& first, Shown what, const std::string& firstName);

    std::vector<Cell> m_cells;  // the others
    std::string m_firstName;
    Shown m_shown = Shown::Cases;
    std::vector<PresetEntry> m_presets;  // of the cells, in their order; empty unless presets are shown
    SceneChoice m_choice;                // of the first
    std::filesystem::path m_file;
    std::vector<std::string> m_names;  // of all cases of the scene
    std::optional<RenderTarget> m_target;
};

}  // namespace coalesce
