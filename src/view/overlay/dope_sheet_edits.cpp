// What the dope sheet changes: the selected key, event or shot, and what its buttons add.
#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>
#include <utility>

#include "scene/format/edits.h"
#include "scene/timeline/interpolation.h"
#include "scene/timeline/timeline.h"
#include "view/overlay/dope_sheet.h"
#include "view/widgets/format.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

constexpr const char* kEaseLabels[] = {"Step", "Linear", "Smooth", "Ease in", "Ease out", "Spline"};

// The value at a path now, as a key.
TrackKey trackKeyOf(const Edit& edit, double t) {
    TrackKey key;
    key.t = t;
    if (edit.word == "true" || edit.word == "false")
        key.value = {edit.word == "true" ? 1.0 : 0.0};
    else if (!edit.word.empty())
        key.word = edit.word;
    else
        key.value = edit.numbers;
    return key;
}

// Paths of values that can have a track and have none.
std::vector<std::string> trackablePaths(const Session& session) {
    const Scene& scene = session.scene();
    AdjustableCopy values(scene);
    std::vector<std::string> paths;
    for (const Tunable& tunable : listTunables(tunablesOf(scene))) {
        const std::string& path = tunable.value.path;
        const auto sets = [&](const auto& other) { return other.set == path; };
        if (path == "solver.frameRate" || std::ranges::any_of(scene.tracks, sets) ||
            std::ranges::any_of(scene.timeline, sets))
            continue;
        const TrackKey key = trackKeyOf(tunable.value, 0);
        if (adjust(values.get(), path, key.value, key.word).empty()) paths.push_back(path);
    }
    return paths;
}

// The word, or word_2, word_3, …: the first that none of the elements has as its name.
template <class Element>
std::string unusedName(const std::vector<Element>& elements, const std::string& word) {
    std::string name = word;
    for (int k = 2; std::ranges::find(elements, name, &Element::name) != elements.end(); ++k)
        name = fmt::format("{}_{}", word, k);
    return name;
}

// A text field; whether a new text was entered.
bool enterText(const char* name, std::string& text, const char* about) {
    char buffer[1000];
    fmt::format_to_n(buffer, sizeof buffer - 1, "{}", text).out[0] = 0;
    ImGui::SetNextItemWidth(12 * ImGui::GetFontSize());
    const bool entered =
        ImGui::InputText((std::string("##") + name).c_str(), buffer, sizeof buffer,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    nameItem(name, about);
    if (!entered || text == buffer || buffer[0] == 0) return false;
    text = buffer;
    return true;
}

}  // namespace

CameraKey cameraKeyOf(const Camera& camera, double t) {
    CameraKey key;
    key.t = t;
    key.eye = {camera.eye.x, camera.eye.y, camera.eye.z};
    key.look = {camera.look.x, camera.look.y, camera.look.z};
    key.fov = double(camera.fov);
    if (camera.orthographicHeight > 0) key.orthographicHeight = double(camera.orthographicHeight);
    return key;
}

