// Which parameters a method reads, from the manifest method_parameters.def.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "sim/world/parameters.h"

namespace coalesce {

struct MethodParameter {
    Method method;
    bool only;               // no other method reads it; false: this method does not read it
    std::string_view group;  // as in ParameterInfo
    std::string_view name;
};

inline std::span<const MethodParameter> methodParameters() {
#define USED_ONLY_BY(method, group, name) {Method::method, true, #group, #name},
#define UNUSED_BY(method, group, name) {Method::method, false, #group, #name},
    static constexpr MethodParameter kEntries[] = {
#include "sim/world/method_parameters.def"
    };
    return kEntries;
}

// Whether a solving method uses a parameter: groups that are named after a method belong to that method
// alone; method_parameters.def lists the others.
inline bool isUsedBy(Method method, std::string_view group, std::string_view name) {
    for (const MethodParameter& entry : methodParameters())
        if (entry.group == group && entry.name == name && (entry.method == method) != entry.only)
            return false;
    const std::vector<std::string_view>& methods = choiceNames<Method>();
    return group == methods[size_t(method)] || std::ranges::find(methods, group) == methods.end();
}

}  // namespace coalesce
