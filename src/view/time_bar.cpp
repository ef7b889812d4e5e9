#include "view/time_bar.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

#include "view/panel_rows.h"

namespace coalesce {

namespace {

// The place of the present frame among the states that are kept; one beyond the last: it is newer than they.
int placeOf(Session& session) {
    const auto& states = session.past().states();
    const uint64_t frame = session.world().frame;
    const auto after = std::find_if(states.begin(), states.end(),
                                    [&](const PastState& s) { return s.world.frame() >= frame; });
    return static_cast<int>(after - states.begin());
}

// The place of the kept state whose time is nearest [s]; -1: the present frame is nearer.
int nearestTo(Session& session, double time) {
    const auto& states = session.past().states();
    int nearest = -1;
    double least = std::abs(session.world().time - time);
    for (size_t k = 0; k < states.size(); ++k)
        if (const double gap = std::abs(states[k].world.time() - time); gap < least)
            least = gap, nearest = static_cast<int>(k);
    return nearest;
}

bool goTo(Session& session, int place) {
    const auto& states = session.past().states();
    if (place < 0 || place >= static_cast<int>(states.size())) return false;
    session.paused = true;
    return session.rewindTo(states[static_cast<size_t>(place)].world.frame());
}

}  // namespace

bool scrub(Session& session, int places) {
    return goTo(session, placeOf(session) + places);
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
    const float last = states.empty() ? now : std::max(now, static_cast<float>(states.back().world.time()));
    const std::string text = fmt::format("{:.2f} s", now);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    float wanted = now;
    ImGui::BeginDisabled(!(first < last));
    const bool moved = ImGui::SliderFloat("##way back", &wanted, first, first < last ? last : first + 1,
                                          text.c_str(), ImGuiSliderFlags_NoInput);
    ImGui::EndDisabled();
    place("bar.time");
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive() && !states.empty())
        ImGui::SetTooltip("Back in time as far as %.2f s (also with , and .)\n%d states, %.0f MB",
                          states.front().world.time(), static_cast<int>(states.size()),
                          static_cast<double>(session.past().bytes()) / 1e6);
    if (moved) goTo(session, nearestTo(session, wanted));
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