// Value, ease and view of the selected key.
void DopeSheet::drawSelected(Session& session, const ViewSettings& view) {
    if (!m_selected) {
        ImGui::TextDisabled("Select a key, or a row to add one. Drag a key to move it in time.");
        return;
    }
    const Scene& scene = session.scene();
    const FilmKey key = *m_selected;
    const float em = ImGui::GetFontSize();
    ImGui::AlignTextToFramePadding();
    if (key.of == FilmKey::Of::Shot) return drawShot(session);
    ImGui::Text("%.3f s", m_dragged ? *m_dragged : timeOf(scene, key));
    ImGui::SameLine();
    if (key.of == FilmKey::Of::Event) {
        if (!scene.timeline[key.element].marker.empty()) return drawMarker(session);
        ImGui::TextUnformatted(describeCommand(scene.timeline[key.element]).c_str());
        return;
    }
    ImGui::SetNextItemWidth(7 * em);
    if (key.of == FilmKey::Of::Track) {
        TrackKey value = scene.tracks[key.element].keys[key.key];
        if (!value.word.empty()) {
            ImGui::TextUnformatted(value.word.c_str());
            return;
        }
        if (choose("film.ease", value.ease, kEaseLabels, "Interpolation from the previous key to this one."))
            return finish(session, m_editor.setTrackKey(scene, key, value));
        ImGui::SameLine();
        ImGui::SetNextItemWidth(8 * em * float(value.value.size()));
        ImGui::InputScalarN("##value", ImGuiDataType_Double, value.value.data(), int(value.value.size()),
                            nullptr, nullptr, "%.6g", ImGuiInputTextFlags_EnterReturnsTrue);
        const bool edited = ImGui::IsItemDeactivatedAfterEdit();
        nameItem("film.value", "Value of the key; Enter writes it.");
        if (edited) finish(session, m_editor.setTrackKey(scene, key, value));
        return;
    }
    CameraKey value = scene.cameras[key.element].keys[key.key];
    bool changed = choose("film.ease", value.ease, kEaseLabels,
                          "Interpolation in time from the previous key to this one.");
    ImGui::SameLine();
    changed = checkbox("film.cut", "Cut", value.cut, "A new path starts at this key.") || changed;
    ImGui::SameLine();
    if (button("film.view", "Set to view", 0,
               "Replaces eye, look point and field of view by the present view.")) {
        const CameraKey now = cameraKeyOf(view.camera, value.t);
        value.eye = now.eye, value.look = now.look, value.fov = now.fov;
        value.orthographicHeight = now.orthographicHeight;
        changed = true;
    }
    ImGui::SameLine();
    ImGui::TextDisabled("eye %.2f %.2f %.2f   look %.2f %.2f %.2f", double(value.eye.x), double(value.eye.y),
                        double(value.eye.z), double(value.look.x), double(value.look.y),
                        double(value.look.z));
    if (changed) finish(session, m_editor.setCameraKey(scene, key, value));
}

void DopeSheet::addKey(Session& session, const ViewSettings& view) {
    const Scene& scene = session.scene();
    if (*m_rowOf == FilmKey::Of::Camera) {
        const double t = onFrame(scene, timeOfClock(session, Clock::film));
        const CameraView& camera = scene.cameras[m_rowElement];
        if (!camera.follow.empty())
            return finish(session, "the keys of this camera are relative to " + camera.follow +
                                       "; edit them in the file.");
        return finish(session, m_editor.addCameraKey(scene, m_rowElement, cameraKeyOf(view.camera, t)));
    }
    const Track& track = scene.tracks[m_rowElement];
    const Clock clock = track.set == kTimeScale ? Clock::film : track.clock;
    TrackKey key;
    key.t = onFrame(scene, timeOfClock(session, clock));
    if (track.keys[0].word.empty())
        key.value = valueAt(track.keys, key.t);
    else
        key.word = wordAt(track.keys, key.t);
    finish(session, m_editor.addTrackKey(scene, m_rowElement, key));
}

void DopeSheet::addCamera(Session& session, const ViewSettings& view) {
    const std::vector<CameraView>& cameras = session.scene().cameras;
    const std::string name = unusedName(cameras, "camera");
    finish(session, m_editor.addCamera(session.scene(), name, cameraKeyOf(view.camera, 0)));
    const auto added = std::ranges::find(cameras, name, &CameraView::name);
    if (added == cameras.end()) return;
    m_rowOf = FilmKey::Of::Camera, m_rowElement = size_t(added - cameras.begin());
    m_selected.reset();
}

void DopeSheet::addCut(Session& session) {
    const Scene& scene = session.scene();
    finish(session, m_editor.addCut(scene, scene.cameras[m_rowElement].name,
                                    onFrame(scene, timeOfClock(session, Clock::film))));
}

