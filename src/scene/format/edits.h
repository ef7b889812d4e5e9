// Values that may change while a scene runs: all of the manifests, and what of a shape can move or look
// otherwise. Each has the path by which --set, the timeline, replays and presets call it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// A value that was changed.
struct Edit {
    std::string path;             // "fluid.relaxation", "materials.water.viscosity", "shapes.gate.position"
    std::vector<double> numbers;  // one, three of a vector, or four of a rotation: its quaternion x, y, z, w
    std::string word;             // of a choice; "true", "false"

    bool operator==(const Edit&) const = default;
};

// What edits change.
struct Tunables {
    Parameters& parameters;
    std::vector<Material>& materials;
    std::vector<ForceField>& fields;
    std::vector<Emitter>& emitters;
    std::vector<Sink>& sinks;
    std::vector<Shape>* shapes = nullptr;  // null: they are left out
    double time = 0;                       // [s] at which shapes take on another motion
};
struct ConstTunables {
    const Parameters& parameters;
    const std::vector<Material>& materials;
    const std::vector<ForceField>& fields;
    const std::vector<Emitter>& emitters;
    const std::vector<Sink>& sinks;
    const std::vector<Shape>* shapes = nullptr;
};
// Those of a world, a scene, or another thing that has all of them.
template <class Holder>
Tunables tunablesOf(Holder& of) {
    Tunables t{of.parameters, of.materials, of.fields, of.emitters, of.sinks};
    if constexpr (requires { of.shapes; }) t.shapes = &of.shapes;
    if constexpr (requires { of.time; }) t.time = of.time;
    return t;
}
template <class Holder>
ConstTunables tunablesOf(const Holder& of) {
    ConstTunables t{of.parameters, of.materials, of.fields, of.emitters, of.sinks};
    if constexpr (requires { of.shapes; }) t.shapes = &of.shapes;
    return t;
}

// Sets one value. What cannot be done is said in the answer; empty: done. A new place of a shape is a jump.
std::string applyEdit(const Tunables& values, const Edit& edit);
// The edits that lead from one to the other. Both have the same things in the same order.
std::vector<Edit> editsBetween(const ConstTunables& before, const ConstTunables& now);

// Everything that is known of a value.
struct Tunable {
    enum class Type { Number, Whole, Switch, Choice, Vector, Rotation };
    ParameterInfo info;
    std::string section;  // group of a parameter; "materials", "fields", "emitters", "sinks", "shapes"
    std::string element;  // name of the material, field …; of a parameter ""
    Type type = Type::Number;
    Edit value;
    const std::vector<std::string_view>* choices = nullptr;
};
// One of them; none where the path leads nowhere: its path is empty then.
Edit editAt(const ConstTunables& values, const std::string& path);
// All values, in the order of the manifests.
std::vector<Tunable> listTunables(const ConstTunables& values);

// Particles, bodies and lists were made with it: another value counts from the next start of the scene.
// group: as in ParameterInfo.
bool isFixedAtBirth(std::string_view group, std::string_view name);

// As --set takes it: "solver.substeps=4". Read back, it is the same value to the last bit.
std::string asSet(const Edit& edit);
// What gives the scene these values: one or more words for --set for each.
std::vector<std::string> asSets(const Scene& scene, const std::vector<Edit>& edits);
// The same to be pasted into a shell: "--set solver.substeps=4 --set 'world.gravity=[0,-1,0]'".
std::string asOptions(const std::vector<std::string>& sets);

}  // namespace coalesce
