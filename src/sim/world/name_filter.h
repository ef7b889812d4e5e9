// Lists of names that select materials and groups.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace coalesce {

// Whether one of these names selects a material or group: its own name, or that of the body that it is a copy
// of ("body" selects "body.3").
inline bool matchesName(const std::vector<std::string>& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) {
        return name == n || (name.starts_with(n) && name[n.size()] == '.');
    });
}

}  // namespace coalesce
