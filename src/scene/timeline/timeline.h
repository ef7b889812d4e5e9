// Scheduled changes of a run: values and their tracks, bodies that are added or released, mouse constraints,
// tools of the window.
//
// Order before each frame: bodies that are added; commands that set values, in file order; tracks; other
// commands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scene/build/groups.h"
#include "scene/format/edits.h"
#include "scene/format/scene.h"
#include "scene/timeline/expression.h"

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
// Copies of them, to try values.
class AdjustableCopy {
public:
    explicit AdjustableCopy(const Scene& scene)
        : m_parameters(scene.parameters),
          m_materials(scene.materials),
          m_shapes(scene.shapes),
          m_forceFields(scene.forceFields),
          m_emitters(scene.emitters),
          m_sinks(scene.sinks) {}
    Adjustable get() { return {m_parameters, m_materials, m_shapes, m_forceFields, m_emitters, m_sinks}; }

private:
    Parameters m_parameters;
    std::vector<Material> m_materials;
    std::vector<Shape> m_shapes;
    std::vector<ForceField> m_forceFields;
    std::vector<Emitter> m_emitters;
    std::vector<Sink> m_sinks;
};
// Sets "solver.substeps", "materials.bunny.damping", "shapes.gate.position", "fields.pull.strength",
// "emitters.tap.rate" to one number or the three of a vector, "solver.method" to a word. Returns an error
// message, with the nearest known name, or an empty text.
std::string adjust(const Adjustable& world, const std::string& path, const std::vector<double>& value,
                   const std::string& word = "");
// Why a preset cannot be applied during a run: it has a value that is fixed at the start. Empty: it can.
std::string fixedValueIn(const std::vector<Edit>& values);

// Cuts and markers change no world.
inline bool isOfFilm(const TimedCommand& command) {
    return !command.camera.empty() || !command.marker.empty();
}

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
        std::vector<uint64_t> fired;
        std::vector<bool> moved;  // by tracks
        bool caughtUp = false;
    };
    Progress progress() const;
    void setProgress(const Progress& progress);

private:
    struct Pending {
        TimedCommand command;
        bool begun = false, done = false;
        uint64_t fired = 0;        // repetitions
        std::vector<Edit> preset;  // its values
    };
    struct Animated {
        Track track;
        std::vector<Expression> expressions;
        bool begun = false;
    };
    // A frame by the clock of a command or track [s].
    struct Span {
        double from = 0, length = 0;
        double to() const { return from + length; }
    };
    Span spanOf(Clock clock, const World& world, double time, uint64_t frame) const;
    void setValues(World& world, double time, uint64_t frame);
    void setTracks(World& world, double time, uint64_t frame, bool measured);
    // Executes a command that sets no value; true: it is finished.
    bool execute(World& world, const Pending& pending, const Span& span);
    bool isDue(Pending& pending, const Span& span) const;
    void setTimeScale(World& world, uint64_t frame) const;

    const Scene m_scene;
    GroupNames m_names;
    double m_frameRate;  // [1/s] of the scene: film time of a frame
    std::vector<Pending> m_commands;
    std::vector<Animated> m_tracks;
    std::vector<bool> m_spawned;
    bool m_begun = false;
};

}  // namespace coalesce
