#include "view/overlay/dope_sheet.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

#include "scene/timeline/film_camera.h"
#include "scene/timeline/timeline.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

constexpr float kLabelEms = 11;       // width of the labels
constexpr double kAxisMargin = 1.05;  // the axis is longer than the film

ImU32 keyColor(FilmKey::Of of) {
    switch (of) {
        case FilmKey::Of::Camera:
            return IM_COL32(120, 190, 255, 255);
        case FilmKey::Of::Track:
            return IM_COL32(250, 195, 90, 255);
        default:
            return IM_COL32(160, 220, 140, 255);
    }
}

// A step of 1, 2 or 5 times a power of ten that is at least this long.
double roundStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least) return factor * power;
    return 10 * power;
}

// The line of each shot, so that none covers another: the first that is free.
std::vector<size_t> linesOf(const std::vector<Shot>& shots) {
    std::vector<size_t> lines;
    for (size_t k = 0; k < shots.size(); ++k) {
        const auto taken = [&](size_t line) {
            for (size_t i = 0; i < k; ++i)
                if (lines[i] == line && shots[i].from < shots[k].to && shots[k].from < shots[i].to)
                    return true;
            return false;
        };
        size_t line = 0;
        while (taken(line)) ++line;
        lines.push_back(line);
    }
    return lines;
}
size_t countLines(const std::vector<Shot>& shots) {
    const std::vector<size_t> lines = linesOf(shots);
    return lines.empty() ? 0 : 1 + *std::ranges::max_element(lines);
}

}  // namespace

double DopeSheet::timeOfClock(const Session& session, Clock clock) {
    return clock == Clock::film ? filmTime(session.scene(), session.world()) : session.world().time;
}

std::string DopeSheet::describeCommand(const TimedCommand& c) {
    if (!c.set.empty()) return "set " + c.set;
    if (!c.release.empty()) return "release " + c.release;
    if (!c.grab.empty()) return "grab " + c.grab;
    if (!c.camera.empty()) return (c.blend > 0 ? "move to " : "cut to ") + c.camera;
    if (!c.preset.empty()) return "preset " + c.preset;
    if (!c.marker.empty()) return c.marker;
    return c.ball    ? "throw a ball"
           : c.pour  ? "pour"
           : c.gust  ? "gust"
           : c.brush ? "brush"
           : c.place ? "move a shape"
           : c.drag  ? "drag"
           : c.letGo ? "let go"
                     : "cut";
}

double DopeSheet::onFrame(const Scene& scene, double t) {
    const double rate = double(scene.parameters.solver.frameRate);
    return std::max(0.0, std::round(t * rate) / rate);
}

std::vector<DopeSheet::Row> DopeSheet::rowsOf(const Scene& scene) {
    std::vector<Row> rows;
    for (size_t k = 0; k < scene.cameras.size(); ++k) {
        const CameraView& camera = scene.cameras[k];
        rows.push_back({camera.name,
                        fmt::format("camera.{}", k),
                        "Camera. Time of the film.",
                        FilmKey::Of::Camera,
                        k,
                        Clock::film,
                        {}});
        for (size_t i = 0; i < camera.keys.size(); ++i) rows.back().keys.push_back(i);
    }
    for (size_t k = 0; k < scene.tracks.size(); ++k) {
        const Track& track = scene.tracks[k];
        const Clock clock = track.set == kTimeScale ? Clock::film : track.clock;
        std::string about = clock == Clock::film ? "Time of the film." : "Simulated time.";
        for (const std::string& text : track.expr) about += "\n" + text;
        rows.push_back({track.set, fmt::format("track.{}", k), about, FilmKey::Of::Track, k, clock, {}});
        for (size_t i = 0; i < track.keys.size(); ++i) rows.back().keys.push_back(i);
    }
    for (const Clock clock : {Clock::film, Clock::simulation}) {
        Row row{
            clock == Clock::film ? "Events (film)" : "Events",
            clock == Clock::film ? "events.film" : "events",
            clock == Clock::film ? "Cuts, and events by the time of the film." : "Events by simulated time.",
            FilmKey::Of::Event,
            0,
            clock,
            {}};
        for (size_t k = 0; k < scene.timeline.size(); ++k) {
            const TimedCommand& c = scene.timeline[k];
            if ((c.camera.empty() ? c.clock : Clock::film) == clock) row.keys.push_back(k);
        }
        if (!row.keys.empty()) rows.push_back(std::move(row));
    }
    return rows;
}

