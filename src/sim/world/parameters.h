// Parameters and materials as plain structs, and visitors over their fields. Everything here is made from the
// manifests parameters.def, materials.def, force_fields.def, emitters.def, sinks.def and choices.def.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/math/vec.h"

namespace coalesce {

// ---- choices ----
// Becomes:  enum class Density : int { unilateral, bilateral };
#define CHOICES(Enum, ...) enum class Enum : int { __VA_ARGS__ };
#include "sim/world/choices.def"

// The names of a choice, in order: choiceNames<Density>() gives "unilateral", "bilateral".
template <class Enum>
const std::vector<std::string_view>& choiceNames();

// ---- description of a parameter ----
enum class Scale { Linear, Log };
struct ParameterInfo {
    const char* group;  // "solver"; for materials "material", for fields "field" and so on
    const char* name;   // "substeps"
    double min, max;    // of each component; 0 and 1 for switches
    const char* unit;
    Scale scale;
    const char* about;
};

// A renamed parameter: a row of former_names.def.
struct RenamedParameter {
    const char* group;  // as in ParameterInfo
    const char* former;
    const char* current;
};
std::span<const RenamedParameter> renamedParameters();

// Label of a parameter for the panel, from its key: "maxDepenetration" gives "Max depenetration".
std::string labelOf(std::string_view name);

// ---- the structs ----
// Becomes:  struct Parameters { struct Solver { int substeps = 2; … } solver; … };
struct Parameters {
#define GROUP_BEGIN(Type, name) struct Type {
#define PARAM(T, name, value, lowest, highest, unit, scale, about) T name = value;
#define SWITCH(name, value, about) bool name = value;
#define CHOICE(Enum, name, value, about) Enum name = value;
#define GROUP_END(Type, name) \
    }                         \
    name;
#include "sim/world/parameters.def"
};

// The properties of one material; its name and index live in the World.
struct MaterialProperties {
#define PARAM(T, name, value, lowest, highest, unit, scale, about) T name = value;
#define SWITCH(name, value, about) bool name = value;
#define CHOICE(Enum, name, value, about) Enum name = value;
#include "sim/world/materials.def"
};

// The properties of one force field.
struct ForceFieldProperties {
#define PARAM(T, name, value, lowest, highest, unit, scale, about) T name = value;
#define SWITCH(name, value, about) bool name = value;
#define CHOICE(Enum, name, value, about) Enum name = value;
#include "sim/world/force_fields.def"
};

// The properties of one emitter, and of one sink.
struct EmitterProperties {
#define PARAM(T, name, value, lowest, highest, unit, scale, about) T name = value;
#define SWITCH(name, value, about) bool name = value;
#define CHOICE(Enum, name, value, about) Enum name = value;
#include "sim/world/emitters.def"
};
struct SinkProperties {
#define PARAM(T, name, value, lowest, highest, unit, scale, about) T name = value;
#define SWITCH(name, value, about) bool name = value;
#define CHOICE(Enum, name, value, about) Enum name = value;
#include "sim/world/sinks.def"
};

// ---- visitors: visit(value, info) for every field, in manifest order ----
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, Parameters>
void forEachParameter(P& parameters, Visit&& visit) {
#define GROUP_BEGIN(Type, group)         \
    {                                    \
        auto& fields = parameters.group; \
        const char* const groupName = #group;
#define PARAM(T, name, value, lowest, highest, unit, scale, about) \
    visit(fields.name, ParameterInfo{groupName, #name, lowest, highest, unit, Scale::scale, about});
#define SWITCH(name, value, about) \
    visit(fields.name, ParameterInfo{groupName, #name, 0, 1, "-", Scale::Linear, about});
#define CHOICE(Enum, name, value, about) \
    visit(fields.name, ParameterInfo{groupName, #name, 0, 0, "-", Scale::Linear, about});
#define GROUP_END(Type, group) }
#include "sim/world/parameters.def"
}

template <class M, class Visit>
requires std::is_same_v<std::remove_const_t<M>, MaterialProperties>
void forEachParameter(M& material, Visit&& visit) {
    [[maybe_unused]] const char* const groupName = "material";
#define PARAM(T, name, value, lowest, highest, unit, scale, about) \
    visit(material.name, ParameterInfo{groupName, #name, lowest, highest, unit, Scale::scale, about});
#define SWITCH(name, value, about) \
    visit(material.name, ParameterInfo{groupName, #name, 0, 1, "-", Scale::Linear, about});
#define CHOICE(Enum, name, value, about) \
    visit(material.name, ParameterInfo{groupName, #name, 0, 0, "-", Scale::Linear, about});
#include "sim/world/materials.def"
}

template <class F, class Visit>
requires std::is_same_v<std::remove_const_t<F>, ForceFieldProperties>
void forEachParameter(F& field, Visit&& visit) {
    [[maybe_unused]] const char* const groupName = "field";
#define PARAM(T, name, value, lowest, highest, unit, scale, about) \
    visit(field.name, ParameterInfo{groupName, #name, lowest, highest, unit, Scale::scale, about});
#define SWITCH(name, value, about) \
    visit(field.name, ParameterInfo{groupName, #name, 0, 1, "-", Scale::Linear, about});
#define CHOICE(Enum, name, value, about) \
    visit(field.name, ParameterInfo{groupName, #name, 0, 0, "-", Scale::Linear, about});
#include "sim/world/force_fields.def"
}

template <class E, class Visit>
requires std::is_same_v<std::remove_const_t<E>, EmitterProperties>
void forEachParameter(E& emitter, Visit&& visit) {
    [[maybe_unused]] const char* const groupName = "emitter";
#define PARAM(T, name, value, lowest, highest, unit, scale, about) \
    visit(emitter.name, ParameterInfo{groupName, #name, lowest, highest, unit, Scale::scale, about});
#define SWITCH(name, value, about) \
    visit(emitter.name, ParameterInfo{groupName, #name, 0, 1, "-", Scale::Linear, about});
#include "sim/world/emitters.def"
}

template <class S, class Visit>
requires std::is_same_v<std::remove_const_t<S>, SinkProperties>
void forEachParameter(S& sink, Visit&& visit) {
    [[maybe_unused]] const char* const groupName = "sink";
#define PARAM(T, name, value, lowest, highest, unit, scale, about) \
    visit(sink.name, ParameterInfo{groupName, #name, lowest, highest, unit, Scale::scale, about});
#define SWITCH(name, value, about) \
    visit(sink.name, ParameterInfo{groupName, #name, 0, 1, "-", Scale::Linear, about});
#include "sim/world/sinks.def"
}

// Static friction remembers what slipped in earlier substeps: there is an array of slips.
inline bool remembersSlip(const Parameters& p) {
    return p.contacts.presliding > 0 && p.contacts.friction == Friction::position &&
           p.solver.method != Method::velocity;
}

// Hash of names, types and order of all manifests: the version of the saved-state format.
uint64_t manifestHash();

}  // namespace coalesce
