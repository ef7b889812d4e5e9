#include "view/overlay/overlay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <map>

#include "view/overlay/time_bar.h"
#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/notices.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

namespace {

constexpr ImGuiWindowFlags kQuietWindow = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoFocusOnAppearing;
const ImVec4 kKeyColor(0.35f, 0.67f, 0.94f, 1);
constexpr float kEdge = 10;  // [px] between windows and the edges of the picture

using HelpLines = std::vector<std::pair<std::string, std::string>>;

// How the help is laid out: lines go down one column, then the next.
class HelpLayout {
public:
    HelpLayout(const HelpLines& lines, float events, int columns, float width)
        : m_lines(lines), m_events(events), m_columns(columns) {
        const float longest = [&] {
            float most = 0;
            for (const auto& [keys, does] : lines) most = std::max(most, widthOf(keys));
            return most;
        }();
        m_column = (width - gap() * static_cast<float>(columns - 1)) / static_cast<float>(columns);
        m_keys = std::min(longest, 0.42f * m_column);
        // the least height in which so many columns hold all lines
        float high = 0;
        for (const auto& line : lines) high += heightOf(line);
        float low = high / static_cast<float>(columns);
        while (high - low > 1) {
            const float middle = (low + high) / 2;
            (columnsAt(middle) <= columns ? high : low) = middle;
        }
        height = high;
    }

    float height = 0;  // [px]

    void draw(ImVec2 at) const {
        ImDrawList* list = ImGui::GetWindowDrawList();
        ImFont* font = ImGui::GetFont();
        const float top = at.y;
        const auto text = [&](float x, const std::string& words, float wrap, ImU32 color) {
            list->AddText(font, m_events, {x, at.y}, color, words.c_str(), nullptr, wrap);
        };
        for (const auto& line : m_lines) {
            if (at.y + heightOf(line) > top + height + 0.5f) at = {at.x + m_column + gap(), top};
            text(at.x, line.first, m_keys, ImGui::GetColorU32(kKeyColor));
            text(at.x + m_keys + pad(), line.second, m_column - m_keys - pad(),
                 ImGui::GetColorU32(ImGuiCol_Text));
            at.y += heightOf(line);
        }
    }

private:
    float gap() const { return 1.6f * m_events; }
    float pad() const { return 0.6f * m_events; }
    float widthOf(const std::string& words) const {
        return ImGui::GetFont()->CalcTextSizeA(m_events, 1e6f, 0, words.c_str()).x;
    }
    float heightOf(const std::pair<std::string, std::string>& line) const {
        const auto height = [&](const std::string& words, float wrap) {
            return ImGui::GetFont()->CalcTextSizeA(m_events, 1e6f, wrap, words.c_str()).y;
        };
        return std::max(height(line.first, m_keys), height(line.second, m_column - m_keys - pad())) +
               0.25f * m_events;
    }
    int columnsAt(float limit) const {
        int columns = 1;
        float y = 0;
        for (const auto& line : m_lines) {
            const float h = heightOf(line);
            if (y > 0 && y + h > limit) ++columns, y = 0;
            y += h;
        }
        return columns;
    }

    const HelpLines& m_lines;
    float m_events, m_column = 0, m_keys = 0;
    int m_columns;
};

}  // namespace

std::vector<std::string> Overlay::numbers(const Session& session) const {
    std::vector<std::string> parts;
    if (m_frameMs > 0) parts.push_back(fmt::format("{:.1f} fps", 1000 / m_frameMs));
    parts.push_back(session.paused ? std::string("paused")
                                   : fmt::format("{:.2f} x real time", session.realTimeFactor()));
    parts.push_back(withThousands(session.world().count()) + " particles");
    if (session.speed != 1) parts.push_back(speedWords(session.speed));
    return parts;
}

