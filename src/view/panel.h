// The panel at the left: scenes, time, look, and every parameter of the manifests. Dear ImGui only.
#pragma once

#include <string>
#include <vector>

#include "view/look.h"
#include "view/session.h"

namespace coalesce {

class Panel {
public:
    explicit Panel(std::vector<SceneEntry> scenes) : m_scenes(std::move(scenes)) {}

    // Draws within the current ImGui frame. Edits go into the world's parameters, which the solver reads at
    // the start of its next frame.
    void draw(Session& session, Look& look, float height);
    float width() const { return m_width; }  // [px] as drawn last
    float startWidth = 0;                    // [px] as drawn first; 0: as it likes

    const std::vector<SceneEntry>& scenes() const { return m_scenes; }

    // The scene this many places further in the list.
    void openNeighbor(Session& session, int step);

    // Where the widgets of the last frame are [px]: "solver.substeps", "materials.water.viscosity", "reset",
    // "search".
    struct Placed {
        std::string path;
        float left, top, right, bottom;
    };
    const std::vector<Placed>& placed() const { return m_placed; }

private:
    static void open(Session& session, const SceneEntry& entry);
    void drawScenes(Session& session);
    void drawTime(Session& session);
    void drawLook(Session& session, Look& look);
    void drawParameters(Session& session);
    template <class Fields>
    bool drawFields(Fields& values, const Fields& originals, const std::string& prefix);
    template <class T, class Info>
    void drawField(T& value, const T& original, const Info& info, const std::string& path);
    void place(const std::string& path);
    bool matches(const std::string& path, const char* about) const;

    std::vector<SceneEntry> m_scenes;
    std::vector<Placed> m_placed;
    char m_search[64] = "";
    float m_width = 0;
};

}  // namespace coalesce
