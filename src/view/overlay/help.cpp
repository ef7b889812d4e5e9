#include "view/overlay/help.h"

#include <algorithm>
#include <imgui.h>

#include "view/overlay/overlay.h"

namespace coalesce {

namespace {

const ImVec4 kKeyColor(0.35f, 0.67f, 0.94f, 1);

// Flows the sections down one column, then the next. A title stays with its first line.
class HelpLayout {
public:
    HelpLayout(const std::vector<HelpSection>& sections, float fontSize, int columns, float width)
        : m_fontSize(fontSize), m_columnWidth((width - gap() * float(columns - 1)) / float(columns)) {
        float widest = 0;
        for (const HelpSection& section : sections)
            for (const HelpLine& line : section.lines) widest = std::max(widest, widthOf(line.keys));
        m_keyWidth = std::min(widest, 0.42f * m_columnWidth);
        for (const HelpSection& section : sections) {
            const float title = 1.9f * fontSize;
            m_rows.push_back(
                {section.title, "", title, section.lines.empty() ? 0 : heightOf(section.lines[0])});
            for (const HelpLine& line : section.lines)
                m_rows.push_back({line.keys, line.help, heightOf(line), 0});
        }
        // bisection: the smallest height in which this number of columns holds all rows
        float high = 0;
        for (const Row& row : m_rows) high += row.height;
        float low = high / float(columns);
        while (high - low > 1) {
            const float middle = (low + high) / 2;
            (columnsAt(middle) <= columns ? high : low) = middle;
        }
        height = high;
    }

    float height = 0;

    void draw(ImVec2 at) const {
        const float top = at.y;
        const ImU32 white = ImGui::GetColorU32(ImGuiCol_Text),
                    gray = ImGui::GetColorU32(ImGuiCol_TextDisabled);
        for (const Row& row : m_rows) {
            if (at.y > top && at.y + row.height + row.keepWithNext > top + height + 0.5f)
                at = {at.x + m_columnWidth + gap(), top};
            if (row.help.empty()) {
                drawText({at.x, at.y + (at.y > top ? 0.55f : 0.1f) * m_fontSize}, row.keys, m_columnWidth,
                         gray);
            } else {
                drawText(at, row.keys, m_keyWidth, ImGui::GetColorU32(kKeyColor));
                drawText({at.x + m_keyWidth + pad(), at.y}, row.help, textWidth(), white);
            }
            at.y += row.height;
        }
    }

private:
    struct Row {
        std::string keys, help;  // of a title, `help` is empty
        float height, keepWithNext;
    };

    float gap() const { return 1.6f * m_fontSize; }
    float pad() const { return 0.6f * m_fontSize; }
    float textWidth() const { return m_columnWidth - m_keyWidth - pad(); }
    float widthOf(const std::string& text) const {
        return ImGui::GetFont()->CalcTextSizeA(m_fontSize, 1e6f, 0, text.c_str()).x;
    }
    float heightOf(const HelpLine& line) const {
        const auto height = [&](const std::string& text, float wrap) {
            return ImGui::GetFont()->CalcTextSizeA(m_fontSize, 1e6f, wrap, text.c_str()).y;
        };
        return std::max(height(line.keys, m_keyWidth), height(line.help, textWidth())) + 0.25f * m_fontSize;
    }
    int columnsAt(float limit) const {
        int columns = 1;
        float y = 0;
        for (const Row& row : m_rows) {
            if (y > 0 && y + row.height + row.keepWithNext > limit) ++columns, y = 0;
            y += row.height;
        }
        return columns;
    }
    void drawText(ImVec2 at, const std::string& text, float wrap, ImU32 color) const {
        ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), m_fontSize, at, color, text.c_str(), nullptr,
                                            wrap);
    }

    float m_fontSize, m_columnWidth, m_keyWidth = 0;
    std::vector<Row> m_rows;
};

struct Choice {
    float fontSize, width;
    int columns;
};

// The largest font with which everything fits, then the fewest columns. If nothing fits: a small font and a
// scrollbar.
Choice bestLayout(const std::vector<HelpSection>& sections, float width, float height) {
    const float em = ImGui::GetFontSize();
    for (const float share : {1.0f, 0.93f, 0.86f, 0.8f, 0.74f})
        for (const int columns : {1, 2, 3, 4}) {
            const float fontSize = share * em, wide = std::min(width, 36 * fontSize * float(columns));
            if (wide < 17 * fontSize * float(columns)) continue;
            if (HelpLayout(sections, fontSize, columns, wide).height <= height)
                return {fontSize, wide, columns};
        }
    const float fontSize = 0.8f * em, wide = width - ImGui::GetStyle().ScrollbarSize;
    return {fontSize, wide, std::max(1, int(wide / (19 * fontSize)))};
}

}  // namespace

void drawHelp(const std::vector<HelpSection>& sections, float width, float height) {
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float inner = std::max(width - 2 * kOverlayMargin - 2 * padding.x, 200.0f);
    const float title = ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
    const float room = height - 2 * kOverlayMargin - 2 * padding.y - title;
    const Choice best = bestLayout(sections, inner, room);
    const HelpLayout layout(sections, best.fontSize, best.columns, best.width);
    const bool scrolls = layout.height > room;
    ImGui::SetNextWindowPos({width / 2, height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowContentSize({best.width, title + layout.height});
    ImGui::SetNextWindowSize(
        {best.width + 2 * padding.x + (scrolls ? ImGui::GetStyle().ScrollbarSize : 0),
         std::min(title + layout.height + 2 * padding.y + 1, std::max(height - 2 * kOverlayMargin, 100.0f))});
    // takes the focus, so that it is in front of the panel
    ImGui::Begin("Keys and mouse", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings);
    ImGui::TextUnformatted("Keys and mouse");
    ImGui::SameLine();
    ImGui::TextDisabled(scrolls ? "   H or Esc: close; wheel: scroll" : "   H or Esc: close");
    ImGui::Separator();
    layout.draw(ImGui::GetCursorScreenPos());
    ImGui::Dummy({best.width, layout.height});
    ImGui::End();
}

}  // namespace coalesce
