// What happens at given times of a run: values that change, bodies that are born or let go, hands that pull.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// What a path of the timeline can lead to.
struct Adjustable {
    Parameters& parameters;
    std::vector<Material>& materials;
    std::vector<Shape>& shapes;
    std::vector<ForceField>& fields;
    std::vector<Emitter>& emitters;
    std::vector<Sink>& sinks;
    double time = 0;  // [s] at which shapes take on other motion
};
// Sets "solver.substeps", "materials.bunny.damping", "shapes.gate.position", "fields.pull.strength",
// "emitters.tap.rate" to one number or a vector's three. What cannot be done is said in the answer, the
// nearest known name with it; an empty answer: done.
std::string adjust(const Adjustable& world, const std::string& path, const std::vector<double>& value);

class Timeline {
public:
    explicit Timeline(const Scene& scene);
    // To be called before each frame: does what is due at the world's time. A world that was loaded from a
    // later time has had its births and releases.
    void advance(World& world);
    // What a loaded world has behind it, once; advance() does it too. Values follow their commands frame by
    // frame again, so that shapes are where they were.
    void catchUp(World& world);

    // How far it has come; put back, it goes on from there. With the world of that time.
    struct Progress {
        std::vector<bool> begun, done, born;
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
    // Does what is due of a command that sets no value; true: all of it.
    bool act(World& world, const TimedCommand& command);

    const Scene m_scene;
    std::vector<Pending> m_commands;
    std::vector<bool> m_born;
    bool m_begun = false;
};

}  // namespace coalesce
