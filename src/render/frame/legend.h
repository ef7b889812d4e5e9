// Triangles of the color legend and the scale bar, in pixels.
#pragma once

#include <glm/glm.hpp>
#include <string>
#include <vector>

namespace coalesce {

// x, y [px] from the upper left corner; position in the color map or -1; gray level of text and background.
using LegendVertex = glm::vec4;

// Round numbers (1, 2, 5 times a power of ten) within the range, about the requested count.
std::vector<float> legendTicks(float lowest, float highest, int about);

// Color bar at the right edge of the image, with ticks and a name ("speed [m/s]"), whose unit takes a metric prefix.
std::vector<LegendVertex> legendTriangles(int width, int height, float lowest, float highest,
                                          const std::string& name);

// Scale bar of a round length at the lower left corner, with a label ("20 cm"). pixelsPerMeter: at the
// distance it refers to.
std::vector<LegendVertex> scaleBarTriangles(int width, int height, float pixelsPerMeter);
// Length of the scale bar [m]: 1, 2 or 5 times a power of ten, at most a fifth of the image width.
float scaleBarLength(int width, float pixelsPerMeter);

}  // namespace coalesce
