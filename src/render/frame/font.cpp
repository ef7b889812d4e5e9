#include "render/frame/font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stb_truetype.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_easy_font.h>
#pragma GCC diagnostic pop

namespace coalesce {

namespace {

// First and last letter of each range: Latin, Greek, dashes and quotes, superscripts and subscripts.
constexpr std::array<std::pair<int, int>, 4> kLetters{
    {{0x20, 0xff}, {0x370, 0x3ff}, {0x2010, 0x2044}, {0x2070, 0x209c}}};
constexpr int kGap = 1;             // [px] between glyphs of the atlas
constexpr int kMostAtlas = 8192;    // [px] along each side
constexpr int kEasyFontLine = 12;   // [px] of the built-in font
constexpr int kEasyFontAscent = 7;  // [px]

}  // namespace

std::filesystem::path interfaceFont() {
    constexpr const char* kFiles[] = {
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    };
    std::error_code missing;
    for (const char* file : kFiles)
        if (std::filesystem::exists(file, missing)) return file;
    return {};
}

std::u32string lettersOf(std::string_view text) {
    std::u32string letters;
    for (size_t k = 0; k < text.size();) {
        const auto lead = uint8_t(text[k++]);
        const int rest = lead < 0x80       ? 0
                         : lead >> 5 == 6  ? 1
                         : lead >> 4 == 14 ? 2
                         : lead >> 3 == 30 ? 3
                                           : -1;
        char32_t letter = rest > 0 ? lead & (0x3fu >> rest) : lead;
        int found = 0;
        for (; found < rest && k < text.size() && uint8_t(text[k]) >> 6 == 2; ++found)
            letter = letter << 6 | (uint8_t(text[k++]) & 0x3fu);
        letters += found == rest ? letter : U'?';
    }
    return letters;
}

Font::Font(int size, const std::filesystem::path& file) : m_size(std::max(size, 4)) {
    if (file.empty() || !load(file)) drawRectangles();
}

// Packs all glyphs into the lowest image that holds them. False: no font file.
bool Font::load(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    stbtt_fontinfo info;
    if (bytes.empty() || !stbtt_InitFont(&info, data, stbtt_GetFontOffsetForIndex(data, 0))) return false;
    int ascent = 0, descent = 0, gap = 0;
    stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
    m_ascent = int(std::lround(ascent * stbtt_ScaleForPixelHeight(&info, float(m_size))));

    std::array<std::vector<stbtt_packedchar>, kLetters.size()> packed;
    std::array<stbtt_pack_range, kLetters.size()> ranges{};
    for (size_t k = 0; k < kLetters.size(); ++k) {
        const auto [first, last] = kLetters[k];
        packed[k].resize(size_t(last - first) + 1);
        ranges[k].font_size = float(m_size);
        ranges[k].first_unicode_codepoint_in_range = first;
        ranges[k].num_chars = last - first + 1;
        ranges[k].chardata_for_range = packed[k].data();
    }
    m_atlasWidth = std::min(32 * m_size, kMostAtlas);
    for (m_atlasHeight = 8 * m_size; m_atlasHeight <= kMostAtlas; m_atlasHeight += 4 * m_size) {
        m_atlas.assign(size_t(m_atlasWidth) * size_t(m_atlasHeight), 0);
        stbtt_pack_context context;
        if (!stbtt_PackBegin(&context, m_atlas.data(), m_atlasWidth, m_atlasHeight, 0, kGap, nullptr))
            return false;
        const int all = stbtt_PackFontRanges(&context, data, 0, ranges.data(), int(ranges.size()));
        stbtt_PackEnd(&context);
        if (!all) continue;
        for (size_t k = 0; k < kLetters.size(); ++k)
            for (size_t c = 0; c < packed[k].size(); ++c) {
                const stbtt_packedchar& from = packed[k][c];
                m_glyphs[char32_t(kLetters[k].first) + char32_t(c)] = {
                    {from.x0, from.y0},
                    {from.x1, from.y1},
                    {int(std::lround(from.xoff)), int(std::lround(from.yoff))},
                    from.xadvance};
            }
        return true;
    }
    return false;
}

// ASCII of stb_easy_font, whose letters consist of rectangles, at a whole multiple of its size.
void Font::drawRectangles() {
    struct Corner {  // as written by stb_easy_font
        float x, y, z;
        unsigned char color[4];
    };
    const int scale = std::max(1, int(std::lround(double(m_size) / kEasyFontLine)));
    m_ascent = kEasyFontAscent * scale + (m_size - kEasyFontLine * scale) / 2;
    const int cell = (kEasyFontLine + 4) * scale;  // the widest letter has 10 px
    m_atlasWidth = 16 * cell, m_atlasHeight = 6 * cell;
    m_atlas.assign(size_t(m_atlasWidth) * size_t(m_atlasHeight), 0);
    for (int letter = ' '; letter < 0x7f; ++letter) {
        char text[2] = {char(letter), 0};
        std::array<Corner, 4 * 64> corners;
        const int quads = stb_easy_font_print(0, 0, text, nullptr, corners.data(), sizeof corners);
        const glm::ivec2 at = cell * glm::ivec2((letter - ' ') % 16, (letter - ' ') / 16);
        for (int q = 0; q < quads; ++q) {
            const Corner &first = corners[size_t(4 * q)], &third = corners[size_t(4 * q + 2)];
            for (int y = int(scale * first.y); y < int(scale * third.y); ++y)
                for (int x = int(scale * first.x); x < int(scale * third.x); ++x)
                    m_atlas[size_t(at.y + y) * size_t(m_atlasWidth) + size_t(at.x + x)] = 255;
        }
        const int advance = scale * stb_easy_font_width(text);
        m_glyphs[char32_t(letter)] = {at, at + cell - kGap, {0, -kEasyFontAscent * scale}, float(advance)};
    }
    m_glyphs[U'µ'] = m_glyphs[U'u'];
    m_glyphs[U'…'] = m_glyphs[U'~'];
}

const Font::Glyph& Font::glyph(char32_t letter) const {
    const auto found = m_glyphs.find(letter);
    return found != m_glyphs.end() ? found->second : m_glyphs.at(U'?');
}

float Font::width(std::string_view text) const {
    float sum = 0;
    for (const char32_t letter : lettersOf(text)) sum += glyph(letter).advance;
    return sum;
}

std::string Font::fitted(const std::string& text, float room) const {
    if (width(text) <= room) return text;
    std::string part = text;
    while (!part.empty() && width(part + "…") > room) {
        while (part.size() > 1 && uint8_t(part.back()) >> 6 == 2) part.pop_back();  // a whole letter
        part.pop_back();
    }
    return part + "…";
}

}  // namespace coalesce
