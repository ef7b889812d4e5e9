// Values that may change while a scene runs: all values of the manifests, and motion and appearance of
// shapes. Each has a path, used by --set, the timeline, replays and presets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// A changed value.
struct Edit {
    std::string path;             // "fluid.relaxation", "materials.water.viscosity", "shapes.gate.position"
    std::vector<double> numbers;  // one, three of a vector, or the quaternion x, y, z, w of a rotation
    std::string word;             // of a choice; "true", "false"

    bool operator==(const Edit&) const = default;
};

// The objects that edits change.
struct Tunables {
    Parameters& parameters;
    std::vector<Material>& materials;
    std::vector<ForceField>& forceFields;
    std::vector<Emitter>& emitters;
    std::vector<Sink>& sinks;
    std::vector<Shape>* shapes = nullptr;  // null: excluded
    double time = 0;                       // [s] at which a new motion of shapes starts
};
struct ConstTunables {
    const Parameters& parameters;
    const std::vector<Material>& materials;
    const std::vector<ForceField>& forceFields;
    const std::vector<Emitter>& emitters;
    const std::vector<Sink>& sinks;
    const std::vector<Shape>* shapes = nullptr;
};
// Of a world, a scene, or any object that has these members.
template <class Holder>
Tunables tunablesOf(Holder& of) {
    Tunables t{of.parameters, of.materials, of.forceFields, of.emitters, of.sinks};
    if constexpr (requires { of.shapes; }) t.shapes = &of.shapes;
    if constexpr (requires { of.time; }) t.time = of.time;
    return t;
}
template <class Holder>
ConstTunables tunablesOf(const Holder& of) {
    ConstTunables t{of.parameters, of.materials, of.forceFields, of.emitters, of.sinks};
    if constexpr (requires { of.shapes; }) t.shapes = &of.shapes;
    return t;
}

// Sets one value. Returns an error message, or an empty text. A new position of a shape is a jump.
std::string applyEdit(const Tunables& values, const Edit& edit);
// The edits that turn `before` into `now`. Both have the same elements in the same order.
std::vector<Edit> editsBetween(const ConstTunables& before, const ConstTunables& now);

// Description of a value.
struct Tunable {
    enum class Type { Number, Whole, Switch, Choice, Vector, Rotation };
    ParameterInfo info;
    std::string section;  // group of a parameter; "materials", "fields", "emitters", "sinks", "shapes"
    std::string element;  // name of the material, field, …; "" for parameters
    Type type = Type::Number;
    Edit value;
    const std::vector<std::string_view>* choices = nullptr;
};
// The value at a path; an Edit with an empty path if there is none.
Edit editAt(const ConstTunables& values, const std::string& path);
// All values, in the order of the manifests.
std::vector<Tunable> listTunables(const ConstTunables& values);

// Whether a value is used only at the start, to create particles, bodies and lists, so that a change applies
// after restart. group: as in ParameterInfo.
bool isFixedAtStart(std::string_view group, std::string_view name);

// The edit as text for --set: "solver.substeps=4". Reads back to the same value to the last bit.
std::string asSet(const Edit& edit);
// Texts for --set that give the scene these values, one or more for each edit.
std::vector<std::string> asSets(const Scene& scene, const std::vector<Edit>& edits);
// The same as shell arguments: "--set solver.substeps=4 --set 'world.gravity=[0,-1,0]'".
std::string asOptions(const std::vector<std::string>& sets);

}  // namespace coalesce
