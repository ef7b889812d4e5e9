// Ballistic drops of liquid: the kernel of splash.h.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class Splashes : Stage {
public:
    using Stage::Stage;

    // Once per frame, before anything is derived from phases: drops of the last frame are liquid again where
    // splashes have been switched off, or the method has changed.
    void clearFormer(World& world);
    // Once per substep, when neighbors and contact planes are known: finds the drops and applies drag to
    // them.
    void findDrops(const StepContext& step, const ShapeContacts& shapes);

private:
    Buffer<uint32_t> m_phase{exec};
};

// Whether the density constraint has to look for drops.
bool hasSplashes(const World& world);

}  // namespace coalesce
