// Maps the names in a scene to groups of particles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The bodies in the order in which they are added; in file order at equal times.
std::vector<size_t> spawnOrder(const Scene& scene);

// Each copy of a body is a group of the world, in the order of spawning: "bunny" selects all copies,
// "bunny.17" one, a material's name all of its particles. The groups of emitters, selected by their names,
// come before all bodies.
class GroupNames {
public:
    struct Meaning {
        uint32_t first = 0, count = 0;  // groups
        std::optional<uint32_t> material;
        bool emitted = false;  // particles of an emitter
        bool has(uint32_t phase) const {
            if (material) return materialOf(phase) == *material;
            return groupOf(phase) >= first && groupOf(phase) - first < count;
        }
    };
    explicit GroupNames(const Scene& scene);

    // The empty name selects everything; nullopt: unknown name.
    std::optional<Meaning> find(const std::string& name) const;
    // Whether a group belongs to a body of the scene, not to an emitter.
    bool isOfBody(uint32_t group) const { return group >= m_emitters && group < m_groups; }
    // Names of bodies, materials and emitters, without single copies.
    const std::vector<std::string>& names() const { return m_names; }
    uint32_t firstOf(size_t body) const { return m_meanings[body].first; }
    // The body and copy of a group.
    struct BodyCopy {
        uint32_t body, copy;
    };
    BodyCopy bodyOf(uint32_t group) const;

private:
    std::vector<std::string> m_names;
    std::vector<Meaning> m_meanings;  // of each name
    std::vector<uint32_t> m_order;    // bodies in spawnOrder()
    uint32_t m_emitters = 0, m_groups = 0;
};

}  // namespace coalesce
