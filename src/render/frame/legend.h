// Triangles of what is written over images, in pixels: the color legend, the scale bar, a label.
#pragma once

#include <glm/glm.hpp>
#include <string>
#include <vector>

#include "render/frame/font.h"

namespace coalesce {

struct LegendVertex {
    glm::vec2 at;             // [px] from the upper left corner
    float along = -1;         // position in the color map, or -1
    float shade = 0;          // gray level of text and background
    glm::vec2 glyph{-1, -1};  // [px] in the atlas of the font; negative: no letter
};

// Size of the letters for an image of this height. [px]
int legendFontSize(int height);

// Round numbers (1, 2, 5 times a power of ten) within the range, about the requested count.
std::vector<float> legendTicks(float lowest, float highest, int about);

// Color bar at the right edge of the image, with ticks and a name
// ("speed [m/s]"), whose unit takes a metric prefix.
std::vector<LegendVertex> legendTriangles(int width, int height, float lowest, float highest,
                                          const std::string& name, const Font& font);

// Scale bar of a round length at the lower left corner, with a label ("20 cm"). pixelsPerMeter: at the
// distance it refers to.
std::vector<LegendVertex> scaleBarTriangles(int width, int height, float pixelsPerMeter, const Font& font);
// Length of the scale bar [m]: 1, 2 or 5 times a power of ten, at most a fifth of the image width.
float scaleBarLength(int width, float pixelsPerMeter);

// A line of text in the middle of the upper edge, shortened to half the width of the image.
std::vector<LegendVertex> labelTriangles(int width, int height, const std::string& text, const Font& font);

}  // namespace coalesce
