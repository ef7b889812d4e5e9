// Channels: named values that every particle carries besides its place, given by the scene. They follow the
// particle through births, deaths, reordering, saved states and exports, and diffuse in liquids on request.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "kernels/math/vec.h"

namespace coalesce {

// In scene files "float", "vec3", "int".
enum class AttributeType { number, vector, whole };

// What one particle carries in one channel: a number or a whole number in the first place, or a vector.
// Holds each of the three types exactly.
using AttributeValue = std::array<double, 3>;

constexpr size_t kMaxAttributeColors = 8;

// A channel as the scene declares it.
struct AttributeInfo {
    std::string name{}, unit{};
    AttributeType type = AttributeType::number;
    AttributeValue initial{};              // of whoever is born without a value of its own
    float diffusivity = 0;                 // D [m²/s]; 0: carried along only
    std::vector<std::string> materials{};  // liquids in which it diffuses; empty: all
    float low = 0, high = 1;               // range of the colors
    std::vector<Vec3> colors{};            // linear RGB from low to high; empty: the map of quantities
};

// One channel of all particles, in the order of storage. A vector leaves w at 0; a whole number is kept as
// the bits of an int32.
struct Attribute {
    AttributeInfo info;
    std::variant<Buffer<float>, Buffer<Vec4>, Buffer<uint32_t>> values;

    Attribute(Exec& exec, const AttributeInfo& info);
};

template <class T>
T stored(const AttributeValue& value);
template <>
inline float stored<float>(const AttributeValue& value) {
    return static_cast<float>(value[0]);
}
template <>
inline Vec4 stored<Vec4>(const AttributeValue& value) {
    return {static_cast<float>(value[0]), static_cast<float>(value[1]), static_cast<float>(value[2]), 0};
}
template <>
inline uint32_t stored<uint32_t>(const AttributeValue& value) {
    return static_cast<uint32_t>(static_cast<int32_t>(value[0]));
}
inline AttributeValue valueOf(float a) {
    return {a, 0, 0};
}
inline AttributeValue valueOf(const Vec4& a) {
    return {a.x, a.y, a.z};
}
inline AttributeValue valueOf(uint32_t a) {
    return {static_cast<double>(static_cast<int32_t>(a)), 0, 0};
}

// Whether a value fits the type: finite as a float, or a whole number of 32 bits.
bool fits(AttributeType type, const AttributeValue& value);
// "float", "vec3", "int", in the order of AttributeType.
const std::vector<std::string>& attributeTypeNames();
size_t bytesOf(AttributeType type);

// Values of all channels of all particles, in the order of storage.
std::vector<AttributeValue> download(const Attribute& attribute);

}  // namespace coalesce
