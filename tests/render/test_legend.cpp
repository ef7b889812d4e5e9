#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "render/frame/engineering.h"
#include "render/frame/font.h"
#include "render/frame/legend.h"

namespace coalesce {
namespace {

TEST(Legend, TicksAreRoundAndWithinTheRange) {
    EXPECT_EQ(legendTicks(0, 1, 5), (std::vector<float>{0, 0.2f, 0.4f, 0.6f, 0.8f, 1}));
    EXPECT_EQ(legendTicks(-0.031f, 0.031f, 5),
              (std::vector<float>{-0.03f, -0.02f, -0.01f, 0, 0.01f, 0.02f, 0.03f}));
    for (const auto& [low, high] : {std::pair(3.7f, 912.0f), {1e-6f, 4e-6f}, {-5e7f, 2e3f}}) {
        const auto ticks = legendTicks(low, high, 5);
        EXPECT_GE(ticks.size(), 3u);
        EXPECT_LE(ticks.size(), 12u);
        for (const float tick : ticks) {
            EXPECT_GE(tick, low);
            EXPECT_LE(tick, high);
        }
    }
}

TEST(Legend, DegenerateRangesHaveATick) {
    EXPECT_EQ(legendTicks(2, 2, 5).size(), 1u);
    EXPECT_EQ(legendTicks(3, 1, 5).size(), 1u);
    EXPECT_EQ(legendTicks(NAN, 1, 5).size(), 1u);
}

TEST(Legend, UnitsTakeThePrefixOfTheLargestValue) {
    EXPECT_EQ(engineering(12500, "Pa"), "12.5 kPa");
    EXPECT_EQ(engineering(-2.5e6, "J"), "-2.5 MJ");
    EXPECT_EQ(engineering(0.00325, "m"), "3.25 mm");
    EXPECT_EQ(engineering(4e-6, "m/s"), "4 µm/s");
    EXPECT_EQ(engineering(0.05, "m"), "0.05 m");
    EXPECT_EQ(engineering(1e6, "J"), "1 MJ") << "a whole power";
    EXPECT_EQ(engineering(0, "m"), "0 m");
    EXPECT_EQ(engineering(12500, "kg/m^3"), "1.25e+04 kg/m^3") << "no second prefix";
    EXPECT_EQ(engineering(0.001, "%"), "0.001 %");
    EXPECT_EQ(engineering(3, "-"), "3");
    // the legend of a range in Pa is that of the range in kPa
    const auto same = [](const std::vector<LegendVertex>& a, const std::vector<LegendVertex>& b) {
        return a.size() == b.size() &&
               std::ranges::equal(a, b, [](const LegendVertex& p, const LegendVertex& q) {
                   return glm::distance(p.at, q.at) + glm::distance(p.glyph, q.glyph) < 1e-3f;
               });
    };
    EXPECT_TRUE(same(legendTriangles(480, 270, 0, 25000, "pressure [Pa]", Font(13)),
                     legendTriangles(480, 270, 0, 25, "pressure [kPa]", Font(13))));
    EXPECT_FALSE(same(legendTriangles(480, 270, 0, 25000, "density [kg/m^3]", Font(13)),
                      legendTriangles(480, 270, 0, 25, "density [kg/m^3]", Font(13))));
}

TEST(Legend, StaysInsideTheImageWithOrderedColors) {
    const auto vertices = legendTriangles(480, 270, 0, 2.5f, "speed [m/s]", Font(13));
    ASSERT_EQ(vertices.size() % 3, 0u);
    float top = 1e9f, bottom = -1e9f;
    for (const LegendVertex& v : vertices) {
        EXPECT_GE(v.at.x, 0);
        EXPECT_LE(v.at.x, 480);
        EXPECT_GE(v.at.y, 0);
        EXPECT_LE(v.at.y, 270);
        if (v.along == 1) top = std::min(top, v.at.y);
        if (v.along == 0) bottom = std::max(bottom, v.at.y);
    }
    EXPECT_LT(top, bottom);  // the highest value is at the top
}

// ---- letters ----

// The atlas as the number of covered pixels of a letter.
int covered(const Font& font, char32_t letter) {
    const Font::Glyph& glyph = font.glyph(letter);
    int count = 0;
    for (int y = glyph.lower.y; y < glyph.upper.y; ++y)
        for (int x = glyph.lower.x; x < glyph.upper.x; ++x)
            count += font.atlas()[size_t(y) * size_t(font.atlasWidth()) + size_t(x)] > 127;
    return count;
}

// Both fonts, since only one may be installed: that of the window, and the built-in one without a file.
TEST(Font, LettersAreDrawnInTheirSize) {
    for (const std::filesystem::path& file : {interfaceFont(), std::filesystem::path()}) {
        for (const int size : {13, 24, 48}) {
            const Font font(size, file);
            for (char32_t letter = U'!'; letter <= U'~'; ++letter) {
                EXPECT_GT(covered(font, letter), 0) << int(letter);
                EXPECT_LE(font.ascent() + font.glyph(letter).offset.y, size) << int(letter);
            }
            EXPECT_EQ(covered(font, U' '), 0);
            EXPECT_GT(covered(font, U'M'), covered(font, U'.'));
            EXPECT_GT(font.width("wide"), font.width("wid"));
            EXPECT_EQ(font.glyph(U'\u4e00').advance, font.glyph(U'?').advance) << "no such letter";
        }
        EXPECT_NEAR(Font(48, file).width("a line of text") / Font(24, file).width("a line of text"), 2, 0.1);
        EXPECT_EQ(Font(13, "/no/such/font.ttf").width("text"), Font(13, {}).width("text"));
    }
}

TEST(Font, TextIsReadAsUtf8) {
    EXPECT_EQ(lettersOf("aµ…𝄞"), U"aµ…𝄞");
    EXPECT_EQ(lettersOf("a\xc2"), U"a?") << "cut within a letter";
    EXPECT_EQ(lettersOf("\xb5z"), U"?z") << "no lead byte";
}

TEST(Font, TextsAreShortenedByWholeLetters) {
    const Font font(15);
    EXPECT_EQ(font.fitted("short", 1000), "short");
    const std::string text = "ŵäöü and more of it", part = font.fitted(text, 0.5f * font.width(text));
    EXPECT_LE(font.width(part), 0.5f * font.width(text));
    EXPECT_TRUE(part.ends_with("…"));
    EXPECT_TRUE(text.starts_with(part.substr(0, part.size() - std::string("…").size())));
    EXPECT_EQ(lettersOf(part).find(U'?'), std::u32string::npos) << part;
}

TEST(Legend, LabelsAreCenteredAndStayInsideTheImage) {
    const Font font(legendFontSize(270));
    for (const std::string& text : {std::string("Default"), std::string(300, 'w')}) {
        glm::vec2 lower(1e9f), upper(-1e9f);
        for (const LegendVertex& v : labelTriangles(480, 270, text, font))
            lower = glm::min(lower, v.at), upper = glm::max(upper, v.at);
        EXPECT_NEAR(lower.x + upper.x, 480, 2);
        EXPECT_GE(lower.y, 0);
        EXPECT_GT(lower.x, 100) << "the corners are left to other overlays";
        EXPECT_LT(upper.y, 135);
    }
}

}  // namespace
}  // namespace coalesce
