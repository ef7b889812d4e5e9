// What must hold under every solving method.
#pragma once

#include "sim/world/parameters.h"

namespace coalesce::test {

inline constexpr Method kMethods[] = {Method::position, Method::projective, Method::velocity};

inline std::string_view nameOf(Method method) {
    return choiceNames<Method>()[size_t(method)];
}

}  // namespace coalesce::test