std::string Overlay::draw(Session& session, const DrawFacts& facts, Shown shown, float left, float width,
                          float height) {
    m_placed.clear();
    // the first one counts in full
    const double weight = facts.frameMs <= 0 ? 0 : m_frameMs > 0 ? 1 - std::exp(-facts.frameMs / 1000) : 1;
    m_frameMs += weight * (facts.frameMs - m_frameMs);

    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float room = width - 2 * kEdge - 2 * padding.x;
    if (room <= 0) return "";
    std::string line;
    for (const std::string& part : numbers(session)) {
        const std::string longer = line.empty() ? part : line + "   " + part;
        if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
        line = longer;
    }
    float below = kEdge;
    if (shown.numbers && !line.empty()) {
        ImGui::SetNextWindowPos({left + kEdge, kEdge});
        ImGui::SetNextWindowBgAlpha(0.7f);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding.x, 0.5f * padding.y});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
        ImGui::Begin("Numbers", nullptr, kQuietWindow | ImGuiWindowFlags_AlwaysAutoResize);
        ImGui::PopStyleVar(2);
        ImGui::TextUnformatted(line.c_str());
        m_placed.push_back(placedItem("numbers"));
        if (ImGui::IsItemHovered())
            wrappedTooltip(
                "fps: pictures per second. Real time: simulated per wall time. What takes the time "
                "stands on the page Performance of the panel.");
        below += ImGui::GetWindowHeight() + 0.5f * kEdge;
        ImGui::End();
    }
    if (!shown.notices || !hasNotices(session, facts.shaderErrors)) return "";
    const float em = ImGui::GetFontSize(), wide = std::min(30 * em, width - 2 * kEdge);
    ImGui::SetNextWindowPos({left + kEdge, below});
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, std::max(height - below - kEdge, 3 * em)});
    ImGui::SetNextWindowBgAlpha(0.85f);
    ImGui::Begin("Notices", nullptr, kQuietWindow | ImGuiWindowFlags_AlwaysAutoResize);
    std::string wanted = drawNotices(session, facts.shaderErrors, m_placed);
    ImGui::End();
    return wanted;
}

void Overlay::say(const std::string& message, double seconds) {
    m_message = message;
    m_left = seconds;
}

void Overlay::drawMessage(float left, float width, float height, double elapsed) {
    m_left -= elapsed;
    if (m_left <= 0) return;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float room = std::max(width - 2 * kEdge - 2 * padding.x, 8 * ImGui::GetFontSize());
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

std::vector<std::pair<std::string, std::string>> Overlay::helpLines() {
    HelpLines lines;
    std::map<Action, size_t> lineOf;
    for (const KeyBinding& binding : keyBindings()) {
        // several keys of one action share a line
        const auto [known, isNew] = lineOf.try_emplace(binding.action, lines.size());
        if (isNew)
            lines.emplace_back(binding.label, binding.does);
        else
            lines[known->second].first += std::string(", ") + binding.label;
    }
    for (const Gesture& gesture : gestures()) lines.emplace_back(gesture.label, gesture.does);
    return lines;
}

void Overlay::drawHelp(float width, float height) {
    const HelpLines lines = helpLines();
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float em = ImGui::GetFontSize();
    const float inner = std::max(width - 2 * kEdge - 2 * padding.x, 200.0f);
    const float title = ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
    const float room = height - 2 * kEdge - 2 * padding.y - title;
    // the largest letters with which all of it is seen at a glance, of them the fewest columns; where there
    // are none, small ones and the wheel
    struct Choice {
        float events, width;
        int columns;
    };
    const Choice best = [&]() -> Choice {
        for (const float share : {1.0f, 0.93f, 0.86f, 0.8f, 0.74f})
            for (const int columns : {1, 2, 3, 4}) {
                const float events = share * em, wide = std::min(inner, 36 * events * columns);
                if (wide < 17 * events * static_cast<float>(columns)) continue;
                if (HelpLayout(lines, events, columns, wide).height <= room) return {events, wide, columns};
            }
        const float events = 0.8f * em, wide = inner - ImGui::GetStyle().ScrollbarSize;
        return {events, wide, std::max(1, static_cast<int>(wide / (19 * events)))};
    }();
    const HelpLayout layout(lines, best.events, best.columns, best.width);
    const bool scrolls = layout.height > room;
    ImGui::SetNextWindowPos({width / 2, height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowContentSize({best.width, title + layout.height});
    ImGui::SetNextWindowSize(
        {best.width + 2 * padding.x + (scrolls ? ImGui::GetStyle().ScrollbarSize : 0),
         std::min(title + layout.height + 2 * padding.y + 1, std::max(height - 2 * kEdge, 100.0f))});
    // over the panel, too
    ImGui::Begin("Keys and mouse", nullptr, kQuietWindow & ~ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::TextUnformatted("Keys and mouse");
    ImGui::SameLine();
    ImGui::TextDisabled(scrolls ? "   H or Esc closes this; the wheel shows more"
                                : "   H or Esc closes this");
    ImGui::Separator();
    layout.draw(ImGui::GetCursorScreenPos());
    ImGui::Dummy({best.width, layout.height});
    ImGui::End();
}

}  // namespace coalesce
