#include "render/frame/legend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_easy_font.h>
#pragma GCC diagnostic pop

#include "render/frame/engineering.h"

namespace coalesce {

namespace {

constexpr float kNoColor = -1;  // color map position of text and background
constexpr float kTextGray = 0.97f;
constexpr float kGroundGray = 0.05f;  // dark grays are drawn half transparent
constexpr int kBarSteps = 8;          // quads of the bar; the map is linear between its 9 entries

void rectangle(std::vector<LegendVertex>& out, glm::vec2 lower, glm::vec2 upper, glm::vec2 along,
               float gray) {
    // along.x: color map position at the upper edge, along.y: at the lower edge
    const LegendVertex a{lower.x, lower.y, along.x, gray}, b{upper.x, lower.y, along.x, gray};
    const LegendVertex c{upper.x, upper.y, along.y, gray}, d{lower.x, upper.y, along.y, gray};
    out.insert(out.end(), {a, b, c, a, c, d});
}

void text(std::vector<LegendVertex>& out, glm::vec2 at, float scale, const std::string& words) {
    struct FontVertex {  // as written by stb_easy_font
        float x, y, z;
        unsigned char color[4];
    };
    std::array<FontVertex, 4 * 64 * 16> corners;  // enough for 60 characters
    std::string copy = words.substr(0, 60);
    const int quads = stb_easy_font_print(0, 0, copy.data(), nullptr, corners.data(), sizeof corners);
    for (int q = 0; q < quads; ++q) {
        const FontVertex& first = corners[size_t(4 * q)];
        const FontVertex& third = corners[size_t(4 * q + 2)];
        rectangle(out, at + scale * glm::vec2(first.x, first.y), at + scale * glm::vec2(third.x, third.y),
                  {kNoColor, kNoColor}, kTextGray);
    }
}

float textWidth(const std::string& words, float scale) {
    std::string copy = words;
    return scale * float(stb_easy_font_width(copy.data()));
}

std::string label(float value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", double(value));
    return buffer;
}

// Divides a range by the metric prefix that suits it, and puts the prefix into the title: "pressure [Pa]" becomes
// "pressure [kPa]".
std::string takePrefix(const std::string& title, float& lowest, float& highest) {
    const size_t open = title.rfind('[');
    if (open == std::string::npos || !title.ends_with(']')) return title;
    const std::string unit = title.substr(open + 1, title.size() - open - 2);
    const MetricPrefix prefix = prefixFor(std::max(std::abs(lowest), std::abs(highest)), unit);
    lowest = float(lowest / prefix.factor), highest = float(highest / prefix.factor);
    // the font has no Greek letters
    const std::string letter = std::string_view(prefix.letter) == "µ" ? "u" : prefix.letter;
    return title.substr(0, open + 1) + letter + unit + "]";
}

}  // namespace

std::vector<float> legendTicks(float lowest, float highest, int about) {
    if (!(highest > lowest) || !std::isfinite(lowest) || !std::isfinite(highest)) return {lowest};
    const double raw = (double(highest) - lowest) / std::max(about, 1);
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    const double mantissa = raw / decade;
    const double step = decade * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
    std::vector<float> ticks;
    const double first = std::ceil(lowest / step - 1e-6);
    for (int k = 0; k <= 4 * about + 4; ++k) {
        const double tick = (first + k) * step;
        if (tick > highest + 1e-6 * step) break;
        ticks.push_back(float(std::abs(tick) < 1e-9 * step ? 0.0 : tick));
    }
    if (ticks.empty()) ticks.push_back(lowest);  // the range is below float resolution
    return ticks;
}

std::vector<LegendVertex> legendTriangles(int width, int height, float lowest, float highest,
                                          const std::string& name) {
    std::vector<LegendVertex> out;
    const std::string title = takePrefix(name, lowest, highest);
    const float scale = std::max(1.0f, std::round(float(height) / 480.0f));
    const float line = 12 * scale;
    const float barWidth = 14 * scale, barHeight = 0.4f * float(height);
    const std::vector<float> ticks = legendTicks(lowest, highest, 5);
    float labels = 0;
    for (float tick : ticks) labels = std::max(labels, textWidth(label(tick), scale));
    const float inner = std::max(textWidth(title, scale), barWidth + 9 * scale + labels);

    // background, title, bar from the top (highest) down
    const glm::vec2 lower{float(width) - inner - 20 * scale, 10 * scale};
    const glm::vec2 upper{float(width) - 6 * scale, 10 * scale + barHeight + 2.5f * line};
    rectangle(out, lower, upper, {kNoColor, kNoColor}, kGroundGray);
    const glm::vec2 at = lower + glm::vec2(6 * scale);
    text(out, at, scale, title);
    const float top = at.y + 1.4f * line;
    for (int k = 0; k < kBarSteps; ++k) {
        const float u = 1 - float(k) / kBarSteps, v = 1 - float(k + 1) / kBarSteps;
        rectangle(out, {at.x, top + barHeight * (1 - u)}, {at.x + barWidth, top + barHeight * (1 - v)},
                  {u, v}, 0);
    }
    for (float tick : ticks) {
        const float u = highest > lowest ? (tick - lowest) / (highest - lowest) : 0.5f;
        const float y = top + barHeight * (1 - u);
        rectangle(out, {at.x + barWidth, y - 0.5f * scale}, {at.x + barWidth + 3 * scale, y + 0.5f * scale},
                  {kNoColor, kNoColor}, kTextGray);
        text(out, {at.x + barWidth + 9 * scale, y - 4 * scale}, scale, label(tick));
    }
    return out;
}

float scaleBarLength(int width, float pixelsPerMeter) {
    const double most = 0.2 * width / pixelsPerMeter;
    const double decade = std::pow(10.0, std::floor(std::log10(most)));
    const double mantissa = most / decade;
    return float(decade * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1));
}

std::vector<LegendVertex> scaleBarTriangles(int width, int height, float pixelsPerMeter) {
    std::vector<LegendVertex> out;
    if (!(pixelsPerMeter > 0) || !std::isfinite(pixelsPerMeter)) return out;
    const float meters = scaleBarLength(width, pixelsPerMeter);
    // unit that gives a number between 1 and 1000
    const bool micro = meters < 0.999e-3f, milli = meters < 0.999e-2f,
               centi = meters<0.999f, kilo = meters> 999;
    const float shown = meters * (micro ? 1e6f : milli ? 1e3f : centi ? 1e2f : kilo ? 1e-3f : 1);
    const std::string words = label(std::round(shown)) + (micro   ? " um"
                                                          : milli ? " mm"
                                                          : centi ? " cm"
                                                          : kilo  ? " km"
                                                                  : " m");
    const float scale = std::max(1.0f, std::round(float(height) / 480.0f));
    const float length = meters * pixelsPerMeter, tall = 4 * scale;
    const glm::vec2 at{16 * scale, float(height) - 16 * scale};
    const glm::vec2 plain{kNoColor, kNoColor};
    rectangle(out, at - glm::vec2(6 * scale, 20 * scale),
              at + glm::vec2(std::max(length, textWidth(words, scale)) + 6 * scale, tall + 6 * scale), plain,
              kGroundGray);
    rectangle(out, at, at + glm::vec2(length, tall / 2), plain, kTextGray);
    for (const float x : {0.0f, length - scale})
        rectangle(out, at + glm::vec2(x, -tall / 2), at + glm::vec2(x + scale, tall), plain, kTextGray);
    text(out, at - glm::vec2(0, 14 * scale), scale, words);
    return out;
}

}  // namespace coalesce
