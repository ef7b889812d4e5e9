// The recorded input of a session as commands of a timeline, to be edited.
#pragma once

#include <string>
#include <vector>

#include "session/replay.h"

namespace coalesce {

// Commands by the clock of the film, whose frames are those of the replay: the scene of the replay, with them in its
// timeline, runs to the same states. world: of the scene, as it was built. Exit::Scene, with all events that no command
// can repeat: grabs of particles that are not of a body of the scene, edits of values that a timeline cannot set or
// that the scene sets itself, shapes that it moves.
std::vector<TimedCommand> timelineOf(const Replay& replay, const Scene& scene, const World& world);

// A film file with these commands.
std::string filmOf(const Replay& replay, const Scene& scene, const World& world);

}  // namespace coalesce
