// Combinations of values that are invalid although each value is in its range. Used by the reader of scenes,
// the panel, presets, the timeline and --set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

struct ValidationIssue {
    std::string value;  // name of the property: "outside"; empty: the object as a whole
    std::string what, advice;
};

// All issues of a sink or emitter.
std::vector<ValidationIssue> issuesOf(const Sink& sink);
std::vector<ValidationIssue> issuesOf(const Emitter& emitter, const std::vector<Material>& materials);
// Emitters exclude solver.planar.
std::optional<ValidationIssue> planarIssue(const Parameters& parameters,
                                           const std::vector<Emitter>& emitters);
// fluid.boundary particles excludes solver.planar.
std::optional<ValidationIssue> boundaryIssue(const Parameters& parameters);
// What the methods projective and velocity cannot do.
std::optional<ValidationIssue> methodIssue(const Parameters& parameters,
                                           const std::vector<Material>& materials);
// Bodies that are not in the plane of a planar scene, where all particles must start at the same z.
struct OutOfPlane {
    size_t body;
    ValidationIssue issue;
};
std::vector<OutOfPlane> outOfPlane(const Scene& scene);

// Message on the object that has this value; empty without an issue.
std::string findIssue(const ConstTunables& values, const std::string& path);
// The same in a scene, including its bodies.
std::string findIssue(const Scene& scene, const std::string& path);

}  // namespace coalesce
