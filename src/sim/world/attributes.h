// Attributes: named per-particle values declared by the scene. They follow particles through spawning,
// removal, reordering, saved states and exports, and can diffuse in liquids.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "kernels/math/vec.h"

namespace coalesce {

// In scene files "float", "vec3", "int".
enum class AttributeType { number, vector, whole };

// Value of one attribute of one particle: a number or an integer in the first component, or a vector.
// Represents each of the three types exactly.
using AttributeValue = std::array<double, 3>;

constexpr size_t kMaxAttributeColors = 8;

constexpr const char* kTemperature = "temperature";  // acts through thermalExpansion and cooling
constexpr const char* kGasVorticity = "vorticity";   // of gases [1/s]; scenes with a gas have it

// Time since a marker of smoke was near [s]; scenes with a gas whose smokelessLife is above 0 have it.
constexpr const char* kSmokeless = "smokeless";

// An attribute as the scene declares it.
struct AttributeInfo {
    std::string name{}, unit{};
    AttributeType type = AttributeType::number;
    AttributeValue initial{};              // of particles added without a value
    float diffusivity = 0;                 // D [m²/s]; 0: does not diffuse
    std::vector<std::string> materials{};  // liquids in which it diffuses; empty: all
    float low = 0, high = 1;               // range of the colors
    std::vector<Vec3> colors{};            // linear RGB from low to high; empty: the map of quantities
    bool shown = false;                    // the attribute to display; none: the first
};

// Values of one attribute for all particles, in storage order. Vectors have w = 0; integers are stored as the
// bits of an int32.
struct Attribute {
    AttributeInfo info;
    std::variant<Buffer<float>, Buffer<Vec4>, Buffer<uint32_t>> values;

    Attribute(Exec& exec, const AttributeInfo& info);
};

template <class T>
T stored(const AttributeValue& value);
template <>
inline float stored<float>(const AttributeValue& value) {
    return float(value[0]);
}
template <>
inline Vec4 stored<Vec4>(const AttributeValue& value) {
    return {float(value[0]), float(value[1]), float(value[2]), 0};
}
template <>
inline uint32_t stored<uint32_t>(const AttributeValue& value) {
    return uint32_t(int32_t(value[0]));
}
inline AttributeValue valueOf(float a) {
    return {a, 0, 0};
}
inline AttributeValue valueOf(const Vec4& a) {
    return {a.x, a.y, a.z};
}
inline AttributeValue valueOf(uint32_t a) {
    return {double(int32_t(a)), 0, 0};
}

// Whether a value fits the type: finite as a float, or a 32-bit integer.
bool fits(AttributeType type, const AttributeValue& value);
// "float", "vec3", "int", in the order of AttributeType.
const std::vector<std::string>& attributeTypeNames();
size_t bytesOf(AttributeType type);

// The attribute to display; null: there are no attributes.
const Attribute* shownAttribute(const std::vector<Attribute>& attributes);

// The attribute of this name and type (float, Vec4 or uint32_t for whole
// numbers), for kernels; an empty view if there is none.
template <class T>
View<T> viewOf(std::vector<Attribute>& attributes, std::string_view name) {
    for (Attribute& attribute : attributes)
        if (auto* values = std::get_if<Buffer<T>>(&attribute.values); values && attribute.info.name == name)
            return values->view();
    return {};
}

// Values of an attribute for all particles, in storage order.
std::vector<AttributeValue> download(const Attribute& attribute);

}  // namespace coalesce
