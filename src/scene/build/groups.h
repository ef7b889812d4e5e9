// Which particles a name of the scene means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The bodies in the order in which they are born; those of one time in file order.
std::vector<size_t> birthOrder(const Scene& scene);

// Bodies become groups of the world as they are born, each copy of a body one of its own: "bunny" is all of
// them, "bunny.17" one, and a material's name all that is made of it. Before all bodies come the groups of
// what emitters emit, called by their names.
class GroupNames {
public:
    struct Meaning {
        uint32_t first = 0, count = 0;  // groups
        std::optional<uint32_t> material;
        bool emitted = false;  // what an emitter brings into the world
        bool has(uint32_t phase) const {
            if (material) return materialOf(phase) == *material;
            return groupOf(phase) >= first && groupOf(phase) - first < count;
        }
    };
    explicit GroupNames(const Scene& scene);

    // The empty name means everything; nullopt: nothing is called that.
    std::optional<Meaning> find(const std::string& name) const;
    // Whether a group is one of a body that the scene names: not one of what is emitted.
    bool isOfBody(uint32_t group) const { return group >= m_emitters && group < m_groups; }
    // The names of bodies, materials and emitters, without those of single copies.
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
    uint32_t m_emitters = 0, m_groups = 0;
};

}  // namespace coalesce
