// The particle that a person has picked, and all that is known of it. No window, no OpenGL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bridge/read_particle.h"

namespace coalesce {

class ParticleReadout {
public:
    // From now on this particle, by its id; nullopt: none.
    void follow(std::optional<uint32_t> id);
    std::optional<uint32_t> id() const { return m_id; }

    // Reads it anew; to be called when the world has changed. A particle that is gone keeps what was known
    // of it last.
    void read(World& world, Solver& solver);
    bool isGone() const { return m_gone; }
    const std::optional<ParticleFacts>& facts() const { return m_facts; }

    // One line of the card: name, and value with its unit. `under`: the heading it stands under.
    struct Line {
        std::string under, name, value;
    };
    std::vector<Line> lines(const World& world) const;

private:
    std::optional<uint32_t> m_id;
    std::optional<ParticleFacts> m_facts;
    bool m_gone = false;
};

}  // namespace coalesce
