// Which values of a thing do not go together, although each of them is in its range. The reader of scenes,
// the panel, presets, the timeline and --set all ask here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

struct ValidationIssue {
    std::string value;         // that is wrong: "outside"; empty: the thing as a whole
    std::string what, advice;  // in words
};

// All of a sink, all of an emitter.
std::vector<ValidationIssue> objectionsTo(const Sink& sink);
std::vector<ValidationIssue> objectionsTo(const Emitter& emitter, const std::vector<Material>& materials);
// That solver.planar is set: emitters work in space.
std::optional<ValidationIssue> objectionToPlane(const Parameters& parameters,
                                                const std::vector<Emitter>& emitters);
// In a planar scene all particles start at one z: the first body of which one does not, and how far off.
struct OutOfPlane {
    size_t body;
    ValidationIssue objection;
};
std::vector<OutOfPlane> outOfPlane(const Scene& scene);

// What is wrong with the thing that has this value, in words; empty: nothing.
std::string objectionTo(const ConstTunables& values, const std::string& path);
// The same in a scene, whose bodies count, too.
std::string objectionTo(const Scene& scene, const std::string& path);

}  // namespace coalesce
