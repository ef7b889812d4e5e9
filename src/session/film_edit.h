// Changes of tracks, cameras and their keys, of events and shots, in the text of a scene or film file. All other text,
// comments too, stays as it is.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scene/format/json_edit.h"
#include "scene/format/scene.h"

namespace coalesce {

// A key of a track or of a camera, an event of the timeline or a shot, by its place in the scene.
struct FilmKey {
    enum class Of { Track, Camera, Event, Shot } of = Of::Track;
    size_t element = 0;  // index into Scene::tracks, cameras, timeline or shots
    size_t key = 0;      // index into its keys; unused for an event and a shot

    bool operator==(const FilmKey&) const = default;
};

// The time of a key, or of the start of a shot [s], and the times that it has to stay between: those of its neighbors.
double timeOf(const Scene& scene, const FilmKey& key);
struct TimeRange {
    double low = 0, high = 1e6;
};
TimeRange rangeOf(const Scene& scene, const FilmKey& key);

// Edits a scene and its film file. A key that comes from a size, a case or --set cannot be edited: its place in
// the file does not hold the value that the scene has. Each function returns why it failed; empty: done.
class FilmEditor {
public:
    // The scene text in memory, and a function that takes the changed text and returns an error; empty: done. Without
    // it the scene file is written at once, as a film file is, and has to be read again.
    struct SceneText {
        std::string text;
        std::function<std::string(const std::string&)> take;
    };
    void setScene(SceneText scene) { m_scene = std::move(scene); }

    std::string move(const Scene& scene, const FilmKey& key, double time);
    std::string remove(const Scene& scene, const FilmKey& key);
    std::string setTrackKey(const Scene& scene, const FilmKey& key, const TrackKey& value);
    std::string setCameraKey(const Scene& scene, const FilmKey& key, const CameraKey& value);
    // At their places by time; a key at the same time is replaced. element: track or camera.
    std::string addTrackKey(const Scene& scene, size_t element, const TrackKey& value);
    std::string addCameraKey(const Scene& scene, size_t element, const CameraKey& value);
    // A camera that stands at this view, after the others.
    std::string addCamera(const Scene& scene, const std::string& name, const CameraKey& view);
    // The film cuts to a camera at a time of film [s].
    std::string addCut(const Scene& scene, const std::string& camera, double time);
    // A track of the value at a path, with one key; its clock is simulated time, but for solver.timeScale.
    std::string addTrack(const Scene& scene, const std::string& set, const TrackKey& value);
    std::string addMarker(const Scene& scene, const std::string& marker, double time);  // [s] simulated
    std::string setMarker(const Scene& scene, const FilmKey& key, const std::string& marker);
    std::string addShot(const Scene& scene, const std::string& name, double from, double to);  // [s] of film
    // Name and times; the other keys of the shot stay.
    std::string setShot(const Scene& scene, const FilmKey& key, const Shot& value);
    // Takes back the last change of a file. Fails if the file has changed since.
    std::string undo();
    bool canUndo() const { return !m_undo.empty(); }
    // Whether a file was written since the last call.
    bool takeWritten() { return std::exchange(m_written, false); }

private:
    struct Place {
        std::filesystem::path file;
        JsonPath element;  // of the track, camera or event in the file
        std::string text;  // of the file
        bool isFilm = false;
    };
    struct Change {
        std::filesystem::path file;
        std::string before, after;
    };
    std::string placeOf(const Scene& scene, FilmKey::Of of, size_t element, Place& place) const;
    std::string write(const Place& place, const std::optional<std::string>& text);
    std::string textOf(const Scene& scene) const;
    std::string append(const Scene& scene, const std::string& section, const std::string& json);

    SceneText m_scene;
    std::vector<Change> m_undo;
    bool m_written = false;
};

// Keys as one line of JSON. Numbers have the digits that they need, at most seven.
std::string asJson(const TrackKey& key);
std::string asJson(const CameraKey& key);

}  // namespace coalesce
