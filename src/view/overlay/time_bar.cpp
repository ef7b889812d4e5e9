#include "view/overlay/time_bar.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <imgui.h>

#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

// Index of the snapshot this many keyframes from the present frame, which may lie between two; -1: none.
int indexBeside(const Session& session, int keyframes) {
    const auto& snapshots = session.snapshots().list();
    const uint64_t frame = session.world().frame;
    const auto next = std::find_if(snapshots.begin(), snapshots.end(),
                                   [&](const SessionSnapshot& s) { return s.world.frame() >= frame; });
    const bool between = next != snapshots.end() && next->world.frame() > frame;
    const int index = int(next - snapshots.begin()) + keyframes - (between && keyframes > 0 ? 1 : 0);
    return index < int(snapshots.size()) ? std::max(index, -1) : -1;
}

// To the snapshot before it if resimulating exceeds the seek budget.
void seekTime(Session& session, double time) {
    const auto frame = session.frameAt(time);
    if (!frame || *frame == session.world().frame || !session.framesTo(*frame)) return;
    session.paused = true;
    session.seekNear(*frame);
}

}  // namespace

bool scrub(Session& session, int frames) {
    const auto to = int64_t(session.world().frame) + frames;
    if (to < 0) return false;
    if (!session.isWithinBudget(uint64_t(to))) return scrubSnapshots(session, frames);
    session.paused = true;
    return session.seek(uint64_t(to));
}

bool scrubSnapshots(Session& session, int keyframes) {
    const int index = indexBeside(session, keyframes);
    if (!session.seekBlockedReason.empty() || index < 0) return false;
    session.paused = true;
    return session.restore(session.snapshots().list()[size_t(index)].world.frame());
}

void changeSpeed(Session& session, bool faster) {
    session.speed =
        std::clamp(session.speed * (faster ? 2.0f : 0.5f), Session::kMinSpeed, Session::kMaxSpeed);
}

std::string speedText(float speed) {
    if (speed == 1) return "";
    return speed < 1 ? fmt::format("1/{:.3g}x", 1 / speed) : fmt::format("{:.3g}x", speed);
}

namespace {

enum Item { Panel, Scenes, Pause, Time, Speed, Record, kItems };

// Widths [px] of the items that fit into `room`; 0: omitted. The time slider takes the rest.
std::array<float, kItems> fittingWidths(float room) {
    const float em = ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemSpacing.x;
    std::array<float, kItems> widths = {buttonWidth("Panel"),
                                        buttonWidth("Scenes"),
                                        std::max(buttonWidth("Pause"), buttonWidth("Resume")),
                                        6 * em,
                                        7.5f * em,
                                        buttonWidth("Record")};
    const auto total = [&] {
        float sum = -gap;
        for (const float width : widths) sum += width > 0 ? width + gap : 0;
        return sum;
    };
    // everything that is omitted has a key as well
    for (const Item item : {Speed, Scenes, Time, Record, Pause, Panel})
        if (total() > room) widths[item] = 0;
    if (widths[Time] > 0) widths[Time] += room - total();
    return widths;
}

}  // namespace

TimeBar::Request TimeBar::draw(Session& session, Shown shown, float left, float width, float height) {
    Request request = Request::None;
    m_height = 0;
    const std::array<float, kItems> widths =
        fittingWidths(width - 20 - 2 * ImGui::GetStyle().WindowPadding.x);
    if (widths[Panel] <= 0) return request;
    ImGui::SetNextWindowPos({left + 10, height - 10}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({width - 20, 0});
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::Begin("Time", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    if (choiceButton("bar.panel", "Panel", shown.panel, widths[Panel],
                     "Shows or hides the panel. Tab shows or hides the whole interface."))
        request = Request::Panel;
    if (widths[Scenes] > 0) {
        ImGui::SameLine();
        if (button("bar.scenes", "Scenes", widths[Scenes])) request = Request::Scenes;
    }
    if (widths[Pause] > 0) {
        ImGui::SameLine();
        if (button("bar.pause", session.paused ? "Resume" : "Pause", widths[Pause]))
            session.paused = !session.paused;
    }
    if (widths[Time] > 0) drawTime(session, widths[Time]);
    if (widths[Speed] > 0) drawSpeed(session, widths[Speed]);
    if (widths[Record] > 0) {
        ImGui::SameLine();
        if (button("bar.record", shown.recording ? "Stop" : "Record", widths[Record],
                   "Records a video (.mp4) of the viewport, without the interface, into the working folder. "
                   "Also F9; Shift+F9 writes images."))
            request = Request::Record;
    }
    m_height = ImGui::GetWindowHeight() + 10;
    ImGui::End();
    return request;
}

void TimeBar::drawTime(Session& session, float width) {
    const auto& snapshots = session.snapshots().list();
    const auto now = float(session.world().time);
    const auto first = float(session.firstTime()), last = float(session.lastTime());
    const std::string text = session.playsCache()
                                 ? fmt::format("{:.2f} s, frame {} of {} to {}", now, session.world().frame,
                                               session.inPoint(), session.outPoint())
                                 : fmt::format("{:.2f} s", now);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    float wanted = now;
    const std::string& blocked = session.seekBlockedReason;
    ImGui::BeginDisabled(!(first < last) || !blocked.empty());
    const bool moved = ImGui::SliderFloat("##time", &wanted, first, first < last ? last : first + 1,
                                          text.c_str(), ImGuiSliderFlags_NoInput);
    ImGui::EndDisabled();
    const auto megabytes = [](size_t bytes) { return double(bytes) / 1e6; };
    std::string about = blocked;
    if (about.empty() && session.playsCache())
        about =
            "Goes to any frame of the cache (also , and .). Shift+I and Shift+O set the in point and the out "
            "point, between which playing repeats.";
    else if (about.empty() && session.snapshots().oversizedBytes() > 0)
        about = fmt::format(
            "Rewinding is disabled: one snapshot takes {:.0f} MB, more than the rewind memory (page "
            "Settings; cases side by side share it).",
            megabytes(session.snapshots().oversizedBytes()));
    else if (about.empty() && !snapshots.empty())
        about = fmt::format(
            "Rewinds as far as {:.2f} s (also , and .; with Shift by snapshots)\n{} snapshots, {:.0f} MB",
            snapshots.front().world.time(), snapshots.size(), megabytes(session.snapshots().bytes()));
    else if (about.empty() && session.snapshots().limits().seconds <= 0)
        about = "Rewinding is disabled: its length is 0 s (page Settings).";
    else if (about.empty() && session.world().frame > 0)
        about =
            "There are no snapshots yet: a restored or loaded run can be rewound only to the time at which "
            "it was "
            "restored or loaded.";
    nameItem("bar.time", about);
    if (moved) seekTime(session, wanted);
}

void TimeBar::drawSpeed(Session& session, float width) {
    std::string speed = speedText(session.speed);
    speed = speed.empty() ? "real time" : speed + " speed";
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    ImGui::SliderFloat("##speed", &session.speed, Session::kMinSpeed, Session::kMaxSpeed, speed.c_str(),
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput);
    nameItem("bar.speed", "Simulation speed (also - and =); right click: real time.");
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) session.speed = 1;
}

}  // namespace coalesce
