// The element of the scene that is selected: its gizmo moves it, or a box shows where it is.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/session.h"
#include "view/viewport/gizmo.h"

namespace coalesce {

struct Selection {
    std::string section;  // "shapes", "bodies", "emitters", "sinks", "fields"; empty: none
    std::string element;  // its name

    bool operator==(const Selection&) const = default;
    bool isEmpty() const { return section.empty(); }
    std::string path() const { return section + "." + element; }
};

// Its pose, or its target pose while it is being moved; nullopt: no such element, or it cannot be moved.
std::optional<GizmoPose> poseOf(const Session& session, const Selection& selection);
bool canTurn(const Session& session, const Selection& selection);
// Moves and turns it; emitters and fields turn by their direction. Part of the open undo step.
void moveTo(Session& session, const Selection& selection, const GizmoPose& pose);

// Groups of the particles of bodies; names that the scene does not have are ignored.
std::vector<uint32_t> groupsOf(const Scene& scene, const std::set<std::string>& bodies);
// Bounds of the particles that a body has now [m]; nullopt: none.
std::optional<Bounds> boundsOf(const Session& session, const std::string& body);

// The first shape along a ray [m], closer than `farthest`; planes and containers are ignored.
Selection shapeAlong(const Session& session, const Ray& ray, float farthest);

}  // namespace coalesce
