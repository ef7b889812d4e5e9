#include "view/overlay.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "view/colors.h"
#include "view/time_bar.h"
#include "view/words.h"

namespace coalesce {

namespace {

constexpr ImGuiWindowFlags kQuietWindow = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoFocusOnAppearing;
const ImU32 kStepColor = IM_COL32(90, 170, 240, 255), kFrameColor = IM_COL32(150, 150, 158, 255);

void fact(const char* name, const std::string& value) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", name);
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(value.c_str());
    ImGui::PopTextWrapPos();
}

// name, milliseconds, and a bar for the share of the largest
void stage(const char* name, double ms, double largest) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float share = largest > 0 ? static_cast<float>(ms / largest) : 0;
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + share * ImGui::GetContentRegionAvail().x, at.y + ImGui::GetTextLineHeight()},
        IM_COL32(90, 170, 240, 45), 2);
    ImGui::TextUnformatted(name);
    ImGui::TableNextColumn();
    ImGui::Text("%7.2f", ms);
}

template <class Rows>
void stages(const char* title, const Rows& rows, double (*ms)(const typename Rows::value_type&),
            const char* (*name)(const typename Rows::value_type&)) {
    if (rows.empty() || !ImGui::CollapsingHeader(title)) return;
    double largest = 0;
    for (const auto& r : rows) largest = std::max(largest, ms(r));
    if (!ImGui::BeginTable(title, 2)) return;
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("0000.00").x);
    for (const auto& r : rows) stage(name(r), ms(r), largest);
    ImGui::EndTable();
}

}  // namespace

void Overlay::draw(Session& session, const OverlayFacts& facts, float left, float height) {
    m_step[m_next] = static_cast<float>(session.stepMs());
    m_frame[m_next] = static_cast<float>(facts.frameMs);
    m_next = (m_next + 1) % kSamples;

    const float em = ImGui::GetFontSize(), width = em * 19;
    ImGui::SetNextWindowPos({left + 10, 10});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, height - 20});
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::Begin("Numbers", nullptr, kQuietWindow);
    plot(ImGui::GetContentRegionAvail().x);

    World& world = session.world();
    if (ImGui::BeginTable("facts", 2)) {
        ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, em * 5.5f);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        const double fps = facts.frameMs > 0 ? 1000 / facts.frameMs : 0;
        fact("pictures", fmt::format("{:.1f} per second", fps));
        fact("real time",
             session.paused ? std::string("paused") : fmt::format("{:.2f} x", session.realTimeFactor()));
        if (session.speed != 1) fact("speed", speedWords(session.speed));
        fact("time", fmt::format("{:.2f} s, frame {}", world.time, world.frame));
        fact("particles", withThousands(world.count()));
        fact("memory", fmt::format("{:.1f} MB", static_cast<double>(session.exec().allocatedBytes()) / 1e6));
        // why it is not another one stands in the tooltip
        const std::string& machine = session.exec().description();
        fact("machine", machine.substr(0, machine.find(';')));
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", machine.c_str());
        fact("transfer", facts.path);
        fact("drawn by", facts.renderer);
        ImGui::EndTable();
    }
    using Row = Profiler::Row;
    stages<std::vector<Row>>(
        "Simulation [ms]", session.exec().profiler.rows(), [](const Row& r) { return r.ms; },
        [](const Row& r) { return r.name.c_str(); });
    stages<std::span<const PassTime>>(
        "Drawing [ms]", facts.passes, [](const PassTime& p) { return p.milliseconds; },
        [](const PassTime& p) { return p.name; });

    const auto warn = [](const std::string& text) {
        if (text.empty()) return;
        ImGui::Separator();
        ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
    };
    for (const Warning& warning : session.warnings().list()) warn(warning.what + " " + warning.advice);
    warn(facts.shaderErrors);
    warn(session.fileProblem());
    if (!session.problem().empty()) {
        warn(session.problem());
        if (ImGui::SmallButton("Close this message")) session.dismissProblem();
    }
    ImGui::End();
}

// the last frames: time of the solver's step, and between pictures
void Overlay::plot(float width) {
    const float height = ImGui::GetFontSize() * 2.6f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float largest = 1;
    for (size_t k = 0; k < kSamples; ++k) largest = std::max({largest, m_step[k], m_frame[k]});
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + width, at.y + height}, IM_COL32(255, 255, 255, 10), 3);
    const auto curve = [&](const std::array<float, kSamples>& values, ImU32 color) {
        ImVec2 points[kSamples];
        for (size_t k = 0; k < kSamples; ++k)
            points[k] = {at.x + width * static_cast<float>(k) / (kSamples - 1),
                         at.y + height * (1 - 0.95f * values[(m_next + k) % kSamples] / largest)};
        list->AddPolyline(points, kSamples, color, 0, 1.5f);
    };
    curve(m_frame, kFrameColor);
    curve(m_step, kStepColor);
    ImGui::Dummy({width, height});
    const size_t last = (m_next + kSamples - 1) % kSamples;
    ImGui::TextColored(ImColor(kStepColor), "step %.1f ms", m_step[last]);
    ImGui::SameLine();
    ImGui::TextColored(ImColor(kFrameColor), "picture %.1f ms", m_frame[last]);
}

void Overlay::say(const std::string& message, double seconds) {
    m_message = message;
    m_left = seconds;
}

void Overlay::drawMessage(float left, float width, float height, double elapsed) {
    m_left -= elapsed;
    if (m_left <= 0) return;
    ImGui::SetNextWindowPos({left + width / 2, height - 24}, ImGuiCond_Always, {0.5f, 1});
    ImGui::SetNextWindowBgAlpha(0.85f);
    ImGui::Begin("Message", nullptr, kQuietWindow | ImGuiWindowFlags_NoInputs);
    ImGui::TextUnformatted(m_message.c_str());
    ImGui::End();
}

std::vector<std::pair<std::string, std::string>> Overlay::helpLines() {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const KeyBinding& binding : keyBindings()) {
        // several keys of one action share a line
        const auto same =
            std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.second == binding.does; });
        if (same != lines.end())
            same->first += std::string(", ") + binding.label;
        else
            lines.emplace_back(binding.label, binding.does);
    }
    for (const Gesture& gesture : gestures()) lines.emplace_back(gesture.label, gesture.does);
    return lines;
}

void Overlay::drawHelp(float left, float width, float height) {
    // two columns where there is room: all of it at a glance
    const float em = ImGui::GetFontSize(), room = std::max(width - 20, 200.0f);
    const int columns = room > 56 * em ? 2 : 1;
    ImGui::SetNextWindowPos({left + width / 2, height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({columns == 2 ? std::min(room, 72 * em) : 39 * em, 0});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {room, std::max(height - 20, 100.0f)});
    ImGui::Begin("Keys and mouse", nullptr, kQuietWindow & ~ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::TextUnformatted("Keys and mouse");
    ImGui::Separator();
    const auto lines = helpLines();
    const size_t rows = (lines.size() + columns - 1) / columns;
    if (ImGui::BeginTable("help", 2 * columns, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp)) {
        for (size_t k = 0; k < rows * columns; ++k) {
            const size_t line = k / columns + k % columns * rows;
            ImGui::TableNextColumn();
            if (line < lines.size()) ImGui::TextColored(ImColor(kStepColor), "%s", lines[line].first.c_str());
            ImGui::TableNextColumn();
            if (line < lines.size()) ImGui::TextWrapped("%s", lines[line].second.c_str());
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

}  // namespace coalesce
