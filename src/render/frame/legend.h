// The color bar with its ticks, as triangles in pixels.
#pragma once

#include <glm/glm.hpp>
#include <string>
#include <vector>

namespace coalesce {

// x, y [px] from the upper left corner; position in the color map or -1; gray of text and ground.
using LegendVertex = glm::vec4;

// Round numbers (1, 2, 5 times a power of ten) within the range, about as many as asked for.
std::vector<float> legendTicks(float lowest, float highest, int about);

// A bar at the right edge of the picture, labeled with ticks and title ("speed [m/s]").
std::vector<LegendVertex> legendTriangles(int width, int height, float lowest, float highest,
                                          const std::string& title);

// A bar at the lower left corner as long as a round length in the picture, with its name ("20 cm").
// pixelsPerMeter: at the distance that it is given for.
std::vector<LegendVertex> scaleBarTriangles(int width, int height, float pixelsPerMeter);
// The length of such a bar [m]: 1, 2 or 5 times a power of ten, at most a fifth of the picture's width.
float scaleBarLength(int width, float pixelsPerMeter);

}  // namespace coalesce
