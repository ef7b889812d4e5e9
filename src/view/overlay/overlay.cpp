#include "view/overlay/overlay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

#include "view/overlay/time_bar.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/notices.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

constexpr ImGuiWindowFlags kQuietWindow = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace

std::vector<std::string> Overlay::numbers(const Session& session, bool draft) const {
    std::vector<std::string> items;
    if (m_frameMs > 0) items.push_back(fmt::format("{:.1f} fps", 1000 / m_frameMs));
    items.push_back(session.paused ? std::string("paused")
                                   : fmt::format("{:.2f}x real time", session.realTimeFactor()));
    items.push_back(particleCount(session.world().count()));
    if (draft) items.emplace_back("draft");
    if (session.speed != 1) items.push_back(speedText(session.speed));
    return items;
}

std::string Overlay::draw(Session& session, const DrawFacts& facts, Shown shown, float left, float width,
                          float height) {
    // the first value is taken as it is
    const double weight = facts.frameMs <= 0 ? 0 : m_frameMs > 0 ? 1 - std::exp(-facts.frameMs / 1000) : 1;
    m_frameMs += weight * (facts.frameMs - m_frameMs);

    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float room = width - 2 * kOverlayMargin - 2 * padding.x;
    if (room <= 0) return "";
    std::string line;
    for (const std::string& item : numbers(session, facts.draft)) {
        const std::string longer = line.empty() ? item : line + "   " + item;
        if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
        line = longer;
    }
    float below = kOverlayMargin;
    if (shown.numbers && !line.empty()) {
        ImGui::SetNextWindowPos({left + kOverlayMargin, kOverlayMargin});
        ImGui::SetNextWindowBgAlpha(0.7f);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding.x, 0.5f * padding.y});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
        ImGui::Begin("Numbers", nullptr, kQuietWindow | ImGuiWindowFlags_AlwaysAutoResize);
        ImGui::PopStyleVar(2);
        ImGui::TextUnformatted(line.c_str());
        nameItem("numbers",
                 "fps: displayed frames per second. Real time: simulated time per wall time. Draft: half the "
                 "resolution and no shadows, see the page Display. The page Performance of the panel has "
                 "details.");
        below += ImGui::GetWindowHeight() + 0.5f * kOverlayMargin;
        ImGui::End();
    }
    if (!shown.notices || !hasNotices(session, facts.shaderErrors)) return "";
    const float em = ImGui::GetFontSize(), wide = std::min(30 * em, width - 2 * kOverlayMargin);
    ImGui::SetNextWindowPos({left + kOverlayMargin, below});
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, std::max(height - below - kOverlayMargin, 3 * em)});
    ImGui::SetNextWindowBgAlpha(0.85f);
    ImGui::Begin("Notices", nullptr, kQuietWindow | ImGuiWindowFlags_AlwaysAutoResize);
    std::string wanted = drawNotices(session, facts.shaderErrors);
    ImGui::End();
    return wanted;
}

void Overlay::say(const std::string& message, double seconds) {
    m_message = message;
    m_secondsLeft = seconds;
}

void Overlay::drawMessage(float left, float width, float height, double elapsed) {
    m_secondsLeft -= elapsed;
    if (m_secondsLeft <= 0) return;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float room = std::max(width - 2 * kOverlayMargin - 2 * padding.x, 8 * ImGui::GetFontSize());
    const float wrap = std::min(ImGui::CalcTextSize(m_message.c_str()).x + 1, room);
    ImGui::SetNextWindowPos({left + width / 2, height - 24}, ImGuiCond_Always, {0.5f, 1});
    ImGui::SetNextWindowBgAlpha(0.85f);
    ImGui::Begin("Message", nullptr,
                 kQuietWindow | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs);
    ImGui::PushTextWrapPos(padding.x + wrap);
    ImGui::TextUnformatted(m_message.c_str());
    ImGui::PopTextWrapPos();
    ImGui::End();
}

}  // namespace coalesce
