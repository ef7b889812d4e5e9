#include "view/time_bar.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

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

TimeBar::Wish TimeBar::draw(Session& session, bool recording, float left, float width, float height) {
    Wish wish = Wish::None;
    const float em = ImGui::GetFontSize();
    m_height = 0;
    m_slider = {};
    if (width < 24 * em) return wish;
    ImGui::SetNextWindowPos({left + 10, height - 10}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({width - 20, 0});
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::Begin("Time", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    if (ImGui::Button("Scenes", {4.5f * em, 0})) wish = Wish::Scenes;
    ImGui::SameLine();
    if (ImGui::Button(session.paused ? "Go on###pause" : "Pause###pause", {4.5f * em, 0}))
        session.paused = !session.paused;
    ImGui::SameLine();

    const auto& states = session.past().states();
    const auto now = static_cast<float>(session.world().time);
    const float first = states.empty() ? now : std::min(now, static_cast<float>(states.front().world.time()));
    const float last = states.empty() ? now : std::max(now, static_cast<float>(states.back().world.time()));
    const std::string text = fmt::format("{:.2f} s", now);
    const float speedWidth = 8 * em, recordWidth = 4.5f * em, gap = ImGui::GetStyle().ItemSpacing.x;
    ImGui::SetNextItemWidth(
        std::max(4 * em, ImGui::GetContentRegionAvail().x - speedWidth - recordWidth - 2 * gap));
    float wanted = now;
    ImGui::BeginDisabled(!(first < last));
    const bool moved = ImGui::SliderFloat("##way back", &wanted, first, first < last ? last : first + 1,
                                          text.c_str(), ImGuiSliderFlags_NoInput);
    ImGui::EndDisabled();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    m_slider = {"time", low.x, low.y, high.x, high.y};
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive() && !states.empty())
        ImGui::SetTooltip("Back in time as far as %.2f s (also with , and .)\n%d states, %.0f MB",
                          states.front().world.time(), static_cast<int>(states.size()),
                          static_cast<double>(session.past().bytes()) / 1e6);
    if (moved) goTo(session, nearestTo(session, wanted));
    ImGui::SameLine();
    ImGui::SetNextItemWidth(speedWidth);
    std::string speed = speedWords(session.speed);
    if (speed.empty()) speed = "real time";
    ImGui::SliderFloat("##speed", &session.speed, Session::kLeastSpeed, Session::kMostSpeed, speed.c_str(),
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput);
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        ImGui::SetTooltip("Slow motion, or faster (also with - and =); right click: real time");
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) session.speed = 1;
    ImGui::SameLine();
    if (ImGui::Button(recording ? "Stop###record" : "Record###record", {recordWidth, 0})) wish = Wish::Record;
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("A video of what is simulated from now on (also F9); Shift+F9 writes images");
    m_height = ImGui::GetWindowHeight() + 10;
    ImGui::End();
    return wish;
}

}  // namespace coalesce
