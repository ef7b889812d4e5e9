#include "session/film_edit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "scene/format/json_text.h"
#include "scene/format/read_fields.h"

namespace coalesce {

namespace {

constexpr double kSameTime = 1e-6;  // [s]

std::string keyNumber(double number) {
    return fmt::format("{:.7g}", number == 0 ? 0.0 : number);  // no −0
}
std::string vectorText(Vec3 v) {
    return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", v.x, v.y, v.z);
}
std::string easeName(Ease ease) {
    return std::string(choiceNames<Ease>()[size_t(ease)]);
}

const char* listOfKind(FilmKey::Of of) {
    static constexpr const char* kLists[] = {"tracks", "cameras", "timeline", "shots"};
    return kLists[size_t(of)];
}

JsonPath operator/(JsonPath path, std::string key) {
    path.emplace_back(std::move(key));
    return path;
}
JsonPath operator/(JsonPath path, size_t index) {
    path.emplace_back(index);
    return path;
}

std::vector<double> timesOf(const Scene& scene, const FilmKey& key) {
    std::vector<double> times;
    if (key.of == FilmKey::Of::Track)
        for (const TrackKey& k : scene.tracks[key.element].keys) times.push_back(k.t);
    else if (key.of == FilmKey::Of::Camera)
        for (const CameraKey& k : scene.cameras[key.element].keys) times.push_back(k.t);
    return times;
}

// The text of a value as a number; nullopt: it is something else.
std::optional<double> numberAt(const std::string& text, const JsonPath& path) {
    const auto span = spanOfValue(text, path);
    Node node;
    std::vector<Diagnostic> ignored;
    if (!span ||
        !parseJson(std::string_view(text).substr(span->begin, span->end - span->begin), node, ignored) ||
        !node.isNumber())
        return {};
    return node.number;
}

}  // namespace

std::string asJson(const TrackKey& key) {
    std::string value;
    if (!key.word.empty())
        value = "\"word\": " + quoted(key.word);
    else if (key.value.size() == 1)
        value = "\"value\": " + keyNumber(key.value[0]);
    else
        value = fmt::format("\"value\": [{}, {}, {}]", keyNumber(key.value[0]), keyNumber(key.value[1]),
                            keyNumber(key.value[2]));
    const bool plain = key.ease == Ease::linear || !key.word.empty();
    return fmt::format("{{ \"t\": {}, {}{} }}", keyNumber(key.t), value,
                       plain ? "" : ", \"ease\": \"" + easeName(key.ease) + "\"");
}

std::string asJson(const CameraKey& key) {
    std::string text = fmt::format("{{ \"t\": {}, \"eye\": {}, \"look\": {}", keyNumber(key.t),
                                   vectorText(key.eye), vectorText(key.look));
    if (key.fov) text += ", \"fov\": " + fmt::format("{:.4g}", *key.fov);
    if (key.orthographicHeight)
        text += ", \"orthographicHeight\": " + fmt::format("{:.4g}", *key.orthographicHeight);
    if (key.roll) text += ", \"roll\": " + fmt::format("{:.4g}", *key.roll);
    if (key.ease != Ease::spline) text += ", \"ease\": \"" + easeName(key.ease) + "\"";
    if (key.cut) text += ", \"cut\": true";
    return text + " }";
}

double timeOf(const Scene& scene, const FilmKey& key) {
    if (key.of == FilmKey::Of::Event) return scene.timeline[key.element].at;
    if (key.of == FilmKey::Of::Shot) return scene.shots[key.element].from;
    return timesOf(scene, key)[key.key];
}

TimeRange rangeOf(const Scene& scene, const FilmKey& key) {
    if (key.of == FilmKey::Of::Event || key.of == FilmKey::Of::Shot) return {};
    const std::vector<double> times = timesOf(scene, key);
    const double frame = 1 / double(scene.parameters.solver.frameRate);  // [s]
    TimeRange range;
    if (key.key > 0) range.low = times[key.key - 1] + frame;
    if (key.key + 1 < times.size()) range.high = times[key.key + 1] - frame;
    return range;
}

std::string FilmEditor::textOf(const Scene& scene) const {
    return m_scene.take ? m_scene.text : fileText(scene.file, "");
}

std::string FilmEditor::placeOf(const Scene& scene, FilmKey::Of of, size_t element, Place& place) const {
    const std::string section = listOfKind(of);
    const std::string sceneText = textOf(scene),
                      filmText = scene.film.empty() ? "" : fileText(scene.film, "");
    // the cameras of a film replace those of the scene; its tracks and events come after them
    const bool filmCameras = spanOfValue(filmText, {"cameras"}) || spanOfValue(filmText, {"camera"});
    const size_t before = of == FilmKey::Of::Camera ? 0 : countAt(sceneText, {section});
    const bool isOfFilm = of == FilmKey::Of::Camera ? filmCameras : element >= before && !scene.film.empty();
    place.file = isOfFilm ? scene.film : scene.file;
    place.text = isOfFilm ? filmText : sceneText;
    place.isFilm = isOfFilm;
    if (of == FilmKey::Of::Camera && spanOfValue(place.text, {"camera"})) {
        place.element = element == 0 ? JsonPath{"camera"} : JsonPath{section, element - 1};
    } else {
        place.element = JsonPath{section, isOfFilm ? element - before : element};
    }
    if (!spanOfValue(place.text, place.element))
        return fmt::format("{} {} is not in {}: it comes from a size, a case or --set. Edit it there.",
                           section, element, place.file.filename().string());
    return "";
}

std::string FilmEditor::write(const Place& place, const std::optional<std::string>& text) {
    if (!text) return "the file " + place.file.filename().string() + " has another structure than the scene.";
    if (*text == place.text) return "";
    if (m_scene.take && !place.isFilm) return m_scene.take(*text);
    try {
        writeFile(place.file, *text);
    } catch (const Error& error) {
        return error.what();
    }
    m_undo.push_back({place.file, place.text, *text});
    m_written = true;
    return "";
}

std::string FilmEditor::move(const Scene& scene, const FilmKey& key, double time) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    const TimeRange range = rangeOf(scene, key);
    const bool isEvent = key.of == FilmKey::Of::Event;
    const JsonPath path = isEvent ? place.element / "at" : place.element / "keys" / key.key / "t";
    const auto written = numberAt(place.text, path);
    if (!written || std::abs(*written - timeOf(scene, key)) > kSameTime)
        return "the key in the file has another time: it comes from a size, a case or --set.";
    const double to = std::clamp(time, range.low, std::max(range.low, range.high));
    std::optional<std::string> text = replaceValue(place.text, path, keyNumber(to));
    // the end of an event moves along
    if (const double until = isEvent ? scene.timeline[key.element].until : 0; text && until > 0)
        text = replaceValue(*text, place.element / "until", keyNumber(until + to - timeOf(scene, key)));
    return write(place, text);
}

