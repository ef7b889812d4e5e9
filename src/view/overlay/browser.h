// The scenes as a grid of pictures: with what they are about, by tag and word, those that were open last
// before all others. Dear ImGui only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/session.h"
#include "view/widgets/widget_rect.h"

namespace coalesce {

class Browser {
public:
    // The picture of a scene, as ImGui names textures; null: it has none.
    using Thumbnail = std::function<void*(const SceneEntry&)>;

    explicit Browser(std::vector<SceneEntry> scenes) : m_scenes(std::move(scenes)) {}

    bool shown = false;
    // These come first, in this order; one that is not in the list is read and joins it.
    void setRecent(const std::vector<std::filesystem::path>& recent);
    // Over the picture between left and left + width [px]. What is chosen opens, and the browser closes: a
    // click, or Enter for the one that is marked, which the arrow keys move.
    void draw(Session& session, const Thumbnail& thumbnail, float left, float width, float height);

    // What search and tag leave, in the order of the tiles.
    std::vector<const SceneEntry*> found() const;
    std::string search, tag;  // of which the user types and chooses

    // What Enter opens; null: nothing is found.
    const SceneEntry* marked() const;

    // Where the tiles of the last frame are [px], by the names of their scenes.
    using WidgetRect = coalesce::WidgetRect;
    const std::vector<WidgetRect>& placed() const { return m_placed; }

private:
    using Entries = std::vector<const SceneEntry*>;

    const SceneEntry* markedOf(const Entries& found) const;
    // Answers what they leave.
    Entries drawFilters(Session& session);
    void moveMark(const std::vector<const SceneEntry*>& entries, int columns);
    void open(Session& session, const SceneEntry& entry);
    void drawTile(Session& session, const SceneEntry& entry, bool isMarked, void* thumbnail, float width);

    std::vector<SceneEntry> m_scenes;
    bool m_wasShown = false;
    std::filesystem::path m_marked;  // file of a scene; where it is not found, the first is marked
    bool m_markMoved = false, m_takesKeys = false;
    size_t m_recent = 0;  // so many of them were open before
    std::vector<WidgetRect> m_placed;
};

}  // namespace coalesce
