// Scheduled changes of a run: values, bodies that are added or released, mouse constraints, cuts.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The values that a path of the timeline can name.
struct Adjustable {
    Parameters& parameters;
    std::vector<Material>& materials;
    std::vector<Shape>& shapes;
    std::vector<ForceField>& forceFields;
    std::vector<Emitter>& emitters;
    std::vector<Sink>& sinks;
    double time = 0;  // [s] at which a new motion of shapes starts
};
// Sets "solver.substeps", "materials.bunny.damping", "shapes.gate.position", "fields.pull.strength",
// "emitters.tap.rate" to one number or the three of a vector. Returns an error message, with the nearest
// known name, or an empty text.
std::string adjust(const Adjustable& world, const std::string& path, const std::vector<double>& value);

class Timeline {
public:
    explicit Timeline(const Scene& scene);
    // Call before each frame: executes what is due at the world's time. In a world that was loaded from a
    // later time, earlier bodies and releases count as done.
    void advance(World& world);
    // Catches up with the time of a loaded world, once; advance() calls it. Replays changes of values frame
    // by frame, so that shapes have their positions at that time.
    void catchUp(World& world);

    // Progress, to be restored together with the world of that time.
    struct Progress {
        std::vector<bool> begun, done, spawned;
        bool caughtUp = false;
    };
    Progress progress() const;
    void setProgress(const Progress& progress);

private:
    struct Pending {
        TimedCommand command;
        bool begun = false, done = false;
    };
    void setValues(World& world, double time);
    // Executes a command that sets no value; true: it is finished.
    bool execute(World& world, const TimedCommand& command);

    const Scene m_scene;
    std::vector<Pending> m_commands;
    std::vector<bool> m_spawned;
    bool m_begun = false;
};

}  // namespace coalesce
