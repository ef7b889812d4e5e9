// What the parts of a scene must be to each other.
#pragma once

#include <vector>

#include "scene/json_text.h"
#include "scene/scene.h"

namespace coalesce {

// Called when each part has been read by itself; `mistakes` holds what was wrong there, and a part with a
// mistake is not judged again. Adds to them.
void checkWhole(const Scene& scene, const Node& root, std::vector<Mistake>& mistakes);

}  // namespace coalesce
