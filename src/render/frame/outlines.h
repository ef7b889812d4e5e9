// Shapes as line segments: edges of containers, and of all shapes in wire view.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "render/frame/render_frame.h"

namespace coalesce {

struct Segment {
    glm::vec4 from, to;  // [m] xyz
};

// Boxes: 12 edges. Spheres: three great circles. Capsules: two rings, four sides, four half circles. Planes:
// none; meshes have their own edges.
void appendOutline(const DrawShape& shape, std::vector<Segment>& segments);

}  // namespace coalesce
