// What every key of a scene file declares, and the keys that come from manifests.
//
// A visitor F offers
//   - bool value(T&, KeySpec, bool write = true): bool, int, float, double, uint64_t, text, list of texts, a
//     Vec3, optional;
//   - bool choice(Enum&, KeySpec): a choice of choices.def;
//   - bool rotation(Quat&, KeySpec, bool write = true): three angles [deg], XYZ, or a quaternion x y z w;
//   - bool degrees(Vec3&, KeySpec): in the file degrees, in the scene radians;
//   - bool points(std::vector<Vec3>&, KeySpec, bool write);
//   - bool numbers(std::vector<double>&, KeySpec): one number, or three of a vector or color;
//   - bool collisionMask(uint32_t& mask, KeySpec): a list of numbers from 0 to 7;
//   - bool namedNumbers(NamedNumbers&, KeySpec): an object, name → one number, or three of a vector;
//   - bool object(KeySpec, bool write, body(F&)): a nested object;
//   - bool list(KeySpec, std::vector<T>&, body(F&, T&));
//   - bool table(KeySpec, std::vector<T>&, body(F&, T&)): an object, name → record;
//   - void reference(uint32_t&, std::vector<T>&, KeySpec): the name of an element;
//   - void number, word, words, point(map, KeySpec, …): an optional value, stored by its name;
//   - void report(key, what, hint): an error, collected by the reader and ignored by the others.
// The functions return whether the key was in the file and valid; false in all visitors but the reader. The
// reader also has has(key), whether the key is in the file, and oneForm(), for objects with one of several
// forms.
//
// To rename a key, change its name where it is declared and list the old one in KeySpec::formerNames; to
// rename a parameter, add a row to former_names.def.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "scene/format/overrides.h"
#include "scene/format/scene.h"

namespace coalesce {

constexpr double kFar = 1e7;           // [m] limit of coordinates
constexpr double kLargest = 1e30;      // limit of attribute values
constexpr double kMaxParticles = 2e9;  // indices are 32 bits, signed

// One key: its name, meaning, unit and range.
struct KeySpec {
    const char* name;
    const char* about;
    const char* unit = "-";
    double min = -kFar, max = kFar;
    bool required = false;
    // Names of the key in earlier versions. They still work: former_keys.h.
    std::vector<const char*> formerNames = {};
    bool isPath = false;  // the text is the path of a value, in which former names are replaced too

    // A vector that may be written as "#rrggbb", too.
    bool isColor() const { return unit == std::string_view("linear RGB"); }
};

// Compares with half an ulp of a float to spare, so that a value may be its limit, whichever of the two was a
// float before. False for NaN.
inline bool isWithin(double number, double min, double max) {
    constexpr double kHalfUlp = 6e-8;
    return number >= min - kHalfUlp * std::abs(min) && number <= max + kHalfUlp * std::abs(max);
}

// A parameter of a manifest.
template <class F, class T>
void visitParameter(F& f, T& value, const ParameterInfo& info) {
    KeySpec spec{info.name, info.about, info.unit, info.min, info.max};
    for (const RenamedParameter& renamed : renamedParameters())
        if (std::string_view(renamed.group) == info.group && std::string_view(renamed.current) == info.name)
            spec.formerNames.push_back(renamed.former);
    if constexpr (std::is_enum_v<T>)
        f.choice(value, spec);
    else
        f.value(value, spec);
}

// A named value of every particle.
template <class F>
void visitAttribute(F& f, AttributeInfo& attribute) {
    const std::vector<std::string>& types = attributeTypeNames();
    std::string type = types[size_t(attribute.type)];
    if (f.value(type, {"type", "float, vec3 or int; float when omitted."}, type != types[0])) {
        const auto found = std::find(types.begin(), types.end(), type);
        if (found == types.end())
            f.report("type",
                     fmt::format("\"{}\" is not a type of attributes.{}", printable(type),
                                 didYouMean(type, types)),
                     "Choose one of " + listOf(types) + ".");
        else
            attribute.type = static_cast<AttributeType>(found - types.begin());
    }
    const bool vector = attribute.type == AttributeType::vector;
    std::vector<double> initial(attribute.initial.begin(), attribute.initial.begin() + (vector ? 3 : 1));
    if (attribute.initial == AttributeValue{} && !F::kSchema) initial.clear();
    if (f.numbers(initial, {"default", "Of particles without an initial value; 0 when omitted.", "-",
                            -kLargest, kLargest})) {
        if ((initial.size() == 3) != vector)
            f.report("default",
                     fmt::format("an attribute of type {} takes {}", types[size_t(attribute.type)],
                                 vector ? "three numbers" : "one number"),
                     vector ? "For example [0, 0, 0]." : "For example 0.");
        std::copy(initial.begin(), initial.end(), attribute.initial.begin());
        if (!fits(attribute.type, attribute.initial))
            f.report("default", "does not fit the type", "int is a 32-bit integer.");
    }
    f.value(attribute.unit, {"unit", "For legends and exports."}, !attribute.unit.empty());
    f.value(attribute.diffusivity,
            {"diffusivity", "Diffusion coefficient D within liquids; 0: only advected.", "m^2/s", 0, 10},
            attribute.diffusivity > 0);
    f.value(attribute.materials, {"materials", "Liquids in which it diffuses; all when omitted."},
            !attribute.materials.empty());
    f.value(attribute.low, {"low", "Value of the first color.", "-", -1e30, 1e30});
    f.value(attribute.high, {"high", "Value of the last color.", "-", -1e30, 1e30});
    f.points(attribute.colors,
             {"colors", "Two to eight colors from low to high; the default color map when omitted.",
              "linear RGB", 0, 1},
             !attribute.colors.empty());
    if constexpr (F::kReading) {
        if (!(attribute.low < attribute.high))
            f.report("high", "must be greater than low", fmt::format("low is {:g}.", attribute.low));
        if (attribute.colors.size() == 1 || attribute.colors.size() > kMaxAttributeColors)
            f.report("colors", fmt::format("needs two to {} colors", kMaxAttributeColors),
                     fmt::format("There are {}.", attribute.colors.size()));
        if (attribute.type == AttributeType::whole && attribute.diffusivity > 0)
            f.report("diffusivity", "integers cannot diffuse", "Use type float.");
    }
}

// All properties of a manifest.
template <class F, class Properties>
void visitProperties(F& f, Properties& properties) {
    forEachParameter(properties,
                     [&](auto& value, const ParameterInfo& info) { visitParameter(f, value, info); });
}

}  // namespace coalesce
