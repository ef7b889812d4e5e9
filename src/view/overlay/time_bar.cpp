#include "view/overlay/time_bar.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "view/widgets/panel_rows.h"

namespace coalesce {

namespace {

// The place of the kept state so many away from the present frame, which may lie between two; -1: none.
int placeBeside(const Session& session, int places) {
    const auto& states = session.past().states();
    const uint64_t frame = session.world().frame;
    const auto next = std::find_if(states.begin(), states.end(),
                                   [&](const SessionSnapshot& s) { return s.world.frame() >= frame; });
    const bool between = next != states.end() && next->world.frame() > frame;
    const auto place = static_cast<int>(next - states.begin()) + places - (between && places > 0 ? 1 : 0);
    return place < static_cast<int>(states.size()) ? std::max(place, -1) : -1;
}

bool goToPlace(Session& session, int place) {
    if (!session.seekBlockedReason.empty() || place < 0) return false;
    session.paused = true;
    return session.rewindTo(session.past().states()[static_cast<size_t>(place)].world.frame());
}

// Where simulating again takes too long, the kept state before it.
void goToTime(Session& session, double time) {
    const auto frame = session.past().frameAt(time);
    if (!frame || *frame == session.world().frame || !session.framesTo(*frame)) return;
    session.paused = true;
    session.seekNear(*frame);
}

}  // namespace

bool scrub(Session& session, int frames) {
    const auto to = static_cast<int64_t>(session.world().frame) + frames;
    if (to < 0) return false;
    if (!session.isQuick(static_cast<uint64_t>(to))) return scrubStates(session, frames);
    session.paused = true;
    return session.seek(static_cast<uint64_t>(to));
}

bool scrubStates(Session& session, int places) {
    return goToPlace(session, placeBeside(session, places));
}

void changeSpeed(Session& session, bool faster) {
    session.speed =
        std::clamp(session.speed * (faster ? 2.0f : 0.5f), Session::kLeastSpeed, Session::kMostSpeed);
}

std::string speedWords(float speed) {
    if (speed == 1) return "";
    return speed < 1 ? fmt::format("1/{:.3g} speed", 1 / speed) : fmt::format("{:.3g} x speed", speed);
}

TimeBar::Wish TimeBar::draw(Session& session, Shown shown, float left, float width, float height) {
    Wish wish = Wish::None;
    m_height = 0;
    m_placed.clear();
    const float em = ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemSpacing.x;
    const auto buttonWidth = [](const char* text) {
        return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
    };
    enum Part { Panel, Scenes, Pause, Time, Speed, Record, kParts };
    float widths[kParts] = {buttonWidth("Panel"),
                            buttonWidth("Scenes"),
                            std::max(buttonWidth("Pause"), buttonWidth("Go on")),
                            6 * em,
                            7.5f * em,
                            buttonWidth("Record")};
    const float room = width - 20 - 2 * ImGui::GetStyle().WindowPadding.x;
    const auto taken = [&] {
        float sum = -gap;
        for (const float part : widths) sum += part > 0 ? part + gap : 0;
        return sum;
    };
    // all of these have keys as well
    for (const Part part : {Speed, Scenes, Time, Record, Pause})
        if (taken() > room) widths[part] = 0;
    if (taken() > room) return wish;
    if (widths[Time] > 0) widths[Time] += room - taken();

    ImGui::SetNextWindowPos({left + 10, height - 10}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({width - 20, 0});
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::Begin("Time", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    if (choiceButton("Panel", shown.panel, widths[Panel])) wish = Wish::Panel;
    place("bar.panel");
    if (ImGui::IsItemHovered())
        wrappedTooltip(
            "Shows or hides the panel with all values; Tab hides everything but the picture, and shows it "
            "again.");
    if (widths[Scenes] > 0) {
        ImGui::SameLine();
        if (ImGui::Button("Scenes", {widths[Scenes], 0})) wish = Wish::Scenes;
        place("bar.scenes");
    }
    if (widths[Pause] > 0) {
        ImGui::SameLine();
        if (ImGui::Button(session.paused ? "Go on###pause" : "Pause###pause", {widths[Pause], 0}))
            session.paused = !session.paused;
        place("bar.pause");
    }
    if (widths[Time] > 0) drawTime(session, widths[Time]);
    if (widths[Speed] > 0) drawSpeed(session, widths[Speed]);
    if (widths[Record] > 0) {
        ImGui::SameLine();
        if (ImGui::Button(shown.recording ? "Stop###record" : "Record###record", {widths[Record], 0}))
            wish = Wish::Record;
        place("bar.record");
        if (ImGui::IsItemHovered())
            wrappedTooltip(
                "A video (.mp4) of what is simulated from now on, in the folder in which the program was "
                "started: the picture as you see it, without panel and numbers. Also F9; Shift+F9 writes "
                "images.");
    }
    m_height = ImGui::GetWindowHeight() + 10;
    ImGui::End();
    return wish;
}

void TimeBar::drawTime(Session& session, float width) {
    const auto& states = session.past().states();
    const auto now = static_cast<float>(session.world().time);
    const float first = states.empty() ? now : std::min(now, static_cast<float>(states.front().world.time()));
    const float last = states.empty() ? now : std::max(now, static_cast<float>(session.past().lastTime()));
    const std::string text = fmt::format("{:.2f} s", now);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    float wanted = now;
    const std::string& closed = session.seekBlockedReason;
    ImGui::BeginDisabled(!(first < last) || !closed.empty());
    const bool moved = ImGui::SliderFloat("##way back", &wanted, first, first < last ? last : first + 1,
                                          text.c_str(), ImGuiSliderFlags_NoInput);
    ImGui::EndDisabled();
    place("bar.time");
    if (!closed.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        wrappedTooltip(closed);
    else if (session.past().tooLarge() > 0 && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        wrappedTooltip(
            fmt::format("No way back is kept: one state takes {:.0f} MB, more than there is room for "
                        "(Memory for them, on the page Settings; cases side by side share it).",
                        static_cast<double>(session.past().tooLarge()) / 1e6));
    else if (ImGui::IsItemHovered() && !ImGui::IsItemActive() && !states.empty())
        ImGui::SetTooltip(
            "Back in time as far as %.2f s (also with , and .; with Shift farther)\n%d states, %.0f MB",
            states.front().world.time(), static_cast<int>(states.size()),
            static_cast<double>(session.past().bytes()) / 1e6);
    if (moved) goToTime(session, wanted);
}

void TimeBar::drawSpeed(Session& session, float width) {
    std::string speed = speedWords(session.speed);
    if (speed.empty()) speed = "real time";
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    ImGui::SliderFloat("##speed", &session.speed, Session::kLeastSpeed, Session::kMostSpeed, speed.c_str(),
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput);
    place("bar.speed");
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        ImGui::SetTooltip("Slow motion, or faster (also with - and =); right click: real time");
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) session.speed = 1;
}

}  // namespace coalesce
