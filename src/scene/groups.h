// Which particles a name of the scene means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace coalesce {

// The bodies in the order in which they are born; those of one time in file order.
std::vector<size_t> birthOrder(const Scene& scene);

// Bodies become groups of the world as they are born, each copy of a body one of its own: "bunny" is all of
// them, "bunny.17" one, and a material's name all that is made of it.
class GroupNames {
public:
    struct Meaning {
        uint32_t first = 0, count = 0;  // groups
        std::optional<uint32_t> material;
        bool has(uint32_t phase) const {
            if (material) return materialOf(phase) == *material;
            return groupOf(phase) >= first && groupOf(phase) - first < count;
        }
    };
    explicit GroupNames(const Scene& scene);

    // The empty name means everything; nullopt: nothing is called that.
    std::optional<Meaning> find(const std::string& name) const;
    // The names of bodies and materials, without those of single copies.
    const std::vector<std::string>& names() const { return m_names; }
    uint32_t firstOf(size_t body) const { return m_meanings[body].first; }
    // The body of a group, and which of its copies that is.
    struct Place {
        uint32_t body, copy;
    };
    Place placeOf(uint32_t group) const;

private:
    std::vector<std::string> m_names;
    std::vector<Meaning> m_meanings;  // of each name
    std::vector<uint32_t> m_order;    // bodies as they are born
    uint32_t m_groups = 0;
};

}  // namespace coalesce
