// The cameras of a scene for USD stages.
#pragma once

#include <vector>

#include "export/exporter.h"
#include "scene/format/scene.h"

namespace coalesce {

// As the film moves them at the state of a world; before them "Film" with the cuts, where the film has cuts.
std::vector<StageCamera> stageCameras(const Scene& scene, const World& world);

}  // namespace coalesce
