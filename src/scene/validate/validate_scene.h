// Validation of a scene as a whole: references between its parts, values that exclude each other.
#pragma once

#include <vector>

#include "scene/format/json_text.h"
#include "scene/format/scene.h"

namespace coalesce {

// Runs after all keys were read. `diagnostics` holds the errors found so far; a part with an error is not
// validated again. Adds to them.
void validateScene(const Scene& scene, const Node& root, std::vector<Diagnostic>& diagnostics);

}  // namespace coalesce
