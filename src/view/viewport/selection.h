// What the handles in the picture hold on to: a thing of the scene that has a place.
#pragma once

#include <optional>
#include <string>

#include "session/session.h"
#include "view/viewport/gizmo.h"

namespace coalesce {

struct Selection {
    std::string section;  // "shapes", "emitters", "sinks", "fields"; empty: nothing is selected
    std::string element;  // its name

    bool operator==(const Selection&) const = default;
    bool isEmpty() const { return section.empty(); }
    std::string path() const { return section + "." + element; }
};

// Where it is, or where a hand wants it; nothing: there is no such thing, or it has no place to move.
std::optional<GizmoPose> poseOf(const Session& session, const Selection& selection);
bool canTurn(const Session& session, const Selection& selection);
// Moves and turns it; emitters and fields turn by their direction. One step of undo until the step is closed.
void moveTo(Session& session, const Selection& selection, const GizmoPose& pose);

// The shape that a ray [m] meets first, nearer than `farthest`; planes and containers are all around, and so
// not meant.
Selection shapeAlong(const Session& session, const Ray& ray, float farthest);

}  // namespace coalesce
