#include "render/frame/legend.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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
    const LegendVertex a{lower, along.x, gray}, b{{upper.x, lower.y}, along.x, gray};
    const LegendVertex c{upper, along.y, gray}, d{{lower.x, upper.y}, along.y, gray};
    out.insert(out.end(), {a, b, c, a, c, d});
}

// at: upper left corner of the line. Letters begin at whole
// pixels, so that they are as sharp as in the atlas.
void write(std::vector<LegendVertex>& out, glm::vec2 at, const std::string& text, const Font& font) {
    glm::vec2 pen = glm::round(at) + glm::vec2(0, font.ascent());
    for (const char32_t letter : lettersOf(text)) {
        const Font::Glyph& glyph = font.glyph(letter);
        const glm::vec2 lower = glm::vec2(std::round(pen.x), pen.y) + glm::vec2(glyph.offset);
        const size_t first = out.size();
        rectangle(out, lower, lower + glm::vec2(glyph.upper - glyph.lower), {kNoColor, kNoColor}, kTextGray);
        for (size_t k = first; k < out.size(); ++k)
            out[k].glyph = glm::vec2(glyph.lower) + (out[k].at - lower);
        pen.x += glyph.advance;
    }
}

// Unit of lengths on overlays, for letters of this size. [px]
float scaleOf(const Font& font) {
    return float(font.size()) / 12;
}

std::string label(float value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", double(value));
    return buffer;
}

// Divides a range by the metric prefix that suits it, and puts the prefix into the
// title: "pressure [Pa]" becomes "pressure [kPa]".
std::string takePrefix(const std::string& title, float& lowest, float& highest) {
    const size_t open = title.rfind('[');
    if (open == std::string::npos || !title.ends_with(']')) return title;
    const std::string unit = title.substr(open + 1, title.size() - open - 2);
    const MetricPrefix prefix = prefixFor(std::max(std::abs(lowest), std::abs(highest)), unit);
    lowest = float(lowest / prefix.factor), highest = float(highest / prefix.factor);
    return title.substr(0, open + 1) + prefix.letter + unit + "]";
}

}  // namespace

int legendFontSize(int height) {
    return std::max(13, height / 45);
}

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
                                          const std::string& name, const Font& font) {
    std::vector<LegendVertex> out;
    const std::string title = takePrefix(name, lowest, highest);
    const float scale = scaleOf(font), line = float(font.size());
    const float barWidth = 14 * scale, barHeight = 0.4f * float(height);
    const std::vector<float> ticks = legendTicks(lowest, highest, 5);
    float labels = 0;
    for (float tick : ticks) labels = std::max(labels, font.width(label(tick)));
    const float inner = std::max(font.width(title), barWidth + 9 * scale + labels);

    // background, title, bar from the top (highest) down
    const glm::vec2 lower{float(width) - inner - 20 * scale, 10 * scale};
    const glm::vec2 upper{float(width) - 6 * scale, 10 * scale + barHeight + 2.5f * line};
    rectangle(out, lower, upper, {kNoColor, kNoColor}, kGroundGray);
    const glm::vec2 at = lower + glm::vec2(6 * scale);
    write(out, at, title, font);
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
        write(out, {at.x + barWidth + 7 * scale, y - 0.5f * line}, label(tick), font);
    }
    return out;
}

float scaleBarLength(int width, float pixelsPerMeter) {
    const double most = 0.2 * width / pixelsPerMeter;
    const double decade = std::pow(10.0, std::floor(std::log10(most)));
    const double mantissa = most / decade;
    return float(decade * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1));
}

std::vector<LegendVertex> scaleBarTriangles(int width, int height, float pixelsPerMeter, const Font& font) {
    std::vector<LegendVertex> out;
    if (!(pixelsPerMeter > 0) || !std::isfinite(pixelsPerMeter)) return out;
    const float meters = scaleBarLength(width, pixelsPerMeter);
    // unit that gives a number between 1 and 1000
    const bool micro = meters < 0.999e-3f, milli = meters < 0.999e-2f,
               centi = meters<0.999f, kilo = meters> 999;
    const float shown = meters * (micro ? 1e6f : milli ? 1e3f : centi ? 1e2f : kilo ? 1e-3f : 1);
    const std::string words = label(std::round(shown)) + (micro   ? " µm"
                                                          : milli ? " mm"
                                                          : centi ? " cm"
                                                          : kilo  ? " km"
                                                                  : " m");
    const float scale = scaleOf(font);
    const float length = meters * pixelsPerMeter, tall = 4 * scale;
    const glm::vec2 at{16 * scale, float(height) - 16 * scale};
    const glm::vec2 plain{kNoColor, kNoColor};
    rectangle(out, at - glm::vec2(6 * scale, 20 * scale),
              at + glm::vec2(std::max(length, font.width(words)) + 6 * scale, tall + 6 * scale), plain,
              kGroundGray);
    rectangle(out, at, at + glm::vec2(length, tall / 2), plain, kTextGray);
    for (const float x : {0.0f, length - scale})
        rectangle(out, at + glm::vec2(x, -tall / 2), at + glm::vec2(x + scale, tall), plain, kTextGray);
    write(out, at - glm::vec2(0, 15 * scale), words, font);
    return out;
}

std::vector<LegendVertex> labelTriangles(int width, int height, const std::string& text, const Font& font) {
    std::vector<LegendVertex> out;
    const float scale = scaleOf(font);
    const std::string shown = font.fitted(text, 0.5f * float(width));
    const glm::vec2 size{font.width(shown), font.size()}, border{8 * scale, 3 * scale};
    const glm::vec2 at{0.5f * (float(width) - size.x), std::min(12 * scale, float(height) - size.y)};
    rectangle(out, at - border, at + size + border, {kNoColor, kNoColor}, kGroundGray);
    write(out, at, shown, font);
    return out;
}

}  // namespace coalesce
