// The letters of legends and labels, as an image of all glyphs and where each lies in it. No OpenGL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace coalesce {

// The font file of window and images; empty: none is installed.
std::filesystem::path interfaceFont();

// A font at one size. Unknown letters show as "?".
class Font {
public:
    struct Glyph {
        glm::ivec2 lower{0}, upper{0};  // [px] in the atlas
        glm::ivec2 offset{0};           // [px] of its upper left corner, from the pen on the base line
        float advance = 0;              // [px]
    };

    // size: height of a line of text [px]. Without a file, ASCII from a built-in font of rectangles.
    explicit Font(int size, const std::filesystem::path& file = interfaceFont());

    int size() const { return m_size; }
    int ascent() const { return m_ascent; }  // [px] from the upper edge of a line to its base line
    const Glyph& glyph(char32_t letter) const;
    float width(std::string_view text) const;  // [px]
    // The text, or as much of it as this width has room for, with "…" at its end. [px]
    std::string fitted(const std::string& text, float room) const;

    // Coverage, one byte per pixel, from the upper row down.
    const std::vector<uint8_t>& atlas() const { return m_atlas; }
    int atlasWidth() const { return m_atlasWidth; }
    int atlasHeight() const { return m_atlasHeight; }

private:
    bool load(const std::filesystem::path& file);
    void drawRectangles();

    int m_size, m_ascent = 0;
    int m_atlasWidth = 0, m_atlasHeight = 0;
    std::vector<uint8_t> m_atlas;
    std::unordered_map<char32_t, Glyph> m_glyphs;
};

// The letters of a UTF-8 text; broken sequences become "?".
std::u32string lettersOf(std::string_view text);

}  // namespace coalesce
