// The card of the picked particle, over the picture. Dear ImGui only.
#pragma once

#include "session/session.h"
#include "view/tools/particle_readout.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

class ReadoutCard {
public:
    // At the picture's lower left corner. left: where the picture begins [px]. Follows Look::picked.
    void draw(Session& session, ViewSettings& look, float left, float height);
    const ParticleReadout& readout() const { return m_readout; }

private:
    ParticleReadout m_readout;
    uint64_t m_worlds = 0, m_step = ~uint64_t{0};  // for which it was read
};

// Looks at the picked particle from as near as shows it among its neighbors; false: there is none.
bool focusPicked(Session& session, ViewSettings& look);

}  // namespace coalesce