std::string DopeSheet::draw(Session& session, ViewSettings& view, float left, float width, float bottom) {
    m_message.clear();
    if (!shown) return "";
    const Scene& scene = session.scene();
    const std::vector<Row> rows = rowsOf(scene);
    const uint64_t world = session.worldGeneration();
    // undo or a reload may have removed the selected row or key
    if (m_rowOf && *m_rowOf != FilmKey::Of::Event &&
        m_rowElement >= (*m_rowOf == FilmKey::Of::Camera ? scene.cameras.size() : scene.tracks.size()))
        m_rowOf.reset();
    if (m_selected) {
        const bool there = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
            const auto has = [&](size_t key) {
                return std::find(row.keys.begin(), row.keys.end(), key) != row.keys.end();
            };
            return row.of == m_selected->of &&
                   (row.of == FilmKey::Of::Event
                        ? has(m_selected->element)
                        : row.element == m_selected->element && has(m_selected->key));
        });
        if (!(m_selected->of == FilmKey::Of::Shot ? m_selected->element < scene.shots.size() : there))
            m_selected.reset(), m_dragged.reset();
    }
    const float em = ImGui::GetFontSize(), line = ImGui::GetTextLineHeightWithSpacing();
    const float wanted = line * float(rows.size() + 1 + countLines(scene.shots) + (m_timesBelow ? 1 : 0)) +
                         3 * ImGui::GetFrameHeightWithSpacing() + 2 * em;
    ImGui::SetNextWindowPos({left + 10, bottom - 4}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({width - 20, std::min(wanted, 0.6f * bottom)});
    ImGui::SetNextWindowBgAlpha(0.88f);
    ImGui::Begin("Dope sheet", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    // a cache holds what the film was
    ImGui::BeginDisabled(session.playsCache());
    drawToolbar(session, view);
    ImGui::BeginChild("rows", {0, -ImGui::GetFrameHeightWithSpacing()});
    Axis axis;
    axis.left = ImGui::GetCursorScreenPos().x + kLabelEms * em;
    axis.width = std::max(ImGui::GetContentRegionAvail().x - (kLabelEms + 1) * em, em);
    axis.seconds = std::max(scene.duration * kAxisMargin, 0.1);
    drawAxis(session, axis);
    drawShots(session, axis);
    for (const Row& row : rowsOf(session.scene())) drawRow(session, row, axis);
    ImGui::EndChild();
    drawSelected(session, view);
    ImGui::EndDisabled();
    m_height = ImGui::GetWindowHeight();
    ImGui::End();
    if (m_message.empty() && session.worldGeneration() != world) m_message = "Simulation restarted";
    return m_message;
}

void DopeSheet::drawToolbar(Session& session, ViewSettings& view) {
    m_editor.setScene({session.text(), [&session](const std::string& text) {
                           return session.changeText("Changing the film", text);
                       }});
    checkbox(
        "film.follow", "Film camera", view.film,
        "The view follows the camera of the film. Moving the view by the mouse switches it off. Also Z.");
    ImGui::SameLine();
    const bool canAdd =
        m_rowOf && *m_rowOf != FilmKey::Of::Event &&
        !(*m_rowOf == FilmKey::Of::Track && !session.scene().tracks[m_rowElement].expr.empty());
    ImGui::BeginDisabled(!canAdd);
    const bool isCamera = m_rowOf == FilmKey::Of::Camera;
    if (button(
            "film.add", isCamera ? "Key the view" : "Add key", 0,
            canAdd
                ? "Adds a key at the playhead: of a camera with the present view, of a track with its value."
                : "Select a row of a camera or of a track with keys first."))
        addKey(session, view);
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(!m_selected);
    if (button("film.remove", "Delete key", 0, "Removes the selected key, event or shot."))
        finish(session, m_editor.remove(session.scene(), *m_selected));
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (button("film.camera", "Add camera", 0, "Adds a camera that stands where the view is."))
        addCamera(session, view);
    ImGui::SameLine();
    ImGui::BeginDisabled(!isCamera);
    if (button("film.cutTo", "Add cut", 0,
               isCamera ? "The film cuts to the selected camera at the playhead."
                        : "Select the row of a camera first. The film then cuts to it at the playhead."))
        addCut(session);
    ImGui::EndDisabled();
    ImGui::SameLine();
    drawTrackChoice(session);
    ImGui::SameLine();
    if (button("film.marker", "Add marker", 0, "Adds a note to the events, at the playhead."))
        addMarker(session);
    ImGui::SameLine();
    if (button(
            "film.shot", "Add shot", 0,
            "Adds a shot from the end of the one before the playhead to the playhead, or from the playhead "
            "to the end of the film where that is empty."))
        addShot(session);
    ImGui::SameLine();
    if (m_editor.canUndo()) {
        if (button(
                "film.undo", "Undo in film", 0,
                "Takes back the last change of the film file, which is written at once. Ctrl+Z undoes those "
                "of the scene."))
            finish(session, m_editor.undo());
        ImGui::SameLine();
    }
    const World& world = session.world();
    const std::string times = fmt::format("film {:.2f} s   simulated {:.2f} s   frame {}   time scale {:.3g}",
                                          filmTime(session.scene(), world), world.time, world.frame,
                                          double(world.parameters.solver.timeScale));
    m_timesBelow = ImGui::CalcTextSize(times.c_str()).x > ImGui::GetContentRegionAvail().x;
    if (m_timesBelow) ImGui::NewLine();
    ImGui::TextDisabled("%s", times.c_str());
}

void DopeSheet::drawAxis(const Session& session, const Axis& axis) const {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double step = roundStep(axis.seconds * double(5 * ImGui::GetFontSize() / axis.width));
    for (int k = 0; k * step <= axis.seconds; ++k) {
        const float x = axis.at(k * step);
        draw.AddLine({x, at.y}, {x, at.y + ImGui::GetTextLineHeight()}, IM_COL32(255, 255, 255, 60));
        draw.AddText({x + 3, at.y}, IM_COL32(255, 255, 255, 150), fmt::format("{:g} s", k * step).c_str());
    }
    const float end = axis.at(session.scene().duration);
    draw.AddRectFilled({end, at.y}, {axis.left + axis.width, at.y + 4}, IM_COL32(255, 255, 255, 40));
    ImGui::Dummy({0, ImGui::GetTextLineHeight()});
}

void DopeSheet::drawShots(const Session& session, const Axis& axis) {
    const Scene& scene = session.scene();
    if (scene.shots.empty()) return;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight(), step = ImGui::GetTextLineHeightWithSpacing();
    const std::vector<size_t> lines = linesOf(scene.shots);
    ImGui::TextDisabled("Shots");
    for (size_t k = 0; k < scene.shots.size(); ++k) {
        const Shot& shot = scene.shots[k];
        const float top = at.y + float(lines[k]) * step;
        const ImVec2 low{axis.at(shot.from), top}, high{axis.at(shot.to) - 1, top + height};
        draw.AddRectFilled(low, high, k % 2 ? IM_COL32(110, 110, 150, 120) : IM_COL32(110, 150, 130, 120), 2);
        draw.PushClipRect(low, high, true);
        draw.AddText({low.x + 4, top}, IM_COL32(255, 255, 255, 200), shot.name.c_str());
        draw.PopClipRect();
        const FilmKey key{FilmKey::Of::Shot, k, 0};
        if (m_selected == key) draw.AddRect(low, high, IM_COL32(255, 255, 255, 255), 2, 0, 2);
        ImGui::SetCursorScreenPos(low);
        ImGui::PushID(int(k));
        if (ImGui::InvisibleButton("shot", {std::max(high.x - low.x, 2.0f), height}))
            m_selected = key, m_rowOf.reset();
        nameItem(fmt::format("film.shot.{}", k),
                 fmt::format("{}\n{:.3f} to {:.3f} s of film", shot.name, shot.from, shot.to));
        ImGui::PopID();
    }
    ImGui::SetCursorScreenPos({at.x, at.y + float(countLines(scene.shots)) * step});
}

void DopeSheet::drawRow(Session& session, const Row& row, const Axis& axis) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight(), em = ImGui::GetFontSize();
    const bool chosen = m_rowOf == row.of && m_rowElement == row.element && row.of != FilmKey::Of::Event;
    ImGui::PushID(row.name.c_str());
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    if (chosen)
        draw.AddRectFilled(at, {axis.left + axis.width, at.y + height}, IM_COL32(255, 255, 255, 28), 2);
    draw.PushClipRect(at, {axis.left - 0.5f * em, at.y + height}, true);
    draw.AddText(at, ImGui::GetColorU32(chosen ? ImGuiCol_Text : ImGuiCol_TextDisabled), row.label.c_str());
    draw.PopClipRect();
    draw.AddLine({axis.left, at.y + height / 2}, {axis.left + axis.width, at.y + height / 2},
                 IM_COL32(255, 255, 255, 30));
    if (ImGui::InvisibleButton("label", {kLabelEms * em, height})) {
        m_rowOf = row.of, m_rowElement = row.element;
        m_selected.reset();
    }
    nameItem("film." + row.name, row.label + "\n" + row.about);
    for (const size_t k : row.keys)
        drawKey(session, row,
                row.of == FilmKey::Of::Event ? FilmKey{row.of, k, 0} : FilmKey{row.of, row.element, k}, axis,
                at.y + height / 2);
    const float now = axis.at(timeOfClock(session, row.clock));
    draw.AddLine({now, at.y - 2}, {now, at.y + height + 2}, IM_COL32(255, 90, 80, 220), 1.5f);
    ImGui::SetCursorScreenPos({at.x, at.y + ImGui::GetTextLineHeightWithSpacing()});
    ImGui::PopID();
}

