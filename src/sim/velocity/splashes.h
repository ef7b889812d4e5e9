// Ballistic drops of liquid: the kernel of splash.h.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class Splashes : Stage {
public:
    using Stage::Stage;

    // Once per substep, when neighbors and contact planes are known: finds the drops and applies drag to
    // them.
    void findDrops(const StepContext& step, const ShapeContacts& shapes);

private:
    Buffer<uint32_t> m_phase{exec};
};

// Whether the density constraint has to look for drops.
bool hasSplashes(const World& world);

}  // namespace coalesce
