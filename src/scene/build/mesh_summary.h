// What a scene makes of its mesh files, for `coalesce validate`.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

struct MeshSummary {
    std::string text;  // file, triangles, size, parts, volume, thinnest wall, memory of the grid
    std::vector<std::string> warnings;  // walls that leak, sizes that suggest another unit
};

// Of every body and shape that is made of a mesh file, or of a sequence of them, and of every sdf.
std::vector<MeshSummary> meshSummaries(const Scene& scene);

}  // namespace coalesce