std::string FilmEditor::remove(const Scene& scene, const FilmKey& key) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    if (key.of == FilmKey::Of::Event || key.of == FilmKey::Of::Shot) {
        JsonPath list = place.element;
        list.pop_back();
        return write(place, removeElement(place.text, list, std::get<size_t>(place.element.back())));
    }
    if (key.of == FilmKey::Of::Track && scene.tracks[key.element].keys.size() == 1)
        return "the last key of a track stays. Remove the track in the file.";
    return write(place, removeElement(place.text, place.element / "keys", key.key));
}

std::string FilmEditor::setTrackKey(const Scene& scene, const FilmKey& key, const TrackKey& value) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    return write(place, replaceValue(place.text, place.element / "keys" / key.key, asJson(value)));
}

std::string FilmEditor::setCameraKey(const Scene& scene, const FilmKey& key, const CameraKey& value) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    return write(place, replaceValue(place.text, place.element / "keys" / key.key, asJson(value)));
}

namespace {

// Index of a new key by its time, and whether there is one at that time.
std::pair<size_t, bool> indexFor(const std::vector<double>& times, double t) {
    size_t index = 0;
    while (index < times.size() && times[index] < t - kSameTime) ++index;
    return {index, index < times.size() && times[index] < t + kSameTime};
}

}  // namespace

std::string FilmEditor::addTrackKey(const Scene& scene, size_t element, const TrackKey& value) {
    Place place;
    if (const std::string trouble = placeOf(scene, FilmKey::Of::Track, element, place); !trouble.empty())
        return trouble;
    const auto [index, there] = indexFor(timesOf(scene, {FilmKey::Of::Track, element, 0}), value.t);
    const JsonPath list = place.element / "keys";
    return write(place, there ? replaceValue(place.text, list / index, asJson(value))
                              : insertElement(place.text, list, index, asJson(value)));
}

