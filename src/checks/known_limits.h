// Where a scene meets a limit of the methods that has been measured: how large the error will be, and what reduces it.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// Hints for `coalesce validate`; the measurements are in docs/validation.md.
std::vector<std::string> knownLimits(const Scene& scene);

}  // namespace coalesce