void DopeSheet::drawKey(Session& session, const Row& row, const FilmKey& key, const Axis& axis, float y) {
    const Scene& scene = session.scene();
    const bool selected = m_selected == key;
    const double time = selected && m_dragged ? *m_dragged : timeOf(scene, key);
    const float x = axis.at(time), r = 0.32f * ImGui::GetFontSize();
    const size_t index = row.of == FilmKey::Of::Event ? key.element : key.key;
    ImGui::SetCursorScreenPos({x - r, y - r});
    ImGui::PushID(int(index));
    if (ImGui::InvisibleButton("key", {2 * r, 2 * r}) || ImGui::IsItemActivated())
        m_selected = key, m_rowOf = row.of, m_rowElement = row.element;
    const bool active = ImGui::IsItemActive(), ended = ImGui::IsItemDeactivated();
    nameItem(
        fmt::format("film.{}.{}", row.name, index),
        fmt::format("{:.3f} s{}", time,
                    row.of == FilmKey::Of::Event ? "\n" + describeCommand(scene.timeline[key.element]) : ""));
    ImGui::PopID();
    if (active && ImGui::IsMouseDragging(0)) {
        const TimeRange range = rangeOf(scene, key);
        m_dragged = std::clamp(onFrame(scene, axis.timeAt(ImGui::GetIO().MousePos.x)), range.low,
                               std::max(range.low, range.high));
    }
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const bool cuts = row.of == FilmKey::Of::Camera && scene.cameras[key.element].keys[key.key].cut;
    const ImVec2 corners[] = {{x - r, y}, {x, y - r}, {x + r, y}, {x, y + r}};
    draw.AddConvexPolyFilled(corners, 4, keyColor(row.of));
    if (cuts) draw.AddLine({x - 1.6f * r, y - 1.6f * r}, {x - 1.6f * r, y + 1.6f * r}, keyColor(row.of), 2);
    if (selected) draw.AddPolyline(corners, 4, IM_COL32(255, 255, 255, 255), ImDrawFlags_Closed, 2);
    if (ended && selected && m_dragged) {
        const double to = *m_dragged;
        m_dragged.reset();
        finish(session, m_editor.move(scene, key, to));
    }
}

}  // namespace coalesce
