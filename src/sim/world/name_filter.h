// Lists of names that say on whom something acts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace coalesce {

// Whether one of these names means a material or group: its own, or that of a body of whose copies it is
// one ("body.3").
inline bool matchesName(const std::vector<std::string>& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) {
        return name == n || (name.starts_with(n) && name[n.size()] == '.');
    });
}

}  // namespace coalesce
