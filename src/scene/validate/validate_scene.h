// What the parts of a scene must be to each other.
#pragma once

#include <vector>

#include "scene/format/json_text.h"
#include "scene/format/scene.h"

namespace coalesce {

// Called when each part has been read by itself; `mistakes` holds what was wrong there, and a part with a
// mistake is not judged again. Adds to them.
void validateScene(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics);

}  // namespace coalesce
