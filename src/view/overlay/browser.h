// The scene browser: thumbnails with search and tags, recent scenes first. Dear ImGui only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/session.h"

namespace coalesce {

class Browser {
public:
    // The thumbnail of a scene as an ImGui texture; null: none.
    using Thumbnail = std::function<void*(const SceneEntry&)>;

    explicit Browser(std::vector<SceneEntry> scenes) : m_scenes(std::move(scenes)) {}

    bool shown = false;
    // Puts these scenes first, in this order; adds those that are not in the list.
    void setRecent(const std::vector<std::filesystem::path>& recent);
    // Over the viewport between left and left + width [px]. A click opens a scene and closes the browser;
    // Enter opens the selected scene, which the arrow keys move.
    void draw(Session& session, const Thumbnail& thumbnail, float left, float width, float height);

    // The scenes that match search and tag, in the order of the tiles.
    std::vector<const SceneEntry*> found() const;
    std::string search, tag;  // as the user has entered and chosen them

    // The scene that Enter opens; null: none matches.
    const SceneEntry* selected() const;

private:
    using Entries = std::vector<const SceneEntry*>;

    const SceneEntry* selectedOf(const Entries& found) const;
    // Returns the scenes that match.
    Entries drawFilters(Session& session);
    void moveSelection(const std::vector<const SceneEntry*>& entries, int columns);
    void open(Session& session, const SceneEntry& entry);
    void drawTile(Session& session, const SceneEntry& entry, bool isSelected, void* thumbnail, float width);
    void drawContextMenu(Session& session, const SceneEntry& entry);

    std::vector<SceneEntry> m_scenes;
    bool m_wasShown = false;
    std::filesystem::path m_selected;  // scene file; if it does not match, the first is selected
    bool m_selectionMoved = false, m_focusSearch = false;
    bool m_searchHasKeyboard = false;  // since the browser was opened
    size_t m_recent = 0;               // number of recent scenes at the front
};

}  // namespace coalesce