// A list of the values, with a field that searches it.
void DopeSheet::drawTrackChoice(Session& session) {
    const float em = ImGui::GetFontSize();
    ImGui::SetNextItemWidth(7 * em);
    ImGui::SetNextWindowSizeConstraints({24 * em, 0}, {24 * em, 20 * em});
    const bool open = ImGui::BeginCombo("##track", "Add track", ImGuiComboFlags_HeightLarge);
    const char* about = "Adds a track of a value, with its present value as a key at the playhead.";
    if (!open) return nameItem("film.track", about);
    if (ImGui::IsWindowAppearing()) {
        m_trackable = trackablePaths(session);
        m_filter[0] = 0;
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##filter", "Search values", m_filter, sizeof m_filter);
    nameItem("film.track.search");
    const std::string wanted = lowercase(m_filter);
    std::string chosen;
    for (const std::string& path : m_trackable) {
        if (lowercase(path).find(wanted) == std::string::npos) continue;
        if (ImGui::Selectable(path.c_str())) chosen = path;
        nameItem("film.track." + path);
    }
    ImGui::EndCombo();
    nameItem("film.track", about);
    if (!chosen.empty()) addTrack(session, chosen);
}

void DopeSheet::addTrack(Session& session, const std::string& path) {
    const double t =
        onFrame(session.scene(), timeOfClock(session, path == kTimeScale ? Clock::film : Clock::simulation));
    const TrackKey key = trackKeyOf(editAt(tunablesOf(std::as_const(session).world()), path), t);
    finish(session, m_editor.addTrack(session.scene(), path, key));
    const std::vector<Track>& tracks = session.scene().tracks;
    const auto added = std::ranges::find(tracks, path, &Track::set);
    if (added == tracks.end()) return;
    m_rowOf = FilmKey::Of::Track, m_rowElement = size_t(added - tracks.begin());
    m_selected.reset();
}

void DopeSheet::addMarker(Session& session) {
    const size_t before = session.scene().timeline.size();
    finish(session, m_editor.addMarker(session.scene(), "marker",
                                       onFrame(session.scene(), timeOfClock(session, Clock::simulation))));
    if (session.scene().timeline.size() > before)
        m_selected = {FilmKey::Of::Event, before, 0}, m_rowOf.reset();
}

void DopeSheet::addShot(Session& session) {
    const std::vector<Shot>& shots = session.scene().shots;
    const double now = onFrame(session.scene(), timeOfClock(session, Clock::film));
    double from = 0, to = now;
    for (const Shot& shot : shots)
        if (shot.to <= now) from = std::max(from, shot.to);
    if (!(to > from)) from = now, to = session.scene().duration;
    const std::string name = unusedName(shots, "shot");
    const size_t before = shots.size();
    finish(session, m_editor.addShot(session.scene(), name, from, to));
    if (session.scene().shots.size() > before) m_selected = {FilmKey::Of::Shot, before, 0}, m_rowOf.reset();
}

void DopeSheet::drawMarker(Session& session) {
    std::string text = session.scene().timeline[m_selected->element].marker;
    if (enterText("film.markerText", text, "Text of the marker; Enter writes it."))
        finish(session, m_editor.setMarker(session.scene(), *m_selected, text));
}

void DopeSheet::drawShot(Session& session) {
    const Scene& scene = session.scene();
    Shot shot = scene.shots[m_selected->element];
    bool changed =
        enterText("film.shotName", shot.name, "Name of the shot, for record --shot; Enter writes it.");
    const auto time = [&](const char* name, const char* label, double& value, const char* about) {
        ImGui::SameLine();
        ImGui::TextUnformatted(label);
        ImGui::SameLine();
        ImGui::SetNextItemWidth(6 * ImGui::GetFontSize());
        ImGui::InputDouble((std::string("##") + name).c_str(), &value, 0, 0, "%.6g s",
                           ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
        changed = ImGui::IsItemDeactivatedAfterEdit() || changed;
        nameItem(name, about);
    };
    time("film.shotFrom", "from", shot.from, "Time of the film at which the shot begins; Enter writes it.");
    time("film.shotTo", "to", shot.to, "Time of the film at which the shot ends; Enter writes it.");
    if (changed) finish(session, m_editor.setShot(scene, *m_selected, shot));
}

void DopeSheet::finish(Session& session, const std::string& trouble) {
    if (!trouble.empty()) {
        m_message = trouble;
        return;
    }
    if (m_editor.takeWritten() && !session.reload()) m_message = session.fileProblem();
}

}  // namespace coalesce
