// The card of the selected particle. Dear ImGui only.
#pragma once

#include "session/session.h"
#include "view/tools/particle_readout.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

class ReadoutCard {
public:
    // At the lower left corner of the viewport, which begins at `left` [px]. Follows ViewSettings::picked.
    void draw(Session& session, ViewSettings& view, float left, float height);
    const ParticleReadout& readout() const { return m_readout; }

private:
    ParticleReadout m_readout;
    uint64_t m_worldGeneration = 0, m_step = ~uint64_t{0};  // of the last reading
};

// Moves the camera close to the selected particle, so that it is seen among its neighbors; false: none is
// selected.
bool focusPicked(Session& session, ViewSettings& view);

}  // namespace coalesce
