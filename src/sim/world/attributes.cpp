#include "sim/world/attributes.h"

#include <cmath>

namespace coalesce {

Attribute::Attribute(Exec& exec, const AttributeInfo& i) : info(i) {
    switch (info.type) {
        case AttributeType::number:
            values = Buffer<float>(exec);
            break;
        case AttributeType::vector:
            values = Buffer<Vec4>(exec);
            break;
        case AttributeType::whole:
            values = Buffer<uint32_t>(exec);
            break;
    }
}

bool fits(AttributeType type, const AttributeValue& value) {
    if (type == AttributeType::whole)
        return std::floor(value[0]) == value[0] && value[0] >= -2147483648.0 && value[0] <= 2147483647.0;
    for (int k = 0; k < (type == AttributeType::vector ? 3 : 1); ++k)
        if (!std::isfinite(float(value[k]))) return false;
    return true;
}

const std::vector<std::string>& attributeTypeNames() {
    static const std::vector<std::string> names = {"float", "vec3", "int"};
    return names;
}

size_t bytesOf(AttributeType type) {
    return type == AttributeType::vector ? sizeof(Vec4) : sizeof(float);
}

const Attribute* shownAttribute(const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes)
        if (attribute.info.shown) return &attribute;
    return attributes.empty() ? nullptr : &attributes[0];
}

std::vector<AttributeValue> download(const Attribute& attribute) {
    std::vector<AttributeValue> values;
    std::visit(
        [&](const auto& buffer) {
            values.reserve(buffer.size());
            for (const auto& a : buffer.download()) values.push_back(valueOf(a));
        },
        attribute.values);
    return values;
}

}  // namespace coalesce
