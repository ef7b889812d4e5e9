#include "scene/build/attribute_values.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

namespace {

double along(Vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

}  // namespace

std::vector<AttributeInfo> attributesOf(const Scene& scene) {
    std::vector<AttributeInfo> all = scene.attributes;
    const auto isGas = [](const Material& m) { return m.properties.kind == MaterialKind::gas; };
    if (std::ranges::any_of(scene.materials, isGas))
        all.push_back({.name = kGasVorticity, .unit = "1/s", .type = AttributeType::vector});
    const auto endsWithoutSmoke = [&](const Material& m) {
        return isGas(m) && m.properties.smokelessLife > 0;
    };
    if (std::ranges::any_of(scene.materials, endsWithoutSmoke))
        all.push_back({.name = kSmokeless, .unit = "s"});
    return all;
}

AttributeValue attributeValue(const std::vector<double>& numbers) {
    AttributeValue value{};
    std::copy_n(numbers.begin(), std::min<size_t>(numbers.size(), 3), value.begin());
    return value;
}

std::vector<AttributeValue> attributeValues(const Scene& scene, const Body& body,
                                            std::span<const Vec3> positions) {
    std::vector<AttributeValue> values;
    if (body.values.empty() && body.gradient.values.empty()) return values;
    const int axis = body.gradient.axis.empty() ? 1 : body.gradient.axis[0] - 'x';
    double low = 1e300, high = -1e300;
    for (const Vec3& p : positions)
        low = std::min(low, along(p, axis)), high = std::max(high, along(p, axis));
    const std::vector<AttributeInfo> attributes = attributesOf(scene);
    values.reserve(positions.size() * attributes.size());
    for (const Vec3& p : positions) {
        const double t = high > low ? (along(p, axis) - low) / (high - low) : 0;
        for (const AttributeInfo& attribute : attributes) {
            const auto own = body.values.find(attribute.name),
                       top = body.gradient.values.find(attribute.name);
            AttributeValue value = own == body.values.end() ? attribute.initial : attributeValue(own->second);
            if (top != body.gradient.values.end()) {
                const AttributeValue end = attributeValue(top->second);
                for (size_t k = 0; k < value.size(); ++k) value[k] += t * (end[k] - value[k]);
                if (attribute.type == AttributeType::whole) value[0] = std::round(value[0]);
            }
            values.push_back(value);
        }
    }
    return values;
}

}  // namespace coalesce
