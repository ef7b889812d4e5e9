// Dotted paths into a scene file: the one resolver behind sizes, cases and --set.
#pragma once

#include <string>
#include <vector>

#include "scene/format/json_text.h"

namespace coalesce {

// Puts `value` where the path leads: "solver.substeps", "materials.water.spacing", "bodies.block.center",
// "shapes.0.position". Elements of lists are addressed by their "name" or their index, also in brackets. The
// last name may be new, and a section of the file that is not there yet is made; anything else must exist.
// null takes the entry away. False, with a mistake, when the path leads nowhere.
bool applyOverride(Node& root, const std::string& path, Node value, std::vector<Diagnostic>& diagnostics);

// "path=value" of --set: the value is JSON, and a bare word is a text.
bool applySet(Node& root, const std::string& set, std::vector<Diagnostic>& diagnostics);

// nearest() on words of sane length; " Did you mean "x"?" or "".
std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates);
// "a, b, c", at most 24.
std::string listOf(const std::vector<std::string>& names);

}  // namespace coalesce
