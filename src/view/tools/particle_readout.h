// The selected particle and all its values. No window, no OpenGL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bridge/read_particle.h"

namespace coalesce {

class ParticleReadout {
public:
    // Selects a particle by its id; nullopt: none.
    void follow(std::optional<uint32_t> id);
    std::optional<uint32_t> id() const { return m_id; }

    // Reads its values; to be called when the world has changed. A removed particle keeps its last values.
    void read(World& world, Solver& solver);
    bool isRemoved() const { return m_removed; }
    const std::optional<ParticleFacts>& facts() const { return m_facts; }

    // One line of the card: heading it belongs to, name, and value with its unit.
    struct Line {
        std::string heading, name, value;
    };
    std::vector<Line> lines(const World& world) const;

private:
    std::optional<uint32_t> m_id;
    std::optional<ParticleFacts> m_facts;
    bool m_removed = false;
};

}  // namespace coalesce
