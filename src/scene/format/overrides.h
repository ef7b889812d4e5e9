// Dotted paths into a scene file, for sizes, cases and --set.
#pragma once

#include <string>
#include <vector>

#include "scene/format/json_text.h"

namespace coalesce {

// The names of a path; "shapes.0.size" and "shapes[0].size" have the same.
std::vector<std::string> splitPath(const std::string& path);
// The child of an object by its key; of a list by its "name", its index, or the name that the scene gives an
// element without one, such as "shapes0". Null: there is none.
const Node* childOf(const Node& node, const std::string& name);

// Sets the value at a path: "solver.substeps", "materials.water.spacing", "bodies.block.center",
// "shapes.0.position". Elements of lists are addressed by their "name" or their index, also in brackets. The
// last name may be new, and a missing section of the file is added; everything else must exist. null removes
// the entry. False, with a diagnostic, when the path does not exist.
bool applyOverride(Node& root, const std::string& path, Node value, std::vector<Diagnostic>& diagnostics);

// "path=value" of --set: the value is JSON; a bare word is a string.
bool applySet(Node& root, const std::string& set, std::vector<Diagnostic>& diagnostics);

inline constexpr const char* kDefaultSize = "demo";
// The size to read: the requested one; without one, the default where the scene has it, else "".
std::string chosenSize(const Node& root, const std::string& asked);

// " Did you mean "x"?" with the nearest candidate, or "".
std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates);
// The shortest decimal that reads back to the same value, as a float where it is one: 0.1f gives "0.1".
std::string numberText(double number);
// "a, b, c", at most 24 names.
std::string listOf(const std::vector<std::string>& names);

}  // namespace coalesce
