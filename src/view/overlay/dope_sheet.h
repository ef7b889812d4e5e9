// The dope sheet: keys of cameras and tracks, events and shots over time, with the playhead. Its changes are
// edits of the scene's text, which undo takes back and saving writes; those of a film file are written at once.
// Dear ImGui only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/film_edit.h"
#include "session/session.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

class DopeSheet {
public:
    bool shown = false;
    // Above `bottom`, between left and left + width [px]. Returns a message for the user; empty: none.
    std::string draw(Session& session, ViewSettings& view, float left, float width, float bottom);
    float height() const { return shown ? m_height : 0; }  // [px] as drawn last

private:
    struct Row {
        std::string label, name, about;  // name: of its widgets
        FilmKey::Of of = FilmKey::Of::Camera;
        size_t element = 0;
        Clock clock = Clock::film;
        std::vector<size_t> keys;  // of an event row: indices into the timeline
    };
    // Pixels of times.
    struct Axis {
        float left = 0, width = 1;  // [px]
        double seconds = 1;         // at the right end
        float at(double t) const { return left + float(t / seconds) * width; }
        double timeAt(float x) const { return double((x - left) / width) * seconds; }
    };
    static constexpr const char* kTimeScale = "solver.timeScale";
    static std::vector<Row> rowsOf(const Scene& scene);
    static double timeOfClock(const Session& session, Clock clock);   // [s] now
    static double onFrame(const Scene& scene, double t);              // [s] of the nearest frame
    static std::string describeCommand(const TimedCommand& command);  // what it does, in two or three words
    void drawToolbar(Session& session, ViewSettings& view);
    void drawAxis(const Session& session, const Axis& axis) const;
    void drawShots(const Session& session, const Axis& axis);
    void drawRow(Session& session, const Row& row, const Axis& axis);
    void drawKey(Session& session, const Row& row, const FilmKey& key, const Axis& axis, float y);
    void drawSelected(Session& session, const ViewSettings& view);
    void addKey(Session& session, const ViewSettings& view);
    void addCamera(Session& session, const ViewSettings& view);
    void addCut(Session& session);
    void drawTrackChoice(Session& session);
    void addTrack(Session& session, const std::string& path);
    void addMarker(Session& session);
    void addShot(Session& session);
    void drawMarker(Session& session);
    void drawShot(Session& session);
    // Reads a film file again after a change.
    void finish(Session& session, const std::string& trouble);

    FilmEditor m_editor;
    std::optional<FilmKey> m_selected;
    std::optional<FilmKey::Of> m_rowOf;  // of the selected row
    size_t m_rowElement = 0;
    std::optional<double> m_dragged;       // [s] time of the selected key while it is dragged
    std::vector<std::string> m_trackable;  // values that could have a track, while one is chosen
    char m_filter[60] = {};                // of these
    std::string m_message;
    bool m_timesBelow = false;  // of the playhead: below the buttons, where there is no room beside them
    float m_height = 0;
};

// The view of the user as a key of a camera.
CameraKey cameraKeyOf(const Camera& camera, double t);

}  // namespace coalesce