std::string FilmEditor::addCameraKey(const Scene& scene, size_t element, const CameraKey& value) {
    Place place;
    if (const std::string trouble = placeOf(scene, FilmKey::Of::Camera, element, place); !trouble.empty())
        return trouble;
    const auto [index, there] = indexFor(timesOf(scene, {FilmKey::Of::Camera, element, 0}), value.t);
    const JsonPath list = place.element / "keys";
    if (!spanOfValue(place.text, list))
        return write(place, addKey(place.text, place.element, "keys", "[" + asJson(value) + "]"));
    return write(place, there ? replaceValue(place.text, list / index, asJson(value))
                              : insertElement(place.text, list, index, asJson(value)));
}

// At the end of a list of the scene, or of its film where that has the list.
std::string FilmEditor::append(const Scene& scene, const std::string& section, const std::string& json) {
    Place place{scene.file, {section}, textOf(scene), false};
    const std::string film = scene.film.empty() ? "" : fileText(scene.film, "");
    if (spanOfValue(film, {section}) || (section == "cameras" && spanOfValue(film, {"camera"})))
        place = {scene.film, {section}, film, true};
    if (!spanOfValue(place.text, {section}))
        return write(place, coalesce::addKey(place.text, {}, section, "[" + json + "]"));
    return write(place, insertElement(place.text, {section}, countAt(place.text, {section}), json));
}

std::string FilmEditor::addCamera(const Scene& scene, const std::string& name, const CameraKey& view) {
    std::string json = fmt::format("{{ \"name\": {}, \"eye\": {}, \"look\": {}", quoted(name),
                                   vectorText(view.eye), vectorText(view.look));
    if (view.fov) json += fmt::format(", \"fov\": {:.4g}", *view.fov);
    if (view.orthographicHeight)
        json += fmt::format(", \"orthographicHeight\": {:.4g}", *view.orthographicHeight);
    return append(scene, "cameras", json + " }");
}

std::string FilmEditor::addCut(const Scene& scene, const std::string& camera, double time) {
    return append(scene, "timeline",
                  fmt::format("{{ \"at\": {}, \"camera\": {} }}", keyNumber(time), quoted(camera)));
}

std::string FilmEditor::addTrack(const Scene& scene, const std::string& set, const TrackKey& value) {
    return append(scene, "tracks",
                  fmt::format("{{ \"set\": {}, \"keys\": [{}] }}", quoted(set), asJson(value)));
}

std::string FilmEditor::addMarker(const Scene& scene, const std::string& marker, double time) {
    return append(scene, "timeline",
                  fmt::format("{{ \"at\": {}, \"marker\": {} }}", keyNumber(time), quoted(marker)));
}

std::string FilmEditor::setMarker(const Scene& scene, const FilmKey& key, const std::string& marker) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    return write(place, replaceValue(place.text, place.element / "marker", quoted(marker)));
}

std::string FilmEditor::addShot(const Scene& scene, const std::string& name, double from, double to) {
    return append(scene, "shots",
                  fmt::format("{{ \"name\": {}, \"from\": {}, \"to\": {} }}", quoted(name), keyNumber(from),
                              keyNumber(to)));
}

std::string FilmEditor::setShot(const Scene& scene, const FilmKey& key, const Shot& value) {
    Place place;
    if (const std::string trouble = placeOf(scene, key.of, key.element, place); !trouble.empty())
        return trouble;
    std::optional<std::string> text = place.text;
    const auto set = [&](const char* name, const std::string& json) {
        if (!text) return;
        const JsonPath path = place.element / name;  // a shot from the start may have no `from`
        text = spanOfValue(*text, path) ? replaceValue(*text, path, json)
                                        : coalesce::addKey(*text, place.element, name, json);
    };
    const Shot& now = scene.shots[key.element];
    if (!(value.from < value.to)) return "a shot must end after its start.";
    if (value.name != now.name) set("name", quoted(value.name));
    if (value.from != now.from) set("from", keyNumber(value.from));
    if (value.to != now.to) set("to", keyNumber(value.to));
    return write(place, text);
}

std::string FilmEditor::undo() {
    if (m_undo.empty()) return "there is nothing to undo.";
    const Change change = m_undo.back();
    m_undo.pop_back();
    try {
        if (fileText(change.file, "") != change.after)
            return change.file.filename().string() + " has changed since; it was left as it is.";
        writeFile(change.file, change.before);
        m_written = true;
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace coalesce
