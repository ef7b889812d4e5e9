#include "view/panel/page_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <imgui.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "render/frame/engineering.h"
#include "render/frame/legend.h"
#include "view/widgets/free_name.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

constexpr ImU32 kCurve = IM_COL32(82, 158, 234, 255), kPlayhead = IM_COL32(230, 80, 80, 255),
                kGrid = IM_COL32(255, 255, 255, 28), kText = IM_COL32(200, 200, 206, 255),
                kTimeText = IM_COL32(150, 150, 158, 255), kLabelGround = IM_COL32(30, 30, 34, 170);

}  // namespace

std::vector<AxisTick> axisTicks(double lowest, double highest, int about, const std::string& unit) {
    const std::vector<float> values = legendTicks(float(lowest), float(highest), about);
    const MetricPrefix prefix = prefixFor(std::max(std::abs(lowest), std::abs(highest)), unit);
    const double step = values.size() > 1 ? (double{values[1]} - double{values[0]}) / prefix.factor : 1;
    const int decimals = std::clamp(int(std::ceil(-std::log10(step) - 1e-3)), 0, 9);
    std::vector<AxisTick> ticks;
    for (const float value : values) {
        std::string label = fmt::format("{:.{}f}", double{value} / prefix.factor, decimals);
        if (!unit.empty() && unit != "-") label += " " + (prefix.letter + unit);
        // two labels that are the same would be wrong
        if (ticks.empty() || ticks.back().label != label) ticks.push_back({double{value}, std::move(label)});
    }
    return ticks;
}

void PagePlots::record(const Session& session) {
    const World& world = session.world();
    if (m_generation != session.worldGeneration()) m_series.clear(), m_frame = ~uint64_t{0};
    m_generation = session.worldGeneration();
    if (m_frame == world.frame) return;
    m_frame = world.frame;
    // after a seek the later samples stay until time goes on from there
    if (session.lastTime() > world.time + 1e-9) return;
    if (m_series.wants(world.frame)) m_series.add(sampleOf(world, session.status()));
}

void PagePlots::drawPlot(size_t series, double now) const {
    const std::vector<SeriesSample>& samples = m_series.samples();
    double low = INFINITY, high = -INFINITY;
    for (const SeriesSample& s : samples)
        if (!std::isnan(s.value[series]))
            low = std::min(low, s.value[series]), high = std::max(high, s.value[series]);
    if (!(low <= high)) return;
    const SeriesInfo& info = kSeries[series];
    const double first = samples.front().time, last = std::max(samples.back().time, first + 1e-9);
    double latest = NAN;
    for (const SeriesSample& s : samples)
        if (s.time <= now + 1e-9 && !std::isnan(s.value[series])) latest = s.value[series];
    ImGui::TextUnformatted(
        (std::string(info.label) + (std::isnan(latest) ? "" : ": " + engineering(latest, info.unit)))
            .c_str());
    if (ImGui::IsItemHovered()) wrappedTooltip(info.about);

    const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetFontSize() * 5;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + width, at.y + height}, IM_COL32(255, 255, 255, 10), 3);
    // some room, and 0 where it is near
    if (low > 0 && low < 0.5 * high) low = 0;
    // at least a thousandth of the value, so that rounding does not look like an event
    const double least = 5e-4 * std::max(std::abs(high), std::abs(low));
    const double room =
        high > low ? std::max(0.06 * (high - low), least) : std::max(0.5 * std::abs(high), 0.5);
    const double bottom = low == 0 ? 0 : low - room, top = high + room;
    const auto x = [&](double time) { return at.x + width * float((time - first) / (last - first)); };
    const auto y = [&](double value) { return at.y + height * float((top - value) / (top - bottom)); };
    const float em = ImGui::GetFontSize();
    const std::vector<AxisTick> ticks = axisTicks(bottom, top, 3, info.unit);
    float labels = 0;  // [px] width of those at the left
    for (const AxisTick& tick : ticks) {
        list->AddLine({at.x, y(tick.value)}, {at.x + width, y(tick.value)}, kGrid);
        labels = std::max(labels, ImGui::CalcTextSize(tick.label.c_str()).x + 12);
    }
    // of time, where there is room beside these
    for (const AxisTick& tick : axisTicks(first, last, 4, "s")) {
        const float wide = ImGui::CalcTextSize(tick.label.c_str()).x, left = x(tick.value) - wide / 2;
        if (left < at.x + labels || left + wide > at.x + width) continue;
        list->AddLine({x(tick.value), at.y}, {x(tick.value), at.y + height - em}, kGrid);
        list->AddText({left, at.y + height - em}, kTimeText, tick.label.c_str());
    }
    // a gap where there is no value
    for (size_t k = 1; k < samples.size(); ++k) {
        const SeriesSample &a = samples[k - 1], &b = samples[k];
        if (!std::isnan(a.value[series]) && !std::isnan(b.value[series]))
            list->AddLine({x(a.time), y(a.value[series])}, {x(b.time), y(b.value[series])}, kCurve, 1.5f);
    }
    // over the curve, on a ground of their own
    for (const AxisTick& tick : ticks) {
        const ImVec2 corner{at.x + 4, std::clamp(y(tick.value) - em / 2, at.y, at.y + height - em)};
        list->AddRectFilled({corner.x - 2, corner.y},
                            {corner.x + ImGui::CalcTextSize(tick.label.c_str()).x + 2, corner.y + em},
                            kLabelGround, 2);
        list->AddText(corner, kText, tick.label.c_str());
    }
    if (now >= first && now <= last) list->AddLine({x(now), at.y}, {x(now), at.y + height}, kPlayhead);
    ImGui::InvisibleButton(info.name, {std::max(width, 1.0f), height});
    nameItem(std::string("plot.") + info.name);
    if (!ImGui::IsItemHovered()) return;
    const double pointed = first + (last - first) * double((ImGui::GetMousePos().x - at.x) / width);
    const auto nearest = std::ranges::min_element(
        samples, {}, [&](const SeriesSample& s) { return std::abs(s.time - pointed); });
    list->AddLine({x(nearest->time), at.y}, {x(nearest->time), at.y + height}, kGrid);
    const double value = nearest->value[series];
    wrappedTooltip(fmt::format("{:.3f} s: {}", nearest->time,
                               std::isnan(value) ? "no value" : engineering(value, info.unit)));
}

void PagePlots::draw(const Session& session) {
    wrappedText("Recorded while this page is shown. Seek back and play to plot what came before.");
    if (m_series.samples().size() < 2) return;
    for (size_t k = 0; k < kSeriesCount; ++k) drawPlot(k, session.world().time);
    const std::vector<SeriesSample>& samples = m_series.samples();
    ImGui::TextDisabled(
        "%s", fmt::format("{:.2f} s to {:.2f} s", samples.front().time, samples.back().time).c_str());
    if (button("plots.save", "Save as CSV", 0, "A table of all plots, in the working folder.")) {
        const std::filesystem::path file = freeName(session.scene().name, ".csv");
        try {
            writeFile(file, m_series.csv());
            m_saved = "Saved " + file.string();
        } catch (const Error& error) {
            m_saved = error.what();
        }
    }
    ImGui::SameLine();
    if (button("plots.clear", "Clear")) m_series.clear(), m_saved.clear();
    if (!m_saved.empty()) wrappedText(m_saved);
}

}  // namespace coalesce
